// SPDX-License-Identifier: Apache-2.0
#pragma once

// Sets a flag once something is over: long walks along a record ask the flag, which costs nothing, and
// not the clock.

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace asperity {

// [s] What is to be said of a fit that ran out of time may take so much longer.
inline constexpr double closing_time = 0.5;

class stop_watch {
 public:
  // `is_over` is asked at once, and then every few milliseconds in a thread of its own. The flag is down
  // again afterwards.
  stop_watch(std::shared_ptr<std::atomic<bool>> flag, std::function<bool()> is_over)
      : flag_(std::move(flag)), is_over_(std::move(is_over)) {
    *flag_ = is_over_();
    thread_ = std::thread([this] {
      std::unique_lock lock(guard_);
      while (!is_done_) {
        if (is_over_()) *flag_ = true;
        ended_.wait_for(lock, std::chrono::milliseconds(5));
      }
    });
  }
  stop_watch(const stop_watch&) = delete;
  stop_watch& operator=(const stop_watch&) = delete;
  ~stop_watch() {
    {
      const std::lock_guard lock(guard_);
      is_done_ = true;
    }
    ended_.notify_all();
    thread_.join();
    *flag_ = false;
  }

 private:
  std::shared_ptr<std::atomic<bool>> flag_;
  std::function<bool()> is_over_;
  std::mutex guard_;
  std::condition_variable ended_;
  bool is_done_ = false;
  std::thread thread_;
};

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A run of a method, taken sample by sample. Methods run to their end by themselves; here one runs in
// a thread of its own and waits at each sample until the next one is asked for. So an importer that
// communicates as often as a scenario samples gets the bits of `asperity run`, whatever the method
// remembers from step to step.

#include <asperity/run/scenario.hpp>
#include <atomic>
#include <condition_variable>
#include <exception>
#include <mutex>
#include <span>
#include <thread>

namespace asperity::fmi {

// One stretch of a run.
struct stretch {
  double from = 0, to = 0, every = 0;  // [s]
  double first_step = 0;               // [s], adaptive methods
};

// Runs a stretch to its end. `observe` sees its start and each sample.
integration_result run_stretch(const scenario&, workspace&, std::span<const event>, const stretch&,
                               const std::vector<double>& start, const std::atomic<bool>* interrupt,
                               const std::function<void(double t, const double* y)>& observe);

class paced_run {
 public:
  // The scenario, its workspace and events outlive it, and nobody else uses the latter two meanwhile.
  paced_run(const scenario&, workspace&, std::span<const event>, const stretch&,
            std::vector<double> start);
  ~paced_run();
  paced_run(const paced_run&) = delete;
  paced_run& operator=(const paced_run&) = delete;

  // When the next sample is due.
  double due() const { return stretch_.from + static_cast<double>(samples_ + 1) * stretch_.every; }
  double end() const { return stretch_.to; }
  double every() const { return stretch_.every; }
  // Onward to the next sample; false where the run ended before, as result() says. What the method
  // throws is thrown here.
  bool next();
  const std::vector<double>& y() const { return y_; }
  const integration_result& result() const { return result_; }

 private:
  enum class turn { importer, method };

  const stretch stretch_;
  std::vector<double> y_;
  integration_result result_;
  std::exception_ptr thrown_;
  long samples_ = 0;
  std::mutex mutex_;
  std::condition_variable changed_;
  turn now_ = turn::importer;
  bool is_over_ = false;
  std::atomic<bool> stop_ = false;
  std::thread thread_;

  void hand_over(std::unique_lock<std::mutex>& lock);
};

}  // namespace asperity::fmi

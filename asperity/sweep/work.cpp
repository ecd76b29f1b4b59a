// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/task_arena.h>

#include <asperity/error.hpp>
#include <asperity/run/memory.hpp>
#include <asperity/sweep/work.hpp>
#include <chrono>
#include <condition_variable>
#include <cstring>
#include <exception>
#include <list>
#include <memory>
#include <mutex>
#include <thread>

namespace asperity {

namespace {

using clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// How often a rank looks for messages, and anyone for chunks that others may have left.
constexpr milliseconds message_pause{1}, own_pause{50}, retry_pause{200};

// ---- messages -----------------------------------------------------------------------------------

// First bytes of messages. Ranks: ready with so many threads, a result, gone. Rank 0: a chunk,
// no more of them.
constexpr char ready = 'r', result = 'R', gone = 'g', compute = 'c', no_more = 'n';

template <class T>
void put(std::string& bytes, T value) {
  char raw[sizeof value];
  std::memcpy(raw, &value, sizeof value);
  bytes.append(raw, sizeof value);
}

void put_text(std::string& bytes, std::string_view text) {
  put(bytes, static_cast<std::uint64_t>(text.size()));
  bytes.append(text);
}

void put_numbers(std::string& bytes, const std::vector<double>& values) {
  put(bytes, static_cast<std::uint64_t>(values.size()));
  for (const double value : values) put(bytes, value);
}

class unpacker {
 public:
  explicit unpacker(std::string_view bytes) : left_(bytes) {}

  template <class T>
  T take() {
    T value;
    std::memcpy(&value, part(sizeof value).data(), sizeof value);
    return value;
  }
  std::string take_text() { return std::string(part(take<std::uint64_t>())); }
  std::vector<double> take_numbers() {
    std::vector<double> values(take_count(sizeof(double)));
    for (double& value : values) value = take<double>();
    return values;
  }
  // How many parts follow, each of at least so many bytes: no more than the message can hold.
  std::size_t take_count(std::size_t least) {
    const auto count = take<std::uint64_t>();
    if (count > left_.size() / least) throw error("a message between ranks is too short");
    return count;
  }
  std::string_view rest() const { return left_; }

 private:
  std::string_view left_;

  std::string_view part(std::size_t size) {
    if (size > left_.size()) throw error("a message between ranks is too short");
    const std::string_view result = left_.substr(0, size);
    left_.remove_prefix(size);
    return result;
  }
};

// ---- threads ------------------------------------------------------------------------------------

// Threads that compute chunks; the one who owns them collects. A thread never needs memory to say
// that it is done, nor that it ran out of memory.
class worker_threads {
 public:
  struct finished {
    long long chunk = 0;
    std::vector<point_result> results = {};  // none where it was interrupted
    std::exception_ptr problem = nullptr;
  };

  worker_threads(const sweep_plan& plan, const work_options& options)
      : plan_(plan),
        threads_(options.threads),
        in_packs_(options.in_packs),
        device_(options.device),
        limits_{.interrupt = &stopped_, .memory_limit = free_memory() / options.threads},
        // One more than compute: the calling thread counts as one and does not.
        allowed_(tbb::global_control::max_allowed_parallelism,
                 static_cast<std::size_t>(options.threads) + 1),
        arena_(options.threads, 0) {}
  ~worker_threads() {
    stop();
    while (outstanding_ > 0) next(own_pause);
  }
  worker_threads(const worker_threads&) = delete;
  worker_threads& operator=(const worker_threads&) = delete;

  // Whether another chunk would find a thread, or at least keep one from waiting for the next.
  bool has_room() const { return outstanding_ < 2 * threads_; }
  int outstanding() const { return outstanding_; }
  void stop() { stopped_ = true; }

  void submit(long long chunk) {
    const std::shared_ptr<std::list<finished>> place(new std::list<finished>(1));
    place->front().chunk = chunk;
    arena_.enqueue([this, place] {
      finished& done = place->front();
      try {
        if (!stopped_)
          if (auto results = evaluate_chunk(plan_, done.chunk, limits_, in_packs_, device_))
            done.results = std::move(*results);
      } catch (...) {
        done.problem = std::current_exception();
      }
      // Told under the lock: the owner may be gone as soon as it is free.
      const std::lock_guard only(lock_);
      done_.splice(done_.end(), *place);
      news_.notify_one();
    });
    ++outstanding_;
  }

  std::optional<finished> next(milliseconds patience) {
    std::unique_lock only(lock_);
    if (!news_.wait_for(only, patience, [&] { return !done_.empty(); })) return std::nullopt;
    finished first = std::move(done_.front());
    done_.pop_front();
    --outstanding_;
    return first;
  }

 private:
  const sweep_plan& plan_;
  int threads_, outstanding_ = 0;
  bool in_packs_;
  const pack_device* device_;
  std::atomic<bool> stopped_{false};
  simulate_options limits_;
  std::mutex lock_;
  std::condition_variable news_;
  std::list<finished> done_;
  tbb::global_control allowed_;
  tbb::task_arena arena_;
};

// ---- rank 0 -------------------------------------------------------------------------------------

class coordinator {
 public:
  coordinator(sweep_plan& plan, sweep_store& store, const work_options& options, ranks* others)
      : plan_(plan), store_(store), options_(options), others_(others), workers_(plan, options) {
    if (others_ != nullptr) ranks_.resize(static_cast<std::size_t>(others_->size()));
  }

  bool run() {
    try {
      work();
      stop_ranks();
    } catch (...) {
      // The other ranks end as usual; what they still send is computed again by the next run.
      failed_ = true;
      workers_.stop();
      stop_ranks();
      throw;
    }
    return store_.complete();
  }

 private:
  struct other_rank {
    int room = 0;  // chunks that it would take
    bool is_running = true;
  };

  sweep_plan& plan_;
  sweep_store& store_;
  const work_options& options_;
  ranks* others_;
  worker_threads workers_;
  std::vector<other_rank> ranks_;
  int outside_ = 0;  // chunks that other ranks have
  std::vector<sweep_store::finished_chunk> unwritten_;
  clock::time_point retry_ = clock::now();

  bool failed_ = false;

  void work() {
    report();
    for (;;) {
      const bool stopping = options_.interrupt != nullptr && options_.interrupt->load();
      if (stopping) workers_.stop();
      assign_chunks();
      collect();
      if (workers_.outstanding() > 0) continue;
      if (stopping) return;
      if (outside_ > 0) continue;
      if (store_.complete()) return;
      std::this_thread::sleep_for(message_pause);  // another process has the last chunks
    }
  }

  std::optional<long long> claim() {
    if (clock::now() < retry_) return std::nullopt;
    const int workers = options_.threads * (others_ == nullptr ? 1 : others_->size());
    const auto chunk = store_.claim(workers);
    if (!chunk) retry_ = clock::now() + retry_pause;
    return chunk;
  }

  void assign_chunks() {
    if (options_.interrupt != nullptr && options_.interrupt->load()) return;
    // One each in turn, so that nobody hoards.
    for (bool gave = true; gave;) {
      gave = false;
      if (workers_.has_room()) {
        const auto chunk = claim();
        if (!chunk) return;
        workers_.submit(*chunk);
        gave = true;
      }
      for (std::size_t r = 1; r < ranks_.size(); ++r) {
        if (ranks_[r].room == 0) continue;
        const auto chunk = claim();
        if (!chunk) return;
        std::string bytes(1, compute);
        put(bytes, *chunk);
        put(bytes, plan_.chunk_size());
        others_->send(static_cast<int>(r), bytes);
        --ranks_[r].room;
        ++outside_;
        gave = true;
      }
    }
  }

  // Whatever has come in is written together: the more there is to write, the fewer transactions.
  void collect() {
    if (others_ != nullptr)
      while (const auto message = others_->receive()) read(*message);
    const bool is_alone = others_ == nullptr || others_->size() == 1;
    milliseconds patience = is_alone ? own_pause : message_pause;
    while (auto done = workers_.next(patience)) {
      if (done->problem) std::rethrow_exception(done->problem);
      if (!done->results.empty()) unwritten_.push_back({done->chunk, std::move(done->results)});
      patience = milliseconds(0);
    }
    if (unwritten_.empty()) return;
    assign_chunks();  // nobody waits for the disk
    store_.finish(unwritten_);
    unwritten_.clear();
    report();
  }

  void read(const ranks::message& message) {
    unpacker bytes(message.bytes);
    other_rank& sender = ranks_.at(static_cast<std::size_t>(message.from));
    switch (bytes.take<char>()) {
      case ready:
        if (bytes.take<std::uint64_t>() != plan_.fingerprint())
          throw error(fmt::format("rank {} reads a different scenario than rank 0", message.from));
        sender.room = bytes.take<int>();
        break;
      case result: {
        const auto chunk = bytes.take<long long>();
        ++sender.room;
        --outside_;
        if (!bytes.rest().empty() && !failed_)
          unwritten_.push_back({chunk, unpacked(bytes.rest())});
        break;
      }
      case gone:
        sender.is_running = false;
        break;
      default:
        throw error(
            fmt::format("rank {} sent a message of an unknown kind to rank 0", message.from));
    }
  }

  // Every rank ends before this one: no message is left on the way.
  void stop_ranks() {
    for (std::size_t r = 1; r < ranks_.size(); ++r)
      others_->send(static_cast<int>(r), std::string(1, no_more));
    for (std::size_t r = 1; r < ranks_.size(); ++r)
      while (ranks_[r].is_running) {
        if (const auto message = others_->receive()) {
          read(*message);
        } else {
          std::this_thread::sleep_for(message_pause);
        }
      }
    if (!failed_ && !unwritten_.empty()) store_.finish(unwritten_);
  }

  void report() {
    if (options_.progress) options_.progress(store_.finished_points());
  }
};

}  // namespace

std::string packed(const std::vector<point_result>& results) {
  std::string bytes;
  put(bytes, static_cast<std::uint64_t>(results.size()));
  for (const auto& each : results) {
    put_text(bytes, each.outcome);
    put_text(bytes, each.detail);
    put_numbers(bytes, each.values);
    put(bytes, static_cast<std::uint64_t>(each.lists.size()));
    for (const auto& list : each.lists) put_numbers(bytes, list);
  }
  return bytes;
}

std::vector<point_result> unpacked(std::string_view bytes) {
  unpacker from(bytes);
  constexpr std::size_t number = sizeof(std::uint64_t);
  std::vector<point_result> results(from.take_count(4 * number));
  for (auto& each : results) {
    each.outcome = from.take_text();
    each.detail = from.take_text();
    each.values = from.take_numbers();
    each.lists.resize(from.take_count(number));
    for (auto& list : each.lists) list = from.take_numbers();
  }
  return results;
}

bool run_sweep(sweep_plan& plan, sweep_store& store, const work_options& options, ranks* others) {
  return coordinator(plan, store, options, others).run();
}

void serve_sweep(sweep_plan& plan, const work_options& options, ranks& others) {
  std::string hello(1, ready);
  put(hello, plan.fingerprint());
  put(hello, 2 * options.threads);
  others.send(0, hello);
  worker_threads workers(plan, options);
  for (bool more = true; more || workers.outstanding() > 0;) {
    if (options.interrupt != nullptr && options.interrupt->load()) workers.stop();
    while (const auto message = others.receive()) {
      unpacker bytes(message->bytes);
      if (bytes.take<char>() == compute) {
        const auto chunk = bytes.take<long long>(), size = bytes.take<long long>();
        // All chunks of a sweep have one size, that of the file; the first tells it.
        if (size != plan.chunk_size()) plan.set_chunk_size(size);
        workers.submit(chunk);
      } else {
        more = false;
        workers.stop();
      }
    }
    while (auto done = workers.next(message_pause)) {
      if (done->problem) std::rethrow_exception(done->problem);
      std::string bytes(1, result);
      put(bytes, done->chunk);
      if (!done->results.empty()) bytes += packed(done->results);
      others.send(0, bytes);
    }
  }
  others.send(0, std::string(1, gone));
}

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#include <asperity/fmi/paced_run.hpp>
#include <asperity/run/jumps.hpp>

namespace asperity::fmi {

integration_result run_stretch(const scenario& s, workspace& work, std::span<const event> events,
                               const stretch& of, const std::vector<double>& start,
                               const std::atomic<bool>* interrupt,
                               const std::function<void(double t, const double* y)>& observe) {
  const system_view view(*s.system, work, static_cast<int>(start.size()), false);
  run_options options;
  options.from = of.from;
  options.to = of.to;
  options.sample_every = of.every;
  options.max_steps = s.max_steps;
  options.jumps = jumps_of(s.system->card(), of.from, of.to);
  options.stop_at_jumps = s.method->stops_at_jumps;
  options.limits.interrupt = interrupt;
  run_setting setting = s;
  if (of.first_step > 0) setting.first_step = of.first_step;
  std::vector<event_record> found;
  return s.method->run({view, setting, start.data(), options, events, found, observe}).result;
}

paced_run::paced_run(const scenario& s, workspace& work, std::span<const event> events,
                     const stretch& of, std::vector<double> start)
    : stretch_(of), y_(start) {
  thread_ = std::thread([this, &s, &work, events, start = std::move(start)] {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return now_ == turn::method; });
    lock.unlock();
    try {
      if (!stop_)
        result_ =
            run_stretch(s, work, events, stretch_, start, &stop_, [&](double t, const double* y) {
              if (t <= stretch_.from) return;
              std::unique_lock inside(mutex_);
              y_.assign(y, y + start.size());
              hand_over(inside);
            });
    } catch (const interruption&) {
      // Nobody asks for the rest.
    } catch (...) {
      thrown_ = std::current_exception();
    }
    lock.lock();
    is_over_ = true;
    now_ = turn::importer;
    changed_.notify_all();
  });
}

// From the method to the importer, until it is asked for more.
void paced_run::hand_over(std::unique_lock<std::mutex>& lock) {
  now_ = turn::importer;
  changed_.notify_all();
  changed_.wait(lock, [this] { return now_ == turn::method; });
  if (stop_) throw interruption();
}

bool paced_run::next() {
  std::unique_lock lock(mutex_);
  if (is_over_) return false;
  now_ = turn::method;
  changed_.notify_all();
  changed_.wait(lock, [this] { return now_ == turn::importer; });
  if (thrown_) std::rethrow_exception(thrown_);
  if (is_over_) return false;
  ++samples_;
  return true;
}

paced_run::~paced_run() {
  {
    const std::scoped_lock lock(mutex_);
    stop_ = true;
    now_ = turn::method;
  }
  changed_.notify_all();
  thread_.join();
}

}  // namespace asperity::fmi

// SPDX-License-Identifier: Apache-2.0
// Evaluation of models that see more than one direction: the columns are the inputs of the port,
// the states may be those of thousands of cells.

#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/run/evaluate.hpp>
#include <asperity/run/port_steps.hpp>
#include <asperity/run/rows.hpp>
#include <cmath>

namespace asperity {

namespace {

// The inputs of a port over time. A rate is joined by lines and its place is the integral; a place
// without a rate is joined by the monotone cubic, and its slope is the rate.
class port_motion {
 public:
  port_motion(const any_model& model, const record& in)
      : port_(model.at()),
        times_(in.t),
        shapes_(port_.inputs.size()),
        comes_from_(port_.inputs.size(), source::integral) {
    for (std::size_t i = 0; i < port_.inputs.size(); ++i) {
      const channel& each = port_.inputs[i];
      if (each.is == channel::load) read_load(in, i);
      if (each.is == channel::rate) read_rate(model, in, i);
    }
    const std::size_t all = port_.inputs.size();
    integrals_.resize(times_.size(), std::vector<double>(all));
    for (std::size_t i = 0; i < all; ++i) {
      if (comes_from_[i] != source::integral) continue;
      const signal& rate = shapes_[static_cast<std::size_t>(port_.inputs[i].rate_of)];
      const std::vector<double>* places = in.find(port_.inputs[i].name);
      double sum = places != nullptr ? places->front() : 0.0;
      for (std::size_t row = 0; row < times_.size(); ++row) {
        if (row > 0)
          sum += (times_[row] - times_[row - 1]) *
                 (rate.value(times_[row - 1]) + rate.value(times_[row])) / 2;
        integrals_[row][i] = sum;
      }
    }
  }

  const std::vector<double>& times() const { return times_; }
  bool shows(std::size_t input) const { return comes_from_[input] != source::nothing; }

  // At a time from that of a row to that of the next.
  void at(std::size_t row, double t, double* in) const {
    const double end = row + 1 < times_.size() ? times_[row + 1] : times_[row];
    // A slope is that from the right, and behind the last row there is none.
    const double inside = end > times_[row] ? std::min(t, std::nextafter(end, times_[row])) : t;
    for (std::size_t i = 0; i < port_.inputs.size(); ++i) {
      const auto rate = static_cast<std::size_t>(port_.inputs[i].rate_of);
      switch (comes_from_[i]) {
        case source::column:
          in[i] = shapes_[i].value(t);
          break;
        case source::slope:
          in[i] = times_.size() == 1 ? 0.0 : shapes_[i].slope(inside);
          break;
        case source::nothing:
          in[i] = 1;
          break;
        case source::integral:
          in[i] =
              integrals_[row][i] +
              (t - times_[row]) * (shapes_[rate].value(times_[row]) + shapes_[rate].value(t)) / 2;
          break;
      }
    }
  }

 private:
  enum class source { column, slope, integral, nothing };

  void read_load(const record& in, std::size_t i) {
    comes_from_[i] = source::nothing;
    const std::vector<double>* loads = in.find("load");
    if (loads == nullptr) return;
    for (std::size_t row = 0; row < loads->size(); ++row)
      if (!((*loads)[row] > 0)) in.fail("load", row, "it must be above 0");
    join(i, *loads, signal::joint::linear);
  }
  void read_rate(const any_model& model, const record& in, std::size_t i) {
    const int place = port_.place_of(static_cast<int>(i));
    const char* rate_name = port_.inputs[i].name;
    const char* place_name = place < 0 ? "" : port_.inputs[static_cast<std::size_t>(place)].name;
    const std::vector<double>*rates = in.find(rate_name),
          *places = place >= 0 ? in.find(place_name) : nullptr;
    if (rates == nullptr && places == nullptr)
      throw error(fmt::format("{}:1: model '{}' (port {}) needs a column '{}'{}{}", in.name,
                              model.key(), port_.name, rate_name,
                              place < 0 ? "" : fmt::format(" or '{}'", place_name),
                              known_columns(rate_name, in.file_columns)));
    // Bodies that meet are pressed by their gap; what slides is moved by its velocity.
    const bool prefers_place = port_.is_contact();
    if (places != nullptr && (prefers_place || rates == nullptr)) {
      join(static_cast<std::size_t>(place), *places, signal::joint::cubic);
      shapes_[i] = shapes_[static_cast<std::size_t>(place)];
      comes_from_[i] = source::slope;
    } else {
      join(i, *rates, signal::joint::linear);
    }
  }
  void join(std::size_t i, std::vector<double> values, signal::joint how) {
    shapes_[i] = signal::nodes(times_, std::move(values), how);
    comes_from_[i] = source::column;
  }

  const port& port_;
  std::vector<double> times_;
  std::vector<signal> shapes_;
  std::vector<source> comes_from_;
  std::vector<std::vector<double>> integrals_;  // [row][input]
};

// A model along a motion.
class port_follower {
 public:
  port_follower(const any_model& model, const port_motion& motion, const evaluate_options& options)
      : model_(model),
        motion_(motion),
        options_(options),
        steps_(model, options.relative_tolerance),
        in(model.at().inputs.size()),
        out(model.at().outputs.size()),
        state(static_cast<std::size_t>(model.states())),
        rate_(state.size()) {
    motion.at(0, motion.times().front(), in.data());
    model.initial(in.data(), state.data());
    if (motion.times().size() > 1)
      steps_.begin_with(1e-3 * (motion.times()[1] - motion.times()[0]));
    observe(0, motion.times().front());
  }

  void observe(std::size_t row, double t) {
    motion_.at(row, t, in.data());
    model_.respond(in.data(), state.data(), out.data(), rate_.data());
  }

  // From a row to the next.
  outcome follow(std::size_t row) {
    const auto inputs = [&](double t, double* to) { motion_.at(row, t, to); };
    const auto goes_on = [&](long steps) {
      if (is_set(options_.interrupt)) return outcome::interrupted;
      return steps >= options_.max_steps ? outcome::step_limit : outcome::completed;
    };
    return steps_.follow(model_, inputs, goes_on, motion_.times()[row], motion_.times()[row + 1],
                         state.data());
  }
  long steps() const { return steps_.steps(); }

 private:
  const any_model& model_;
  const port_motion& motion_;
  const evaluate_options& options_;
  port_steps steps_;

 public:
  std::vector<double> in, out, state;

 private:
  std::vector<double> rate_;
};

}  // namespace

run_data evaluate_at_port(const any_model& model, const record& in,
                          const evaluate_options& options) {
  if (!options.drive.empty())
    throw error(
        fmt::format("model '{}' (port {}) has more than one direction: the columns of the file "
                    "determine what drives it, so leave out '{}'",
                    model.key(), model.at().name, options.drive));
  const port_motion motion(model, in);
  const port& at = model.at();
  const bool shows_states = model.functions().at_port.cells == nullptr;

  run_data data;
  data.columns.push_back({"t", units::second, {}});
  for (std::size_t i = 0; i < at.inputs.size(); ++i)
    if (motion.shows(i)) data.columns.push_back({at.inputs[i].name, at.inputs[i].in, {}});
  const auto names = model.state_names();
  const auto in_units = model.state_units();
  for (std::size_t i = 0; shows_states && i < names.size(); ++i)
    data.columns.push_back({names[i], in_units[i], {}});
  for (const channel& each : at.outputs) data.columns.push_back({each.name, each.in, {}});
  if (model.has_energy()) data.columns.push_back({"stored", units::joule, {}});

  port_follower now(model, motion, options);
  const auto show = [&](std::size_t row) {
    std::size_t next = 0;
    const auto put = [&](double value) { data.columns[next++].values.push_back(value); };
    const std::size_t before = row + 1 < motion.times().size() || row == 0 ? row : row - 1;
    now.observe(before, motion.times()[row]);
    put(motion.times()[row]);
    for (std::size_t i = 0; i < at.inputs.size(); ++i)
      if (motion.shows(i)) put(now.in[i]);
    for (std::size_t i = 0; shows_states && i < names.size(); ++i) put(now.state[i]);
    for (const double each : now.out) put(each);
    if (model.has_energy()) put(model.stored_energy(now.in.data(), now.state.data()));
    data.result.t = motion.times()[row];
  };
  show(0);
  for (std::size_t row = 1; row < motion.times().size(); ++row) {
    data.result.how = now.follow(row - 1);
    if (data.result.how != outcome::completed) break;
    show(row);
  }
  data.result.steps = now.steps();
  if (is_failure(data.result.how)) data.hint = hint_for_motion(data.result.how);
  end_where_not_finite(data);
  return data;
}

}  // namespace asperity

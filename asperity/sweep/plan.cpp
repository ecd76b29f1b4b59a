// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/card.hpp>
#include <asperity/error.hpp>
#include <asperity/quantity.hpp>
#include <asperity/sweep/packs.hpp>
#include <asperity/sweep/plan.hpp>
#include <asperity/sweep/random.hpp>
#include <asperity/systems/prescribed_motion.hpp>
#include <asperity/text.hpp>
#include <asperity/text/noted_units.hpp>
#include <asperity/text/ranges.hpp>
#include <cmath>
#include <filesystem>

namespace asperity {

namespace {

// More points than this are a mistake in a range.
constexpr double most_points = 1e9;
constexpr long long largest_chunk = 256;

// Numbers of a document by their full names, as `assign` takes them.
void collect_numbers(const toml_value& value, const std::string& name,
                     std::vector<std::pair<std::string, const toml_value*>>& found) {
  using kind = toml_value::kind;
  if (value.is == kind::integer || value.is == kind::real) found.emplace_back(name, &value);
  // A list of numbers is one parameter; in a sweep all of its elements are the same.
  if (value.is == kind::list && !value.items.empty() && value.items.front().is == kind::real)
    found.emplace_back(name, &value.items.front());
  if (value.is != kind::table && value.is != kind::list) return;
  for (std::size_t i = 0; i < value.items.size(); ++i) {
    const bool is_plain = value.items[i].is == kind::integer || value.items[i].is == kind::real;
    if (value.is == kind::list && is_plain) continue;
    const std::string key = value.is == kind::list ? fmt::format("{}", i + 1) : value.keys[i];
    collect_numbers(value.items[i], name.empty() ? key : fmt::format("{}.{}", name, key), found);
  }
}

struct parameter {
  std::string option, name, text;  // "--over mass=...", "system.mass", "..."
  noted_units::note about;
};

}  // namespace

const char* to_string(continuation along) {
  switch (along) {
    case continuation::none:
      return "none";
    case continuation::up:
      return "up";
    case continuation::down:
      return "down";
    case continuation::both:
      return "both";
  }
  return "";
}

std::span<const sweep_only_measure> sweep_only_measures() {
  static constexpr sweep_only_measure all[] = {
      {"final_state", "of each state", "last value of every state, one column each"},
      {"extrema", "of the column",
       "distinct local maxima and minima, settled: for bifurcation diagrams"},
      {"attractor", "s",
       "period, minimum and maximum, settled; runs that agree get the same number: for basins of "
       "attraction"}};
  return all;
}

std::vector<std::string> split_measures(std::string_view text) {
  std::vector<std::string> parts(1);
  int depth = 0;
  for (const char c : text) {
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c == ',' && depth == 0) {
      parts.emplace_back();
    } else {
      parts.back() += c;
    }
  }
  return parts;
}

sweep_plan::sweep_plan(const sweep_request& wanted)
    : document_(read_toml(wanted.file)),
      along_(wanted.along),
      in_float_(wanted.in_float),
      seed_(wanted.seed) {
  for (const auto& setting : wanted.settings) apply_override(document_, setting);
  const std::filesystem::path path(wanted.file);
  name_ = path.stem().string();
  folder_ = path.parent_path().string();
  document_text_ = to_toml(document_);
  base_ = read_scenario(document_, name_, folder_);
  read_parameters(wanted);
  read_measures(wanted);

  double count = along_ == continuation::both ? 2 : 1;
  for (const auto& axis : axes_) count *= static_cast<double>(axis.values.size());
  if (!draws_.empty()) samples_ = wanted.samples;
  count *= static_cast<double>(samples_);
  if (count > most_points)
    throw error(
        fmt::format("{:g} points are too many: at most {:g} are allowed", count, most_points));
  points_ = static_cast<long long>(count);

  chunk_size_ = std::clamp((points_ + 63) / 64, 1LL, largest_chunk);
  if (wanted.chunk > 0) chunk_size_ = std::min(wanted.chunk, points_);
  if (along_ != continuation::none)
    chunk_size_ = static_cast<long long>(axes_.back().values.size());  // each needs the one before
  quick_ = quick_points::of(*this);
}

void sweep_plan::read_parameters(const sweep_request& wanted) {
  std::vector<std::pair<std::string, const toml_value*>> known;
  collect_numbers(base_.resolved, "", known);

  std::vector<parameter> parameters;
  toml_value probe = document_;
  const auto take = [&](const char* option, const std::string& setting) {
    const auto equals = setting.find('=');
    const std::string whole = fmt::format("{} {}", option, setting);
    if (equals == std::string::npos || equals == 0)
      throw error(fmt::format("{}: write KEY=VALUES, such as friction.F_s=lin(1, 2, 10)", whole));
    const std::string key = without_blanks(setting.substr(0, equals));
    std::vector<std::string> fitting, all;
    const toml_value* value = nullptr;
    for (const auto& [name, its] : known) {
      all.push_back(name);
      const bool is_end = name.size() > key.size() && name.ends_with(key) &&
                          name[name.size() - key.size() - 1] == '.';
      if (name != key && !is_end) continue;
      if (name == key) fitting.clear();
      fitting.push_back(name);
      value = its;
      if (name == key) break;
    }
    if (fitting.empty())
      throw error(fmt::format("{}: no number of the scenario is called '{}': {}", whole, key,
                              suggest(key, all)));
    if (fitting.size() > 1)
      throw error(fmt::format("{}: '{}' could be any of {}: write the full name", whole, key,
                              fmt::join(fitting, ", ")));
    for (const auto& other : parameters)
      if (other.name == fitting.front())
        throw error(fmt::format("{}: '{}' is given twice", whole, fitting.front()));
    parameters.push_back({whole, fitting.front(), setting.substr(equals + 1), {}});
    assign(probe, fitting.front(), *value);
  };
  for (const auto& each : wanted.axes) take("--over", each);
  for (const auto& each : wanted.draws) take("--sample", each);

  // The scenario with all of them present: each is read, and leaves its unit and range.
  {
    const noted_units notes;
    static_cast<void>(read_scenario(probe, name_, folder_));
    for (auto& each : parameters) {
      const auto* note = notes.find(each.name);
      if (note == nullptr)
        throw error(fmt::format("{}: '{}' is not a number that can be changed in this scenario",
                                each.option, each.name));
      each.about = *note;
    }
  }
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    const auto& p = parameters[i];
    try {
      if (i < wanted.axes.size()) {
        axes_.push_back({p.name, p.about.in, p.text, {}, false});
        axes_.back().values = parse_values(p.text, p.about.in, p.about.allowed);
        axes_.back().is_log = without_blanks(p.text).starts_with("log(");
      } else {
        draws_.push_back({p.name, p.about.in, p.text, parse_distribution(p.text, p.about.in)});
      }
    } catch (const error& problem) {
      throw error(fmt::format("{}: {}", p.option, problem.what()));
    }
  }
  if (axes_.empty() && draws_.empty())
    throw error("nothing to sweep: give --over KEY=VALUES or --sample KEY=DISTRIBUTION");
  if (draws_.empty() && wanted.samples > 0)
    throw error("--samples needs --sample KEY=DISTRIBUTION");
  if (!draws_.empty() && wanted.samples < 1)
    throw error("--sample needs --samples N, the number of samples to draw");
  if (along_ != continuation::none && axes_.empty())
    throw error("--continue needs --over KEY=VALUES, the values to follow");
  if (along_ != continuation::none && !draws_.empty())
    throw error("--continue and --sample cannot be combined");
  if (along_ != continuation::none) {
    const auto& values = axes_.back().values;
    if (!std::is_sorted(values.begin(), values.end()))
      throw error(fmt::format("--continue: the values of {} must increase", axes_.back().name));
    const system_card& card = base_.system->card();
    if (base_.system->march() != nullptr || card.states.size() != base_.initial.size())
      throw error(
          fmt::format("--continue: a {} does not give access to all of its states", card.kind));
    if (prescribed_motion_in(*base_.system) != nullptr)
      throw error("--continue: the motion is prescribed, so there is no state to continue from");
  }

  // Every value that will be drawn is looked at before anything runs.
  for (std::size_t d = 0; d < draws_.size(); ++d) {
    const auto& p = parameters[axes_.size() + d];
    const range allowed = p.about.allowed;
    const std::uint64_t stream = stream_of(p.name);
    double least = unbounded, greatest = -unbounded;
    long long lowest = 0, highest = 0;
    for (long long i = 0; i < wanted.samples; ++i) {
      const double value =
          draws_[d].from.quantile(uniform_at(seed_, stream, static_cast<std::uint64_t>(i)));
      if (value < least) {
        least = value;
        lowest = i;
      }
      if (value > greatest) {
        greatest = value;
        highest = i;
      }
      if (allows(allowed, value)) continue;
      throw error(
          fmt::format("{}: sample {} is {:g} {}, which is not allowed: it must be {}; a lognormal "
                      "or uniform distribution stays within bounds",
                      p.option, i, value, to_string(p.about.in), to_string(allowed)));
    }
    extreme_samples_.push_back(lowest);
    extreme_samples_.push_back(highest);
  }
}

void sweep_plan::read_measures(const sweep_request& wanted) {
  // A run that is interrupted at once tells its columns and events.
  const std::atomic<bool> stop{true};
  const run_data empty = simulate(base_, {&stop, {}});
  // The longest run there may be: what is measured after it, or before it begins, is nothing.
  double longest = unbounded;
  if (empty.columns.front().name == "t") longest = base_.duration;
  for (const auto& each : axes_)
    if (each.name == "run.duration")
      longest = *std::max_element(each.values.begin(), each.values.end());
  for (const auto& each : draws_)
    if (each.name == "run.duration") longest = unbounded;
  const auto add = [&](std::string name, const std::string& text, bool is_list) {
    const measure what = parse_measure(text);
    const auto check = [&](const std::string& word, std::vector<std::string> names,
                           const char* thing) {
      if (word.empty() || std::find(names.begin(), names.end(), word) != names.end()) return;
      throw error(fmt::format("--measure {}: unknown {} '{}': {}", name, thing, word,
                              suggest(word, names)));
    };
    std::vector<std::string> columns;
    for (const auto* list : {&empty.columns, &empty.audit_columns})
      for (const auto& each : *list) columns.push_back(each.name);
    const bool about_events = what.what->of == measure_row::subject::event;
    check(what.column, about_events ? empty.event_names : columns,
          about_events ? "event" : "column");
    check(what.over, columns, "column");
    const double begin = what.second_half ? longest / 2 : what.from;
    const bool is_known = std::isfinite(longest);
    if (is_known && begin > longest)
      throw error(fmt::format("--measure {}: from = {:g} s is after the end of the run, {:g} s",
                              name, begin, longest));
    if (is_known && what.to < begin)
      throw error(
          fmt::format("--measure {}: to = {:g} s is before {:g} s, the middle of the run, where "
                      "the measure begins unless from is given",
                      name, what.to, begin));
    if (what.column.empty()) evaluate(what, empty);  // throws where its own column is missing
    for (const char* needed : what.what->events) check(needed, empty.event_names, "event");
    for (const auto& other : measures_)
      if (other.name == name) throw error(fmt::format("--measure {}: it is given twice", name));
    measures_.push_back({std::move(name), what, unit_of(what, empty), is_list});
  };
  for (const auto& each : wanted.measures) {
    for (const auto& text : split_measures(each)) {
      const std::string name = without_blanks(text);
      if (name.empty())
        throw error(fmt::format("--measure {}: the name of a measure is missing", each));
      if (name == "final_state") {
        for (const auto& state : states_of(base_)) {
          const std::string last = fmt::format("last({})", state.name);
          add(last, last, false);
        }
      } else if (name.starts_with("extrema(")) {
        // Read like an amplitude: of a column, over the settled part.
        add(name, fmt::format("amplitude{}", text.substr(text.find('('))), true);
      } else if (name.starts_with("attractor(")) {
        const std::string arguments = text.substr(text.find('('));
        add(name, fmt::format("period{}", arguments), false);
        for (const char* part : {"minimum", "maximum"}) {
          measure what = measures_.back().what;
          what.what = find_measure(part);
          measures_.push_back(
              {fmt::format("{}.{}", name, part), what, unit_of(what, empty), false});
        }
      } else {
        add(name, text, false);
      }
    }
  }
  if (measures_.empty())
    throw error(
        "nothing to measure: give --measure, such as amplitude(x); `asperity measures` lists them");
}

std::uint64_t sweep_plan::fingerprint() const {
  std::string all =
      fmt::format("{}\n{} {} {}\n", document_text_, seed_, samples_, to_string(along_));
  for (const auto& each : base_.attachments) all += each.text;
  for (const auto& each : axes_)
    all += fmt::format("{}={}\n", each.name, fmt::join(each.values, ","));
  for (const auto& each : draws_) all += fmt::format("{}={}\n", each.name, each.text);
  for (const auto& each : measures_) all += each.name + "\n";
  if (in_float_) all += "float\n";
  return stream_of(all);
}

bool sweep_plan::goes_up(long long point) const {
  if (along_ != continuation::both) return along_ != continuation::down;
  return (point / chunk_size_) % 2 == 0;
}

bool sweep_plan::is_corner(long long point) const {
  // More axes have too many corners: two of them, opposite to each other, must do.
  constexpr std::size_t most_axes = 4;
  const long long sample = point % samples_;
  if (!draws_.empty() &&
      std::find(extreme_samples_.begin(), extreme_samples_.end(), sample) == extreme_samples_.end())
    return false;
  std::size_t first = 0, last = 0;
  long long rest = point / samples_;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const auto size = static_cast<long long>(axes_[i].values.size()), index = rest % size;
    if (index != 0 && index != size - 1) return false;
    ++(index == 0 ? first : last);
    rest /= size;
    if (i + 1 == axes_.size() && along_ == continuation::both) rest /= 2;
  }
  return axes_.size() <= most_axes || first == 0 || last == 0;
}

std::vector<double> sweep_plan::parameters(long long point) const {
  std::vector<double> result(axes_.size() + draws_.size());
  parameters(point, result);
  return result;
}

void sweep_plan::parameters(long long point, std::span<double> to) const {
  const auto sample = static_cast<std::uint64_t>(point % samples_);
  for (std::size_t d = 0; d < draws_.size(); ++d)
    to[axes_.size() + d] =
        draws_[d].from.quantile(uniform_at(seed_, stream_of(draws_[d].name), sample));
  long long rest = point / samples_;
  for (std::size_t i = axes_.size(); i-- > 0;) {
    const auto size = static_cast<long long>(axes_[i].values.size());
    to[i] = axes_[i].values[static_cast<std::size_t>(rest % size)];
    rest /= size;
    if (i + 1 == axes_.size() && along_ == continuation::both) rest /= 2;
  }
}

scenario sweep_plan::at(long long point) const { return with(parameters(point), point); }

scenario sweep_plan::with(std::span<const double> values, long long point) const {
  toml_value document = document_;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::string& name = i < axes_.size() ? axes_[i].name : draws_[i - axes_.size()].name;
    toml_value value = toml_value::of(values[i]);
    value.place = fmt::format("point {}", point);
    assign(document, name, std::move(value));
  }
  return read_scenario(document, name_, folder_, wanted_of_scenario::numbers);
}

}  // namespace asperity

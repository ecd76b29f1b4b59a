// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <asperity/identify/fit_report.hpp>
#include <asperity/identify/scenario_fit.hpp>
#include <asperity/mechanics/signal.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/quantity.hpp>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
#include <optional>
#include <thread>

namespace asperity {

namespace {

const toml_value* value_at(const toml_value& root, std::string_view path) {
  const toml_value* here = &root;
  while (!path.empty() && here != nullptr) {
    const auto dot = path.find('.');
    const std::string_view key = path.substr(0, dot);
    path = dot == std::string_view::npos ? std::string_view{} : path.substr(dot + 1);
    if (here->is == toml_value::kind::list) {
      std::size_t index = 0;
      for (const char c : key) index = index * 10 + static_cast<std::size_t>(c - '0');
      here = index >= 1 && index <= here->items.size() ? &here->items[index - 1] : nullptr;
    } else {
      here = here->is == toml_value::kind::table ? here->find(key) : nullptr;
    }
  }
  return here;
}

// What a card says of a key: its range and its meaning.
struct key_on_card {
  range allowed;
  std::string meaning;
};

// A parameter of a model, where the key is one: "friction.F_c".
std::optional<key_on_card> parameter_of_model(const toml_value& document, std::string_view key) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos) return {};
  const toml_value* table = document.find(key.substr(0, dot));
  const toml_value* model = table == nullptr ? nullptr : table->find("model");
  if (model == nullptr || model->is != toml_value::kind::text) return {};
  const toml_value* curve = table->find("curve");
  const std::string_view name = key.substr(dot + 1, key.find('.', dot + 1) - dot - 1);
  const any_model made(find_entry(model->text), curve != nullptr ? curve->text : "");
  for (const auto& each : made.describe().parameters)
    if (each.name == name) return key_on_card{each.allowed, each.meaning};
  return {};
}

// A number of the system itself: "system.mass".
std::optional<key_on_card> key_of_system(const toml_value& document, std::string_view key) {
  constexpr std::string_view table = "system.";
  if (!key.starts_with(table)) return {};
  const toml_value* kind = value_at(document, "system.kind");
  if (kind == nullptr || kind->is != toml_value::kind::text) return {};
  const system_row* row = find_system(kind->text);
  if (row == nullptr) return {};
  for (const key_entry& each : keys_of(*row))
    if (each.is == key_entry::kind::number && each.table == "system" &&
        each.name == key.substr(table.size()))
      return key_on_card{each.allowed, each.meaning};
  return {};
}

struct prepared {
  scenario_record given;
  std::vector<double> times;  // of the record, from 0
  std::vector<std::size_t> compared;
  bool is_even = true;
  // Steps of its first run, at the start. One that takes many times as many is of values that make
  // the system blow up or stiff, and would go on for hours.
  std::shared_ptr<std::atomic<long>> steps = std::make_shared<std::atomic<long>>(0);
  static constexpr long most_times = 30;
};

// A number, or a text such as "1.2 kg", as inclusions keep it.
std::optional<quantity> quantity_in(const toml_value& value) {
  switch (value.is) {
    case toml_value::kind::real:
      return quantity{value.real, false, units::one};
    case toml_value::kind::integer:
      return quantity{static_cast<double>(value.integer), false, units::one};
    case toml_value::kind::text:
      try {
        return parse_quantity(value.text);
      } catch (const error&) {
        return {};
      }
    default:
      return {};
  }
}

// The parameter of an inclusion keeps its unit, without which its equations would have others.
void put(toml_value& document, const std::string& key, double value) {
  const toml_value* before = value_at(document, key);
  const bool is_text =
      before != nullptr && before->is == toml_value::kind::text && key.starts_with("parameters.");
  const auto written = is_text ? quantity_in(*before) : std::nullopt;
  assign(document, key,
         written && written->has_unit
             ? toml_value::of(fmt::format("{:.17g} {}", value, to_string(written->in)))
             : toml_value::of(value));
}

}  // namespace

std::vector<scenario_unknown> unknowns_of(const toml_value& document, const std::string& name,
                                          const std::string& folder,
                                          const std::vector<std::string>& keys) {
  const scenario read = read_scenario(document, name, folder);
  std::vector<scenario_unknown> result;
  for (const std::string& key : keys) {
    const toml_value* found = value_at(read.resolved, key);
    const auto written = found != nullptr ? quantity_in(*found) : std::nullopt;
    if (!written)
      throw error(
          fmt::format("--free {}: {} has no number of this name; `asperity run --set` takes the "
                      "same names",
                      key, name));
    if (std::any_of(result.begin(), result.end(), [&](const auto& x) { return x.key == key; }))
      throw error(fmt::format("--free {}: it is named twice", key));
    scenario_unknown x;
    x.key = key;
    x.start = written->value;
    x.in = written->in;
    if (found->in) x.in = *found->in;
    x.allowed = x.start > 0 ? positive : x.start == 0 ? non_negative : any_value;
    auto known = parameter_of_model(read.resolved, key);
    if (!known) known = key_of_system(read.resolved, key);
    if (known) {
      x.allowed = known->allowed;
      x.meaning = known->meaning;
    }
    result.push_back(std::move(x));
  }
  return result;
}

toml_value with_values(toml_value document, const std::vector<scenario_unknown>& unknowns,
                       std::span<const double> values) {
  for (std::size_t i = 0; i < unknowns.size(); ++i) put(document, unknowns[i].key, values[i]);
  return document;
}

namespace {

// Where each row of an even record is, counted in steps: rows may be missing, but none may lie between two
// places. Throws where they do.
std::vector<std::size_t> places_of_rows(const record& from) {
  const std::size_t rows = from.t.size();
  std::vector<double> steps(rows - 1);
  for (std::size_t k = 0; k + 1 < rows; ++k) steps[k] = from.t[k + 1] - from.t[k];
  std::vector<double> sorted = steps;
  const auto middle = sorted.begin() + static_cast<std::ptrdiff_t>(sorted.size() / 2);
  std::nth_element(sorted.begin(), middle, sorted.end());
  std::size_t farthest = 0;
  // First as if none were missing: times that were rounded may differ from row to row.
  for (const bool may_lack : {false, true}) {
    std::vector<std::size_t> places{0};
    for (const double step : steps)
      places.push_back(
          places.back() +
          (may_lack ? static_cast<std::size_t>(std::max(1.0, std::round(step / *middle))) : 1));
    const double spacing = (from.t.back() - from.t.front()) / static_cast<double>(places.back());
    double most = 0;
    for (std::size_t k = 0; k < rows; ++k) {
      const double off =
          std::abs((from.t[k] - from.t.front()) / spacing - static_cast<double>(places[k]));
      if (off > most) farthest = k;
      most = std::max(most, off);
    }
    if (most < 0.4) return places;
  }
  throw error(
      fmt::format("{}: rows are averaged over periods where they are evenly apart, but that at t = "
                  "{:g} s lies between two places: resample the record, or leave out its uneven "
                  "part (--from, --to)",
                  from.name, from.t[farthest]));
}

constexpr double most_differences = 0.3;  // of periods, beside the deviation of their mean

}  // namespace

record average_periods(const record& from, double period, int warm_up) {
  if (from.t.size() < 4) throw error(fmt::format("{}: too few rows to average", from.name));
  const std::vector<std::size_t> places = places_of_rows(from);
  const double step = (from.t.back() - from.t.front()) / static_cast<double>(places.back());
  const auto rows = static_cast<std::size_t>(std::lround(period / step));
  if (rows < 2 ||
      std::abs(static_cast<double>(rows) * step - period) > 1e-3 * step * static_cast<double>(rows))
    throw error(
        fmt::format("{}: a period of {:g} s is not a whole number of rows, which are {:g} s apart",
                    from.name, period, step));
  const std::size_t periods = (places.back() + 1) / rows;
  if (periods < 1)
    throw error(
        fmt::format("{}: the record is shorter than a period of {:g} s", from.name, period));
  const auto used = static_cast<std::size_t>(
      std::lower_bound(places.begin(), places.end(), rows * periods) - places.begin());
  std::vector<bool> is_there(rows);
  for (std::size_t k = 0; k < used; ++k) is_there[places[k] % rows] = true;
  if (const auto lacking = std::find(is_there.begin(), is_there.end(), false);
      lacking != is_there.end())
    throw error(fmt::format("{}: no period has a row {:g} s after its start", from.name,
                            static_cast<double>(lacking - is_there.begin()) * step));
  record result;
  result.name = from.name;
  const std::size_t repeats = static_cast<std::size_t>(std::max(0, warm_up)) + 1;
  const double spacing = period / static_cast<double>(rows);
  for (std::size_t k = 0; k < rows * repeats; ++k)
    result.t.push_back(static_cast<double>(k) * spacing);
  for (const auto& channel : from.channels) {
    std::vector<double> mean(rows), count(rows), values;
    for (std::size_t k = 0; k < used; ++k) {
      if (std::isnan(channel.values[k])) continue;
      mean[places[k] % rows] += channel.values[k];
      ++count[places[k] % rows];
    }
    for (std::size_t k = 0; k < rows; ++k) mean[k] /= count[k];
    double squares = 0, more = 0;  // values more than there are means
    for (std::size_t k = 0; k < used; ++k)
      if (!std::isnan(channel.values[k]))
        squares += std::pow(channel.values[k] - mean[places[k] % rows], 2);
    double share = 0;  // of the variance of a value that is left in its mean
    for (const double each : count) {
      more += std::max(each - 1, 0.0);
      share += 1 / std::max(each, 1.0) / static_cast<double>(rows);
    }
    for (std::size_t k = 0; k < repeats; ++k) values.insert(values.end(), mean.begin(), mean.end());
    auto& made = result.channels.emplace_back();
    made.name = channel.name;
    made.values = std::move(values);
    made.in = channel.in;
    made.from = channel.from;
    if (!(more > 0)) continue;
    const double differ = std::sqrt(squares / more), size = deviation_of(mean);
    if (differ > most_differences * size) {  // that is hardly noise
      result.warnings.push_back(fmt::format(
          "{}: the periods differ from each other by {:.0f} % of the standard deviation "
          "of their mean: check --period, and leave out the start if it has not "
          "settled (--from)",
          channel.name, 100 * differ / size));
      continue;
    }
    made.noise = differ * std::sqrt(share);
    made.noise_samples = more;
  }
  result.pieces = {{0, result.t.size()}};
  return result;
}

void set_input(toml_value& document, const std::string& key, const record& from,
               const std::string& channel, const std::string& join, double period) {
  const auto* values = from.find(channel);
  if (values == nullptr)
    throw error(fmt::format("{}: the record has no channel '{}'", from.name, channel));
  const double step = (from.t.back() - from.t.front()) / static_cast<double>(from.t.size() - 1);
  std::vector<double> nodes = *values, times;
  toml_value table;
  assign(table, "kind", toml_value::of(std::string("nodes")));
  // An input of an inclusion keeps its unit.
  if (const toml_value* before = value_at(document, key);
      before != nullptr && key.starts_with("inputs.")) {
    const toml_value* in = before->is == toml_value::kind::table ? before->find("unit") : nullptr;
    const auto written = quantity_in(*before);
    if (in != nullptr)
      assign(table, "unit", *in);
    else if (written && written->has_unit)
      assign(table, "unit", toml_value::of(to_string(written->in)));
  }
  assign(table, "join", toml_value::of(join));
  if (join == "band_limited") {
    if (period > 0)
      nodes.resize(std::min(nodes.size(), static_cast<std::size_t>(std::lround(period / step))));
    assign(table, "interval", toml_value::of(step));
  } else {
    for (const double t : from.t) times.push_back(t - from.t.front());
    assign(table, "times", toml_value::of(times));
  }
  assign(table, "values", toml_value::of(nodes));
  assign(document, key, std::move(table));
}

namespace {

bool is_measured(const record& rec, const std::vector<scenario_match>& matches, std::size_t row) {
  return std::none_of(matches.begin(), matches.end(), [&](const auto& match) {
    return std::isnan((*rec.find(match.channel))[row]);
  });
}

prepared prepare(scenario_record given, const std::vector<scenario_match>& matches) {
  prepared p{std::move(given), {}, {}};
  const record& rec = p.given.measured;
  rec.check_lengths();
  if (rec.t.size() < 3)
    throw error(
        fmt::format("{}: a record of {} rows is too short to fit to", rec.name, rec.t.size()));
  for (const auto& match : matches)
    if (rec.find(match.channel) == nullptr)
      throw error(fmt::format("{}: the record has no channel '{}'", rec.name, match.channel));
  const double begin = rec.t.front(), duration = rec.t.back() - begin;
  const double step = duration / static_cast<double>(rec.t.size() - 1);
  for (std::size_t k = 0; k < rec.t.size(); ++k) {
    p.times.push_back(rec.t[k] - begin);
    p.is_even = p.is_even && std::abs(p.times[k] - step * static_cast<double>(k)) < 1e-3 * step;
  }
  p.compared = compared_rows(p.given, matches);
  if (p.compared.empty())
    throw error(fmt::format("{}: no row that is compared has a measured value", rec.name));
  assign(p.given.document, "run.duration", toml_value::of(duration));
  assign(p.given.document, "run.sample", toml_value::of(p.is_even ? step : step / 2));
  return p;
}

// The columns at the rows that are compared, one match after the other. Empty where it cannot be run, or was
// stopped.
std::vector<double> run_along(const prepared& p, const std::vector<scenario_unknown>& unknowns,
                              const std::vector<scenario_match>& matches,
                              std::span<const double> values, const std::atomic<bool>* stop) {
  try {
    scenario s = read_scenario(with_values(p.given.document, unknowns, values), p.given.name,
                               p.given.folder, wanted_of_scenario::numbers);
    const long first = *p.steps;
    if (first > 0) s.max_steps = std::min(s.max_steps, prepared::most_times * first);
    run_data run = simulate(s, {.interrupt = stop});
    // At a kink where a state of unknown size is 0 no step may be short enough: a less sharp one is.
    for (int k = 0; k < 3 && run.result.how == outcome::step_too_small; ++k) {
      s.tolerance.relative *= 10;
      for (double& each : s.tolerance.absolute) each *= 10;
      run = simulate(s, {.interrupt = stop});
    }
    if (run.result.how != outcome::completed) return {};
    if (first == 0) *p.steps = std::max(run.result.steps, 1000L);
    std::vector<double> result;
    result.reserve(p.compared.size() * matches.size());
    const auto& t = run["t"];
    for (const auto& match : matches) {
      const auto& y = run[match.column];
      const bool is_direct = p.is_even && y.size() == p.times.size();
      const signal joined = is_direct ? signal() : signal::nodes(t, y, signal::joint::spline);
      for (const std::size_t k : p.compared)
        result.push_back(is_direct ? y[k] : joined.value(p.times[k]));
    }
    return result;
  } catch (const error&) {
    return {};  // values that the scenario refuses
  }
}

}  // namespace

std::vector<std::size_t> compared_rows(const scenario_record& of,
                                       const std::vector<scenario_match>& matches) {
  const record& rec = of.measured;
  std::vector<std::size_t> rows;
  for (std::size_t k = 0; k < rec.t.size(); ++k)
    if (is_measured(rec, matches, k) && rec.t[k] - rec.t.front() >= of.settle - 1e-12)
      rows.push_back(k);
  return rows;
}

scenario_record without_end(scenario_record of, const std::vector<scenario_match>& matches,
                            double share) {
  const auto rows = compared_rows(of, matches);
  const auto kept = static_cast<std::size_t>((1 - share) * static_cast<double>(rows.size()));
  if (kept == 0 || kept == rows.size()) return of;
  const std::size_t end = rows[kept];
  of.measured.t.resize(end);
  for (auto& channel : of.measured.channels) channel.values.resize(end);
  of.measured.lines.resize(std::min(of.measured.lines.size(), end));
  of.measured.pieces = {{0, end}};
  return of;
}

void set_weights(std::vector<scenario_match>& matches,
                 const std::vector<scenario_record>& records) {
  for (auto& match : matches) {
    if (match.weight != 0) continue;
    double sum = 0, squares = 0, n = 0;
    for (const scenario_record& each : records) {
      const auto* values = each.measured.find(match.channel);
      if (values == nullptr) continue;  // refused where it is needed
      for (const double x : *values) {
        if (std::isnan(x)) continue;
        sum += x;
        squares += x * x;
        ++n;
      }
    }
    const double variance = squares / n - sum / n * sum / n;
    match.weight = variance > 0 ? 1 / std::sqrt(variance) : 1;
  }
}

std::vector<double> simulate_along(const scenario_record& along,
                                   const std::vector<scenario_unknown>& unknowns,
                                   const std::vector<scenario_match>& matches,
                                   std::span<const double> values,
                                   const std::atomic<bool>* interrupt) {
  return run_along(prepare(along, matches), unknowns, matches, values, interrupt);
}

std::string why_no_run(const scenario_record& along, const std::vector<scenario_unknown>& unknowns,
                       const std::vector<scenario_match>& matches) {
  const prepared p = prepare(along, matches);
  std::vector<double> values;
  values.reserve(unknowns.size());
  for (const auto& x : unknowns) values.push_back(x.start);
  try {
    scenario s = read_scenario(with_values(p.given.document, unknowns, values), p.given.name,
                               p.given.folder);
    constexpr long few = 100'000;
    s.max_steps = std::min(s.max_steps, few);
    const run_data run = simulate(s);
    if (!is_failure(run.result.how) || run.result.how == outcome::step_limit) return "";
    return fmt::format("{} at t = {:g} s{}{}{}{}", to_string(run.result.how), run.result.t,
                       run.result.detail.empty() ? "" : ": ", run.result.detail,
                       run.hint.empty() ? "" : ": ", run.hint);
  } catch (const error& problem) {
    return problem.what();
  }
}

void find_sizes(const fit_problem& problem, std::vector<scenario_unknown>& unknowns) {
  const auto has_none = [](const scenario_unknown& x) { return x.start == 0 && x.scale == 0; };
  if (std::none_of(unknowns.begin(), unknowns.end(), has_none)) return;
  if (problem.begin) problem.begin();
  std::vector<double> values, here(problem.residuals()), there(problem.residuals());
  for (const auto& x : unknowns) values.push_back(x.start);
  if (!problem.residual(values, here)) return;
  double squares = 0;
  for (const double each : here) squares += each * each;
  constexpr double share = 0.1;
  constexpr int smallest = -9, largest = 3;  // powers of ten
  for (std::size_t i = 0; i < unknowns.size(); ++i) {
    if (!has_none(unknowns[i])) continue;
    const auto is_felt = [&](int power) {
      auto moved = values;
      moved[i] = std::pow(10.0, power);
      if (!allows(unknowns[i].allowed, moved[i]) || !problem.residual(moved, there)) return true;
      double change = 0;
      for (std::size_t k = 0; k < here.size(); ++k) change += std::pow(there[k] - here[k], 2);
      return change >= share * share * squares;
    };
    int unfelt = smallest, felt = largest + 1;
    while (felt - unfelt > 1) {
      const int middle = (felt + unfelt) / 2;
      (is_felt(middle) ? felt : unfelt) = middle;
    }
    if (problem.stop != nullptr && *problem.stop) return;  // runs that were stopped say nothing
    if (felt <= largest) unknowns[i].scale = std::pow(10.0, felt);
  }
}

fit_problem make_scenario_problem(std::vector<scenario_record> records,
                                  const std::vector<scenario_unknown>& unknowns,
                                  std::vector<scenario_match> matches,
                                  const std::atomic<bool>* interrupt, int most_threads) {
  if (records.empty()) throw error("there is no record to fit to");
  if (matches.empty()) throw error("nothing is compared: say which column of the run was measured");
  fit_problem problem;
  const auto all = std::make_shared<std::vector<prepared>>();
  set_weights(matches, records);
  const auto offsets = std::make_shared<std::vector<std::size_t>>();
  for (scenario_record& each : records) {
    prepared p = prepare(std::move(each), matches);
    offsets->push_back(problem.residuals());
    for (std::size_t k = 0; k < matches.size(); ++k) problem.rows.push_back(p.compared.size());
    all->push_back(std::move(p));
  }
  for (const auto& x : unknowns)
    problem.unknowns.push_back({.name = x.key,
                                .in = x.in,
                                .allowed = x.allowed,
                                .start = x.start,
                                .scale = x.scale,
                                .meaning = x.meaning});

  // Of all residuals together, where each of their channels has repetitions.
  double noise_squares = 0, noise_samples = unbounded;
  for (const prepared& p : *all)
    for (const auto& match : matches) {
      const auto* of = p.given.measured.find_channel(match.channel);
      const auto count = static_cast<double>(p.compared.size());
      noise_squares += count * std::pow(match.weight * of->noise, 2);
      noise_samples = std::min(noise_samples, of->noise_samples);
    }
  if (noise_samples > 0) {
    problem.noise = std::sqrt(noise_squares / static_cast<double>(problem.residuals()));
    problem.noise_samples = noise_samples;
  }

  problem.stop = std::make_shared<std::atomic<bool>>(false);
  const auto run_one = [unknowns, matches, interrupt, stop = problem.stop](
                           const prepared& p, std::span<const double> values, double* residual) {
    if (interrupt != nullptr && interrupt->load()) return false;
    const std::vector<double> run = run_along(p, unknowns, matches, values, stop.get());
    if (run.empty()) return false;
    std::size_t next = 0;
    for (const auto& match : matches) {
      const auto& measured = *p.given.measured.find(match.channel);
      for (const std::size_t k : p.compared) {
        residual[next] = match.weight * (run[next] - measured[k]);
        ++next;
      }
    }
    return true;
  };

  // All runs of an evaluation, a few at a time.
  const auto run_all = [all, run_one, offsets, most_threads](
                           const std::vector<std::vector<double>>& points,
                           std::vector<std::vector<double>>& residuals) {
    struct job {
      std::size_t point, which;
    };
    std::vector<job> jobs;
    for (std::size_t i = 0; i < points.size(); ++i)
      for (std::size_t k = 0; k < all->size(); ++k) jobs.push_back({i, k});
    std::atomic<std::size_t> next{0};
    std::atomic<bool> is_good{true};
    const auto work = [&] {
      for (std::size_t j = next++; j < jobs.size() && is_good; j = next++)
        if (!run_one((*all)[jobs[j].which], points[jobs[j].point],
                     residuals[jobs[j].point].data() + (*offsets)[jobs[j].which]))
          is_good = false;
    };
    const unsigned cores = most_threads > 0 ? static_cast<unsigned>(most_threads)
                                            : std::max(1U, std::thread::hardware_concurrency());
    const std::size_t threads = std::min<std::size_t>(cores, jobs.size());
    std::vector<std::thread> others;
    for (std::size_t k = 1; k < threads; ++k) others.emplace_back(work);
    work();
    for (auto& each : others) each.join();
    return is_good.load();
  };
  problem.residual = [run_all](std::span<const double> values, std::span<double> residual) {
    std::vector<std::vector<double>> result{std::vector<double>(residual.size())};
    if (!run_all({{values.begin(), values.end()}}, result)) return false;
    std::copy(result[0].begin(), result[0].end(), residual.begin());
    return true;
  };
  // Steps of differences: adaptive integration leaves a noise in the residuals, so that each unknown
  // moves until they change by a tenth of their size, or by 1e-4 of what was measured.
  double squares = 0;
  for (const prepared& p : *all)
    for (const auto& match : matches)
      for (const std::size_t k : p.compared)
        squares += std::pow(match.weight * (*p.given.measured.find(match.channel))[k], 2);
  const auto shares = std::make_shared<std::vector<double>>(unknowns.size(), 1e-4);
  problem.begin = [all, shares] {
    for (prepared& p : *all) *p.steps = 0;
    std::fill(shares->begin(), shares->end(), 1e-4);
  };
  problem.derivative_is_exact = false;
  static constexpr std::array other_steps{-1.0, 0.03, -0.03};  // in place of one that cannot be run
  problem.derivative = [run_all, unknowns, shares, least = 1e-4 * std::sqrt(squares)](
                           std::span<const double> values, std::span<double> residual,
                           jacobian_view slopes) {
    std::vector<std::vector<double>> points(values.size() + 1, {values.begin(), values.end()});
    std::vector<double> steps(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const range& allowed = unknowns[i].allowed;
      const double size = std::max(
          {std::abs(values[i]), 1e-3 * std::abs(unknowns[i].start), 0.05 * unknowns[i].scale});
      steps[i] = (*shares)[i] * (size > 0 ? size : 1);
      if (values[i] + steps[i] > allowed.upper) steps[i] = -steps[i];
      points[i + 1][i] += steps[i];
    }
    std::vector<std::vector<double>> results(points.size(), std::vector<double>(residual.size()));
    if (!run_all(points, results)) {
      // A system may not run everywhere around: then each unknown moves the other way, or less far.
      const auto runs = [&](std::size_t i) {
        std::vector<std::vector<double>> one{std::vector<double>(residual.size())};
        if (!run_all({points[i]}, one)) return false;
        results[i] = std::move(one[0]);
        return true;
      };
      if (!runs(0)) return false;
      for (std::size_t i = 0; i < values.size(); ++i) {
        if (runs(i + 1)) continue;
        const double first = steps[i];
        const bool is_found =
            std::any_of(other_steps.begin(), other_steps.end(), [&](double factor) {
              const double there = values[i] + factor * first;
              if (!allows(unknowns[i].allowed, there)) return false;
              steps[i] = factor * first;
              points[i + 1][i] = there;
              return runs(i + 1);
            });
        if (!is_found) return false;
      }
    }
    std::copy(results[0].begin(), results[0].end(), residual.begin());
    const auto length = [](const std::vector<double>& of) {
      return std::sqrt(std::inner_product(of.begin(), of.end(), of.begin(), 0.0));
    };
    const double wanted = std::max(0.1 * length(results[0]), least);
    for (std::size_t i = 0; i < values.size(); ++i) {
      for (std::size_t row = 0; row < residual.size(); ++row) {
        results[i + 1][row] -= results[0][row];
        slopes(row, i) = results[i + 1][row] / steps[i];
      }
      const double factor = wanted / std::max(length(results[i + 1]), 1e-300);
      (*shares)[i] = std::clamp((*shares)[i] * factor, 1e-7, 3e-3);
    }
    return true;
  };
  return problem;
}

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/scenario_fit.hpp>
#include <asperity/mechanics/signal.hpp>
#include <atomic>
#include <cmath>
#include <memory>
#include <numeric>
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

// The range of a parameter of a model, where the key is one: "friction.F_c".
std::optional<range> range_of_model(const toml_value& document, std::string_view key) {
  const auto dot = key.find('.');
  if (dot == std::string_view::npos) return {};
  const toml_value* table = document.find(key.substr(0, dot));
  const toml_value* model = table == nullptr ? nullptr : table->find("model");
  if (model == nullptr || model->is != toml_value::kind::text) return {};
  const toml_value* curve = table->find("curve");
  const std::string_view name = key.substr(dot + 1, key.find('.', dot + 1) - dot - 1);
  const any_model made(find_entry(model->text), curve != nullptr ? curve->text : "");
  for (const auto& each : made.describe().parameters)
    if (each.name == name) return each.allowed;
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

// A list is given whole, as the reader wants it.
void put(toml_value& document, const std::string& key, double value) {
  assign(document, key, toml_value::of(value));
}

}  // namespace

std::vector<scenario_unknown> unknowns_of(const toml_value& document, const std::string& name,
                                          const std::string& folder,
                                          const std::vector<std::string>& keys) {
  const scenario read = read_scenario(document, name, folder);
  std::vector<scenario_unknown> result;
  for (const std::string& key : keys) {
    const toml_value* found = value_at(read.resolved, key);
    if (found == nullptr ||
        (found->is != toml_value::kind::real && found->is != toml_value::kind::integer))
      throw error(
          fmt::format("--free {}: {} has no number of this name; `asperity run --set` takes the "
                      "same names",
                      key, name));
    scenario_unknown x;
    x.key = key;
    x.start =
        found->is == toml_value::kind::real ? found->real : static_cast<double>(found->integer);
    if (found->in) x.in = *found->in;
    x.allowed = x.start > 0 ? positive : x.start == 0 ? non_negative : any_value;
    if (const auto known = range_of_model(read.resolved, key)) x.allowed = *known;
    result.push_back(std::move(x));
  }
  return result;
}

toml_value with_values(toml_value document, const std::vector<scenario_unknown>& unknowns,
                       std::span<const double> values) {
  for (std::size_t i = 0; i < unknowns.size(); ++i) put(document, unknowns[i].key, values[i]);
  return document;
}

record average_periods(const record& from, double period, int warm_up) {
  if (from.t.size() < 4) throw error(fmt::format("{}: too few rows to average", from.name));
  const double step = (from.t.back() - from.t.front()) / static_cast<double>(from.t.size() - 1);
  const auto rows = static_cast<std::size_t>(std::lround(period / step));
  if (rows < 2 ||
      std::abs(static_cast<double>(rows) * step - period) > 1e-3 * step * static_cast<double>(rows))
    throw error(
        fmt::format("{}: a period of {:g} s is not a whole number of rows, which are {:g} s apart",
                    from.name, period, step));
  const std::size_t periods = from.t.size() / rows;
  if (periods < 1)
    throw error(
        fmt::format("{}: the record is shorter than a period of {:g} s", from.name, period));
  record result;
  result.name = from.name;
  const std::size_t repeats = static_cast<std::size_t>(std::max(0, warm_up)) + 1;
  const double spacing = period / static_cast<double>(rows);
  for (std::size_t k = 0; k < rows * repeats; ++k)
    result.t.push_back(static_cast<double>(k) * spacing);
  for (const auto& channel : from.channels) {
    std::vector<double> mean(rows), count(rows), values;
    for (std::size_t k = 0; k < rows * periods; ++k) {
      if (std::isnan(channel.values[k])) continue;
      mean[k % rows] += channel.values[k];
      ++count[k % rows];
    }
    for (std::size_t k = 0; k < rows; ++k) mean[k] /= count[k];
    for (std::size_t k = 0; k < repeats; ++k) values.insert(values.end(), mean.begin(), mean.end());
    result.channels.push_back({channel.name, std::move(values)});
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

fit_problem make_scenario_problem(std::vector<scenario_record> records,
                                  const std::vector<scenario_unknown>& unknowns,
                                  std::vector<scenario_match> matches,
                                  const std::atomic<bool>* interrupt) {
  if (records.empty()) throw error("there is no record to fit to");
  if (matches.empty()) throw error("nothing is compared: say which column of the run was measured");
  fit_problem problem;
  const auto all = std::make_shared<std::vector<prepared>>();
  for (scenario_record& each : records) {
    prepared p{std::move(each), {}, {}};
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
      const bool is_measured = std::none_of(matches.begin(), matches.end(), [&](const auto& match) {
        return std::isnan((*rec.find(match.channel))[k]);
      });
      if (is_measured && p.times[k] >= p.given.settle - 1e-12) p.compared.push_back(k);
    }
    if (p.compared.empty())
      throw error(fmt::format("{}: no row that is compared has a measured value", rec.name));
    assign(p.given.document, "run.duration", toml_value::of(duration));
    assign(p.given.document, "run.sample", toml_value::of(p.is_even ? step : step / 2));
    problem.rows.push_back(p.compared.size() * matches.size());
    all->push_back(std::move(p));
  }
  for (auto& match : matches) {
    if (match.weight != 0) continue;
    double sum = 0, squares = 0, n = 0;
    for (const prepared& p : *all)
      for (const double x : *p.given.measured.find(match.channel)) {
        if (std::isnan(x)) continue;
        sum += x;
        squares += x * x;
        ++n;
      }
    const double variance = squares / n - sum / n * sum / n;
    match.weight = variance > 0 ? 1 / std::sqrt(variance) : 1;
  }
  for (const auto& x : unknowns)
    problem.unknowns.push_back(
        {.name = x.key, .in = x.in, .allowed = x.allowed, .start = x.start, .scale = x.scale});

  problem.stop = std::make_shared<std::atomic<bool>>(false);
  const auto run_one = [unknowns, matches, interrupt, stop = problem.stop](
                           const prepared& p, std::span<const double> values, double* residual) {
    if (interrupt != nullptr && interrupt->load()) return false;
    try {
      scenario s = read_scenario(with_values(p.given.document, unknowns, values), p.given.name,
                                 p.given.folder, wanted_of_scenario::numbers);
      const long first = *p.steps;
      if (first > 0) s.max_steps = std::min(s.max_steps, prepared::most_times * first);
      run_data run = simulate(s, {.interrupt = stop.get()});
      // At a kink where a state of unknown size is 0 no step may be short enough: a less sharp one is.
      for (int k = 0; k < 3 && run.result.how == outcome::step_too_small; ++k) {
        s.tolerance.relative *= 10;
        for (double& each : s.tolerance.absolute) each *= 10;
        run = simulate(s, {.interrupt = stop.get()});
      }
      if (run.result.how != outcome::completed) return false;
      if (first == 0) *p.steps = std::max(run.result.steps, 1000L);
      std::size_t next = 0;
      const auto& t = run["t"];
      for (const auto& match : matches) {
        const auto& y = run[match.column];
        const auto& measured = *p.given.measured.find(match.channel);
        const bool is_direct = p.is_even && y.size() == measured.size();
        const signal joined = is_direct ? signal() : signal::nodes(t, y, signal::joint::spline);
        for (const std::size_t k : p.compared)
          residual[next++] =
              match.weight * ((is_direct ? y[k] : joined.value(p.times[k])) - measured[k]);
      }
      return true;
    } catch (const error&) {
      return false;  // values that the scenario refuses
    }
  };
  const auto offsets = std::make_shared<std::vector<std::size_t>>();
  for (std::size_t k = 0, sum = 0; k < problem.rows.size(); sum += problem.rows[k++])
    offsets->push_back(sum);

  // All runs of an evaluation, a few at a time.
  const auto run_all = [all, run_one, offsets](const std::vector<std::vector<double>>& points,
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
    const std::size_t threads =
        std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), jobs.size());
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
  problem.derivative = [run_all, unknowns, shares, least = 1e-4 * std::sqrt(squares)](
                           std::span<const double> values, std::span<double> residual,
                           jacobian_view slopes) {
    std::vector<std::vector<double>> points(values.size() + 1, {values.begin(), values.end()});
    std::vector<double> steps(values.size());
    for (std::size_t i = 0; i < values.size(); ++i) {
      const range& allowed = unknowns[i].allowed;
      const double size = std::max(std::abs(values[i]), 1e-3 * std::abs(unknowns[i].start));
      steps[i] = (*shares)[i] * (size > 0 ? size : 1);
      if (values[i] + steps[i] > allowed.upper) steps[i] = -steps[i];
      points[i + 1][i] += steps[i];
    }
    std::vector<std::vector<double>> results(points.size(), std::vector<double>(residual.size()));
    if (!run_all(points, results)) return false;
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

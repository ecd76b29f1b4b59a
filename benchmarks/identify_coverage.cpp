// SPDX-License-Identifier: Apache-2.0
// How often stated intervals hold the truth: for each model, parameters are drawn at random, a record
// is made of a rich motion by `evaluate` (not by the fit's own integration), noise is added, and the
// model is fitted. Prints one row per parameter: of so many records, how often it was told, and how
// often its 95 % interval held the truth then.
//
//   identify_coverage [--records 200] [--noise 0.01] [--threads 2] [MODEL ...]

#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/motion.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/run/evaluate.hpp>
#include <atomic>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <random>
#include <thread>

namespace {

using namespace asperity;

struct tally {
  int told = 0, inside = 0, not_told = 0;
  std::map<std::string, int> verdicts;
};

struct outcome_of_model {
  std::map<std::string, tally> parameters;
  std::vector<std::string> order;
  int records = 0, failed = 0;
  double seconds = 0, residual = 0;
};

// A parameter of its model by the name of its unknown: F_c, kappa[3].
double truth_of(const any_model& model, const std::string& name) {
  for (const auto& p : model.describe().parameters) {
    if (p.name == name && !p.is_list) return model.get(p.name).front();
    if (!p.is_list || name.rfind(p.name + "[", 0) != 0) continue;
    const auto values = model.get(p.name);
    const std::size_t k = std::stoul(name.substr(p.name.size() + 1));
    if (k >= 1 && k <= values.size()) return values[k - 1];
  }
  return std::nan("");
}

any_model drawn(const catalogue_entry& entry, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-0.6, 0.6);
  for (int attempt = 0; attempt < 200; ++attempt) {
    any_model model(entry);
    const auto about = model.describe();
    for (const auto& p : about.parameters) {
      if (p.count != nullptr || p.whole != nullptr || p.is_share || p.is_exponent) continue;
      if (p.meaning.rfind("exponent", 0) == 0) continue;
      const double factor = std::exp(uniform(random));
      for (double* each : p.value)
        if (allows(p.allowed, *each * factor)) *each *= factor;
    }
    model.build();
    try {
      static_cast<void>(model.check());
      return model;
    } catch (const error&) {
      continue;
    }
  }
  return any_model(entry);
}

void one_record(const catalogue_entry& entry, unsigned seed, double noise, outcome_of_model& sum,
                std::mutex& guard) {
  std::mt19937_64 random(seed);
  const any_model truth = drawn(entry, random);
  record motion = rich_motion(any_model(entry), 500);
  std::vector<csv_column> columns{{"t", &motion.t}};
  for (const auto& each : motion.channels) columns.push_back({each.name, &each.values});
  const csv_table table = csv_table::parse(to_csv(columns), "motion");
  evaluate_options exact;
  exact.relative_tolerance = 1e-8;
  const run_data run = evaluate(truth, table, exact);
  std::normal_distribution<double> normal;
  for (const channel& each : truth.at().outputs) {
    std::vector<double> f = run[each.name];
    double squares = 0, mean = 0;
    for (const double x : f) mean += x / static_cast<double>(f.size());
    for (const double x : f) squares += (x - mean) * (x - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(f.size()));
    for (double& x : f) x += noise * deviation * normal(random);
    motion.channels.push_back({each.name, std::move(f)});
  }
  if (run.columns[0].values.size() != motion.t.size()) throw error("the record could not be made");
  model_fit_options of_model;
  of_model.offset = false;
  fit_options of_fit;
  of_fit.seed = seed;
  of_fit.threads = 1;  // records are fitted side by side
  of_fit.time_limit = 120;
  const model_report r = fit_model(any_model(entry), {motion}, of_model, of_fit);
  const std::lock_guard lock(guard);
  ++sum.records;
  sum.seconds += r.result.seconds;
  sum.residual += r.share();
  if (r.result.how == fit_result::ending::failed) {
    ++sum.failed;
    return;
  }
  for (std::size_t i = 0; i < r.result.unknowns.size(); ++i) {
    const std::string& name = r.result.unknowns[i].name;
    const estimate& e = r.result.estimates[i];
    if (sum.parameters.find(name) == sum.parameters.end()) sum.order.push_back(name);
    tally& of = sum.parameters[name];
    const double value = truth_of(truth, name);
    if (e.is == estimate::verdict::told) {
      ++of.told;
      if (value >= e.lower && value <= e.upper) ++of.inside;
    } else {
      ++of.not_told;
      ++of.verdicts[to_string(e.is)];
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  int records = 200;
  double noise = 0.01;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(arguments[i], name) == 0 && i + 1 < count;
    };
    if (is("--records")) {
      records = std::atoi(arguments[++i]);
    } else if (is("--noise")) {
      noise = std::atof(arguments[++i]);
    } else if (is("--threads")) {
      threads = static_cast<unsigned>(std::atoi(arguments[++i]));
    } else {
      names.emplace_back(arguments[i]);
    }
  }
  std::printf("model,parameter,records,told,inside,share_inside,not_told\n");
  for (const catalogue_entry* entry : catalogue()) {
    if (!names.empty() && std::find(names.begin(), names.end(), entry->key) == names.end())
      continue;
    outcome_of_model sum;
    std::mutex guard;
    std::atomic<int> next{0};
    std::string problem;
    const auto work = [&] {
      for (int k = next++; k < records; k = next++) try {
          one_record(*entry, 1000U + static_cast<unsigned>(k), noise, sum, guard);
        } catch (const std::exception& e) {
          const std::lock_guard lock(guard);
          problem = e.what();
          next = records;
        }
    };
    std::vector<std::thread> crew;
    for (unsigned k = 1; k < threads; ++k) crew.emplace_back(work);
    work();
    for (auto& each : crew) each.join();
    if (!problem.empty()) std::printf("%s,\"%s\",,,,,\n", entry->key.c_str(), problem.c_str());
    for (const std::string& name : sum.order) {
      const tally& of = sum.parameters[name];
      std::string words;
      for (const auto& [what, how_often] : of.verdicts)
        words += fmt::format("{} {}; ", how_often, what);
      std::printf("%s,%s,%d,%d,%d,%.3f,%s\n", entry->key.c_str(), name.c_str(), sum.records,
                  of.told, of.inside, of.told > 0 ? static_cast<double>(of.inside) / of.told : 0.0,
                  words.c_str());
    }
    if (sum.records > 0)
      std::fprintf(stderr, "%s: %d records, %d failed, %.2f s and %.2f %% residual on average\n",
                   entry->key.c_str(), sum.records, sum.failed, sum.seconds / sum.records,
                   100 * sum.residual / sum.records);
    std::fflush(stdout);
  }
  return 0;
}

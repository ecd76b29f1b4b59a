// SPDX-License-Identifier: Apache-2.0
// How often stated intervals hold the truth: for each model, parameters are drawn at random, each element
// of a list by itself, a record is made of a rich motion by `evaluate` (not by the fit's own
// integration), noise is added, and the model is fitted. Prints one row per parameter: of so many
// records, how often it was told, and how often its 95 % interval held the truth then. Elements that may
// change places are compared in the order in which the fit puts them.
//
//   identify_coverage [--records 200] [--rows 4000] [--noise 0.01] [--elements 10] [--limit 120]
//                     [--first 0] [--budget SECONDS] [--threads 2] [--show] [--write FOLDER]
//                     [--free NAME,NAME] [MODEL ...]
//
// --free: the other parameters are held at the truth. --limit: seconds of wall-clock time for a fit. --first: number of the first record, so that several
// processes may share the records of a model. --budget: no record is begun after so many seconds.
// --show: each fit on the standard error, with by how much twice its log-likelihood is above that of the
// truth: about the number of unknowns, if it is the best. --write: each record as MODEL_NUMBER.csv.

#include <fmt/format.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/identify/motion.hpp>
#include <asperity/identify/report.hpp>
#include <asperity/run/evaluate.hpp>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <numeric>
#include <random>
#include <sstream>
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
  int records = 0, failed = 0, stopped = 0, not_made = 0;
  double seconds = 0, residual = 0;
};

struct settings {
  int records = 200, rows = 4000, elements = 0;
  int first = 0;
  double noise = 0.01, limit = 120, budget = unbounded;
  bool shows = false;
  std::string folder = {};
  std::vector<std::string> free = {};
};

any_model with_elements(const catalogue_entry& entry, int elements) {
  any_model model(entry);
  for (const auto& p : model.describe().parameters)
    if (p.count != nullptr && elements > 0) *p.count = elements;
  model.build();
  return model;
}

// The parameters of a model as values of the unknowns, F_c or kappa[3].
std::vector<double> values_of(const any_model& model, const std::vector<unknown>& unknowns) {
  std::vector<double> result;
  for (const unknown& x : unknowns) {
    const auto bracket = x.name.find('[');
    const auto values = model.get(x.name.substr(0, bracket));
    const std::size_t k = bracket == std::string::npos ? 1 : std::stoul(x.name.substr(bracket + 1));
    result.push_back(k >= 1 && k <= values.size() ? values[k - 1] : std::nan(""));
  }
  return in_order(unknowns, result);
}

any_model drawn(const catalogue_entry& entry, int elements, std::mt19937_64& random) {
  std::uniform_real_distribution<double> uniform(-0.6, 0.6);
  for (int attempt = 0; attempt < 200; ++attempt) {
    any_model model = with_elements(entry, elements);
    for (const auto& p : model.describe().parameters) {
      if (p.count != nullptr || p.whole != nullptr || p.is_exponent) continue;
      if (p.meaning.rfind("exponent", 0) == 0) continue;
      // Fewer elements than the card has may be too weak for its rules.
      const bool is_stiffness = p.is_list && p.in == units::newton / units::metre;
      const double stronger = is_stiffness ? std::pow(1.1, attempt) : 1.0;
      for (double* each : p.value)
        if (const double factor = stronger * std::exp(uniform(random));
            allows(p.allowed, *each * factor))
          *each *= factor;
      if (!p.is_share) continue;
      double sum = 0;
      const std::size_t count = model.get(p.name).size();
      for (std::size_t k = 0; k < count; ++k) sum += *p.value[k];
      for (std::size_t k = 0; k < count; ++k) *p.value[k] /= sum;
    }
    try {
      model.build();  // which may refuse them, too
      static_cast<void>(model.check());
      return model;
    } catch (const error&) {
      continue;
    }
  }
  throw error("the rules of the model allow none of 200 draws");
}

void show(const model_report& r, const model_fit& m, unsigned seed,
          const std::vector<double>& truth) {
  const fit_problem problem = m.problem();
  std::vector<double> residual(problem.residuals());
  const auto squares = [&](const std::vector<double>& values) {
    if (!problem.residual(values, residual)) return std::nan("");
    return std::inner_product(residual.begin(), residual.end(), residual.begin(), 0.0);
  };
  const double rows = static_cast<double>(residual.size());
  fmt::print(stderr,
             "{}, record {}: {}, twice the log-likelihood {:.2f} above the truth's, {} unknowns, "
             "structure {:.1f}, {}{:.2f} s\n",
             r.model, seed, to_string(r.result.how),
             rows * std::log(squares(truth) / squares(r.result.values)), truth.size(), r.structure,
             !r.result.came_back   ? ""
             : *r.result.came_back ? "came back, "
                                   : "did not come back, ",
             r.result.seconds);
  for (std::size_t i = 0; i < truth.size(); ++i) {
    const estimate& e = r.result.estimates[i];
    const bool is_inside = truth[i] >= e.lower && truth[i] <= e.upper;
    fmt::print(stderr, "  {:12} {:12.5g} from {:12.5g} to {:12.5g}; in truth {:12.5g}{}{} {}\n",
               r.result.unknowns[i].name, e.value, e.lower, e.upper, truth[i],
               is_inside ? "" : ", which is outside", e.is_profile ? "; profile," : ";",
               to_string(e.is));
  }
  for (const auto& each : r.findings) fmt::print(stderr, "  - {}\n", each);
}

void one_record(const catalogue_entry& entry, unsigned seed, const settings& wanted,
                outcome_of_model& sum, std::mutex& guard) {
  std::mt19937_64 random(seed);
  const any_model truth = drawn(entry, wanted.elements, random);
  const any_model model = wanted.free.empty() ? with_elements(entry, wanted.elements) : truth;
  record motion = rich_motion(model, wanted.rows / 8);
  std::vector<csv_column> columns{{"t", &motion.t}};
  for (const auto& each : motion.channels) columns.push_back({each.name, &each.values});
  const csv_table table = csv_table::parse(to_csv(columns), "motion");
  evaluate_options exact;
  exact.relative_tolerance = 1e-6;  // far below the noise
  exact.max_steps = 2000000;
  const run_data run = evaluate(truth, table, exact);
  std::normal_distribution<double> normal;
  for (const channel& each : truth.at().outputs) {
    std::vector<double> f = run[each.name];
    double squares = 0, mean = 0;
    for (const double x : f) mean += x / static_cast<double>(f.size());
    for (const double x : f) squares += (x - mean) * (x - mean);
    const double deviation = std::sqrt(squares / static_cast<double>(f.size()));
    for (double& x : f) x += wanted.noise * deviation * normal(random);
    motion.channels.push_back({each.name, std::move(f)});
  }
  if (run.columns[0].values.size() != motion.t.size()) {
    const std::lock_guard lock(guard);
    ++sum.not_made;
    return;
  }
  if (!wanted.folder.empty()) {
    std::vector<csv_column> all{{"t", &motion.t}};
    for (const auto& each : motion.channels) all.push_back({each.name, &each.values});
    std::ofstream(fmt::format("{}/{}_{}.csv", wanted.folder, entry.key, seed)) << to_csv(all);
  }
  model_fit_options of_model;
  of_model.offset = false;
  of_model.free = wanted.free;
  fit_options of_fit;
  of_fit.seed = seed;
  of_fit.threads = 1;  // records are fitted side by side
  of_fit.time_limit = wanted.limit;
  const model_report r = fit_model(model, {motion}, of_model, of_fit);
  const std::lock_guard lock(guard);
  ++sum.records;
  sum.seconds += r.result.seconds;
  sum.residual += r.share();
  if (r.result.how == fit_result::ending::failed) {
    ++sum.failed;
    return;
  }
  if (r.result.how != fit_result::ending::converged) ++sum.stopped;
  const std::vector<double> values = values_of(truth, r.result.unknowns);
  if (wanted.shows) {
    model_fit fine(model, {motion}, of_model);
    for (int k = 0; k < 2; ++k) fine.refine();
    show(r, fine, seed, values);
  }
  for (std::size_t i = 0; i < r.result.unknowns.size(); ++i) {
    const std::string& name = r.result.unknowns[i].name;
    const estimate& e = r.result.estimates[i];
    if (sum.parameters.find(name) == sum.parameters.end()) sum.order.push_back(name);
    tally& of = sum.parameters[name];
    if (e.is == estimate::verdict::determined) {
      ++of.told;
      if (values[i] >= e.lower && values[i] <= e.upper) ++of.inside;
    } else {
      ++of.not_told;
      ++of.verdicts[to_string(e.is)];
    }
  }
}

}  // namespace

int main(int count, char** arguments) {
  settings wanted;
  unsigned threads = std::max(1U, std::thread::hardware_concurrency());
  std::vector<std::string> names;
  for (int i = 1; i < count; ++i) {
    const auto is = [&](const char* name) {
      return std::strcmp(arguments[i], name) == 0 && i + 1 < count;
    };
    if (is("--records")) {
      wanted.records = std::atoi(arguments[++i]);
    } else if (is("--rows")) {
      wanted.rows = std::atoi(arguments[++i]);
    } else if (is("--elements")) {
      wanted.elements = std::atoi(arguments[++i]);
    } else if (is("--noise")) {
      wanted.noise = std::atof(arguments[++i]);
    } else if (is("--first")) {
      wanted.first = std::atoi(arguments[++i]);
    } else if (is("--budget")) {
      wanted.budget = std::atof(arguments[++i]);
    } else if (is("--write")) {
      wanted.folder = arguments[++i];
    } else if (is("--limit")) {
      wanted.limit = std::atof(arguments[++i]);
    } else if (is("--free")) {
      std::stringstream list(arguments[++i]);
      for (std::string name; std::getline(list, name, ',');) wanted.free.push_back(name);
    } else if (is("--threads")) {
      threads = static_cast<unsigned>(std::atoi(arguments[++i]));
    } else if (std::strcmp(arguments[i], "--show") == 0) {
      wanted.shows = true;
    } else {
      names.emplace_back(arguments[i]);
    }
  }
  const auto began = std::chrono::steady_clock::now();
  const auto has_time = [&] {
    const std::chrono::duration<double> gone = std::chrono::steady_clock::now() - began;
    return gone.count() < wanted.budget;
  };
  std::printf("model,parameter,records,told,inside,share_inside,not_told\n");
  for (const catalogue_entry* entry : catalogue()) {
    if (!names.empty() && std::find(names.begin(), names.end(), entry->key) == names.end())
      continue;
    outcome_of_model sum;
    std::mutex guard;
    std::atomic<int> next{0};
    std::string problem;
    const auto work = [&] {
      for (int k = next++; k < wanted.records && has_time(); k = next++) try {
          one_record(*entry, 1000U + static_cast<unsigned>(wanted.first + k), wanted, sum, guard);
        } catch (const std::exception& e) {
          const std::lock_guard lock(guard);
          problem = e.what();
          next = wanted.records;
        }
    };
    std::vector<std::thread> workers;
    for (unsigned k = 1; k < threads; ++k) workers.emplace_back(work);
    work();
    for (auto& each : workers) each.join();
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
    if (sum.not_made > 0)
      std::fprintf(stderr, "%s: %d records could not be made\n", entry->key.c_str(), sum.not_made);
    if (sum.records > 0)
      std::fprintf(stderr,
                   "%s: %d records, %d failed, %d did not converge, %.2f s and %.2f %% residual on "
                   "average\n",
                   entry->key.c_str(), sum.records, sum.failed, sum.stopped,
                   sum.seconds / sum.records, 100 * sum.residual / sum.records);
    std::fflush(stdout);
  }
  return 0;
}

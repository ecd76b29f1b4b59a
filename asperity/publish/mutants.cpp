// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <tbb/global_control.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/publish/mutants.hpp>
#include <asperity/quantity.hpp>
#include <charconv>
#include <cmath>
#include <exception>
#include <mutex>
#include <nlohmann/json.hpp>
#include <set>

namespace asperity {

namespace {

using json = nlohmann::ordered_json;

// Keys at the top of a run or an analysis that say how it is computed and shown.
const std::set<std::string, std::less<>> not_physical = {
    "integrator", "run", "plot", "title", "name", "label", "kind", "points", "turns", "step"};

// A number, a list of numbers or a quantity such as "15 deg" times a factor; nothing where there is
// nothing to change.
std::optional<toml_value> scaled(const toml_value& value, double factor) {
  toml_value result = value;
  const auto set = [&](double number) {
    result.is = toml_value::kind::real;
    result.real = number * factor;
    return number == 0 ? std::nullopt : std::optional(result);
  };
  switch (value.is) {
    case toml_value::kind::integer:
      return set(static_cast<double>(value.integer));
    case toml_value::kind::real:
      return set(value.real);
    case toml_value::kind::text: {
      double number = 0;
      const char* end = value.text.data() + value.text.size();
      const auto [rest, code] = std::from_chars(value.text.data(), end, number);
      if (code != std::errc{} || number == 0) return std::nullopt;
      try {
        (void)parse_quantity(value.text);
      } catch (const error&) {
        return std::nullopt;  // a formula, a range or a name
      }
      result.text = fmt::format("{}{}", number * factor, std::string_view(rest, end));
      return result;
    }
    case toml_value::kind::list: {
      bool has_changed = false;
      for (auto& item : result.items) {
        auto changed = scaled(item, factor);
        has_changed = has_changed || changed;
        if (changed) item = std::move(*changed);
      }
      return has_changed ? std::optional(result) : std::nullopt;
    }
    default:
      return std::nullopt;
  }
}

bool has_tables(const toml_value& list) {
  return !list.items.empty() && list.items.front().is == toml_value::kind::table;
}

const catalogue_entry* model_in(const toml_value& table) {
  const toml_value* name = table.find("model");
  if (name == nullptr || name->is != toml_value::kind::text) return nullptr;
  for (const catalogue_entry* each : catalogue())
    if (each->key == name->text) return each;
  return nullptr;
}

std::string text_at(const toml_value& table, const char* key) {
  const toml_value* found = table.find(key);
  return found != nullptr && found->is == toml_value::kind::text ? found->text : "";
}

// A model with its default parameters: only its card is asked for.
std::optional<any_model> described(const catalogue_entry& entry, const std::string& curve) {
  if (entry.find(curve) != nullptr) return any_model(entry, curve);
  return any_model(entry);
}

using parameter = card<double>::parameter_entry;

const parameter* find(const card<double>& of, const std::string& name) {
  for (const auto& each : of.parameters)
    if (each.name == name) return &each;
  return nullptr;
}

// All numbers and laws of a run's document.
struct place_in_run {
  std::string path;
  const toml_value* value;
  const toml_value* law;  // the table of the law that the number belongs to, or null
};

void collect(const toml_value& table, const std::string& path, std::vector<place_in_run>& numbers,
             std::vector<place_in_run>& laws) {
  const bool is_law = model_in(table) != nullptr;
  if (is_law) laws.push_back({path, &table, nullptr});
  for (std::size_t i = 0; i < table.keys.size(); ++i) {
    const toml_value& value = table.items[i];
    if (path.empty() && not_physical.count(table.keys[i]) > 0) continue;
    const std::string inner =
        path.empty() ? table.keys[i] : fmt::format("{}.{}", path, table.keys[i]);
    if (value.is == toml_value::kind::table) {
      collect(value, inner, numbers, laws);
    } else if (value.is == toml_value::kind::list && has_tables(value)) {
      for (std::size_t k = 0; k < value.items.size(); ++k)
        collect(value.items[k], fmt::format("{}.{}", inner, k + 1), numbers, laws);
    } else if (scaled(value, 2)) {
      numbers.push_back({inner, &value, is_law ? &table : nullptr});
    }
  }
}

// The same thing in several runs.
struct group {
  std::string path, text;  // where, and the value as it is written or the name of the law
  std::vector<std::size_t> runs;
  place_in_run first;
};

void add_to(std::vector<group>& groups, const place_in_run& place, std::string text,
            std::size_t run) {
  for (auto& each : groups)
    if (each.path == place.path && each.text == text) {
      each.runs.push_back(run);
      return;
    }
  groups.push_back({place.path, std::move(text), {run}, place});
}

class mutant_maker {
 public:
  mutant_maker(const experiment& of, std::size_t exchanges) : of_(of), exchanges_(exchanges) {
    for (std::size_t i = 0; i < of.runs.size(); ++i) {
      if (!of.runs[i].missing_model.empty()) continue;
      std::vector<place_in_run> numbers, laws;
      collect(of.runs[i].document, "", numbers, laws);
      for (const auto& each : numbers) add_to(numbers_, each, to_inline_toml(*each.value), i);
      for (const auto& each : laws) add_to(laws_, each, text_at(*each.value, "model"), i);
      for (const auto& each : laws) {
        const std::string curve = text_at(*each.value, "curve");
        if (model_in(*each.value)->usual_curve.empty()) continue;
        add_to(curves_, each,
               curve.empty() ? model_in(*each.value)->default_variant().curve : curve, i);
      }
    }
  }

  std::vector<mutant> make() {
    for (const auto& each : laws_) exchange(each);
    for (const auto& each : curves_) exchange_curve(each);
    for (const auto& each : numbers_) remove(each);
    for (const auto& each : numbers_) change(each);
    return std::move(made_);
  }

 private:
  const experiment& of_;
  std::size_t exchanges_;
  std::vector<group> numbers_, laws_, curves_;
  std::vector<mutant> made_;

  // "friction.k", or "friction.k of slow" where other runs have another one.
  std::string name_of(const group& g, const std::vector<group>& all) const {
    const auto at_path = std::count_if(all.begin(), all.end(),
                                       [&](const auto& each) { return each.path == g.path; });
    return at_path == 1 ? g.path : fmt::format("{} of {}", g.path, of_.runs[g.runs[0]].name);
  }

  template <class Change>
  mutant changed(mutant::kind is, std::string name, const group& g, const Change& change) const {
    mutant m{is, std::move(name), {}};
    for (const std::size_t run : g.runs) {
      toml_value document = of_.runs[run].document;
      change(document);
      m.runs.push_back({run, std::move(document)});
    }
    return m;
  }

  bool can_be_read(const mutant& m) const {
    try {
      for (const auto& each : m.runs) (void)read_again(of_.runs[each.run], each.document);
      return true;
    } catch (const error&) {
      return false;
    }
  }

  // `table` with another law, and the parameters that both have. Returns how many those are.
  static std::size_t put_law(toml_value& table, const catalogue_entry& other) {
    const std::string curve = text_at(table, "curve");
    const auto before = described(*model_in(table), curve), after = described(other, curve);
    const card<double> old_card = before->describe(), new_card = after->describe();
    std::size_t shared = 0;
    toml_value result = table;
    for (const std::string& key : table.keys) {
      if (key == "model") continue;
      const parameter* ours = find(old_card, key);
      const parameter* theirs = find(new_card, key);
      const bool fits = ours != nullptr && theirs != nullptr && ours->in == theirs->in &&
                        ours->is_list == theirs->is_list;
      if (fits) ++shared;
      if (key == "curve" ? other.find(curve) == nullptr : ours != nullptr && !fits)
        result.take(key);
    }
    result.at("model") = toml_value::of(other.key);
    result.at("model").place = table.place;
    table = std::move(result);
    return shared;
  }

  // States of the old law that the new one does not have cannot be set.
  static void take_states(toml_value& document, const catalogue_entry& old_law,
                          const catalogue_entry& new_law) {
    if (document.find("initial") == nullptr) return;
    const auto new_names = any_model(new_law).state_names();
    for (const auto& name : any_model(old_law).state_names())
      if (std::find(new_names.begin(), new_names.end(), name) == new_names.end())
        document.at("initial").take(name);
  }

  void exchange(const group& g) {
    const catalogue_entry& law = *model_in(*g.first.value);
    struct candidate {
      const catalogue_entry* entry;
      bool is_ours;
      std::size_t shared;
    };
    std::vector<candidate> candidates;
    for (const catalogue_entry* other : catalogue()) {
      if (other == &law || other->family != law.family || other->at != law.at) continue;
      toml_value table = *g.first.value;
      const bool is_ours = std::any_of(laws_.begin(), laws_.end(),
                                       [&](const auto& each) { return each.text == other->key; });
      candidates.push_back({other, is_ours, put_law(table, *other)});
    }
    std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
      return std::pair(a.is_ours, a.shared) > std::pair(b.is_ours, b.shared);
    });
    std::size_t made = 0;
    for (const auto& each : candidates) {
      if (made == exchanges_) break;
      mutant m = changed(mutant::kind::model,
                         fmt::format("{}: {} -> {}", g.path, law.key, each.entry->key), g,
                         [&](toml_value& document) {
                           toml_value table = at(document, g.path);
                           put_law(table, *each.entry);
                           assign(document, g.path, std::move(table));
                           take_states(document, law, *each.entry);
                         });
      if (!can_be_read(m)) continue;
      made_.push_back(std::move(m));
      ++made;
    }
  }

  void exchange_curve(const group& g) {
    std::size_t made = 0;
    for (const auto& each : model_in(*g.first.value)->variants) {
      if (each.curve == g.text || made == exchanges_) continue;
      mutant m =
          changed(mutant::kind::model,
                  fmt::format("{}.curve: {} -> {}", name_of(g, laws_), g.text, each.curve), g,
                  [&](toml_value& document) {
                    assign(document, fmt::format("{}.curve", g.path), toml_value::of(each.curve));
                  });
      if (!can_be_read(m)) continue;
      made_.push_back(std::move(m));
      ++made;
    }
  }

  static const toml_value& at(const toml_value& document, std::string_view path) {
    const toml_value* here = &document;
    while (!path.empty()) {
      const auto dot = std::min(path.find('.'), path.size());
      const std::string_view part = path.substr(0, dot);
      path.remove_prefix(std::min(dot + 1, path.size()));
      if (here->is == toml_value::kind::list) {
        std::size_t index = 0;
        std::from_chars(part.data(), part.data() + part.size(), index);
        here = &here->items[index - 1];
      } else {
        here = here->find(part);
      }
    }
    return *here;
  }

  void add_term(const group& g, const std::string& becomes, const toml_value& value,
                const std::vector<std::string>& cut_lists = {}) {
    mutant m = changed(mutant::kind::term, fmt::format("{} = {}", name_of(g, numbers_), becomes), g,
                       [&](toml_value& document) {
                         toml_value now = value;
                         now.place = g.first.value->place;
                         assign(document, g.path, std::move(now));
                         for (const auto& list : cut_lists) {
                           toml_value first = at(document, list);
                           first.items.resize(1);
                           assign(document, list, std::move(first));
                         }
                       });
    if (can_be_read(m)) made_.push_back(std::move(m));
  }

  void remove(const group& g) {
    if (g.first.law == nullptr) return;
    const toml_value& table = *g.first.law;
    const std::size_t dot = g.path.rfind('.');
    const std::string key = g.path.substr(dot + 1), law_path = g.path.substr(0, dot);
    const auto model = described(*model_in(table), text_at(table, "curve"));
    const card<double> described_by = model->describe();
    const parameter* about = find(described_by, key);
    if (about == nullptr || about->whole != nullptr) return;
    if (about->count != nullptr) {
      std::vector<std::string> lists;
      for (const auto& each : described_by.parameters) {
        const toml_value* list = table.find(each.name);
        if (each.is_list && list != nullptr && list->is == toml_value::kind::list)
          lists.push_back(fmt::format("{}.{}", law_path, each.name));
      }
      if (g.first.value->integer > 1) add_term(g, "1", toml_value::of(1LL), lists);
      return;
    }
    if (about->is_exponent) {
      if (allows(about->allowed, 1.0) && g.text != "1" && g.text != "1.0")
        add_term(g, "1", toml_value::of(1.0));
      return;
    }
    for (const auto& [peak, floor] :
         {std::pair{"F_s", "F_c"}, std::pair{"mu_s", "mu_d"}, std::pair{"f_max", "f_C"}}) {
      const toml_value* lower = table.find(floor);
      if (key == peak && lower != nullptr && to_inline_toml(*lower) != g.text)
        add_term(g, floor, *lower);
    }
    if (allows(about->allowed, 0.0)) add_term(g, "0", *scaled(*g.first.value, 0));
  }

  void change(const group& g) {
    bool is_whole = false;
    if (g.first.law != nullptr) {
      const auto model = described(*model_in(*g.first.law), text_at(*g.first.law, "curve"));
      const card<double> described_by = model->describe();
      const parameter* about = find(described_by, g.path.substr(g.path.rfind('.') + 1));
      is_whole = about != nullptr && (about->count != nullptr || about->whole != nullptr);
    }
    for (const double factor : {1.1, 0.9}) {
      toml_value value = *scaled(*g.first.value, factor);
      if (is_whole) {
        const long long rounded = std::llround(value.real);
        if (rounded == g.first.value->integer) continue;
        value = toml_value::of(rounded);
      }
      value.place = g.first.value->place;
      made_.push_back(
          changed(mutant::kind::parameter,
                  fmt::format("{} {} %", name_of(g, numbers_), factor > 1 ? "+10" : "-10"), g,
                  [&](toml_value& document) { assign(document, g.path, value); }));
    }
  }
};

// Whether a claim that was met fails, and which.
mutant_result try_one(const experiment_result& right, const mutant& m,
                      const simulate_options& limits) {
  using answer = mutant_result::answer;
  mutant_result result{m.is, m.name, answer::unnoticed, ""};
  experiment wrong = right.what;
  std::set<std::string> changed;
  try {
    for (const auto& each : m.runs) {
      wrong.runs[each.run] = read_again(right.what.runs[each.run], each.document);
      changed.insert(wrong.runs[each.run].name);
    }
  } catch (const error& problem) {
    return {m.is, m.name, answer::refused, problem.what()};
  }
  std::map<std::pair<std::string, execution>, run_data> data;
  std::set<std::size_t> judged;  // claims
  for (const auto how : {execution::source, execution::converged}) {
    const auto data_of = [&](const std::string& name) -> const run_data& {
      if (changed.count(name) == 0) return right.data.at({name, how});
      const auto found = data.find({name, how});
      if (found != data.end()) return found->second;
      const auto run = std::find_if(wrong.runs.begin(), wrong.runs.end(),
                                    [&](const auto& each) { return each.name == name; });
      run_data made = perform(*run, how, limits);
      if (is_set(limits.interrupt)) throw interruption();
      return data.emplace(std::pair(name, how), std::move(made)).first->second;
    };
    for (const auto& before : right.judgements) {
      const published_claim& c = before.about;
      const bool is_affected = changed.count(c.relative_to) > 0 ||
                               std::any_of(c.runs.begin(), c.runs.end(), [&](const auto& name) {
                                 return changed.count(name) > 0;
                               });
      if (before.how != how || before.answer != verdict::met || !is_affected) continue;
      if (!judged.insert(before.claim).second) continue;
      try {
        const judgement now = judge(wrong, before.claim, how, data_of);
        if (now.answer == verdict::met) continue;
        return {m.is, m.name, answer::noticed, now.note.empty() ? c.text : now.note};
      } catch (const error& problem) {
        if (is_set(limits.interrupt)) throw interruption();
        result = {m.is, m.name, answer::refused, problem.what()};
      }
    }
  }
  return result;
}

void explain(const experiment& of, std::vector<mutant_result>& results) {
  for (const auto& each : of.unnoticed)
    for (auto& result : results) {
      if (result.name != each.name) continue;
      if (result.what == mutant_result::answer::unnoticed) {
        result.what = mutant_result::answer::explained;
        result.why = each.reason;
      } else {
        result.what = mutant_result::answer::stale;
        result.why = fmt::format("{}: the file says that it cannot be detected, but it is: {}",
                                 each.place, result.why);
      }
    }
}

}  // namespace

const char* to_string(mutant::kind is) {
  switch (is) {
    case mutant::kind::model:
      return "model";
    case mutant::kind::term:
      return "term";
    case mutant::kind::parameter:
      return "parameter";
  }
  return "";
}

const char* to_string(mutant_result::answer what) {
  switch (what) {
    case mutant_result::answer::noticed:
      return "noticed";
    case mutant_result::answer::refused:
      return "refused";
    case mutant_result::answer::explained:
      return "explained";
    case mutant_result::answer::unnoticed:
      return "UNNOTICED";
    case mutant_result::answer::stale:
      return "STALE";
  }
  return "";
}

std::vector<mutant> mutants_of(const experiment& of, std::size_t exchanges) {
  auto made = mutant_maker(of, exchanges).make();
  std::vector<std::string> names;
  names.reserve(made.size());
  for (const auto& m : made) names.push_back(m.name);
  for (const auto& each : of.unnoticed) {
    if (std::find(names.begin(), names.end(), each.name) == names.end())
      throw error(fmt::format("{}: there is no mutant '{}': {}", each.place, each.name,
                              suggest(each.name, names)));
  }
  return made;
}

std::vector<experiment_mutants> try_mutants(const std::string& folder,
                                            const std::vector<std::string>& ids,
                                            const mutant_options& wanted) {
  struct work {
    experiment what;
    std::vector<mutant> mutants;
    bool is_finished = false;
  };
  std::vector<work> all;
  std::size_t number = 0;
  const auto interrupted = [&] { return is_set(wanted.limits.interrupt); };
  for (const auto& id : ids) {
    if (interrupted()) return {};
    experiment what = read_experiment(folder, id);
    auto mutants = mutants_of(what, wanted.exchanges);
    number += mutants.size();
    all.push_back({std::move(what), std::move(mutants)});
  }
  std::vector<experiment_mutants> results(ids.size());
  std::mutex guard;
  std::size_t finished = 0;
  std::exception_ptr failure;
  std::atomic<bool> stopped = false;
  const auto guarded = [&](const auto& part) {
    if (stopped || interrupted()) return;
    try {
      part();
    } catch (const interruption&) {
      stopped = true;
    } catch (...) {
      const std::lock_guard lock(guard);
      failure = std::current_exception();
      stopped = true;
    }
  };
  const auto threads = std::max(1U, wanted.threads);
  const tbb::global_control allowed(tbb::global_control::max_allowed_parallelism, threads);
  tbb::task_arena arena(static_cast<int>(threads));
  arena.execute([&] {
    const auto one_experiment = [&](std::size_t i) {
      guarded([&] {
        const experiment_result right = perform(std::move(all[i].what), wanted.limits);
        std::vector<mutant_result> found(all[i].mutants.size());
        const auto one_mutant = [&](std::size_t k) {
          guarded([&] {
            found[k] = try_one(right, all[i].mutants[k], wanted.limits);
            const std::lock_guard lock(guard);
            ++finished;
            if (wanted.done) wanted.done(finished, number);
          });
        };
        // A thread that waits here takes no other experiment: each keeps the data of its runs.
        tbb::this_task_arena::isolate([&] {
          tbb::parallel_for(std::size_t{0}, found.size(), one_mutant, tbb::simple_partitioner());
        });
        if (stopped || interrupted()) return;
        explain(right.what, found);
        results[i] = {right.what.id, std::move(found)};
      });
    };
    tbb::parallel_for(std::size_t{0}, all.size(), one_experiment, tbb::simple_partitioner());
  });
  if (failure) std::rethrow_exception(failure);
  std::erase_if(results, [](const auto& each) { return each.id.empty(); });
  return results;
}

mutant_counts count(const std::vector<mutant_result>& results, mutant::kind is) {
  mutant_counts n;
  for (const auto& each : results) {
    if (each.is != is) continue;
    ++n.all;
    if (each.what == mutant_result::answer::explained) ++n.explained;
    if (each.what != mutant_result::answer::explained &&
        each.what != mutant_result::answer::unnoticed)
      ++n.noticed;
  }
  return n;
}

long open_mutants(const std::vector<experiment_mutants>& all) {
  long n = 0;
  for (const auto& each : all)
    n += std::count_if(each.results.begin(), each.results.end(), [](const auto& result) {
      return result.what == mutant_result::answer::unnoticed ||
             result.what == mutant_result::answer::stale;
    });
  return n;
}

namespace {

constexpr mutant::kind kinds[] = {mutant::kind::model, mutant::kind::term, mutant::kind::parameter};

// Sources in their order, each with all results of its experiments.
std::vector<experiment_mutants> by_source(const std::vector<experiment_mutants>& all) {
  std::vector<experiment_mutants> sources;
  for (const auto& each : all) {
    const std::string source = each.id.substr(0, each.id.find('/'));
    if (sources.empty() || sources.back().id != source) sources.push_back({source, {}});
    auto& results = sources.back().results;
    results.insert(results.end(), each.results.begin(), each.results.end());
  }
  return sources;
}

std::string counts_line(const experiment_mutants& of) {
  std::string line = fmt::format("{:<28}", of.id);
  long explained = 0;
  for (const auto is : kinds) {
    const mutant_counts n = count(of.results, is);
    explained += n.explained;
    line += fmt::format("{:>18}", n.all == 0 ? "-"
                                             : fmt::format("{} of {}, {:.0f} %", n.noticed, n.all,
                                                           std::floor(100 * n.share())));
  }
  return fmt::format("{}{:>11}{:>6}\n", line, explained, open_mutants({of}));
}

json counts_json(const experiment_mutants& of) {
  json entry = json::object();
  for (const auto is : kinds) {
    const mutant_counts n = count(of.results, is);
    entry[to_string(is)] = {{"all", n.all}, {"noticed", n.noticed}, {"explained", n.explained}};
  }
  entry["open"] = open_mutants({of});
  return entry;
}

}  // namespace

std::string mutants_text(const std::vector<experiment_mutants>& all, bool list_all) {
  const std::string heading = fmt::format("{:<28}{:>18}{:>18}{:>18}{:>11}{:>6}\n", "noticed",
                                          "models", "terms", "parameters", "explained", "open");
  std::string text = heading + std::string(heading.size() - 1, '-') + '\n';
  for (const auto& each : all) text += counts_line(each);
  text += std::string(heading.size() - 1, '-') + '\n';
  for (const auto& each : by_source(all)) text += counts_line(each);
  for (const auto& each : all) {
    bool is_first = true;
    for (const auto& result : each.results) {
      const bool is_noticed = result.what == mutant_result::answer::noticed ||
                              result.what == mutant_result::answer::refused;
      if (is_noticed && !list_all) continue;
      if (is_first) text += fmt::format("\n{}\n", each.id);
      is_first = false;
      text += fmt::format("  {:<10} {}{}\n", to_string(result.what), result.name,
                          result.why.empty() ? "" : fmt::format(": {}", result.why));
    }
  }
  return text;
}

std::string mutants_json(const std::vector<experiment_mutants>& all) {
  json report = json::object();
  report["sources"] = json::object();
  for (const auto& each : by_source(all)) report["sources"][each.id] = counts_json(each);
  report["experiments"] = json::array();
  for (const auto& each : all) {
    json entry = json::object();
    entry["id"] = each.id;
    entry["counts"] = counts_json(each);
    entry["mutants"] = json::array();
    for (const auto& result : each.results)
      entry["mutants"].push_back({{"mutant", result.name},
                                  {"kind", to_string(result.is)},
                                  {"answer", to_string(result.what)},
                                  {"why", result.why}});
    report["experiments"].push_back(std::move(entry));
  }
  return json_text(report);
}

}  // namespace asperity

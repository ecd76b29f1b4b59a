// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/integrate/watch.hpp>
#include <asperity/publish/conformance.hpp>
#include <asperity/publish/conformance_words.hpp>
#include <asperity/quantity.hpp>
#include <asperity/text/open_file.hpp>
#include <cctype>
#include <cmath>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <mutex>
#include <nlohmann/json.hpp>
#include <thread>

namespace asperity {

namespace fs = std::filesystem;

const char* to_string(conformance_verdict verdict) {
  switch (verdict) {
    case conformance_verdict::met:
      return "met";
    case conformance_verdict::not_met:
      return "NOT MET";
    case conformance_verdict::does_not_apply:
      return "does not apply";
    case conformance_verdict::not_run:
      return "not run";
    case conformance_verdict::failed:
      return "FAILED";
  }
  return "";
}

std::string json_key(conformance_verdict verdict) {
  std::string key = to_string(verdict);
  for (char& c : key) c = c == ' ' ? '_' : static_cast<char>(std::tolower(c));
  return key;
}

// ---- cards --------------------------------------------------------------------------------------

std::string conformance_folder(const std::string& wanted) {
  std::vector<std::string> places;
  if (!wanted.empty()) {
    places.push_back(wanted);
  } else {
    if (const char* named = std::getenv("ASPERITY_CONFORMANCE")) places.emplace_back(named);
    std::error_code ignored;
    const fs::path program = fs::read_symlink("/proc/self/exe", ignored);
    if (!program.empty())
      places.push_back((program.parent_path() / "../share/asperity/conformance").string());
    places.emplace_back(ASPERITY_CONFORMANCE_FOLDER);
  }
  std::error_code unreadable;  // is no folder, either
  for (const auto& place : places)
    if (fs::is_directory(place, unreadable)) return place;
  throw error(fmt::format("cannot find the folder of conformance cards; these were searched: {}",
                          fmt::join(places, ", ")));
}

namespace {

const conformance_row* find_row(std::string_view name) {
  for (const conformance_row* each : conformance_rows())
    if (name == each->name) return each;
  return nullptr;
}

conformance_measure read_measure(reader& table) {
  conformance_measure m;
  m.name = table.text("name");
  m.meaning = table.text("meaning");
  const std::string in = table.text("unit");
  try {
    m.in = in == "1" ? units::one : parse_quantity("1 " + in).in;
  } catch (const error& problem) {
    table.fail("unit", problem.what());
  }
  m.reference = table.number("reference", m.in, any_value);
  m.error = table.number("error", m.in, non_negative);
  for (reader& way : table.tables("way")) {
    m.ways.push_back({way.text("method"), way.number("value", m.in, any_value)});
    way.finish();
    if (std::abs(m.ways.back().value - m.reference) > m.error)
      way.fail("value",
               fmt::format("it differs from the reference, {:g}, by more than its error, {:g}",
                           m.reference, m.error));
  }
  if (m.ways.size() < 2)
    table.fail(
        "way",
        "a reference needs at least two ways in which it is known: [[measure.way]] method, value");
  if (table.has("at_least")) m.at_least = table.number("at_least", m.in, any_value);
  if (table.has("at_most")) m.at_most = table.number("at_most", m.in, any_value);
  if (m.at_least == -unbounded && m.at_most == unbounded)
    table.fail("at_most", "say what counts as met: at_least, at_most or both");
  if (!(m.at_least <= m.at_most)) table.fail("at_most", "it must not be below at_least");
  table.finish();
  return m;
}

conformance_card read_card(const std::string& file, const conformance_row& row) {
  const toml_value document = read_toml(file);
  reader root(document, "", nullptr);
  conformance_card card;
  card.name = row.name;
  card.row = &row;
  card.title = root.text("title");
  card.source = root.text("source");
  card.definition = root.text("definition");
  card.procedure = root.text("procedure");
  card.reason = root.text("reason");
  root.word("port", {row.at->name});
  std::vector<std::string> names;
  for (reader& table : root.tables("measure")) {
    card.measures.push_back(read_measure(table));
    names.push_back(card.measures.back().name);
  }
  if (names != row.measures)
    root.fail("measure", fmt::format("'{}' measures, in this order: {}", row.name,
                                     fmt::join(row.measures, ", ")));
  reader inputs = root.table("inputs");
  card.test = row.read(inputs);
  inputs.finish();
  root.finish();
  return card;
}

}  // namespace

std::vector<conformance_card> read_conformance_cards(const std::string& folder,
                                                     const std::vector<std::string>& names) {
  std::vector<std::string> known;
  for (const conformance_row* each : conformance_rows()) known.emplace_back(each->name);
  for (const auto& name : names)
    if (find_row(name) == nullptr)
      throw error(fmt::format("no conformance card '{}': {}", name, suggest(name, known)));
  std::vector<conformance_card> cards;
  for (const auto& name : known) {
    if (!names.empty() && std::find(names.begin(), names.end(), name) == names.end()) continue;
    cards.push_back(read_card((fs::path(folder) / (name + ".toml")).string(), *find_row(name)));
  }
  return cards;
}

// ---- runs ---------------------------------------------------------------------------------------

namespace {

void judge(const conformance_card& card, conformance_result& result) {
  result.verdict = conformance_verdict::met;
  for (std::size_t i = 0; i < card.measures.size(); ++i)
    if (!card.measures[i].is_met(result.outcome.values[i]))
      result.verdict = conformance_verdict::not_met;
}

void run_card(const conformance_card& card, const any_model& model, conformance_result& result,
              const std::atomic<bool>* interrupt) {
  if (&model.at() != card.row->at) {
    result.why = fmt::format("the card is for the port {}", card.row->at->name);
    return;
  }
  try {
    result.why = card.test->why_not(model);
    if (!result.why.empty()) return;
    result.outcome = card.test->run(model, interrupt);
    judge(card, result);
  } catch (const too_many_steps& problem) {
    result.verdict = conformance_verdict::not_run;
    result.why = problem.what();
  } catch (const error& problem) {
    result.verdict = conformance_verdict::failed;
    result.why = problem.what();
  }
}

}  // namespace

std::vector<conformance_subject> run_conformance(const std::vector<conformance_card>& cards,
                                                 const std::vector<std::string>& models,
                                                 const conformance_options& options) {
  std::vector<const catalogue_entry*> entries;
  entries.reserve(models.size());
  for (const auto& name : models) entries.push_back(&find_entry(name));
  if (models.empty())
    for (const catalogue_entry* each : catalogue())
      if (std::any_of(cards.begin(), cards.end(),
                      [&](const auto& card) { return card.row->at == each->at; }))
        entries.push_back(each);

  std::vector<conformance_subject> subjects;
  for (const catalogue_entry* each : entries) {
    auto& subject = subjects.emplace_back();
    subject.name = each->key;
    subject.at = each->at;
    for (const auto& card : cards) {
      auto& result = subject.results.emplace_back();
      result.card = card.name;
      result.subject = each->key;
    }
  }

  // Each pair of a model and a card is a task of its own; who does it changes nothing.
  std::atomic<std::size_t> next = 0, done = 0;
  const std::size_t tasks = subjects.size() * cards.size();
  std::mutex lock;
  std::exception_ptr problem;
  const auto work = [&] {
    try {
      for (std::size_t i; (i = next++) < tasks;) {
        if (is_set(options.interrupt)) throw interruption();
        const std::size_t s = i / cards.size(), c = i % cards.size();
        run_card(cards[c], any_model(*entries[s]), subjects[s].results[c], options.interrupt);
        const std::size_t finished = ++done;
        const std::lock_guard guard(lock);
        if (options.progress)
          options.progress(static_cast<double>(finished) / static_cast<double>(tasks));
      }
    } catch (...) {
      next = tasks;
      const std::lock_guard guard(lock);
      if (!problem) problem = std::current_exception();
    }
  };
  {
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < options.threads; ++i) others.emplace_back(work);
    work();
  }
  if (problem) std::rethrow_exception(problem);
  return subjects;
}

// ---- other simulators ---------------------------------------------------------------------------

namespace {

using json = nlohmann::json;

std::string text_at(const json& table, const char* key, const std::string& place) {
  const auto found = table.find(key);
  if (found == table.end() || !found->is_string() || found->get<std::string>().empty())
    throw error(fmt::format("{}: '{}' must be text that is not empty", place, key));
  return found->get<std::string>();
}

conformance_result read_result(const conformance_card& card, const json& table,
                               const std::string& place) {
  conformance_result result;
  result.card = card.name;
  if (!table.is_object()) throw error(fmt::format("{}: it must be an object", place));
  for (const auto without : {conformance_verdict::does_not_apply, conformance_verdict::not_run}) {
    const std::string key = json_key(without);
    if (!table.contains(key)) continue;
    result.verdict = without;
    result.why = text_at(table, key.c_str(), place);
    if (table.size() > 1) throw error(fmt::format("{}: it has other keys than '{}'", place, key));
    return result;
  }
  for (const auto& [key, value] : table.items())
    if (std::find(card.row->measures.begin(), card.row->measures.end(), key) ==
        card.row->measures.end())
      throw error(
          fmt::format("{}: no measure '{}': {}", place, key, suggest(key, card.row->measures)));
  for (const auto& name : card.row->measures) {
    const auto found = table.find(name);
    // JSON has no NaN: what was not found is null, and meets nothing.
    const bool is_null = found != table.end() && found->is_null();
    if (found == table.end() || !(found->is_number() || is_null))
      throw error(fmt::format("{}: '{}' must be a number in SI units, or null", place, name));
    result.outcome.values.push_back(is_null ? std::nan("") : found->get<double>());
  }
  judge(card, result);
  return result;
}

}  // namespace

std::vector<conformance_subject> read_measured(const std::vector<conformance_card>& cards,
                                               const std::string& file) {
  constexpr std::uintmax_t largest = 64 << 20;
  json document = json::parse(read_input_file(file, largest), nullptr, false);
  if (document.is_discarded()) throw error(fmt::format("{}: it is not JSON", file));
  if (document.is_object()) document = json::array({document});
  if (!document.is_array() || document.empty())
    throw error(
        fmt::format("{}: it must be an object with simulator, settings and cards, or a "
                    "list of such objects",
                    file));
  std::vector<conformance_subject> subjects;
  for (const json& each : document) {
    if (!each.is_object()) throw error(fmt::format("{}: every entry must be an object", file));
    auto& subject = subjects.emplace_back();
    subject.name = text_at(each, "simulator", file);
    const std::string place = fmt::format("{}: {}", file, subject.name);
    subject.settings = text_at(each, "settings", place);
    const auto given = each.find("cards");
    if (given == each.end() || !given->is_object())
      throw error(fmt::format("{}: 'cards' must be an object", place));
    for (const auto& [name, value] : given->items())
      if (find_row(name) == nullptr)
        throw error(fmt::format("{}: no conformance card '{}'", place, name));
    for (const auto& card : cards) {
      const auto found = given->find(card.name);
      auto& result = subject.results.emplace_back();
      result.card = card.name;
      result.verdict = conformance_verdict::not_run;
      if (found != given->end()) result = read_result(card, *found, place + ": " + card.name);
      result.subject = subject.name;
    }
  }
  return subjects;
}

}  // namespace asperity

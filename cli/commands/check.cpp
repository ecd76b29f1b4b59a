// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/json_text.hpp>
#include <asperity/laws/law.hpp>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"

namespace asperity::cli {

namespace {

struct check_arguments {
  std::vector<std::string> what, laws;
  std::string seed;
  bool as_json = false, quiet = false;
};

// A law that binds a model.
struct trial {
  const laws::law* law;
  laws::subject about;
};

// The finer laws of a port first; those of all ports have the same names in part, and then say
// which they are.
std::string name_of(const trial& each) {
  const auto line = laws::line_laws();
  const bool is_line = std::any_of(line.begin(), line.end(),
                                   [&](const laws::law& other) { return &other == each.law; });
  return is_line || !each.about.at().is_line() ? each.law->name
                                               : fmt::format("Port{}", each.law->name);
}

std::string claim_of(const trial& each) {
  return each.law->claim == 0 ? "" : claim_names(each.law->claim).front();
}

// What is said of a model that is not there.
std::string unknown(const std::string& name) {
  try {
    return find_entry(name).key;
  } catch (const error& problem) {
    return problem.what();
  }
}

// Models by their names, and those of files.
std::vector<const catalogue_entry*> models_in(const std::vector<std::string>& what) {
  std::vector<const catalogue_entry*> result;
  for (const auto& each : what) {
    const auto all = catalogue();
    const auto named =
        std::find_if(all.begin(), all.end(), [&](const auto* entry) { return entry->key == each; });
    if (named != all.end()) {
      result.push_back(*named);
      continue;
    }
    std::error_code ignored;
    if (each.find_first_of("./") == std::string::npos && !std::filesystem::exists(each, ignored))
      throw error(fmt::format("there is no plug-in of that name, and {}", unknown(each)));
    const auto more = load_plugin(each);
    result.insert(result.end(), more.begin(), more.end());
  }
  return result;
}

std::vector<trial> trials_of(const std::vector<const catalogue_entry*>& models,
                             const std::vector<std::string>& wanted) {
  std::vector<trial> result;
  std::vector<std::string> names;
  for (const catalogue_entry* entry : models)
    for (const laws::subject& about : laws::subjects_of(*entry)) {
      const bool is_usual = about.name == entry->key;
      for (const auto& list : {laws::line_laws(), laws::port_laws()}) {
        const bool is_line = list.data() == laws::line_laws().data();
        // Along a line the laws of all ports are tried with the usual curve, as our tests do.
        if (is_line ? !about.at().is_line() : about.at().is_line() && !is_usual) continue;
        for (const laws::law& law : list) {
          if (!law.binds(about)) continue;
          const trial each{&law, about};
          names.push_back(name_of(each));
          if (wanted.empty() ||
              std::find(wanted.begin(), wanted.end(), names.back()) != wanted.end())
            result.push_back(each);
        }
      }
    }
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  for (const auto& each : wanted)
    if (std::find(names.begin(), names.end(), each) == names.end())
      throw error(
          fmt::format("--law {}: no law of this name applies to the models that are checked; the "
                      "laws that apply are: {}",
                      each, fmt::join(names, ", ")));
  return result;
}

int check_models(const check_arguments& given) {
  const auto trials = trials_of(models_in(given.what), given.laws);
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  std::vector<std::vector<std::string>> rows{{"model", "law", "claim", "verdict"}};
  std::vector<std::string> broken;
  progress_bar bar(!given.quiet);
  bool stopped = false;
  for (const trial& each : trials) {
    if (interrupted()) {
      stopped = true;
      break;
    }
    bar.show(static_cast<double>(list.size()) / static_cast<double>(trials.size()));
    const laws::verdict found = laws::check(*each.law, each.about, given.seed);
    const bool holds = found.failed == 0;
    const std::string name = name_of(each), claim = claim_of(each);
    list.push_back({{"model", each.about.name},
                    {"law", name},
                    {"claim", claim},
                    {"holds", holds},
                    {"draws", found.draws},
                    {"why", found.first}});
    rows.push_back({each.about.name, name, claim, holds ? "holds" : "broken"});
    if (!holds)
      broken.push_back(fmt::format("{} breaks {}{} after {} draw{}: {}", each.about.name, name,
                                   claim.empty() ? "" : fmt::format(" (claim '{}')", claim),
                                   found.draws, found.draws == 1 ? "" : "s", found.first));
  }
  print(given.as_json ? json_text(list) : lined_up(rows));
  for (const auto& each : broken) complain(each);
  if (stopped) {
    complain(fmt::format("interrupted: {} of {} laws were tried", list.size(), trials.size()));
    return was_interrupted;
  }
  if (!given.as_json)
    print(fmt::format("\n{} of {} laws are satisfied\n", list.size() - broken.size(), list.size()));
  return broken.empty() ? success : numerical_failure;
}

}  // namespace

void add_check(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "check",
      "Test the models of a plug-in against the laws of every model and those of their own claims");
  const auto given = std::make_shared<check_arguments>();
  command
      ->add_option("FILE|MODEL", given->what,
                   "Plug-ins, each a shared object built from the files of `asperity new model`, "
                   "or names of models, as listed by `asperity models`")
      ->required();
  add_repeated(
      *command, "--law NAME", given->laws,
      "Try only this law, as named in the list; may be repeated (default: all laws that apply)");
  add_option(*command, "--seed TEXT", given->seed,
             "Text that seeds the random parameters and motions (default: the seed of the "
             "library's own tests)");
  command->add_flag("--json", given->as_json, "Print JSON for programs");
  command->add_flag("--quiet", given->quiet, "Show no progress bar");
  command->footer(
      R"(Each law is tried with random parameters, drawn over decades around their defaults, and
with random motions. Every model is checked for its units, number types and derivatives; energy,
symmetry, bounds, continuity and so on are checked for models that claim them. The models of the
library are tested with the same laws. If a law is broken, the message names it, with the
parameters, and the exit code is 1.

Examples:
  asperity check my_law.so
  asperity check my_law.so --law OddSymmetry --seed 2
  asperity check lugre --json)");
  command->callback([=, &run] { run = [=] { return check_models(*given); }; });
}

}  // namespace asperity::cli

// SPDX-License-Identifier: Apache-2.0
// Completion for shells, written from the options themselves and the names that this build knows.
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/export/export_model.hpp>
#include <asperity/inclusion/emit.hpp>
#include <asperity/laws/law.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/conformance.hpp>
#include <asperity/publish/experiment.hpp>
#include <asperity/run/measure.hpp>
#include <asperity/sweep/plan.hpp>
#include <asperity/text.hpp>
#include <map>
#include <memory>

#include "cli/commands.hpp"
#include "cli/described.hpp"
#include "cli/examples.hpp"
#include "cli/new_files.hpp"

namespace asperity::cli {

namespace {

// What may stand in a place of the command line: some words, files, or both.
struct expected {
  std::vector<std::string> words = {};
  bool takes_files = false;
};

class vocabulary {
 public:
  vocabulary(const CLI::App& app) : commands_(describe_commands(app)) {
    for (const auto& each : commands_) words_["COMMAND"].push_back(each.name);
    for (const catalogue_entry* each : catalogue()) {
      words_["MODEL"].push_back(each->key);
      if (each->family == "curve") words_["--curve"].push_back(each->key);
      auto& families = words_["--family"];
      if (std::find(families.begin(), families.end(), each->family) == families.end())
        families.push_back(each->family);
    }
    for (const system_row* each : systems()) words_["SYSTEM"].emplace_back(each->name);
    words_["--lang"] = exported_languages();
    words_["--emit"] = emitted_languages();
    words_["--model"] = words_["MODEL"];
    words_["--fmi"] = {"2", "3"};
    words_["--kind"] = {"cs", "me", "both"};
    words_["KIND"] = new_kinds();
    words_["new --family"] = new_families();
    for (const auto& each : laws::line_laws()) words_["--law"].emplace_back(each.name);
    for (const auto& each : laws::port_laws())
      words_["--law"].push_back(fmt::format("Port{}", each.name));
    for (const measure_row* each : measures()) words_["--measure"].emplace_back(each->word);
    for (const auto& each : sweep_only_measures()) words_["--measure"].emplace_back(each.word);
    try {
      for (const auto& each : read_conformance_cards(conformance_folder(), {}))
        words_["CARD"].push_back(each.name);
    } catch (const error&) {  // not installed
    }
    try {
      for (const auto& each : list_examples()) {
        words_["EXAMPLE"].push_back(each.name);
        if (each.is_scenario) words_["SCENARIO"].push_back(each.name);
      }
      words_["ID"] = list_experiments(experiments_folder(""));
    } catch (const error&) {  // not installed
    }
    // Words are written into scripts: none that a shell would read as something else.
    for (auto& [place, words] : words_)
      std::erase_if(words, [](const std::string& word) {
        return word.find_first_not_of(
                   "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                   "0123456789_-+./") != std::string::npos;
      });
  }

  const std::vector<described_command>& commands() const { return commands_; }
  const std::vector<std::string>& words(const std::string& place) const { return words_.at(place); }

  expected after(const described_command& command, const described_option& option) const {
    if (!option.words.empty()) return {option.words};
    if (const auto own = words_.find(command.name + ' ' + option.name); own != words_.end())
      return {own->second};
    if (words_.contains(option.name)) return {words_.at(option.name)};
    return {{}, option.value == "FILE" || option.value == "FOLDER"};
  }
  // The arguments without a name: all of them together, whichever comes first.
  expected arguments_of(const described_command& command) const {
    expected result;
    for (const auto& each : command.arguments) {
      std::vector<std::string> places{each.name};
      bool takes_files = false;
      if (command.name == "examples") places = {"EXAMPLE"};
      if (command.name == "show") places = {"MODEL", "SYSTEM"};
      if (command.name == "inclusion") places = {"SCENARIO"};
      if (command.name == "hysteresis" || command.name == "check") places = {"MODEL"};
      if (each.name == "SCENARIO" || each.name.starts_with("FILE") || each.name == "DATA" ||
          command.name == "hysteresis" || command.name == "fit")
        takes_files = true;
      result.takes_files = result.takes_files || takes_files;
      result.words.insert(result.words.end(), each.words.begin(), each.words.end());
      for (const auto& place : places)
        if (const auto found = words_.find(place); found != words_.end())
          result.words.insert(result.words.end(), found->second.begin(), found->second.end());
    }
    return result;
  }

 private:
  std::vector<described_command> commands_;
  std::map<std::string, std::vector<std::string>> words_{{"COMMAND", {}},  {"MODEL", {}},
                                                         {"SYSTEM", {}},   {"EXAMPLE", {}},
                                                         {"SCENARIO", {}}, {"ID", {}}};
};

std::string joined(const std::vector<std::string>& words) {
  return fmt::format("{}", fmt::join(words, " "));
}

std::vector<std::string> names_of(const std::vector<described_option>& options) {
  std::vector<std::string> names;
  names.reserve(options.size());
  for (const auto& each : options) names.push_back(each.name);
  return names;
}

// In single quotes, for any of the shells.
std::string quoted(const std::string& text) {
  std::string result = "'";
  for (const char c : in_one_line(text))
    result += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return result + "'";
}

constexpr const char* head =
    "# Completion of asperity for {0}, written by `asperity completion {0}`.\n";

// The cases of "command:option before" and of "command", for shells of the Bourne kind.
std::string cases(const vocabulary& known, const char* choose, const char* files) {
  const auto answer = [&](const expected& what) {
    return fmt::format(
        "{}{}{}", what.words.empty() ? "" : fmt::format("{} '{}'; ", choose, joined(what.words)),
        what.takes_files ? files : "", what.takes_files ? "; " : "");
  };
  std::string out = "  case \"$command:$previous\" in\n";
  for (const auto& command : known.commands())
    for (const auto& option : command.options)
      if (!option.value.empty())
        out += fmt::format("    {0}:{1}{2}) {3}return ;;\n", command.name, option.name,
                           option.brief.empty() ? "" : "|" + command.name + ":" + option.brief,
                           answer(known.after(command, option)));
  out += "  esac\n  case \"$current\" in\n    -*)\n      case \"$command\" in\n";
  for (const auto& command : known.commands())
    out += fmt::format("        {}) {} '{}' ;;\n", command.name, choose,
                       joined(names_of(command.options)));
  out += "      esac\n      return ;;\n  esac\n  case \"$command\" in\n";
  for (const auto& command : known.commands())
    if (const std::string text = answer(known.arguments_of(command)); !text.empty())
      out += fmt::format("    {}) {};\n", command.name, text.substr(0, text.size() - 1));
  return out + "  esac\n";
}

std::string for_bash(const vocabulary& known) {
  return fmt::format(head, "bash") +
         fmt::format(R"(_asperity_words() {{
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -W "$1" -- "$current")
}}
_asperity_files() {{
  local word
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(compgen -f -- "$current")
  compopt -o filenames 2>/dev/null
}}
_asperity() {{
  local current="${{COMP_WORDS[COMP_CWORD]}}" previous="${{COMP_WORDS[COMP_CWORD - 1]}}"
  local at=1
  COMPREPLY=()
  # Plug-ins stand before the command, each in two words or, with =, in three.
  while [[ "${{COMP_WORDS[at]:-}}" == --plugin ]] && ((at < COMP_CWORD)); do
    ((at += 1))
    [[ "${{COMP_WORDS[at]:-}}" == = ]] && ((at += 1))
    if ((at >= COMP_CWORD)); then
      [[ "$current" == = ]] && current=''
      _asperity_files
      return
    fi
    ((at += 1))
  done
  local command="${{COMP_WORDS[at]:-}}"
  if ((COMP_CWORD == at)); then
    _asperity_words '{} --help --plugin --version'
    return
  fi
  # bash cuts --plot=svg at its sign.
  if [[ "$current" == = ]]; then
    current=''
  elif [[ "$previous" == = ]]; then
    previous="${{COMP_WORDS[COMP_CWORD - 2]}}"
  fi
{}}}
complete -F _asperity asperity
)",
                     joined(known.words("COMMAND")),
                     cases(known, "_asperity_words", "_asperity_files"));
}

std::string for_zsh(const vocabulary& known) {
  std::string commands;
  for (const auto& each : known.commands())
    commands += fmt::format("      {}\n", quoted(each.name + ":" + each.about));
  return "#compdef asperity\n" + fmt::format(head, "zsh") +
         fmt::format(R"(_asperity_words() {{ compadd -- ${{=1}} }}
_asperity() {{
  local current="$PREFIX" previous="${{words[CURRENT - 1]}}"
  local -i at=2
  # Plug-ins stand before the command.
  while [[ "${{words[at]}}" == --plugin* ]] && ((at < CURRENT)); do
    [[ "${{words[at]}}" == --plugin ]] && ((at += 1))
    if ((at >= CURRENT)); then
      _files
      return
    fi
    ((at += 1))
  done
  local command="${{words[at]}}"
  if ((CURRENT == at)); then
    if [[ "$current" == -* ]]; then
      compadd -- --help --plugin --version
      return
    fi
    local -a commands=(
{}    )
    _describe command commands
    return
  fi
  if [[ "$current" == --*=* ]]; then
    previous="${{current%%=*}}"
    compset -P '*='
    current="$PREFIX"
  fi
{}}}
if [[ "${{funcstack[1]}}" == _asperity ]]; then
  _asperity "$@"
else
  compdef _asperity asperity
fi
)",
                     commands, cases(known, "_asperity_words", "_files"));
}

std::string for_fish(const vocabulary& known) {
  std::string out = fmt::format(head, "fish");
  out += "complete -c asperity -f\n";
  const std::string none = "not __fish_seen_subcommand_from " + joined(known.words("COMMAND"));
  out += fmt::format("complete -c asperity -n '{}' -l version -d 'Print the version'\n", none);
  out += fmt::format("complete -c asperity -n '{}' -l plugin -r -F -d 'Load a plug-in'\n", none);
  out += "complete -c asperity -l help -d 'Print the help'\n";
  for (const auto& command : known.commands()) {
    out += fmt::format("complete -c asperity -n '{}' -a {} -d {}\n", none, command.name,
                       quoted(command.about));
    const std::string here = fmt::format("-n '__fish_seen_subcommand_from {}'", command.name);
    const expected first = known.arguments_of(command);
    if (!first.words.empty() || first.takes_files)
      out += fmt::format("complete -c asperity {}{}{}\n", here, first.takes_files ? " -F" : "",
                         first.words.empty() ? "" : fmt::format(" -a '{}'", joined(first.words)));
    for (const auto& option : command.options) {
      if (option.name == "--help") continue;
      const expected value = known.after(command, option);
      const char* kind = option.value.empty() ? "" : value.takes_files ? " -r -F" : " -x";
      const std::string brief = option.brief.empty() ? "" : " -s " + option.brief.substr(1);
      out += fmt::format("complete -c asperity {} -l {}{}{}{} -d {}\n", here, option.name.substr(2),
                         brief, kind,
                         value.words.empty() ? "" : fmt::format(" -a '{}'", joined(value.words)),
                         quoted(option.about));
    }
  }
  return out;
}

}  // namespace

void add_completion(CLI::App& app, action& run) {
  auto* command =
      app.add_subcommand("completion", "Print a script that lets a shell complete commands");
  const auto shell = std::make_shared<std::string>();
  command->add_option("SHELL", *shell, "The shell")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  command->footer(
      R"text(These scripts come with an installed asperity. Otherwise, or after adding your own
model:

Examples:
  source <(asperity completion bash)  # in ~/.bashrc
  source <(asperity completion zsh)   # in ~/.zshrc, after compinit
  asperity completion fish | source   # in ~/.config/fish/config.fish)text");
  command->callback([=, &app, &run] {
    run = [=, &app] {
      const vocabulary known(app);
      print(*shell == "bash"  ? for_bash(known)
            : *shell == "zsh" ? for_zsh(known)
                              : for_fish(known));
      return success;
    };
  });
}

}  // namespace asperity::cli

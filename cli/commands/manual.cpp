// SPDX-License-Identifier: Apache-2.0
// Manual pages, written from the options themselves. The build calls this; --help does not list it.
#include <fmt/format.h>

#include <asperity/run/output.hpp>
#include <asperity/text/pending_folder.hpp>
#include <filesystem>
#include <memory>
#include <sstream>

#include "cli/commands.hpp"
#include "cli/described.hpp"

namespace asperity::cli {

namespace {

// Text as roff takes it: nothing of it is a request, and signs look as they are typed.
std::string roff(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = i == 0 || text[i - 1] == '\n';
    if (begins && (text[i] == '.' || text[i] == '\'')) out += "\\&";
    switch (text[i]) {
      case '\\':
        out += "\\e";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        out += text[i];
    }
  }
  return out;
}

std::string bold(const std::string& text) { return "\\fB" + roff(text) + "\\fR"; }
std::string slanted(const std::string& text) { return "\\fI" + roff(text) + "\\fR"; }

std::string as_sentence(std::string text) {
  if (!text.empty() && text.back() != '.' && text.back() != '?') text += '.';
  return text;
}

std::string about(const described_option& option) {
  std::string text = option.about;
  if (!option.words.empty()) text += fmt::format("; one of {}", fmt::join(option.words, ", "));
  if (!option.otherwise.empty()) text += fmt::format(" (default: {})", option.otherwise);
  return roff(as_sentence(text)) + '\n';
}

std::string options_text(const char* title, const std::vector<described_option>& options) {
  if (options.empty()) return "";
  std::string out = fmt::format(".SH {}\n", title);
  for (const auto& each : options) {
    const bool has_name = each.name.starts_with("--");
    out += ".TP\n";
    if (!each.brief.empty()) out += bold(each.brief) + ", ";
    out += has_name ? bold(each.name) : slanted(each.name);
    if (has_name && !each.value.empty()) out += ' ' + slanted(each.value);
    out += '\n' + about(each);
  }
  return out;
}

// Lines that are set in are shown as they stand; a line such as "Examples:" is a title.
std::string footer_text(const std::string& footer) {
  std::string out;
  bool shown = false, has_title = false;
  const auto end_shown = [&] {
    if (shown) out += ".EE\n";
    shown = false;
  };
  std::istringstream lines(footer);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("  ")) {
      if (!has_title) out += ".SH NOTES\n";
      has_title = true;
      if (!shown) out += ".PP\n.EX\n";
      shown = true;
      out += roff(line.substr(2)) + '\n';
      continue;
    }
    end_shown();
    if (line.starts_with("Examples")) {
      out += ".SH EXAMPLES\n";
      const auto colon = line.find(": ");
      if (colon != std::string::npos) out += roff(as_sentence(line.substr(colon + 2))) + '\n';
      has_title = true;
    } else if (line.starts_with("Exit codes")) {
      out += ".SH EXIT STATUS\n";
      const auto colon = line.find(": ");
      if (colon != std::string::npos) out += roff(line.substr(colon + 2)) + '\n';
      has_title = true;
    } else if (line.empty()) {
      if (has_title) out += ".PP\n";
    } else {
      if (!has_title) out += ".SH NOTES\n";
      has_title = true;
      out += roff(line) + '\n';
    }
  }
  end_shown();
  // A paragraph without anything in it is a complaint of roff.
  for (const char* next : {".PP\n.PP\n", ".PP\n.SH "})
    for (auto at = out.find(next); at != std::string::npos; at = out.find(next)) out.erase(at, 4);
  for (auto at = out.find(".SH"); at != std::string::npos; at = out.find(".SH", at + 1)) {
    const auto line_end = out.find('\n', at) + 1;
    if (out.compare(line_end, 4, ".PP\n") == 0) out.erase(line_end, 4);
  }
  while (out.ends_with(".PP\n")) out.erase(out.size() - 4);
  return out;
}

std::string top_of_page(const std::string& name, const std::string& what) {
  return fmt::format(
      ".\\\" Written by `asperity manual`; SPDX-License-Identifier: Apache-2.0\n"
      ".TH \"{}\" \"1\" \"\" \"asperity {}\" \"Asperity\"\n.nh\n.ad l\n.SH NAME\n{} \\- {}\n"
      ".SH SYNOPSIS\n",
      roff(name), version(), roff(name), roff(what));
}

std::string usage(const described_command& command) {
  std::string out = bold("asperity " + command.name);
  for (const auto& each : command.arguments) {
    const std::string words = slanted(each.name) + (each.is_repeated ? " ..." : "");
    out += each.is_required ? ' ' + words : " [" + words + ']';
  }
  return out + " [" + slanted("OPTIONS") + "]\n";
}

std::string page_of(const described_command& command) {
  const std::string name = "asperity-" + command.name;
  return top_of_page(name, command.about) + usage(command) + ".SH DESCRIPTION\n" +
         roff(as_sentence(command.about)) +
         "\n.BR asperity (1)\nlists the exit codes and the other commands.\n" +
         options_text("ARGUMENTS", command.arguments) + options_text("OPTIONS", command.options) +
         footer_text(command.footer) + ".SH SEE ALSO\n.BR asperity (1)\n";
}

std::string whole_page(const CLI::App& app) {
  const described_command whole = describe(app);
  std::string out = top_of_page("asperity", "friction, contact and hysteresis");
  out += bold("asperity") + ' ' + slanted("COMMAND") + " [" + slanted("ARGUMENTS") + "]\n.br\n";
  out += bold("asperity help") + " [" + slanted("COMMAND") + "]\n";
  out += ".SH DESCRIPTION\n" + roff(as_sentence(whole.about)) + '\n';
  out += ".SH COMMANDS\n";
  for (const auto& each : describe_commands(app))
    out += fmt::format(".TP\n{}\n{}\n", bold(each.name), roff(as_sentence(each.about)));
  out += options_text("OPTIONS", whole.options) + footer_text(whole.footer);
  out += ".SH ENVIRONMENT\n";
  for (const auto& [name, text] :
       {std::pair{"ASPERITY_EXPERIMENTS", "Folder with the experiment files."},
        std::pair{"ASPERITY_EXAMPLES", "Folder with the examples."},
        std::pair{"ASPERITY_CONFORMANCE", "Folder with the conformance cards."},
        std::pair{"ASPERITY_PLUGINS", "Plug-ins to load, separated by colons."},
        std::pair{"ASPERITY_LAMMPS", "The program asperity-lammps, for engine = \"lammps\"."}})
    out += fmt::format(".TP\n{}\n{}\n", bold(name), roff(text));
  out += ".SH SEE ALSO\n";
  std::string others;
  for (const auto& each : describe_commands(app))
    others +=
        fmt::format("{}.BR {} (1)", others.empty() ? "" : " ,\n", roff("asperity-" + each.name));
  return out + others + '\n';
}

}  // namespace

void add_manual(CLI::App& app, action& run) {
  auto* command = app.add_subcommand("manual", "Write the manual pages into a folder");
  command->group("");
  const auto folder = std::make_shared<std::string>();
  command->add_option("FOLDER", *folder, "Folder for asperity.1 and a page for each command")
      ->required();
  command->footer("Examples:\n  asperity manual share/man/man1");
  command->callback([=, &app, &run] {
    run = [=, &app] {
      const std::filesystem::path place(*folder);
      std::error_code problem;
      std::filesystem::create_directories(place, problem);
      if (problem)
        throw error(fmt::format("cannot create the folder '{}': {}", *folder, problem.message()));
      write_file((place / "asperity.1").string(), whole_page(app));
      for (const auto& each : describe_commands(app))
        write_file((place / ("asperity-" + each.name + ".1")).string(), page_of(each));
      return success;
    };
  });
}

}  // namespace asperity::cli

// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/json_text.hpp>
#include <asperity/publish/guide.hpp>
#include <asperity/publish/html.hpp>
#include <asperity/publish/page.hpp>
#include <asperity/text/pieces.hpp>
#include <memory>
#include <thread>

#include "cli/commands.hpp"
#include "cli/described.hpp"

namespace asperity::cli {

namespace {

struct site_arguments {
  std::string out, source, report, lab;
  unsigned jobs = 0;
  bool has_no_plots = false, as_json = false;
};

// Text with its `code`.
std::string with_code(const std::string& text) {
  std::string html;
  bool is_code = false;
  for (const std::string_view part : split(text, '`')) {
    html += is_code ? fmt::format("<code>{}</code>", escaped(part)) : escaped(part);
    is_code = !is_code;
  }
  return html;
}

std::string options_html(const std::vector<described_option>& options) {
  std::string rows;
  for (const auto& each : options) {
    std::string about = each.about;
    if (!each.words.empty()) about += fmt::format("; one of {}", fmt::join(each.words, ", "));
    if (!each.otherwise.empty()) about += fmt::format(" (default: {})", each.otherwise);
    rows += fmt::format("<tr>{}{}</tr>\n",
                        cell_html("",
                                  fmt::format("<code>{}{}</code>", escaped(each.name),
                                              each.name.starts_with("--") && !each.value.empty()
                                                  ? " " + escaped(each.value)
                                                  : ""),
                                  "name"),
                        cell_html("", with_code(about)));
  }
  return rows;
}

// What --help says, as a page.
std::string commands_html(const CLI::App& app) {
  std::string html =
      "<p class=\"lead\">Generated from the options of the program. <a "
      "href=\"../guides/command-line.html\">The command line</a> explains them at length.</p>\n<ul "
      "class=\"contents\">\n";
  const auto all = describe_commands(app);
  for (const auto& each : all)
    html += fmt::format("<li><a href=\"#{0}\"><code>asperity {0}</code></a>: {1}</li>\n", each.name,
                        with_code(each.about));
  html += "</ul>\n";
  for (const auto& each : all) {
    html += fmt::format("<h2 id=\"{0}\"><code>asperity {0}</code></h2>\n<p>{1}.</p>\n", each.name,
                        with_code(each.about));
    html += table_html({}, options_html(each.arguments) + options_html(each.options), "stack");
    if (!each.footer.empty())
      html += fmt::format("<div class=\"wide\"><pre>{}</pre></div>\n", escaped(each.footer));
  }
  return html;
}

int write_site(const site_arguments& given, const CLI::App& app) {
  guide_options options;
  options.source = given.source;
  options.report = given.report;
  options.lab = given.lab;
  options.commands = commands_html(app);
  // Without guides there is nothing that explains them at length.
  if (given.source.empty()) {
    const std::size_t from = options.commands.find(" <a "), to = options.commands.find("</p>");
    options.commands.erase(from, to - from);
  }
  options.has_plots = !given.has_no_plots;
  options.threads = given.jobs > 0 ? given.jobs : std::max(1U, std::thread::hardware_concurrency());
  options.interrupt = &interrupted();
  std::vector<std::string> warnings;
  try {
    progress_bar bar(true);
    options.progress = [&](double share) { bar.show(share); };
    warnings = write_guide(given.out, options);
  } catch (const interruption&) {
    complain("interrupted; nothing was written");
    return was_interrupted;
  }
  for (const auto& each : warnings) warn(each);
  const std::string index = given.out + "/index.html";
  if (given.as_json) {
    print(json_text({{"index", index}, {"warnings", warnings}}));
  } else {
    print(fmt::format("the site is {}\n", index));
  }
  return success;
}

}  // namespace

void add_site(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "site", "Write the documentation as a web site: models, systems, guides, reference");
  const auto given = std::make_shared<site_arguments>();
  add_option(*command, "--out FOLDER", given->out,
             "Folder for the site, a set of static files that need no server; open index.html")
      ->required();
  add_option(
      *command, "--source FOLDER", given->source,
      "Folder of the sources of Asperity: adds the guides and the reference of the C++, C and "
      "Python interfaces (default: models, systems and commands only)");
  add_option(*command, "--report ADDRESS", given->report,
             "Link to a report at this address, relative to the folder of the site");
  add_option(*command, "--lab ADDRESS", given->lab,
             "Link to the lab at this address, relative to the folder of the site");
  command->add_flag("--no-plots", given->has_no_plots,
                    "Leave out the plots and everything else that is found by running the models");
  command->add_flag("--json", given->as_json,
                    "Print the address of the first page as JSON for programs");
  command->add_option("--jobs", given->jobs, "Number of threads (default: one per core)")
      ->check(CLI::Range(1U, 1024U));
  command->footer(
      R"(The page of each model has standard plots, made by running it with its default parameters,
and its use in C++, Python, on the command line and as a scenario. Nothing is fetched from other
sites; search works without a server.

Examples:
  asperity site --out site
  asperity site --source . --report report/index.html --out site
  asperity site --no-plots --out site)");
  command->callback([=, &app, &run] { run = [=, &app] { return write_site(*given, app); }; });
}

}  // namespace asperity::cli

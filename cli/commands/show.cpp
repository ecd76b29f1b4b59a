// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/text.hpp>
#include <memory>

#include "cli/commands.hpp"
#include "cli/entry_card.hpp"

namespace asperity::cli {

namespace {

std::string shown(const std::vector<double>& values) {
  return values.size() == 1 ? fmt::format("{:g}", values[0])
                            : fmt::format("[{:g}]", fmt::join(values, ", "));
}

std::string shown(const card<double>::parameter_entry& p, const std::vector<double>& values) {
  return p.words.empty() ? shown(values) : p.words.at(static_cast<std::size_t>(values.front()));
}
std::string allowed_text(const card<double>::parameter_entry& p) {
  return p.words.empty() ? to_string(p.allowed) : fmt::format("{}", fmt::join(p.words, ", "));
}

// "port: twist, a patch ... : x, y, ... -> f_x, f_y, torque".
std::string names_of(std::span<const channel> channels) {
  std::vector<std::string> names;
  names.reserve(channels.size());
  for (const channel& each : channels)
    names.push_back(is_plain(each.in) ? each.name
                                      : fmt::format("{} [{}]", each.name, to_string(each.in)));
  return fmt::format("{}", fmt::join(names, ", "));
}
std::string port_text(const port& at) {
  return fmt::format("port: {}, {}: {} -> {}\n", at.name, at.meaning, names_of(at.inputs),
                     names_of(at.outputs));
}

std::string states_text(const card<double>& card) {
  if (card.states.empty()) return "";
  std::vector<std::vector<std::string>> states{{"name", "unit", "allowed at the start", "meaning"}};
  for (const auto& s : card.states)
    states.push_back(
        {s.is_list ? s.name + "_1 ..." : s.name, to_string(s.in), to_string(s.allowed), s.meaning});
  return "\nStates\n\n" + lined_up(states, "  ");
}

std::string outputs_text(const card<double>& card) {
  if (card.outputs.empty()) return "";
  std::vector<std::vector<std::string>> rows{{"name", "unit", "meaning"}};
  for (const auto& each : card.outputs)
    rows.push_back({each.name, to_string(each.in), each.meaning});
  return "\nOutputs, in addition to the force\n\n" + lined_up(rows, "  ");
}

std::string claims_text(const card<double>& card) {
  const auto claims = claim_names(card.claims);
  return claims.empty() ? "" : fmt::format("\nClaims, tested: {}\n", fmt::join(claims, ", "));
}

// The sections of a page: the equations alone, or all others.
std::string page_text(const std::string& page, bool equations) {
  std::string out;
  for (const auto& each : sections_of(page))
    if (!each.title.empty() && (each.title == "Equations") == equations)
      out += section_text(each.title, each.text);
  return out;
}

std::string as_text(const catalogue_entry& entry, const std::string& curve) {
  const any_model model(entry, curve);
  const auto card = model.describe();
  std::string out = fmt::format("{}: {}\nfamily: {}\nsource: {}\n{}", entry.key, card.title,
                                entry.family, card.source, port_text(*entry.at));
  out += page_text(entry.page, true);

  std::vector<std::vector<std::string>> rows{{"name", "unit", "default", "allowed", "meaning"}};
  for (const auto& p : card.parameters)
    rows.push_back({p.name, to_string(p.in), shown(p, model.get(p.name)), allowed_text(p),
                    p.meaning + (p.is_list ? " (a list, or one number for all)" : "")});
  out += "\nParameters\n\n" + lined_up(rows, "  ");

  out += states_text(card) + outputs_text(card) + claims_text(card);
  const auto curves = curves_of(entry);
  if (!curves.empty())
    out += fmt::format("Possible Stribeck curves: {} (shown with {})\n", fmt::join(curves, ", "),
                       model.curve());
  if (model.has_implicit_step())
    out += fmt::format("Implicit steps: {} (backward_euler, sdirk2, trbdf2)\n",
                       has_closed_form_step(model) ? "closed form" : "solved over its cells");
  return out + page_text(entry.page, false);
}

// A model, or a complaint that knows systems, too.
const catalogue_entry& find_entry(const std::string& key) {
  std::vector<std::string> names;
  for (const catalogue_entry* each : catalogue()) {
    if (each->key == key) return *each;
    names.push_back(each->key);
  }
  for (const system_row* each : systems()) names.emplace_back(each->name);
  const std::string nearest = nearest_names(key, names);
  throw error(fmt::format(
      "unknown model or system '{}': {}{}", shortened(key, 60), nearest,
      nearest.ends_with(" more") ? ": `asperity models` and `asperity systems` list them" : ""));
}

}  // namespace

void add_show(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "show",
      "Show a model (equations, parameters with units and defaults, claims, source) or a system "
      "(keys, states, events, methods that fit, a scenario)");
  const auto key = std::make_shared<std::string>();
  const auto curve = std::make_shared<std::string>();
  const auto as_json = std::make_shared<bool>(false);
  command
      ->add_option(
          "NAME", *key,
          "Name of a model or a system, as listed by `asperity models` and `asperity systems`")
      ->required();
  command->add_option(
      "--curve", *curve,
      "Stribeck curve to show it with, for models that take one (default: their own)");
  command->add_flag("--json", *as_json, "Print JSON for programs");
  command->footer(R"(Examples:
  asperity show lugre
  asperity show mass_on_belt
  asperity show dai_multistate --json)");
  command->callback([=, &run] {
    run = [=] {
      if (const system_row* found = find_system(*key)) {
        if (!curve->empty())
          throw error(fmt::format("--curve {}: '{}' is a system, not a model", *curve, *key));
        print(*as_json ? json_text(system_json(*found)) : system_text(*found));
        return success;
      }
      const auto& entry = find_entry(*key);
      print(*as_json ? json_text(model_json(entry, true, *curve)) : as_text(entry, *curve));
      return success;
    };
  });
}

}  // namespace asperity::cli

// SPDX-License-Identifier: Apache-2.0
#include <asperity/fmi/package.hpp>
//
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <asperity/fmi/instance.hpp>
#include <asperity/text/pending_folder.hpp>

namespace asperity::fmi {

namespace {

using toml_kind = toml_value::kind;

// Tables that name a copied file become those of the resolved document, which name the copy.
void take_copies(toml_value& document, const toml_value& resolved,
                 const std::vector<scenario::attachment>& copies) {
  const std::size_t count = std::min(document.items.size(), resolved.items.size());
  if (resolved.is == toml_kind::list && document.is == toml_kind::list) {
    for (std::size_t i = 0; i < count; ++i)
      take_copies(document.items[i], resolved.items[i], copies);
    return;
  }
  if (resolved.is != toml_kind::table || document.is != toml_kind::table) return;
  for (std::size_t i = 0; i < resolved.keys.size(); ++i) {
    const toml_value& inner = resolved.items[i];
    const bool names_copy = inner.is == toml_kind::text &&
                            std::any_of(copies.begin(), copies.end(),
                                        [&](const auto& c) { return c.file == inner.text; });
    if (names_copy) {
      document = resolved;
      return;
    }
  }
  for (std::size_t i = 0; i < resolved.keys.size(); ++i)
    if (document.find(resolved.keys[i]) != nullptr)
      take_copies(document.at(resolved.keys[i]), resolved.items[i], copies);
}

void check_run_time_has(const scenario& s) {
  for (const auto& part : s.system->card().models)
    if (const std::string file = plugin_of(part.model->entry()); !file.empty())
      throw error(fmt::format("model '{}' comes from the plug-in {}, which an FMU cannot contain",
                              part.model->key(), file));
  const toml_value* const system = s.resolved.find("system");
  if (const auto* engine = system != nullptr ? system->find("engine") : nullptr;
      engine != nullptr && engine->text != "own")
    throw error(fmt::format(
        "system.engine = \"{}\": it is a program that an FMU cannot contain: export the "
        "scenario with engine = \"own\"",
        engine->text));
  if (s.method->why_absent != nullptr)
    throw error(
        fmt::format("integrator.method = \"{}\": it needs a library that the runtime of an FMU "
                    "does not have: choose another method, such as automatic or trbdf2",
                    s.method->name));
}

}  // namespace

std::string identifier_of(const std::string& name) {
  std::string result;
  for (const char c : name) {
    const bool is_plain =
        (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
    result += is_plain ? c : '_';
  }
  if (result.empty() || (result[0] >= '0' && result[0] <= '9')) result = "_" + result;
  return result.substr(0, 100);
}

packed pack(const request& r) {
  toml_value document = r.document;
  const scenario read = read_scenario(document, r.name, r.folder);
  check_run_time_has(read);
  take_copies(document, read.resolved, read.attachments);
  for (const auto& each : r.inputs) make_external(document, read, each);
  document.at("name") = toml_value::of(read.name);
  document.take("plot");  // an FMU draws nothing
  const std::string text = to_toml(document);

  // What the run-time will find.
  const pending_folder beside(r.scratch);
  for (const auto& each : read.attachments) beside.write(each.file, each.text);
  const std::string folder = beside.path().string();
  packed result;
  result.about = describe(parse_toml(text, r.name), read.name, folder);
  result.has = r.wanted;
  if (!result.about.no_model_exchange.empty()) {
    if (r.must_have_model_exchange)
      throw error(fmt::format("model exchange needs an ODE, but {}: take co-simulation",
                              result.about.no_model_exchange));
    result.has.model_exchange = false;
  }
  instance trial(std::make_shared<const description>(result.about));
  if (const std::string input = trial.input_with_slope(); !input.empty())
    throw error(fmt::format(
        "--input {}: a {} also needs the rate of this input, which an importer does not provide",
        input, result.about.kind));

  const std::string id = identifier_of(read.name);
  const std::string place = r.version == standard::fmi_2 ? "linux64" : "x86_64-linux";
  std::vector<std::string> compiled;
  for (const auto& each : r.sources)
    if (each.name.ends_with(".cpp")) compiled.push_back(each.name);
  std::vector<zip_entry> entries{
      {"modelDescription.xml",
       model_description(result.about, r.version, result.has, token_of(text), compiled)},
      {fmt::format("binaries/{}/{}.so", place, id), r.runtime},
      {"resources/scenario.toml", text}};
  for (const auto& each : read.attachments)
    entries.push_back({"resources/" + each.file, each.text});
  if (!r.source.empty()) entries.push_back({fmt::format("resources/{}.c", id), r.source});
  for (const auto& each : r.sources) entries.push_back({"sources/" + each.name, each.bytes});
  if (!compiled.empty() && r.version == standard::fmi_3)
    entries.push_back({"sources/buildDescription.xml", build_description(id, compiled)});
  for (const auto& each : entries) result.files.push_back(each.name);
  result.bytes = zip(entries);
  return result;
}

}  // namespace asperity::fmi

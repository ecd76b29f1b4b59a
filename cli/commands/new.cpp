// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/error.hpp>
#include <asperity/json_text.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/text.hpp>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "cli/commands.hpp"
#include "cli/new_files.hpp"

namespace asperity::cli {

namespace {

namespace fs = std::filesystem;

struct new_arguments {
  std::string kind, name, family, out;
  bool as_json = false;
};

// What a C++ type cannot be called; those with other characters than ours are left out.
constexpr std::array keywords{
    "alignas",   "alignof",  "and",      "asm",      "asperity", "auto",     "bitand",   "bitor",
    "bool",      "break",    "case",     "catch",    "char",     "class",    "compl",    "concept",
    "const",     "continue", "decltype", "default",  "delete",   "detail",   "do",       "double",
    "else",      "enum",     "explicit", "export",   "extern",   "false",    "float",    "for",
    "friend",    "goto",     "if",       "inline",   "int",      "long",     "math",     "mutable",
    "namespace", "new",      "noexcept", "not",      "nullptr",  "operator", "or",       "private",
    "protected", "public",   "register", "requires", "return",   "short",    "signed",   "sizeof",
    "static",    "std",      "struct",   "switch",   "template", "this",     "throw",    "true",
    "try",       "typedef",  "typeid",   "typename", "union",    "units",    "unsigned", "using",
    "virtual",   "void",     "volatile", "while",    "xor"};

std::string with_article(const std::string& kind) {
  return fmt::format("{} {}", kind == "inclusion" ? "an" : "a", kind);
}

void check_name(const new_arguments& given) {
  const std::string& name = given.name;
  if (!is_model_name(name))
    throw error(
        fmt::format("'{}' cannot be the name of {}: it must consist of letters, digits and _, "
                    "begin with a letter, and have at most {} characters",
                    shortened(name, 80), with_article(given.kind), longest_model_name));
  if (given.kind != "model" && given.kind != "system") return;
  if (std::find(keywords.begin(), keywords.end(), name) != keywords.end())
    throw error(
        fmt::format("'{}' cannot be the name of {}: it is reserved in C++ or in the library; "
                    "take another one",
                    name, with_article(given.kind)));
  for (const catalogue_entry* each : catalogue())
    if (each->key == name)
      throw error(
          fmt::format("the name '{}' is taken by a model of the family {}; take another one", name,
                      each->family));
  for (const system_row* each : systems())
    if (each->name == name)
      throw error(fmt::format("the name '{}' is taken by a system; take another one", name));
}

// Never replaces: "x" fails where there is a file.
void write_new(const fs::path& file, const std::string& text) {
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> stream(std::fopen(file.c_str(), "wx"),
                                                               std::fclose);
  if (stream == nullptr)
    throw error(fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
  if (std::fwrite(text.data(), 1, text.size(), stream.get()) != text.size() ||
      std::fflush(stream.get()) != 0)
    throw error(fmt::format("cannot write '{}': {}", file.string(), std::strerror(errno)));
}

std::vector<new_file> files_of(const new_arguments& given) {
  if (given.kind != "model" && !given.family.empty())
    throw error(fmt::format(
        "--family {}: only a model belongs to a family, but this is {}: leave out --family",
        given.family, with_article(given.kind)));
  if (given.kind == "scenario") return new_scenario(given.name);
  if (given.kind == "inclusion") return new_inclusion(given.name);
  if (given.kind == "system") return new_system(given.name);
  const auto& families = new_families();
  const std::string family = given.family.empty() ? families.front() : given.family;
  if (std::find(families.begin(), families.end(), family) == families.end())
    throw error(
        fmt::format("--family {}: {}", shortened(family, 60), nearest_names(family, families)));
  return new_model(given.name, family);
}

// As a shell takes it for one word.
std::string shell_word(const std::string& word) {
  constexpr const char* plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-+./";
  if (!word.empty() && word.find_first_not_of(plain) == std::string::npos) return word;
  std::string result = "'";
  for (const char c : word) result += c == '\'' ? std::string(R"('\'')") : std::string(1, c);
  return result + "'";
}

// Commands to type next.
std::vector<std::string> next_commands(const new_arguments& given, const fs::path& folder) {
  const std::string build = shell_word(folder / "build");
  if (given.kind == "model") {
    const std::string object = shell_word(folder / "build" / (given.name + ".so"));
    return {fmt::format("cmake -S {0} -B {1} && cmake --build {1}", shell_word(folder), build),
            fmt::format("asperity check {}", object),
            fmt::format("asperity --plugin {} show {}", object, given.name)};
  }
  if (given.kind == "system") return {};
  return {fmt::format("asperity run {}", shell_word(folder / (given.name + ".toml")))};
}

std::string next_steps(const new_arguments& given, const fs::path& folder) {
  if (given.kind == "system")
    return "next: systems are compiled into the library: put the four files into asperity/systems "
           "of a source tree (asperity new system ... --out asperity/systems) and build it "
           "(docs/extending.md)\n";
  return fmt::format("next:\n  {}\n", fmt::join(next_commands(given, folder), "\n  "));
}

int write_files(const new_arguments& given) {
  const std::vector<std::string>& kinds = new_kinds();
  if (std::find(kinds.begin(), kinds.end(), given.kind) == kinds.end())
    throw error(fmt::format("'{}' cannot be created by `asperity new`: {}",
                            shortened(given.kind, 60), nearest_names(given.kind, kinds)));
  check_name(given);
  const auto files = files_of(given);
  const fs::path folder = given.out.empty() ? default_output(given.name) : given.out;
  for (const new_file& each : files)
    if (std::error_code ignored; fs::exists(fs::symlink_status(folder / each.name, ignored)))
      throw error(fmt::format(
          "'{}' exists and is not replaced: take another name, or give another folder by --out",
          (folder / each.name).string()));
  std::error_code problem;
  fs::create_directories(folder, problem);
  if (problem || !fs::is_directory(folder))
    throw error(fmt::format("cannot create the folder '{}': {}", folder.string(),
                            problem ? problem.message() : "a file of that name exists"));
  std::vector<std::string> written;
  for (const new_file& each : files) {
    const fs::path& file = written.emplace_back(folder / each.name);
    write_new(file, each.text);
  }
  if (given.as_json) {
    print(json_text({{"kind", given.kind},
                     {"name", given.name},
                     {"files", written},
                     {"next", next_commands(given, folder)}}));
    return success;
  }
  print(fmt::format("{}\n", fmt::join(written, "\n")));
  say(next_steps(given, folder));
  return success;
}

}  // namespace

void add_new(CLI::App& app, action& run) {
  auto* command = app.add_subcommand(
      "new",
      "Create the files of your own model, scenario, inclusion or system; they work as they are");
  const auto given = std::make_shared<new_arguments>();
  command->add_option("KIND", given->kind, "model, scenario, inclusion or system")->required();
  command
      ->add_option("NAME", given->name, "Its name: letters, digits and _, beginning with a letter")
      ->required();
  add_option(*command, "--family FAMILY", given->family,
             fmt::format("Family of a model: {} (default: {})", fmt::join(new_families(), ", "),
                         new_families().front()));
  add_option(*command, "--out FOLDER", given->out,
             "Write into this folder; existing files are not replaced (default: NAME)");
  command->add_flag("--json", given->as_json,
                    "Print the files, and the commands to type next, as JSON for programs");
  command->add_flag("--quiet")->description("Print nothing unless something is wrong");
  command->footer(
      R"(model: header, page, test and CMakeLists.txt of a shared object that `asperity --plugin` loads: docs/plugins.md.
scenario, inclusion: a commented file that `asperity run` takes: docs/scenario-files.md, docs/inclusions.md.
system: the four files of a system, which are built with the library: docs/extending.md.

Examples:
  asperity new model my_law
  asperity new model my_bumper --family contact --out models/my_bumper
  asperity new scenario first_try
  asperity new inclusion two_masses
  asperity new system my_rig --out asperity/systems)");
  command->callback([=, &run] { run = [=] { return write_files(*given); }; });
}

}  // namespace asperity::cli

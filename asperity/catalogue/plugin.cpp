// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/all_entries.hpp>
#include <asperity/catalogue/plugin.hpp>
#include <asperity/catalogue/plugin_abi.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>

#ifndef __EMSCRIPTEN__
#include <dlfcn.h>
#endif
#if defined(__linux__)
#include <elf.h>
#include <link.h>

#include <cstring>
#endif

namespace asperity {

namespace {

namespace fs = std::filesystem;

// Entries are never given back: models may be in use until the end of the program.
struct plugin {
  std::string file = {};  // as it was given
  fs::file_time_type written = {};
  std::vector<const catalogue_entry*> entries = {};
  std::vector<model_tracer> tracers = {};
};
struct loaded_plugins {
  std::mutex guard;
  std::map<std::string, plugin> by_path;
};
loaded_plugins& loaded() {
  static auto& all = *new loaded_plugins;
  return all;
}

// Under its guard.
std::string file_of(const loaded_plugins& all, const catalogue_entry& entry) {
  for (const auto& [path, each] : all.by_path)
    if (std::find(each.entries.begin(), each.entries.end(), &entry) != each.entries.end())
      return each.file;
  return "";
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw error(fmt::format("plug-in '{}': {}", shortened(file, 300), why));
}

// Whether all parts that a shared object says it has are there. The system's loader takes its word
// for it, and the program would end where one is missing.
bool is_whole([[maybe_unused]] const std::string& bytes) {
#if defined(__linux__)
  ElfW(Ehdr) head;
  if (bytes.size() < sizeof head || bytes.compare(0, SELFMAG, ELFMAG) != 0) return false;
  std::memcpy(&head, bytes.data(), sizeof head);
  const auto fits = [&](std::uint64_t first, std::uint64_t length) {
    return first <= bytes.size() && length <= bytes.size() - first;
  };
  if (head.e_phentsize != sizeof(ElfW(Phdr)) ||
      !fits(head.e_phoff, std::uint64_t{head.e_phnum} * head.e_phentsize) ||
      !fits(head.e_shoff, std::uint64_t{head.e_shnum} * head.e_shentsize))
    return false;
  for (unsigned i = 0; i < head.e_phnum; ++i) {
    ElfW(Phdr) part;
    std::memcpy(&part, bytes.data() + head.e_phoff + i * sizeof part, sizeof part);
    if (!fits(part.p_offset, part.p_filesz)) return false;
  }
#endif
  return true;
}

// Throws unless it is a file whose text says that it was built for this program. Nothing of it has
// run then: opening a shared object runs what it likes.
void check_bytes(const std::string& file) {
  std::error_code problem;
  const fs::file_status status = fs::status(file, problem);
  if (status.type() == fs::file_type::not_found)
    refuse(file, "there is no such file; asperity_add_plugin builds one (docs/plugins.md)");
  if (problem) refuse(file, problem.message());
  if (status.type() != fs::file_type::regular)
    refuse(file, "it is not a plain file; name the shared object itself");
  constexpr std::uintmax_t largest = 1'000'000'000;
  if (fs::file_size(file, problem) > largest)
    refuse(file, problem ? problem.message() : "it is larger than 1 GB, too large for a plug-in");
  std::ifstream stream(file, std::ios::binary);
  std::string bytes;
  try {
    bytes.assign(std::istreambuf_iterator<char>(stream), {});
  } catch (const std::ios_base::failure&) {
    stream.setstate(std::ios::failbit);  // a disk that answers with an error
  }
  if (!stream) refuse(file, "it cannot be read");

  std::string other;
  for (auto at = bytes.find(plugin_mark); at != std::string::npos;
       at = bytes.find(plugin_mark, at + 1)) {
    const std::string_view rest = std::string_view(bytes).substr(at, plugin_abi_text::capacity);
    const std::string_view text = rest.substr(0, rest.find('\0'));
    if (text == std::string_view(plugin_abi)) {
      if (is_whole(bytes)) return;
      refuse(file, "it is not a complete shared object: build it again");
    }
    if (other.empty()) other = text.substr(plugin_mark.size());
  }
  if (other.empty())
    refuse(file,
           "it is not a plug-in of asperity; write one with `asperity new model NAME` and build it "
           "with asperity_add_plugin (docs/plugins.md)");
  refuse(file, fmt::format("it was built for another version of asperity: build it again with this "
                           "one. It has '{}', this one has '{}'",
                           shortened(other, plugin_abi_text::capacity),
                           std::string_view(plugin_abi).substr(plugin_mark.size())));
}

const port* port_named(std::string_view name) {
  for (const port* each :
       {&ports::drive, &ports::press, &ports::hysteron, &ports::touch, &ports::twist})
    if (each->name == name) return each;
  return nullptr;
}

#ifndef __EMSCRIPTEN__

// An opened shared object, closed unless it is kept.
class library {
 public:
  explicit library(const std::string& file) : file_(file) {
    // Its full path: a name without a slash would be looked for elsewhere.
    handle_ = dlopen(fs::canonical(file).c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ == nullptr) refuse(file, fmt::format("it cannot be loaded: {}", why()));
  }
  ~library() {
    if (handle_ != nullptr) dlclose(handle_);
  }
  library(const library&) = delete;
  library& operator=(const library&) = delete;

  void* symbol(const char* name) const {
    void* const found = dlsym(handle_, name);
    if (found == nullptr)
      refuse(file_, fmt::format("it is not a plug-in of asperity: it has no '{}'", name));
    return found;
  }
  void keep() { handle_ = nullptr; }

 private:
  static std::string why() {
    const char* text = dlerror();
    return text != nullptr ? printable(text) : "no reason was given";
  }
  std::string file_;
  void* handle_ = nullptr;
};

// What the catalogue keeps of an entry: the port is ours, not the copy that the plug-in has.
const catalogue_entry* adopted(const std::string& file, const catalogue_entry& from) {
  if (!is_model_name(from.key))
    refuse(file, fmt::format("the model '{}' must have a name of letters, digits and _ that begins "
                             "with a letter, at most {} characters",
                             shortened(from.key, 60), longest_model_name));
  for (const catalogue_entry* each : catalogue()) {
    if (each->key != from.key) continue;
    const std::string other = file_of(loaded(), *each);
    refuse(file, fmt::format("the name '{}' is taken by {}; give the model another one", from.key,
                             other.empty() ? fmt::format("a model of the family {}", each->family)
                                           : fmt::format("the plug-in '{}'", other)));
  }
  const port* at = port_named(from.at->name);
  if (at == nullptr || from.variants.empty())
    refuse(file, fmt::format("the model '{}' has a port that asperity does not know", from.key));
  auto* entry = new catalogue_entry(from);
  entry->at = at;
  return entry;
}

plugin load(const std::string& file) {
  library opened(file);
  const auto* abi = static_cast<const plugin_abi_text*>(opened.symbol(plugin_abi_symbol));
  if (std::string_view(plugin_abi) != std::string_view(abi->text))
    refuse(file, "its description does not match its contents: build it again");
  const auto models = reinterpret_cast<plugin_models_function>(opened.symbol(plugin_models_symbol));
  const auto tracers =
      reinterpret_cast<plugin_tracers_function>(opened.symbol(plugin_tracers_symbol));
  plugin result{.file = file};
  auto& entries = result.entries;
  try {
    for (const catalogue_entry* const* each = models(); *each != nullptr; ++each) {
      for (const catalogue_entry* before : entries)
        if (before->key == (*each)->key)
          refuse(file, fmt::format("it has two models called '{}'", before->key));
      entries.push_back(adopted(file, **each));
    }
    if (entries.empty()) refuse(file, "it contains no model");
  } catch (...) {
    for (const catalogue_entry* each : entries) delete each;
    throw;
  }
  tracers(result.tracers);
  opened.keep();
  return result;
}

#else

plugin load(const std::string& file) {
  refuse(file, "this build of asperity cannot load plug-ins");
}

#endif

}  // namespace

bool is_model_name(std::string_view name) {
  const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const auto fits = [&](char c) { return is_letter(c) || (c >= '0' && c <= '9') || c == '_'; };
  return !name.empty() && name.size() <= longest_model_name && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(), fits);
}

std::vector<const catalogue_entry*> load_plugin(const std::string& file) {
  check_bytes(file);
  std::error_code ignored;
  const std::string path = fs::canonical(file, ignored).string();
  const auto written = fs::last_write_time(file, ignored);
  auto& all = loaded();
  const std::lock_guard lock(all.guard);
  if (const auto before = all.by_path.find(path); before != all.by_path.end()) {
    if (before->second.written == written) return before->second.entries;
    refuse(file, "it was rebuilt after it was loaded; restart the program to load the new version");
  }
  plugin opened = load(file);
  opened.written = written;
  const plugin& kept = all.by_path[path] = std::move(opened);
  detail::add_entries(kept.entries, kept.tracers);
  return kept.entries;
}

std::vector<const catalogue_entry*> load_plugins(std::string_view files) {
  std::vector<const catalogue_entry*> result;
  while (!files.empty()) {
    const auto end = std::min(files.find(':'), files.size());
    if (end > 0) {
      const auto more = load_plugin(std::string(files.substr(0, end)));
      result.insert(result.end(), more.begin(), more.end());
    }
    files.remove_prefix(std::min(end + 1, files.size()));
  }
  return result;
}

std::string plugin_of(const catalogue_entry& entry) {
  auto& all = loaded();
  const std::lock_guard lock(all.guard);
  return file_of(all, entry);
}

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#pragma once

// A small importer of FMUs, for tests: unpacks one, loads its binary and drives it, FMI 2.0 or 3.0.

#include <dlfcn.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace asperity::testing {

// The files of an archive that is not compressed, by its own directory.
inline std::map<std::string, std::string> unzipped(const std::string& bytes) {
  const auto number = [&](std::size_t at, int size) {
    std::size_t value = 0;
    for (int i = size - 1; i >= 0; --i)
      value = value * 256 + static_cast<unsigned char>(bytes.at(at + static_cast<std::size_t>(i)));
    return value;
  };
  const std::size_t end = bytes.size() - 22;
  if (number(end, 4) != 0x06054B50) throw std::runtime_error("no end of a directory");
  std::map<std::string, std::string> files;
  std::size_t at = number(end + 16, 4);
  for (std::size_t i = 0; i < number(end + 10, 2); ++i) {
    if (number(at, 4) != 0x02014B50 || number(at + 10, 2) != 0)
      throw std::runtime_error("no stored file in the directory");
    const std::size_t size = number(at + 24, 4), name = number(at + 28, 2),
                      head = number(at + 42, 4);
    const std::size_t begin = head + 30 + number(head + 26, 2) + number(head + 28, 2);
    files[bytes.substr(at + 46, name)] = bytes.substr(begin, size);
    at += 46 + name + number(at + 30, 2) + number(at + 32, 2);
  }
  return files;
}

// The first attribute of this name; empty where there is none.
inline std::string attribute(const std::string& xml, const std::string& name) {
  const std::string front = " " + name + "=\"";
  const std::size_t at = xml.find(front);
  if (at == std::string::npos) return "";
  const std::size_t begin = at + front.size();
  return xml.substr(begin, xml.find('"', begin) - begin);
}

struct fmu_log {
  std::mutex mutex;
  std::vector<std::string> lines;
  std::vector<std::string> formats;  // FMI 2.0, as an importer sees them that does not format
  std::string all() {
    const std::scoped_lock lock(mutex);
    std::string text;
    for (const auto& each : lines) text += each + "\n";
    return text;
  }
  void clear() {
    const std::scoped_lock lock(mutex);
    lines.clear();
  }
};

// An FMU that was unpacked into a folder, and its binary.
class fmu {
 public:
  struct variable {
    unsigned reference;
    std::string attributes;
    // Of modelDescription.xml; empty where it has none.
    std::string operator[](const std::string& name) const { return attribute(attributes, name); }
  };

  fmu(const std::string& file, const std::filesystem::path& into) : folder(into) {
    namespace fs = std::filesystem;
    std::string bytes(fs::file_size(file), '\0');
    std::ifstream(file, std::ios::binary).read(bytes.data(), static_cast<long>(bytes.size()));
    files = unzipped(bytes);
    for (const auto& [name, content] : files) {
      fs::create_directories((folder / name).parent_path());
      std::ofstream(folder / name, std::ios::binary) << content;
    }
    load();
  }
  // One that lies unpacked.
  explicit fmu(const std::filesystem::path& unpacked) : folder(unpacked) {
    namespace fs = std::filesystem;
    for (const auto& each : fs::recursive_directory_iterator(folder)) {
      if (!each.is_regular_file()) continue;
      std::ifstream in(each.path(), std::ios::binary);
      files[each.path().lexically_relative(folder).string()] = {std::istreambuf_iterator<char>(in),
                                                                std::istreambuf_iterator<char>()};
    }
    load();
  }
  ~fmu() { dlclose(library); }
  fmu(const fmu&) = delete;
  fmu& operator=(const fmu&) = delete;

 private:
  void load() {
    std::string binary;
    for (const auto& [name, ignored] : files)
      if (name.ends_with(".so")) binary = (folder / name).string();
    xml = files.at("modelDescription.xml");
    is_3 = xml.find("fmiVersion=\"3.0\"") != std::string::npos;
    token = attribute(xml, is_3 ? "instantiationToken" : "guid");
    const std::string tag = is_3 ? "<Float64 " : "<ScalarVariable ";
    for (std::size_t at = xml.find(tag); at != std::string::npos; at = xml.find(tag, at + 1)) {
      variable v{0, xml.substr(at, xml.find("/>", at) - at)};
      v.reference = static_cast<unsigned>(std::stoul(v["valueReference"]));
      variables[v["name"]] = v;
    }
    library = dlopen(binary.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) throw std::runtime_error(dlerror());
  }

 public:
  template <class Function>
  Function* find(const std::string& name) const {
    void* found = dlsym(library, name.c_str());
    if (found == nullptr) throw std::runtime_error(name + " is missing");
    return reinterpret_cast<Function*>(found);
  }
  std::size_t indicators() const {
    if (!is_3) return std::stoul(attribute(xml, "numberOfEventIndicators"));
    std::size_t count = 0, at = 0;
    while ((at = xml.find("<EventIndicator ", at + 1)) != std::string::npos) ++count;
    return count;
  }
  std::string resources() const { return (folder / "resources").string(); }

  std::filesystem::path folder;
  std::map<std::string, std::string> files;
  std::string xml, token;
  bool is_3 = false;
  std::map<std::string, variable> variables;
  void* library = nullptr;
};

// One instance. Functions answer with the status, which is 0 where all is well.
class fmu_instance {
 public:
  enum class kind { me, cs };

  fmu_instance(const fmu& of, kind as, const std::string& token = "",
               const std::string& folder = "")
      : of_(of) {
    const std::string its = token.empty() ? of.token : token;
    const std::string place = folder.empty() ? of.resources() : folder;
    if (of.is_3 && as == kind::cs) {
      c = of.find<void*(const char*, const char*, const char*, bool, bool, bool, bool,
                        const unsigned*, std::size_t, void*,
                        void (*)(void*, int, const char*, const char*), void (*)())>(
          "fmi3InstantiateCoSimulation")("one", its.c_str(), place.c_str(), false, true, false,
                                         false, nullptr, 0, &log, log_3, nullptr);
    } else if (of.is_3) {
      c = of.find<void*(const char*, const char*, const char*, bool, bool, void*,
                        void (*)(void*, int, const char*, const char*))>(
          "fmi3InstantiateModelExchange")("one", its.c_str(), place.c_str(), false, true, &log,
                                          log_3);
    } else {
      callbacks_ = {log_2, std::calloc, std::free, nullptr, &log};
      c = of.find<void*(const char*, int, const char*, const char*, const callbacks*, int, int)>(
          "fmi2Instantiate")("one", as == kind::cs ? 1 : 0, its.c_str(),
                             ("file://" + place).c_str(), &callbacks_, 0, 1);
    }
  }
  ~fmu_instance() { release(); }
  fmu_instance(const fmu_instance&) = delete;
  fmu_instance& operator=(const fmu_instance&) = delete;
  void release() {
    if (c != nullptr) of_.find<void(void*)>(name("FreeInstance"))(c);
    c = nullptr;
  }

  unsigned reference(const std::string& variable) const {
    return of_.variables.at(variable).reference;
  }
  int set(unsigned which, double value) {
    if (of_.is_3)
      return of_.find<int(void*, const unsigned*, std::size_t, const double*, std::size_t)>(
          "fmi3SetFloat64")(c, &which, 1, &value, 1);
    return of_.find<int(void*, const unsigned*, std::size_t, const double*)>("fmi2SetReal")(
        c, &which, 1, &value);
  }
  int get(unsigned which, double* value) {
    if (of_.is_3)
      return of_.find<int(void*, const unsigned*, std::size_t, double*, std::size_t)>(
          "fmi3GetFloat64")(c, &which, 1, value, 1);
    return of_.find<int(void*, const unsigned*, std::size_t, double*)>("fmi2GetReal")(c, &which, 1,
                                                                                      value);
  }
  int set(const std::string& variable, double value) { return set(reference(variable), value); }
  double get(const std::string& variable) {
    double value = 0;
    if (get(reference(variable), &value) != 0) throw std::runtime_error(log.all());
    return value;
  }

  int enter(double start = 0, double stop = -1) {
    const bool stops = stop >= start;
    if (of_.is_3)
      return of_.find<int(void*, bool, double, double, bool, double)>(
          "fmi3EnterInitializationMode")(c, false, 0, start, stops, stop);
    const int how = of_.find<int(void*, int, double, double, int, double)>("fmi2SetupExperiment")(
        c, 0, 0, start, stops ? 1 : 0, stop);
    return how != 0 ? how : plain("EnterInitializationMode");
  }
  int exit() { return plain("ExitInitializationMode"); }
  int start(double from = 0, double stop = -1) {
    const int how = enter(from, stop);
    return how != 0 ? how : exit();
  }
  int step(double t, double h) {
    if (!of_.is_3) return of_.find<int(void*, double, double, int)>("fmi2DoStep")(c, t, h, 1);
    bool ignored[3];
    double last = 0;
    return of_.find<int(void*, double, double, bool, bool*, bool*, bool*, double*)>("fmi3DoStep")(
        c, t, h, true, &ignored[0], &ignored[1], &ignored[2], &last);
  }
  // Functions of the instance alone.
  int plain(const std::string& function) { return of_.find<int(void*)>(name(function))(c); }
  int save(void** state) {
    return of_.find<int(void*, void**)>(of_.is_3 ? "fmi3GetFMUState" : "fmi2GetFMUstate")(c, state);
  }
  int restore(void* state) {
    return of_.find<int(void*, void*)>(of_.is_3 ? "fmi3SetFMUState" : "fmi2SetFMUstate")(c, state);
  }
  int forget(void** state) {
    return of_.find<int(void*, void**)>(of_.is_3 ? "fmi3FreeFMUState" : "fmi2FreeFMUstate")(c,
                                                                                            state);
  }

  // ---- model exchange ----
  int set_time(double t) { return of_.find<int(void*, double)>(name("SetTime"))(c, t); }
  int set_states(const std::vector<double>& y) {
    return of_.find<int(void*, const double*, std::size_t)>(name("SetContinuousStates"))(
        c, y.data(), y.size());
  }
  int get_states(std::vector<double>& y) { return list("GetContinuousStates", y); }
  int rates(std::vector<double>& out) {
    return list(of_.is_3 ? "GetContinuousStateDerivatives" : "GetDerivatives", out);
  }
  int indicators(std::vector<double>& out) { return list("GetEventIndicators", out); }
  // The time of the next event, if there is one, and whether states changed.
  int update(double* next, bool* changed) {
    if (!of_.is_3) {
      struct {
        int needed, ends, nominals, states, has_next;
        double next;
      } info{};
      const int how = of_.find<int(void*, void*)>("fmi2NewDiscreteStates")(c, &info);
      *next = info.has_next != 0 ? info.next : 1e300;
      *changed = info.states != 0;
      return how;
    }
    bool needed = false, ends = false, nominals = false, has_next = false;
    const int how = of_.find<int(void*, bool*, bool*, bool*, bool*, bool*, double*)>(
        "fmi3UpdateDiscreteStates")(c, &needed, &ends, &nominals, changed, &has_next, next);
    if (!has_next) *next = 1e300;
    return how;
  }
  int derivative(const std::string& unknown, const std::string& known, double* value) {
    const unsigned of = reference(unknown), with = reference(known);
    const double seed = 1;
    if (of_.is_3)
      return of_.find<int(void*, const unsigned*, std::size_t, const unsigned*, std::size_t,
                          const double*, std::size_t, double*, std::size_t)>(
          "fmi3GetDirectionalDerivative")(c, &of, 1, &with, 1, &seed, 1, value, 1);
    return of_.find<int(void*, const unsigned*, std::size_t, const unsigned*, std::size_t,
                        const double*, double*)>("fmi2GetDirectionalDerivative")(c, &of, 1, &with,
                                                                                 1, &seed, value);
  }

  void* c = nullptr;
  fmu_log log;

 private:
  struct callbacks {
    void (*logger)(void*, const char*, int, const char*, const char*, ...);
    void* (*allocate)(std::size_t, std::size_t);
    void (*release)(void*);
    void (*finished)(void*, int);
    void* environment;
  };
  const fmu& of_;
  callbacks callbacks_{};

  std::string name(const std::string& function) const {
    return (of_.is_3 ? "fmi3" : "fmi2") + function;
  }
  int list(const std::string& function, std::vector<double>& values) {
    return of_.find<int(void*, double*, std::size_t)>(name(function))(c, values.data(),
                                                                      values.size());
  }
  static void log_3(void* environment, int, const char*, const char* message) {
    auto& log = *static_cast<fmu_log*>(environment);
    const std::scoped_lock lock(log.mutex);
    log.lines.emplace_back(message);
  }
  static void log_2(void* environment, const char*, int, const char*, const char* format, ...) {
    char text[4096];
    std::va_list rest;
    va_start(rest, format);
    std::vsnprintf(text, sizeof text, format, rest);
    va_end(rest);
    log_3(environment, 0, "", text);
    auto& log = *static_cast<fmu_log*>(environment);
    const std::scoped_lock lock(log.mutex);
    log.formats.emplace_back(format);
  }
};

}  // namespace asperity::testing

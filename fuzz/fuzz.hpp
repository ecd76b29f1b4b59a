// SPDX-License-Identifier: Apache-2.0
#pragma once

// What the fuzz targets share. A target defines try_input(); whatever it is given, it must return,
// or throw asperity::error, which is how the library refuses its input. Everything else is a
// finding: another exception, a broken require(), a report of a sanitizer, a timeout.
//
// With clang and the preset `fuzz` libFuzzer feeds the targets (./dev fuzz); elsewhere replay.cpp
// feeds them the kept inputs, as tests.

#include <unistd.h>

#include <algorithm>
#include <array>
#include <asperity/error.hpp>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <vector>

namespace asperity::fuzz {

void try_input(std::string_view input);

inline void require(bool holds, const std::string& fact) {
  if (holds) return;
  std::fprintf(stderr, "fuzz: this must hold and does not: %s\n", fact.c_str());
  std::abort();
}

// Bytes as numbers and choices, one after another; zeros when they have run out.
class bytes {
 public:
  explicit bytes(std::string_view input) : left_(input) {}

  bool empty() const { return left_.empty(); }

  template <class T>
  T take() {
    // Byte by byte: GCC 12 takes a copy of so few bytes, or none, for one of all of them.
    std::array<char, sizeof(T)> raw{};
    const std::size_t size = std::min(raw.size(), left_.size());
    for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = i < size ? left_[i] : char{0};
    left_.remove_prefix(size);
    return std::bit_cast<T>(raw);
  }
  std::size_t below(std::size_t count) { return count == 0 ? 0 : take<std::uint16_t>() % count; }

  // A number as people choose it, an extreme one, or any bits at all.
  double number() {
    constexpr double inf = __builtin_huge_val();
    constexpr double extreme[] = {
        0,      -0.0,   1,       -1,       1e-9,    -1e-9,    1e9,
        -1e9,   1e-300, -1e-300, 5e-324,   -5e-324, 1.8e-308, 1e300,
        -1e300, 1e308,  1.7e308, -1.7e308, inf,     -inf,     __builtin_nan("")};
    const auto how = take<std::uint8_t>();
    if (how < 128) return take<std::int16_t>() * std::pow(10.0, how % 16 - 12);
    if (how < 192) return extreme[how % std::size(extreme)];
    return take<double>();
  }
  double finite_number() {
    const double value = number();
    return std::isfinite(value) ? value : 1.0;
  }

 private:
  std::string_view left_;
};

// A folder for files, in memory where there is room for it, gone when the process ends.
inline const std::filesystem::path& scratch_folder() {
  struct folder {
    std::filesystem::path path;
    folder() {
      namespace fs = std::filesystem;
      std::error_code ignored;
      const bool in_memory = access("/dev/shm", W_OK) == 0 && std::getenv("TMPDIR") == nullptr;
      std::string name =
          ((in_memory ? fs::path("/dev/shm") : fs::temp_directory_path()) / "asperity_fuzz_XXXXXX")
              .string();
      if (mkdtemp(name.data()) == nullptr) std::abort();
      path = name;
    }
    ~folder() {
      std::error_code ignored;
      std::filesystem::remove_all(path, ignored);
    }
  };
  static const folder one;
  return one.path;
}

inline std::string scratch_file(const std::string& name, std::string_view content) {
  const auto file = scratch_folder() / name;
  std::ofstream(file, std::ios::binary).write(content.data(), std::ssize(content));
  return file.string();
}

inline std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

// The same number, where not-a-number is one, too.
inline bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

}  // namespace asperity::fuzz

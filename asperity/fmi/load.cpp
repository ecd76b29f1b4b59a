// SPDX-License-Identifier: Apache-2.0
// What the run-time of an FMU needs of a package, without what writes one.

#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/fmi/package.hpp>
#include <cstdint>
#include <fstream>
#include <iterator>

namespace asperity::fmi {

std::string token_of(std::string_view scenario_text) {
  const std::string all = fmt::format("asperity {}\n{}", ASPERITY_VERSION, scenario_text);
  // FNV-1a, twice from different starts: 128 bits, in the form of a GUID.
  const auto hash = [&](std::uint64_t h) {
    for (const char c : all) h = (h ^ static_cast<unsigned char>(c)) * 0x100000001B3ULL;
    return h;
  };
  const std::uint64_t a = hash(0xCBF29CE484222325ULL), b = hash(0x6C62272E07BB0142ULL);
  return fmt::format("{{{:08x}-{:04x}-{:04x}-{:04x}-{:012x}}}", a >> 32U, (a >> 16U) & 0xFFFFU,
                     a & 0xFFFFU, b >> 48U, b & 0xFFFFFFFFFFFFULL);
}

unpacked load(const std::string& resources) {
  const std::string file = resources + "/scenario.toml";
  std::ifstream in(file, std::ios::binary);
  if (!in) throw error(fmt::format("'{}' cannot be read: it is part of the FMU", file));
  const std::string text{std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
  return {describe(parse_toml(text, file), "", resources), token_of(text)};
}

}  // namespace asperity::fmi

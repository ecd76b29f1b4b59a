// SPDX-License-Identifier: Apache-2.0
#pragma once

// Random numbers by counting: a number is a function of (key, counter), so that sample i is the
// same whoever draws it, and when. Philox4x32-10 (Salmon, Moraes, Dror, Shaw: Parallel random
// numbers: as easy as 1, 2, 3; SC11, section 3.3).

#include <array>
#include <cstdint>
#include <string_view>

namespace asperity {

constexpr std::array<std::uint32_t, 4> philox(std::array<std::uint32_t, 4> counter,
                                              std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t a = std::uint64_t{0xD2511F53} * counter[0];
    const std::uint64_t b = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(b >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(b),
        static_cast<std::uint32_t>(a >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(a)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

// In (0, 1), with 53 bits, and never an end. `stream` tells the quantities apart that are drawn for
// one sample.
constexpr double uniform_at(std::uint64_t seed, std::uint64_t stream, std::uint64_t sample) {
  const auto low = [](std::uint64_t x) { return static_cast<std::uint32_t>(x); };
  const auto high = [](std::uint64_t x) { return static_cast<std::uint32_t>(x >> 32); };
  const auto words =
      philox({low(sample), high(sample), low(stream), high(stream)}, {low(seed), high(seed)});
  const std::uint64_t bits = ((std::uint64_t{words[0]} << 32) | words[1]) >> 11;
  return (static_cast<double>(bits) + 0.5) * 0x1p-53;
}

// The stream of a name (FNV-1a): it does not depend on what else is drawn, nor in which order.
constexpr std::uint64_t stream_of(std::string_view name) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : name) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <asperity/error.hpp>
#include <asperity/fmi/zip.hpp>
#include <cstdint>
#include <string_view>

namespace asperity::fmi {

namespace {

// The cyclic redundancy check of ISO 3309, as ZIP has it.
std::uint32_t crc32(std::string_view bytes) {
  static const auto table = [] {
    std::array<std::uint32_t, 256> result{};
    for (std::uint32_t i = 0; i < 256; ++i) {
      std::uint32_t c = i;
      for (int bit = 0; bit < 8; ++bit) c = (c & 1U) != 0 ? 0xEDB88320U ^ (c >> 1U) : c >> 1U;
      result[i] = c;
    }
    return result;
  }();
  std::uint32_t c = 0xFFFFFFFFU;
  for (const char each : bytes)
    c = table[(c ^ static_cast<unsigned char>(each)) & 0xFFU] ^ (c >> 8U);
  return c ^ 0xFFFFFFFFU;
}

void put(std::string& out, std::uint64_t value, int bytes) {
  for (int i = 0; i < bytes; ++i) out += static_cast<char>((value >> (8 * i)) & 0xFFU);
}

// What the local header and the central directory say alike.
void put_common(std::string& out, const zip_entry& entry, std::uint32_t check) {
  put(out, 20, 2);              // version needed
  put(out, 0x0800, 2);          // names are UTF-8
  put(out, 0, 2);               // stored
  put(out, 0, 2);               // time of day: always the same
  put(out, (1U << 5U) + 1, 2);  // date: 1 January 1980, the first there is
  put(out, check, 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.bytes.size(), 4);
  put(out, entry.name.size(), 2);
  put(out, 0, 2);  // no extra field
}

}  // namespace

std::string zip(const std::vector<zip_entry>& entries) {
  std::string out, directory;
  for (const auto& each : entries) {
    const std::uint32_t check = crc32(each.bytes);
    const std::uint64_t place = out.size();
    if (entries.size() > 0xFFFF || place + each.bytes.size() > 0xF0000000U)
      throw error("the archive would be larger than a ZIP file can be (4 GB, 65535 files)");
    put(out, 0x04034B50, 4);
    put_common(out, each, check);
    out += each.name + each.bytes;
    put(directory, 0x02014B50, 4);
    put(directory, (3U << 8U) + 20, 2);  // made on Unix
    put_common(directory, each, check);
    put(directory, 0, 2);                  // no comment
    put(directory, 0, 2);                  // the first disk
    put(directory, 0, 2);                  // bytes, not text
    put(directory, 0100644ULL << 16U, 4);  // a plain file that all may read
    put(directory, place, 4);
    directory += each.name;
  }
  const std::uint64_t place = out.size();
  out += directory;
  put(out, 0x06054B50, 4);
  put(out, 0, 2);
  put(out, 0, 2);
  put(out, entries.size(), 2);
  put(out, entries.size(), 2);
  put(out, directory.size(), 4);
  put(out, place, 4);
  put(out, 0, 2);
  return out;
}

}  // namespace asperity::fmi

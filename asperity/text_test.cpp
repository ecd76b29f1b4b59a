// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/text.hpp>

namespace asperity {
namespace {

using namespace std::string_literals;

// The table of well-formed sequences in chapter 3 of the Unicode standard, and just beside it.
TEST(text, KnowsUtf8) {
  for (const char* good :
       {"", "abc", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80", "\xed\x9f\xbf", "\xee\x80\x80",
        "\xef\xbf\xbf", "\xf0\x90\x80\x80", "\xf4\x8f\xbf\xbf", "café µm"})
    EXPECT_TRUE(is_utf8(good)) << good;
  for (const char* bad :
       {"\x80", "\xbf", "\xc0\xaf", "\xc1\xbf", "\xc2", "\xe0\x9f\xbf", "\xe0\xa0", "\xed\xa0\x80",
        "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80", "\xf5\x80\x80\x80", "\xff"})
    EXPECT_FALSE(is_utf8(bad));
  EXPECT_EQ(valid_bytes("ab\xe9.toml"), 2U);
}

TEST(text, ShowsBytesThatAreNotUtf8) {
  EXPECT_EQ(as_utf8("caf\xe9.toml"), "caf%E9.toml");
  EXPECT_EQ(as_utf8("\xf0\x90\x80"), "%F0%90%80");
  EXPECT_EQ(as_utf8("café\n"), "café\n");
}

TEST(text, TerminalsGetNoControlCharacters) {
  EXPECT_EQ(printable("a\x1b]0;x\x07"
                      "b"),
            "a\\u001b]0;x\\u0007b");
  EXPECT_EQ(printable("one\ttwo\nthree"), "one\ttwo\nthree");
  EXPECT_EQ(in_one_line("one\ttwo\nthree\r"), "one\\ttwo\\nthree\\u000d");
  EXPECT_EQ(printable("a\0b\x7f"s), "a\\u0000b\\u007f");
  EXPECT_EQ(printable("\u009b31m"), "\\u009b31m")
      << "the control sequence introducer in one character";
  EXPECT_EQ(printable("\u202e\u2066\u200f"), "\\u202e\\u2066\\u200f");
  // As a byte of Latin-1.
  EXPECT_EQ(printable("\x9b"
                      "31m caf\xe9"),
            "%9B31m caf%E9");
  EXPECT_EQ(printable("Größe 5 µm, 速度, 😀"), "Größe 5 µm, 速度, 😀");
  for (int c = 0; c < 256; ++c) {
    const std::string shown = printable(std::string(1, static_cast<char>(c)));
    for (const char each : shown) {
      const auto byte = static_cast<unsigned char>(each);
      EXPECT_TRUE(byte == '\n' || byte == '\t' || (byte >= 0x20 && byte < 0x7f) || byte >= 0xa0)
          << c;
    }
  }
}

TEST(text, LongTextIsCutBetweenCharacters) {
  EXPECT_EQ(shortened("short", 5), "short");
  EXPECT_EQ(shortened("longer", 5), "lo...");
  EXPECT_EQ(shortened("µµµµµµ", 5), "µµ...");
  EXPECT_EQ(shortened("a\nb", 60), "a\\nb");
  EXPECT_LE(shortened(std::string(10'000'000, 'x')).size(), 60U);
  EXPECT_LE(shortened(std::string(10'000'000, '\x1b')).size(), 60U);
}

TEST(text, PicturesGetUtf8) {
  EXPECT_EQ(drawable("Größe [µm] 😀"), "Größe [µm] 😀");
  EXPECT_EQ(drawable("one\ntwo\tthree"), "one two three");
  EXPECT_EQ(drawable("caf\xe9"), "caf\ufffd");
  EXPECT_EQ(drawable("\x1b[0m\0"s), "\ufffd[0m\ufffd");
  // Not allowed in UTF-8: overlong forms, surrogates, above U+10FFFF, and ends in the middle.
  EXPECT_EQ(drawable("\xc0\xbc"), "\ufffd\ufffd") << "an overlong <";
  EXPECT_EQ(drawable("\xe0\x80\xbc"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(drawable("\xed\xa0\x80"), "\ufffd\ufffd\ufffd");
  EXPECT_EQ(drawable("\xf4\x90\x80\x80"), "\ufffd\ufffd\ufffd\ufffd");
  EXPECT_EQ(drawable("\xe2\x82"), "\ufffd\ufffd");
  EXPECT_EQ(drawable("a]]>b"), "a]] >b");
  const std::string cut = drawable(std::string(100'000, 'x'));
  EXPECT_EQ(cut, std::string(199, 'x') + "…");
}

}  // namespace
}  // namespace asperity

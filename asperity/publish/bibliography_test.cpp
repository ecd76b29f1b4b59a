// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/error.hpp>
#include <asperity/publish/bibliography.hpp>

namespace asperity {
namespace {

TEST(bibliography, ReadsEntriesAndComments) {
  const auto found = parse_sources(
      "% all\n@article{a_1, author = {A B}, title={T},\n year = {1999}, doi = {10.1/x}}\n"
      "@thesis{b,}\n",
      "s.bib");
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found.at("a_1").author, "A B");
  EXPECT_EQ(found.at("a_1").year, "1999");
  EXPECT_EQ(source_html(found.at("a_1")),
            "A B: <cite>T</cite>. 1999. · <a href=\"https://doi.org/10.1/x\">doi:10.1/x</a>");
  EXPECT_EQ(source_html(found.at("b")), "");
}

TEST(bibliography, WhatItHoldsStaysText) {
  const auto found = parse_sources("@a{k, title = {<script>\"}, doi = {\"><b>}}", "s.bib");
  const std::string html = source_html(found.at("k"));
  EXPECT_EQ(html.find("<script"), std::string::npos);
  EXPECT_EQ(html.find("<b>"), std::string::npos);
}

TEST(bibliography, RefusesWithTheLine) {
  const auto said = [](const char* text) -> std::string {
    try {
      (void)parse_sources(text, "s.bib");
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(said("\nhello"), "s.bib:2: expected an entry, which begins with @");
  EXPECT_EQ(said("@a{k, colour = {red}}").substr(0, 9), "s.bib:1: ");
  EXPECT_NE(said("@a{k, colour = {red}}").find("'colour'"), std::string::npos);
  EXPECT_NE(said("@a{k, title = {red").find("a { has no }"), std::string::npos);
  EXPECT_NE(said("@a{k}\n@a{k}").find("s.bib:2: the entry 'k' appears twice"), std::string::npos);
  EXPECT_NE(said("@a{k").find("expected '}'"), std::string::npos);
  EXPECT_NE(said("@").find("expected the kind"), std::string::npos);
}

}  // namespace
}  // namespace asperity

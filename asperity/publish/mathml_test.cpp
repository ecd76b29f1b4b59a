// SPDX-License-Identifier: Apache-2.0
// Equations in plain text become MathML with the structure that the text means.

#include <gtest/gtest.h>

#include <asperity/publish/html.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/mathml.hpp>
#include <asperity/publish/model_pages.hpp>

namespace asperity {
namespace {

bool has(const std::string& html, const std::string& part) {
  return html.find(part) != std::string::npos;
}

// What a reader sees: the text without its marks.
std::string seen(const std::string& html) {
  std::string text;
  bool inside = false;
  for (const char c : html) {
    if (c == '<') inside = true;
    if (!inside) text += c;
    if (c == '>') inside = false;
  }
  return text;
}

TEST(mathml, NamesBecomeLettersWithIndicesAndAccents) {
  EXPECT_TRUE(has(formula_html("sigma_0"), "<msub><mi>σ</mi><mrow><mn>0</mn></mrow></msub>"));
  EXPECT_TRUE(has(formula_html("F_c"), "<msub><mi>F</mi><mrow><mi>c</mi></mrow></msub>"));
  EXPECT_TRUE(has(formula_html("z_dot"), "<mover accent=\"true\"><mi>z</mi>"));
  const std::string both = formula_html("a_i_dot");
  EXPECT_TRUE(has(both, "<msub><mover accent=\"true\"><mi>a</mi>")) << both;
  EXPECT_TRUE(has(both, "<mrow><mi>i</mi></mrow></msub>")) << both;
}

TEST(mathml, PrimesAndNumbersOfANameAreKept) {
  EXPECT_EQ(formula_html("v1y'"),
            "<math><mrow><msubsup><mi>v</mi><mrow><mn>1</mn><mi>y</mi></mrow><mo>′</mo></msubsup>"
            "</mrow></math>");
  EXPECT_EQ(seen(formula_html("m v1y' = f1 - F_v''")), "mv1y′=f1−Fv′′");
  EXPECT_TRUE(has(formula_html("x'"), "<msup><mi>x</mi><mo>′</mo></msup>"));
  // Of words, too, wherever they stand.
  EXPECT_TRUE(has(equations_html("a = b where the body's end is"), "where the body's end is"));
  EXPECT_TRUE(has(equations_html("a = (b where bodies' ends)"), "bodies'"));
}

// Division takes the factors before it and the one behind it; brackets around either go.
TEST(mathml, FractionsTakeTheirFactors) {
  const std::string one = equations_html("x = a b/c d");
  EXPECT_TRUE(
      has(one,
          "<mfrac><mrow><mi>a</mi><mspace width=\"0.22em\"/><mi>b</mi></mrow>"
          "<mrow><mi>c</mi></mrow></mfrac><mspace width=\"0.22em\"/><mi>d</mi></mrow></math>"))
      << one;
  const std::string sum = equations_html("x = (a + b)/(c - d)");
  EXPECT_TRUE(has(sum, "<mfrac><mrow><mi>a</mi><mo>+</mo><mi>b</mi></mrow><mrow><mi>c</mi>"))
      << sum;
}

// As large as the words around it.
TEST(mathml, AFractionInASentenceHasAStroke) {
  EXPECT_EQ(seen(formula_html("F_s load/sigma_0")), "Fsload/σ0");
  EXPECT_EQ(seen(formula_html("(a + b)/(c - d)")), "(a+b)/(c−d)");
  EXPECT_FALSE(has(formula_html("(a/(b c))^(1/nu)"), "<mfrac>"));
}

// Without a mathematical font brackets would grow around every letter that goes below the line.
TEST(mathml, BracketsGrowAroundFractionsOnly) {
  const std::string low = equations_html("f = K (a + beta |v|)"),
                    high = equations_html("f = K (a/b)");
  EXPECT_FALSE(has(low, "stretchy=\"true\"")) << low;
  EXPECT_TRUE(has(high, "<mo stretchy=\"true\">(</mo><mfrac>")) << high;
}

TEST(mathml, BracketsDirectlyBehindANameAreAnArgument) {
  EXPECT_TRUE(
      has(formula_html("g(v)"), "<mrow><mi>g</mi><mrow><mo stretchy=\"false\">(</mo><mi>v</mi>"));
  EXPECT_TRUE(has(formula_html("K (v)"), "<mi>K</mi><mspace"));
  EXPECT_TRUE(has(formula_html("sqrt(l^2 - h^2)"), "<msqrt><mrow><msup>"));
}

TEST(mathml, BarsOpenAndClose) {
  const std::string two = formula_html("gamma |v| |z|^(nu-1) z");
  EXPECT_EQ(seen(two), "γ|v||z|ν−1z");
  EXPECT_TRUE(has(two, "</mrow></mrow><mrow><mi>ν</mi><mo>−</mo><mn>1</mn></mrow></msup>")) << two;
  EXPECT_EQ(seen(formula_html("|K (a + beta v)| <= Z")), "|K(a+βv)|≤Z");
}

// Words stay words, and "in" is membership only before a set.
TEST(mathml, WordsAndFormulasShareALine) {
  const std::string html = equations_html("f in Dio(p)   where p <= 0, otherwise 0   [N]  (3.5)");
  EXPECT_TRUE(has(html, "<mo>∈</mo><mrow><mi>Dio</mi>")) << html;
  EXPECT_TRUE(has(html, "where <math")) << html;
  EXPECT_TRUE(has(html, "otherwise <math")) << html;
  EXPECT_TRUE(has(html, "<td><span>[N]</span> <span>(3.5)</span>")) << html;
}

TEST(mathml, WhatIsNoFormulaIsShownAsWritten) {
  EXPECT_EQ(formula_html("asperity show lugre"), "");
  EXPECT_EQ(formula_html("advance()"), "");
  EXPECT_EQ(formula_html("with_error"), "");
  EXPECT_TRUE(has(equations_html("a = (b"), "<code>a = (b</code>"));
  EXPECT_TRUE(has(equations_html("a = <b>"), "&lt;")) << "marks are escaped";
}

TEST(mathml, SymbolsOfASentenceAreShownAsSuch) {
  const auto told = [](const char* text) { return seen(prose_html(text)); };
  EXPECT_EQ(told("Its sigma_0 is g here: F_c/(sigma_0 (1 - i)) for i < 1."),
            "Its σ0 is g here: Fc/(σ0 (1 - i)) for i &lt; 1.");
  EXPECT_EQ(prose_html("sigma_0 g"), prose_html("sigma_0") + " " + formula_html("g"));
  EXPECT_EQ(told("kappa and f_e' grow with beta."), "κ and fe′ grow with β.");
  EXPECT_TRUE(has(prose_html("the rate of z"), "<mi>z</mi>"));
  EXPECT_EQ(prose_html("M w^2"), "M " + formula_html("w^2"));
  EXPECT_TRUE(has(prose_html("g(v) is small"), "</math>(<math><mrow><mi>v</mi>"));
  // Units, marks of parts of figures, words, files and names in code are none.
  for (const char* text :
       {"after 5 h, at 3 k", "Fig. 3 (e)", "e.g. this", "don't", "a beta-test", "with_error",
        "experiments/xiong_2013", "the x-axis", "model.F_c", "A body", "table_4_1", "8.5e-3 m"})
    EXPECT_EQ(prose_html(text), escaped(text)) << text;
  EXPECT_EQ(prose_html("2 um < 3"), "2 µm &lt; 3");
}

// A name with an index is a symbol, code or a link on every page, also where its text has no marks.
TEST(mathml, NoPageShowsTheSpellingOfASymbolInItsText) {
  std::size_t symbols = 0;
  for (const auto& page : model_pages())
    for (const auto& section : sections_of(page.text)) {
      std::string html = markdown_html(section.text, nullptr);
      for (std::size_t at = 0; (at = html.find("<math", at)) != std::string::npos; ++at) ++symbols;
      for (const std::string tag : {"code", "pre", "math"})
        for (std::size_t at = 0; (at = html.find("<" + tag, at)) != std::string::npos;)
          html.erase(at, html.find("</" + tag + ">", at) - at);
      for (const char* name : {"sigma_0", "sigma_1", "sigma_2", "F_c", "F_s", "v_s", " beta "})
        EXPECT_EQ(html.find(name), std::string::npos)
            << page.key << ", " << section.title << ": " << name;
    }
  EXPECT_GT(symbols, 1000U);
}

// No equation of any page falls back to plain text.
TEST(mathml, ReadsEveryEquationOfEveryPage) {
  ASSERT_GT(model_pages().size(), 50U);
  for (const auto& page : model_pages())
    for (const auto& section : sections_of(page.text)) {
      std::size_t at = 0;
      while ((at = section.text.find("```", at)) != std::string::npos) {
        const std::size_t begin = section.text.find('\n', at) + 1;
        const std::size_t end = section.text.find("```", begin);
        const bool equations = section.text.compare(at, 4, "```\n") == 0;
        const std::string block = section.text.substr(begin, end - 1 - begin);
        if (equations) {
          EXPECT_FALSE(has(equations_html(block), "<code>")) << page.key << "\n" << block;
        }
        at = end + 3;
      }
    }
}

TEST(markdown, EveryPageHasItsHeadAndItsEquations) {
  for (const auto& page : model_pages()) {
    EXPECT_FALSE(head_entry(page.text, "title").empty()) << page.key;
    EXPECT_FALSE(head_entry(page.text, "source").empty()) << page.key;
    EXPECT_TRUE(has(page.text, "\n## Equations\n")) << page.key;
  }
}

TEST(markdown, ParagraphsListsTablesAndLinks) {
  const auto link = [](std::string_view key) {
    return key == "lugre" ? std::string("lugre.html") : std::string();
  };
  EXPECT_EQ(markdown_html("One `lugre`\nline.\n\nTwo **b**.\n", link),
            "<p>One <a href=\"lugre.html\"><code>lugre</code></a>\nline.</p>\n"
            "<p>Two <strong>b</strong>.</p>\n");
  EXPECT_EQ(markdown_html("- a\n- b\n  c\n", link), "<ul>\n<li>a</li>\n<li>b\nc</li>\n</ul>\n");
  const std::string table = markdown_html("| one | two |\n|---|---|\n| `\\|v\\|` | < |\n", link);
  EXPECT_TRUE(has(table, "<th>one</th><th>two</th>")) << table;
  EXPECT_TRUE(has(table, "<td>&lt;</td>")) << table;
  EXPECT_EQ(markdown_html("See [the page](../docs/x.md).", link), "<p>See the page.</p>\n");
  EXPECT_EQ(markdown_html("[LuGre, `lugre`](../a/lugre.md) [words](javascript:a.md)",
                          [&](std::string_view key) {
                            return key == "lugre.md" ? std::string("lugre.html") : link(key);
                          }),
            "<p><a href=\"lugre.html\">LuGre, " + code_html("lugre", nullptr) + "</a> words</p>\n");
  EXPECT_EQ(markdown_html("On [0, 1) of 2 um, 3 * 4.", link), "<p>On [0, 1) of 2 µm, 3 * 4.</p>\n");
}

TEST(markdown, CodeInACellMayHaveBars) {
  const std::string cell = markdown_html("| h |\n|---|\n| `\\|v\\|` |\n", nullptr);
  EXPECT_TRUE(has(cell, formula_html("|v|"))) << cell;
  const std::string text = markdown_html("`a\\|b`", nullptr);
  EXPECT_TRUE(has(text, "\\|")) << text;
}

TEST(markdown, AFormulaMayGoOverTwoLines) {
  EXPECT_EQ(markdown_html("`a +\nb`", nullptr), "<p>" + formula_html("a + b") + "</p>\n");
}

TEST(markdown, NeitherTagsNorAddressesComeFromTheText) {
  EXPECT_EQ(markdown_html("<b>x</b> ![one](a.png) <http://a.b> &lt;b&gt;", nullptr),
            "<p>&lt;b&gt;x&lt;/b&gt; one http://a.b &lt;b&gt;</p>\n");
  EXPECT_EQ(markdown_html("<div>\none\n", nullptr), "<p>&lt;div&gt;\none</p>\n");
  EXPECT_EQ(
      markdown_html("[one](javascript:alert(1)) [two]\n\n[two]: javascript:alert(1)\n", nullptr),
      "<p>one two</p>\n");
  EXPECT_EQ(markdown_html("```<b>\n<b>\n```\n", nullptr),
            "<div class=\"wide\"><pre>&lt;b&gt;</pre></div>\n");
}

TEST(markdown, HeadAndSectionsOfAPage) {
  const std::string page = "---\ntitle: T\ndoi: 10.1/x\n---\n\nIntro\n\n## Equations\n\nx = 1\n";
  EXPECT_EQ(head_entry(page, "title"), "T");
  EXPECT_EQ(head_entry(page, "doi"), "10.1/x");
  EXPECT_EQ(head_entry(page, "figures"), "");
  const auto sections = sections_of(page);
  ASSERT_EQ(sections.size(), 2U);
  EXPECT_EQ(sections[0].text, "Intro\n");
  EXPECT_EQ(sections[1].title, "Equations");
  EXPECT_EQ(sections[1].text, "x = 1\n");
}

TEST(report_html, ErrataAreLinkedInTextOnly) {
  EXPECT_EQ(with_errata_linked("as E-14 says, erratum 7: x", "e.html"),
            "as <a href=\"e.html#E-14\">E-14</a> says, <a href=\"e.html#E-7\">erratum 7</a>: x");
  for (const char* untouched : {"1E-14", "<code>E-14</code>", "<a href=\"#E-14\">E-14</a>"})
    EXPECT_EQ(with_errata_linked(untouched, "e.html"), untouched);
}

}  // namespace
}  // namespace asperity

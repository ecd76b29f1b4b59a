// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <asperity/publish/figures.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/page.hpp>

namespace asperity {
namespace {

guide_links plain_links() {
  guide_links links;
  links.model = [](std::string_view key) {
    return key == "dai" ? std::string("models/dai.html") : std::string();
  };
  links.page = [](std::string_view target) {
    return target.starts_with("known") ? std::string(target) : std::string();
  };
  return links;
}

TEST(guide, HeadingsHaveTheNamesOfGitHub) {
  EXPECT_EQ(heading_name("What it does, and why"), "what-it-does-and-why");
  EXPECT_EQ(heading_name("C++"), "c");
  const std::string html = guide_html("## One `two`\n\n## One two\n", plain_links());
  EXPECT_NE(html.find("<h2 id=\"one-two\">"), std::string::npos) << html;
  EXPECT_NE(html.find("<h2 id=\"one-two-1\">"), std::string::npos) << html;
}

TEST(guide, LinksLeadWhereTheyShallOrNowhere) {
  const std::string html = guide_html(
      "[a](known.md#x) [b](other.md) [`dai`](known.md) `dai` `dia` ![p](known.svg)", plain_links());
  EXPECT_NE(html.find("<a href=\"known.md#x\">a</a>"), std::string::npos) << html;
  EXPECT_NE(html.find(" b "), std::string::npos) << html;
  EXPECT_NE(html.find("<a href=\"known.md\"><code>dai</code></a>"), std::string::npos) << html;
  EXPECT_NE(html.find("<a href=\"models/dai.html\"><code>dai</code></a>"), std::string::npos);
  EXPECT_NE(html.find("<code>dia</code>"), std::string::npos) << html;
  EXPECT_NE(html.find("src=\"known.svg\" alt=\"p\""), std::string::npos) << html;
}

TEST(guide, ABlockMayBecomeSomethingElse) {
  guide_links links = plain_links();
  links.block = [](std::string_view language, const std::string& code) {
    return language == "toml plot" ? "<b>" + code + "</b>" : std::string();
  };
  const std::string html = guide_html("```toml plot\nx = 1\n```\n\n```toml\ny = 1\n```\n", links);
  EXPECT_NE(html.find("<b>x = 1</b>"), std::string::npos) << html;
  EXPECT_NE(html.find("<pre>y = 1</pre>"), std::string::npos) << html;
}

TEST(page, PlainTextHasNoTagsPicturesOrFormulas) {
  EXPECT_EQ(plain_text("<p>a <b>b</b> &lt;c&gt; &amp;lt;</p>"), " a  b  <c> &lt; ");
  EXPECT_EQ(plain_text("a<svg x=\"1\"><text>no</text></svg>b<math>c</math>d"), "a b d");
  EXPECT_EQ(plain_text("a<svg>"), "a");
  EXPECT_EQ(plain_text("a<"), "a ");
  EXPECT_EQ(way_up("a/b/c.html"), "../../");
}

// A line on another is dashed, and one that crosses it is not.
TEST(figures, LinesThatWouldHideOthersAreDashed) {
  std::vector<double> x, flat, close, steep;
  for (int i = 0; i <= 200; ++i) {
    x.push_back(0.01 * i);
    flat.push_back(1);
    close.push_back(1.001);
    steep.push_back(0.01 * i);
  }
  std::vector<figure_panel> panels{
      {"", {}, {}, {}, {{"a", x, flat}, {"b", x, close}, {"c", x, steep}}}};
  choose_looks(panels);
  EXPECT_FALSE(panels[0].series[0].is_dashed);
  EXPECT_TRUE(panels[0].series[1].is_dashed);
  EXPECT_FALSE(panels[0].series[2].is_dashed);
  EXPECT_NE(panels[0].series[0].colour, panels[0].series[1].colour);
  const std::string html = figure_html(panels[0], {"<svg/>", ""});
  EXPECT_NE(html.find("series-1 dashed"), std::string::npos) << html;
}

TEST(figures, AThumbnailHasALineForEachSeriesAndGaps) {
  const double nan = std::nan("");
  const figure_panel panel{
      "", {}, {}, {}, {{"a", {0, 1, 2, 3}, {0, nan, 1, 2}}, {"b", {0, 1}, {1, 1}}}};
  const std::string svg = draw_thumbnail(panel);
  EXPECT_NE(svg.find("series-0"), std::string::npos) << svg;
  EXPECT_NE(svg.find("series-1"), std::string::npos) << svg;
  EXPECT_EQ(svg.find("nan"), std::string::npos) << svg;
  const std::size_t first = svg.find('M'), second = svg.find('M', first + 1);
  EXPECT_LT(second, svg.find("series-1")) << "the gap begins a new line: " << svg;
  EXPECT_EQ(draw_thumbnail({"", {}, {}, {}, {{"a", {0}, {nan}}}}), "");
  EXPECT_EQ(draw_thumbnail({"", {}, {}}), "");
}

}  // namespace
}  // namespace asperity

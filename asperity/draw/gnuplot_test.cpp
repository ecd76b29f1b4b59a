// SPDX-License-Identifier: Apache-2.0
#include <asperity/draw/axis_name.hpp>
#include <asperity/draw/figure.hpp>
#include <asperity/draw/gnuplot.hpp>
#include <asperity/text.hpp>
#include <cmath>
#include <cstdlib>
#include <regex>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

using namespace std::string_literals;

// As gnuplot writes it into SVG.
std::string in_svg(const std::string& text) {
  std::string result;
  for (const char c : drawable(text))
    result += c == '&' ? "&amp;" : c == '<' ? "&lt;" : std::string(1, c);
  return result;
}

class gnuplot : public testing::in_folder {
 protected:
  const std::string canary = path("ran");

  void SetUp() override {
    if (run_gnuplot("set terminal svg\nplot x\n").problem.find("not installed") !=
        std::string::npos)
      GTEST_SKIP() << "gnuplot is not installed";
  }

  // Texts in all places that a plot has for them.
  std::string picture(const std::vector<std::string>& texts) {
    figure drawn{texts.front()};
    for (const auto& text : texts) {
      figure_panel panel{text, {text}, {text}};
      panel.series = {{text, {0, 1}, {0, 1}}, {text + "2", {0, 1}, {1, 0}}};
      drawn.panels.push_back(panel);
    }
    EXPECT_EQ(draw(drawn, plot_format::svg, path("plot.svg")), "");
    EXPECT_FALSE(fs::exists(canary)) << texts.front();
    return content("plot.svg");
  }

  static int count(const std::string& in, const std::string& what) {
    int result = 0;
    for (auto at = in.find(what); at != std::string::npos; at = in.find(what, at + 1)) ++result;
    return result;
  }
};

// Only letters, blanks and octal codes: there is nothing that any rule of gnuplot could act on.
TEST(axis_name, IsNoLongerThanAnAxis) {
  EXPECT_EQ(axis_name({"x"}), "x");
  EXPECT_EQ(axis_name({"anchor", "x"}), "anchor, x");
  EXPECT_EQ(axis_name({"x_1", "x_2", "x_1_inverse", "x_2_inverse"}), "x_1, x_2, x_1_inverse ...");
  EXPECT_EQ(axis_name({std::string(60, 'x'), "y"}), std::string(60, 'x') + " ...");
}

TEST(gnuplot_text, HasNoCharacterOfMeaning) {
  for (int c = 0; c < 256; ++c) {
    const std::string text = gnuplot_text("A"s + static_cast<char>(c) + "7B");
    ASSERT_GE(text.size(), 2U);
    EXPECT_EQ(text.front(), '"');
    EXPECT_EQ(text.back(), '"');
    const std::string inside = text.substr(1, text.size() - 2);
    for (std::size_t i = 0; i < inside.size(); ++i) {
      if (inside[i] != '\\') {
        EXPECT_TRUE(std::isalpha(static_cast<unsigned char>(inside[i])) != 0 || inside[i] == ' ');
        continue;
      }
      ASSERT_LT(i + 3, inside.size());
      for (int k = 0; k < 3; ++k) {
        ++i;
        EXPECT_TRUE('0' <= inside[i] && inside[i] <= '7');
      }
    }
  }
  EXPECT_EQ(gnuplot_text("a`b"), "\"a\\140b\"");
}

TEST_F(gnuplot, ShowsEveryByteAsItIs) {
  for (int first = 1; first < 256; first += 6) {
    std::vector<std::string> texts;
    for (int c = first; c < std::min(first + 6, 256); ++c)
      texts.push_back("A"s + static_cast<char>(c) + "7B" + std::to_string(c));
    const std::string svg = picture(texts);
    // Title of the panel, two axes, two lines, each of which is also named for screen readers.
    for (const auto& text : texts) EXPECT_GE(count(svg, in_svg(text)), 5) << text;
    for (const char c : svg)
      EXPECT_TRUE(static_cast<unsigned char>(c) >= 0x20 || c == '\n' || c == '\t');
  }
}

TEST_F(gnuplot, RunsNothingAndShowsItAsText) {
  const std::string touch = "touch " + canary;
  const std::vector<std::string> hostile{
      "`" + touch + "`",
      "x `" + touch + "` y",
      "\"`" + touch + "`\"",
      "'`" + touch + "`'",
      "\\`" + touch + "\\`",
      "\\\\`" + touch + "`",
      "\\140" + touch + "\\140",
      "$(" + touch + ")",
      "system(\"" + touch + "\")",
      "\"; system(\"" + touch + "\"); \"",
      "\".system(\"" + touch + "\").\"",
      "'; system('" + touch + "'); '",
      "'.system('" + touch + "').'",
      "!" + touch,
      "x\n!" + touch + "\n",
      "x\r!" + touch,
      "x\n`" + touch + "`",
      "x\\\n!" + touch,
      "\"\n!" + touch + "\n\"",
      "|" + touch,
      "<" + touch,
      "< " + touch,
      "@canary",
      "@ARG1 @GPVAL_VERSION",
      "$line0",
      "end_of_line",
      "end_of_line\n!" + touch,
      "{/=30 big} x^2_3 &{gone} ~a{.8-}",
      "a\\",
      "\\",
      "\\\"",
      "'",
      "''",
      "\"",
      "%s %d %n %g %%",
      "# comment",
      "columnheader(1)",
      "sprintf(\"%s\", 1)",
      "keyentry",
      "eval 'x'",
      "\\n\\t\\U+0060",
      "{",
      "}",
      "[",
      "]",
      "(",
      ")",
      ";",
      "{ " + touch + " }",
      "<script>alert(1)</script>",
      "</text><script>alert(1)</script>",
      "]]>",
      "&lt;&amp;&#60;",
      "<![CDATA[x]]>",
      "--><x>",
      "Größe µ 速度 😀",
      "\xff\xfe\xc0\xaf",
      "\x1b]0;title\x07",
      " id=\"x\" ",
  };
  for (std::size_t first = 0; first < hostile.size(); first += 4) {
    const std::vector<std::string> texts(
        hostile.begin() + static_cast<std::ptrdiff_t>(first),
        hostile.begin() + static_cast<std::ptrdiff_t>(std::min(first + 4, hostile.size())));
    const std::string svg = picture(texts);
    for (const auto& text : texts) EXPECT_GE(count(svg, in_svg(text)), 5) << text;
    EXPECT_EQ(svg.find("<script"), std::string::npos);
  }
  // And in a bitmap, which has another way to draw text.
  figure drawn{hostile.front(), hostile.back()};
  for (const auto& text : hostile) {
    figure_panel panel{text, {text}, {text}};
    panel.series = {{text, {0, 1}, {0, 1}}};
    drawn.panels.push_back(std::move(panel));
  }
  EXPECT_EQ(draw(drawn, plot_format::png, path("plot.png")), "");
  EXPECT_FALSE(fs::exists(canary));
  EXPECT_EQ(content("plot.png").substr(1, 3), "PNG");
}

// Maps, mosaics and surfaces have texts in other places.
TEST_F(gnuplot, RunsNothingInPicturesOfOtherKinds) {
  const std::string hostile = "x `touch " + canary + "` '\"; system('touch " + canary + "') @y";
  figure_map cells{{0, 1}, {1, 2}, {0, 0}, {1, 1}, {0.2, 1}};
  figure_panel map{hostile, {hostile}, {hostile}, {hostile}};
  map.map = cells;
  figure_panel empty{hostile, {hostile}, {hostile}};
  figure_panel boxes = empty, net = map;
  boxes.series = {{hostile, {0, 1}, {1, 2}, figure_series::style::boxes, 1},
                  {hostile, {0, 1}, {1, 2}, figure_series::style::points, 1}};
  net.map = {};
  net.nets = {{hostile, 2, {{0, 0, 0}, {1, 0, 0}, {0, 1, 1}, {1, 1, 1}}},
              {hostile, 2, {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}}, false}};
  figure all{hostile, hostile, {map, empty, boxes, net}};
  for (const bool is_mosaic : {false, true}) {
    if (is_mosaic) all.panels = {map, map};
    all.is_mosaic = is_mosaic;
    for (const plot_format format : {plot_format::svg, plot_format::png})
      EXPECT_EQ(draw(all, format, path("plot")), "");
    EXPECT_FALSE(fs::exists(canary));
  }
}

// Squares are drawn as squares, side by side: both in a map with equal scales and in a mosaic.
TEST_F(gnuplot, CellsLieWhereTheyAre) {
  figure_panel panel{"", {"x", units::metre}, {"y", units::metre}, {"value"}};
  panel.map = {{0, 3}, {1, 4}, {0, 1}, {1, 2}, {0.25, 1}};
  panel.equal_scales = true;
  figure drawn{"two squares", "", {panel}};
  for (const bool is_mosaic : {false, true}) {
    drawn.is_mosaic = is_mosaic;
    ASSERT_EQ(draw(drawn, plot_format::svg, path("plot.svg")), "");
    const std::string svg = content("plot.svg");
    struct box {
      double left = 1e9, right = -1e9, top = 1e9, bottom = -1e9;
    };
    std::vector<box> boxes;
    static const std::regex polygon("polygon[^>]*points = '([^']*)'"), point("([0-9.]+),([0-9.]+)");
    for (std::sregex_iterator at(svg.begin(), svg.end(), polygon), end; at != end; ++at) {
      const std::string points = (*at)[1];
      box b;
      for (std::sregex_iterator p(points.begin(), points.end(), point); p != end; ++p) {
        const double x = std::stod((*p)[1]), y = std::stod((*p)[2]);
        b = {std::min(b.left, x), std::max(b.right, x), std::min(b.top, y), std::max(b.bottom, y)};
      }
      boxes.push_back(b);
    }
    // The last two: before them there may be a background, behind them nothing is drawn.
    std::vector<box> cells;
    for (const auto& b : boxes)
      if (std::abs((b.right - b.left) - (b.bottom - b.top)) < 3 && b.right - b.left > 20)
        cells.push_back(b);
    ASSERT_EQ(cells.size(), 2U) << svg;
    const double side = cells[0].right - cells[0].left;
    EXPECT_NEAR(cells[1].left - cells[0].left, 3 * side, 0.05 * side);
    EXPECT_NEAR(cells[0].top, cells[1].bottom, 0.05 * side);  // the second is higher by a side
  }
}

TEST_F(gnuplot, LongTextsAreCut) {
  const std::string svg = picture({std::string(1'000'000, 'x'), std::string(1'000'000, '`')});
  EXPECT_GE(count(svg, std::string(199, 'x') + "…"), 4);
  EXPECT_LT(svg.size(), 100'000U);
}

// Neither the user's own settings nor variables of the environment change a picture.
TEST_F(gnuplot, IsNotSetUpFromOutside) {
  const std::string before = picture({"title"});
  write(".gnuplot", "set title 'mine'\nsystem 'touch " + canary + "'\n");
  fs::copy_file(folder / ".gnuplot", folder / "gnuplotrc");
  const std::vector<std::pair<std::string, std::string>> variables{
      {"HOME", folder},        {"GNUPLOT_LIB", folder},     {"GNUPLOT_SHARE_DIR", folder},
      {"GNUTERM", "nonsense"}, {"XDG_CONFIG_HOME", folder}, {"FIT_LOG", canary}};
  std::vector<std::string> kept;
  for (const auto& [name, value] : variables) {
    kept.emplace_back(std::getenv(name.c_str()) == nullptr ? "" : std::getenv(name.c_str()));
    setenv(name.c_str(), value.c_str(), 1);
  }
  const std::string after = picture({"title"});
  for (std::size_t i = 0; i < variables.size(); ++i) {
    if (kept[i].empty()) {
      unsetenv(variables[i].first.c_str());
    } else {
      setenv(variables[i].first.c_str(), kept[i].c_str(), 1);
    }
  }
  EXPECT_EQ(after, before);
}

TEST_F(gnuplot, SaysWhatIsWrong) {
  const auto wrong = run_gnuplot("set terminal svg\nplot undefined_thing\n");
  EXPECT_EQ(wrong.bytes, "");
  EXPECT_NE(wrong.problem.find("undefined_thing"), std::string::npos) << wrong.problem;
  EXPECT_NE(run_gnuplot("print 1\n").problem, "") << "no picture";
  figure drawn{"title", "", {{"panel", {"x"}, {"y"}}}};
  drawn.panels[0].series = {{"line", {0, 1}, {0, 1}}};
  EXPECT_NE(draw(drawn, plot_format::svg, path("none/plot.svg")), "");
  EXPECT_NE(draw(figure{"empty"}, plot_format::svg, path("plot.svg")), "");
}

}  // namespace
}  // namespace asperity

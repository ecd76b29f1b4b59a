// SPDX-License-Identifier: Apache-2.0
// The report in a real browser: Chromium lays out every page at the width of a desktop and of a
// phone, without a window. Skipped where it is not installed (packages.txt, optional).

#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::json;

// Loads each page in a frame of the given width and writes down what it finds: how wide the page
// is, equations and plots that have no size, and labels of a plot that lie on each other.
constexpr const char* harness = R"html(<!doctype html><meta charset="utf-8"><body><script>
const found = [];
const wait = frame => new Promise(done => { frame.onload = done; });
const overlap = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
                          Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1;
(async () => {
  for (const width of [1280, 360]) for (const page of PAGES) {
    const frame = document.createElement('iframe');
    frame.style = `border:0;width:${width}px;height:800px`;
    const loaded = wait(frame);
    frame.src = page;
    document.body.append(frame);
    await loaded;
    const inside = frame.contentDocument;
    const one = { page, width, title: inside.title, scroll: inside.documentElement.scrollWidth,
                  maths: 0, flat: 0, plots: 0, empty: 0, clashes: [], outside: [] };
    for (const math of inside.querySelectorAll('math')) {
      ++one.maths;
      const box = math.getBoundingClientRect();
      if (box.width < 2 || box.height < 6) ++one.flat;
    }
    for (const svg of inside.querySelectorAll('figure svg')) {
      ++one.plots;
      const frameBox = svg.getBoundingClientRect();
      if (frameBox.width < 200 || svg.querySelectorAll('[class^=series]').length === 0) ++one.empty;
      const labels = [...svg.querySelectorAll('text')].filter(t => t.textContent.trim());
      const boxes = labels.map(t => t.getBoundingClientRect());
      for (let i = 0; i < boxes.length; ++i) {
        if (boxes[i].left < frameBox.left - 1 || boxes[i].right > frameBox.right + 1 ||
            boxes[i].top < frameBox.top - 1 || boxes[i].bottom > frameBox.bottom + 1)
          one.outside.push(labels[i].textContent);
        for (let k = i + 1; k < boxes.length; ++k)
          if (overlap(boxes[i], boxes[k]))
            one.clashes.push(labels[i].textContent + ' on ' + labels[k].textContent);
      }
    }
    found.push(one);
    frame.remove();
  }
  document.body.textContent = 'FOUND' + JSON.stringify(found) + 'END';
})();
</script>)html";

class cli_browser : public program_test {
 protected:
  std::string browser;

  void SetUp() override {
    for (const char* name : {"chromium", "chromium-browser", "google-chrome"})
      if (browser.empty() &&
          std::system(fmt::format("command -v {} >/dev/null 2>&1", name).c_str()) == 0)
        browser = name;
    if (browser.empty()) GTEST_SKIP() << "no chromium here (packages.txt, optional)";
  }

  // `ids` for the report; ASPERITY_BROWSER_IDS names others, or "all".
  void write_report(std::string ids) const {
    if (const char* wanted = std::getenv("ASPERITY_BROWSER_IDS"))
      ids = std::string(wanted) == "all" ? "" : wanted;
    const answer told = run("reproduce " + ids + " --out report");
    ASSERT_EQ(told, 0);
  }

  void browse(const std::vector<std::string>& arguments) const {
    std::vector<std::string> all{"timeout",
                                 "300",
                                 browser,
                                 "--headless",
                                 "--no-sandbox",
                                 "--disable-gpu",
                                 "--disable-extensions",
                                 "--user-data-dir=" + path("profile")};
    all.insert(all.end(), arguments.begin(), arguments.end());
    finish(launch(all));
  }
};

TEST_F(cli_browser, PagesFitEveryWidthAndNothingOverlaps) {
  ASSERT_NO_FATAL_FAILURE(
      write_report("xiong_2013/fig_5_3 xiong_2013/fig_4_11 xia_2012/fig_3_4 rogner_2017/fig_3_5"));
  json pages = json::array();
  for (const auto& entry : fs::recursive_directory_iterator(folder / "report"))
    if (entry.path().extension() == ".html")
      pages.push_back("report/" + fs::relative(entry, folder / "report").string());
  std::string page = harness;
  page.replace(page.find("PAGES"), 5, pages.dump());
  write("harness.html", page);

  browse({"--allow-file-access-from-files", "--virtual-time-budget=600000",
          "--enable-logging=stderr", "--dump-dom", "file://" + path("harness.html")});
  std::istringstream messages(content("err"));
  std::string line;
  while (std::getline(messages, line)) EXPECT_EQ(line.find("CONSOLE"), std::string::npos) << line;

  const std::string dom = content("out");
  const std::size_t from = dom.find("FOUND"), to = dom.rfind("END");
  ASSERT_NE(from, std::string::npos) << dom.substr(0, 2000);
  std::string told = dom.substr(from + 5, to - from - 5);
  for (const auto& [mark, meaning] :
       {std::pair{"&lt;", "<"}, std::pair{"&gt;", ">"}, std::pair{"&amp;", "&"}})
    for (std::size_t at = told.find(mark); at != std::string::npos; at = told.find(mark, at))
      told.replace(at, std::string(mark).size(), meaning);
  const json found = json::parse(told);
  ASSERT_EQ(found.size(), 2 * pages.size());
  int maths = 0, plots = 0;
  for (const auto& each : found) {
    EXPECT_LE(each["scroll"], each["width"]) << each.dump();
    EXPECT_FALSE(each["title"].get<std::string>().empty()) << each.dump();
    EXPECT_EQ(each["flat"], 0) << each.dump();
    EXPECT_EQ(each["empty"], 0) << each.dump();
    EXPECT_TRUE(each["clashes"].empty()) << each.dump();
    EXPECT_TRUE(each["outside"].empty()) << each.dump();
    maths += each["maths"].get<int>();
    plots += each["plots"].get<int>();
  }
  EXPECT_GT(maths, 1000);
  EXPECT_GT(plots, 20);
}

// A word is found as it stands in the text, with its hyphens and dots.
TEST_F(cli_browser, SearchFindsWordsAsTheyAreWritten) {
  fs::create_directories(folder / "mine/docs");
  write("mine/README.md", "# Mine\n\nWords.\n");
  write("mine/docs/here.md", "# Here\n\nSquealbrake-hinge, `--ducktail`, a `wobble.F_q` and c.\n");
  ASSERT_EQ(run("site --no-plots --source mine --out site"), 0);
  const std::string start = content("site/index.html");
  for (const char* words : {"squealbrake-hinge", "--ducktail", "Wobble.f_q", "a ducktail"}) {
    std::string page = start;
    page.insert(page.rfind("</body>"), fmt::format(R"html(<script>addEventListener("load", () => {{
  const field = document.querySelector(".search input");
  field.focus();
  field.value = "{}";
  field.dispatchEvent(new Event("input"));
}});</script>)html",
                                                   words));
    write("site/search.html", page);
    browse({"--virtual-time-budget=20000", "--dump-dom", "file://" + path("site/search.html")});
    const std::string dom = content("out"),
                      list = dom.substr(std::min(dom.find("class=\"found\""), dom.size()));
    EXPECT_NE(list.find("<a href=\"guides/here.html\">Here<small>"), std::string::npos)
        << words << "\n"
        << list.substr(0, 600);
    EXPECT_EQ(list.find("Nothing found"), std::string::npos) << words;
  }
}

TEST_F(cli_browser, PagesCanBePrinted) {
  ASSERT_NO_FATAL_FAILURE(write_report("xiong_2013/fig_5_3"));
  // On a busy machine the browser sometimes ends before it has written anything.
  for (int attempt = 0; attempt < 3 && !fs::exists(folder / "page.pdf"); ++attempt)
    browse({"--no-pdf-header-footer", "--print-to-pdf=" + path("page.pdf"),
            "file://" + path("report/xiong_2013/fig_5_3.html")});
  EXPECT_EQ(content("page.pdf").substr(0, 5), "%PDF-");
}

}  // namespace
}  // namespace asperity::testing

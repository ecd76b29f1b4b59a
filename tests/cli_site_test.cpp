// SPDX-License-Identifier: Apache-2.0
// `asperity site`: every link, picture and anchor of the documentation leads somewhere, nothing is
// fetched from elsewhere, and what stands in a file cannot become a part of a page.

#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

const std::string source = ASPERITY_SOURCE_DIR;

std::vector<std::string> values_of(const std::string& html, const std::string& attribute) {
  std::vector<std::string> found;
  const std::string mark = " " + attribute + "=\"";
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at)) {
    at += mark.size();
    found.push_back(html.substr(at, html.find('"', at) - at));
  }
  return found;
}

std::string decoded(const std::string& address) {
  std::string result;
  for (std::size_t i = 0; i < address.size(); ++i) {
    if (address[i] == '%' && i + 2 < address.size()) {
      result += static_cast<char>(std::stoi(address.substr(i + 1, 2), nullptr, 16));
      i += 2;
    } else {
      result += address[i];
    }
  }
  return result;
}

class cli_site : public program_test {
 protected:
  std::map<std::string, std::string> pages(const std::string& site) const {
    std::map<std::string, std::string> result;
    for (const auto& entry : fs::recursive_directory_iterator(folder / site))
      if (entry.path().extension() == ".html")
        result[fs::relative(entry.path(), folder / site).generic_string()] = content(entry.path());
    return result;
  }

  // What is wrong with the links of a site, in sentences.
  std::vector<std::string> complaints(const std::string& site) const {
    std::vector<std::string> result;
    const auto all = pages(site);
    std::map<std::string, std::set<std::string>> names;
    for (const auto& [page, html] : all) {
      for (const auto& id : values_of(html, "id"))
        if (!names[page].insert(id).second) result.push_back(page + ": '" + id + "' twice");
    }
    for (const auto& [page, html] : all) {
      for (const auto& address : values_of(html, "src"))
        if (!fs::exists(folder / site / fs::path(page).parent_path() / decoded(address)))
          result.push_back(page + ": no file " + address);
      for (const auto& address : values_of(html, "href")) {
        if (address.starts_with("https://") || address.starts_with("data:")) continue;
        const std::size_t mark = std::min(address.find('#'), address.size());
        const std::string file = decoded(address.substr(0, mark));
        const std::string target =
            file.empty()
                ? page
                : (fs::path(page).parent_path() / file).lexically_normal().generic_string();
        if (!fs::exists(folder / site / target)) {
          result.push_back(page + ": no page " + address);
        } else if (mark < address.size() && all.contains(target) &&
                   !names[target].contains(decoded(address.substr(mark + 1)))) {
          result.push_back(page + ": no place " + address);
        }
      }
    }
    return result;
  }
};

TEST_F(cli_site, EveryLinkPictureAndPlaceIsThere) {
  const answer told = run("site --no-plots --source '" + source + "' --out site");
  ASSERT_EQ(told, 0);
  EXPECT_EQ(told.err, "");  // links that lead nowhere are warnings
  const auto all = pages("site");
  EXPECT_GT(all.size(), 130U);
  for (const auto& each : complaints("site")) ADD_FAILURE() << each;
  for (const char* page :
       {"index.html", "choose.html", "concepts.html", "systems.html", "guides/errata.html",
        "guides/reliability.html", "guides/speed.html", "reference/cpp.html", "reference/c.html",
        "reference/python.html", "reference/scenario.html", "reference/commands.html"})
    EXPECT_TRUE(all.contains(page)) << page;
}

// The test above would notice.
TEST_F(cli_site, ALinkThatLeadsNowhereIsNoticed) {
  ASSERT_EQ(run("site --no-plots --out site"), 0);
  EXPECT_TRUE(complaints("site").empty());
  write("site/index.html", content("site/index.html") + "<a href=\"gone.html\"></a>");
  write("site/systems.html", content("site/systems.html") + "<a href=\"index.html#gone\"></a>");
  EXPECT_EQ(complaints("site").size(), 2U);
}

TEST_F(cli_site, NothingIsFetchedFromElsewhere) {
  ASSERT_EQ(run("site --no-plots --source '" + source + "' --out site"), 0);
  for (const auto& [page, html] : pages("site")) {
    for (const auto& address : values_of(html, "src"))
      EXPECT_EQ(address.find(':'), std::string::npos) << page << " " << address;
    for (const char* mark : {"<link rel=\"stylesheet\" href=\"http", "@import", "url(", "<iframe",
                             "<object", "<embed"})
      EXPECT_EQ(html.find(mark), std::string::npos) << page << " " << mark;
  }
  for (const char* file : {"site/style.css", "site/search.js"})
    for (const char* mark : {"http:", "https:", "fetch(", "import(", "XMLHttpRequest", "url("})
      EXPECT_EQ(content(file).find(mark), std::string::npos) << file << " " << mark;
}

TEST_F(cli_site, SearchFindsEveryPageThatIsNoSource) {
  ASSERT_EQ(run("site --no-plots --source '" + source + "' --out site"), 0);
  const std::string script = content("site/search_index.js");
  const std::string begin = "const asperity_pages = ";
  ASSERT_EQ(script.substr(0, begin.size()), begin);
  const auto index =
      nlohmann::json::parse(script.substr(begin.size(), script.rfind(';') - begin.size()));
  std::set<std::string> found;
  for (const auto& each : index) found.insert(each["address"].get<std::string>());
  for (const auto& [page, html] : pages("site"))
    EXPECT_EQ(found.contains(page), !page.starts_with("source/")) << page;
  // Words of the text, wherever they stand.
  for (const auto& each : index)
    if (each["address"] == "models/dai.html") {
      const std::string words = each["words"];
      for (const char* word : {" slider ", " coulomb ", " spring ", " dai_multistate "})
        EXPECT_NE(words.find(word), std::string::npos) << word;
    }
}

// Every model and every system has a page with code in four languages, and stands in the guide.
TEST_F(cli_site, EveryModelHasAPageWithCodeAndIsInTheGuide) {
  ASSERT_EQ(run("site --no-plots --source '" + source + "' --out site"), 0);
  const answer told = run("models --json");
  ASSERT_EQ(told, 0);
  std::ifstream stream(source + "/docs/choosing.md");
  const std::string guide{std::istreambuf_iterator<char>(stream), {}};
  int models = 0;
  const auto listed = nlohmann::json::parse(told.out);
  for (const auto& each : listed.is_array() ? listed : listed.at("models")) {
    const std::string key = each.contains("key") ? each["key"] : each["model"];
    ++models;
    EXPECT_NE(guide.find("`" + key + "`"), std::string::npos) << key << " is in no guide";
    const std::string page = content("site/models/" + key + ".html");
    for (const char* language : {"language-cpp", "language-python", "language-sh"})
      EXPECT_NE(page.find(language), std::string::npos) << key << " " << language;
    EXPECT_NE(content("site/choose.html").find("models/" + key + ".html"), std::string::npos);
  }
  EXPECT_GT(models, 50);
  EXPECT_NE(
      content("site/models/gripped_object.html").find("href=\"../guides/planar.html\">Planar"),
      std::string::npos);
  EXPECT_NE(
      content("site/models/dai_stribeck.html").find("href=\"../models/dai_multistate.html\">"),
      std::string::npos);
  // A guide that is named in no group stands at the end of the list, without a word on what it is about.
  EXPECT_EQ(content("site/guides/index.html").find(">More</h2>"), std::string::npos);
  // What --help sets between ` is code.
  EXPECT_EQ(content("site/reference/commands.html").substr(0, 20000).find("`asperity new model`"),
            std::string::npos);
  EXPECT_NE(content("site/reference/commands.html").find("<code>asperity new model</code>"),
            std::string::npos);
}

TEST_F(cli_site, LongGuidesBeginWithTheirContents) {
  fs::create_directories(folder / "mine/docs");
  write("mine/README.md", "# Mine\n\nWords.\n");
  const std::string four = "# A\n\nFirst.\n\n## One\n\n## `two` & three\n\n## Four\n\n## Five\n\n";
  write("mine/docs/short.md", four);
  write("mine/docs/long.md", four + "## Six\n\nLast.\n");
  ASSERT_EQ(run("site --no-plots --source mine --out site"), 0);
  EXPECT_EQ(content("site/guides/short.html").find("class=\"contents\""), std::string::npos);
  const std::string page = content("site/guides/long.html");
  const std::size_t at = page.find("<ul class=\"contents\">");
  ASSERT_NE(at, std::string::npos);
  EXPECT_LT(page.find("First."), at);
  EXPECT_LT(at, page.find("<h2"));
  EXPECT_NE(page.find("<li><a href=\"#two--three\">", at), std::string::npos) << page;
  EXPECT_NE(page.find("two  &amp; three</a>", at), std::string::npos) << page;
  EXPECT_NE(page.find("<li><a href=\"#six\">Six</a>", at), std::string::npos);
}

TEST_F(cli_site, LinksWithTheNamesOfFilesGetTheTitlesOfGuides) {
  fs::create_directories(folder / "mine/docs");
  write("mine/README.md",
        "# Mine\n\n[docs/a.md](docs/a.md) [here](docs/a.md) [../b.md](docs/a.md)\n");
  write("mine/docs/a.md", "# Bolts & nuts\n\nSee [a.md](a.md).\n");
  write("b.md", "# Not of this site\n");
  ASSERT_EQ(run("site --no-plots --source mine --out site"), 0);
  const std::string start = content("site/index.html");
  EXPECT_NE(start.find(">Bolts &amp; nuts</a>"), std::string::npos);
  EXPECT_NE(start.find(">here</a>"), std::string::npos);
  EXPECT_EQ(start.find(">docs/a.md</a>"), std::string::npos);
  EXPECT_EQ(start.find("Not of this site"), std::string::npos);
  EXPECT_NE(content("site/guides/a.html").find(">Bolts &amp; nuts</a>."), std::string::npos);
}

TEST_F(cli_site, HostileTextStaysText) {
  const std::string bad = "<script>alert(1)</script><img src=x onerror=alert(1)>";
  fs::create_directories(folder / "mine/docs");
  write("mine/README.md", "# " + bad + "\n\n" + bad +
                              "\n\n[go](javascript:alert(1)) ![p](../../x.svg)\n" +
                              "[out](../../../etc/passwd) `" + bad + "`\n\n    " + bad + "\n");
  write("mine/docs/a\"><b.md", "# " + bad + "\n\n## " + bad + "\n\n| " + bad +
                                   " |\n|---|\n| x |\n\n```" + bad + "\n" + bad + "\n```\n");
  const answer told = run({"site", "--no-plots", "--source", "mine", "--report",
                           "\"><script>alert(1)</script>", "--out", "site"});
  ASSERT_EQ(told, 0);
  EXPECT_NE(told.err.find("is broken"), std::string::npos);
  int shown = 0;
  for (const auto& [page, html] : pages("site")) {
    for (const char* active : {"<script>alert", "<img src=x", "<b.md", "javascript:"})
      EXPECT_EQ(html.find(active), std::string::npos) << page << " " << active;
    EXPECT_EQ(html.find("root:x:"), std::string::npos) << page;
    shown += html.find("&lt;script&gt;alert(1)") != std::string::npos ? 1 : 0;
  }
  EXPECT_GE(shown, 2);
}

TEST_F(cli_site, RefusesWhatItCannotDo) {
  refuses({"site", "--out", "site", "--source", "nowhere"}, {"nowhere", "README.md"});
  fs::create_directories(folder / "mine");
  write("mine/thesis.txt", "years of work");
  refuses({"site", "--no-plots", "--out", "mine", "--force"}, {"mine"});
  EXPECT_EQ(content("mine/thesis.txt"), "years of work");
  EXPECT_FALSE(fs::exists(folder / "site"));
}

}  // namespace
}  // namespace asperity::testing

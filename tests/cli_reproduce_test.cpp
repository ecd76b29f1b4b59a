// SPDX-License-Identifier: Apache-2.0
// `asperity reproduce`: the same bytes from every run, what changed since an earlier one, and a
// report whose pages need nothing but each other.

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/program.hpp"

namespace asperity::testing {
namespace {

using nlohmann::ordered_json;

class cli_reproduce : public program_test {
 protected:
  std::string text;  // of both streams of the last run

  int reproduce(const std::string& arguments) {
    const answer told = run("reproduce " + arguments);
    text = told.text();
    return told.code;
  }
  bool said(const std::string& words) const { return text.find(words) != std::string::npos; }

  // The report of a run, changed by `change`.
  void write_changed(const std::string& from, const std::string& to, const auto& change) const {
    auto report = ordered_json::parse(content(from));
    change(report);
    write(to, report.dump(2));
  }
};

const std::string few = "xia_2012/table_4_1 xiong_2013/fig_4_8 xiong_2013/fig_5_3 ";

TEST_F(cli_reproduce, TableHasIdClaimSourceOursAndVerdict) {
  EXPECT_EQ(reproduce("xia_2012/table_4_1"), 0) << text;
  std::istringstream lines(text);
  std::string head, rule, row;
  std::getline(lines, head);
  std::getline(lines, rule);
  std::getline(lines, row);
  std::vector<std::size_t> columns;
  for (const char* word : {"id", "claim", "source", "ours", "verdict"}) {
    columns.push_back(head.find(word));
    ASSERT_NE(columns.back(), std::string::npos) << head;
  }
  EXPECT_TRUE(std::is_sorted(columns.begin(), columns.end()));
  EXPECT_EQ(row.find("xia_2012/table_4_1"), columns[0]) << row;
  EXPECT_EQ(row.find("row 1: the force at 0.005 m/s"), columns[1]) << row;
  EXPECT_EQ(row.find("23.5015 +- 0.0001"), columns[2]) << row;
  EXPECT_EQ(row.find("23.5015 N"), columns[3]) << row;
  EXPECT_EQ(row.find("met"), columns[4]) << row;
}

// It would be counted as often.
TEST_F(cli_reproduce, RunsAnExperimentOnceHoweverOftenItIsNamed) {
  EXPECT_EQ(reproduce("xia_2012/table_4_1 --json once.json"), 0) << text;
  EXPECT_TRUE(said("\n1 published experiment with 1 figures and tables, ")) << text;
  EXPECT_EQ(reproduce("xia_2012/table_4_1 xia_2012/table_4_1 --json twice.json"), 0) << text;
  EXPECT_EQ(content("twice.json"), content("once.json"));
}

TEST_F(cli_reproduce, SameBytesAgainAndWithMoreThreads) {
  EXPECT_EQ(reproduce(few + "--jobs 1 --json a.json --out a"), 0) << text;
  EXPECT_EQ(reproduce(few + "--jobs 1 --json b.json"), 0) << text;
  EXPECT_EQ(reproduce(few + "--jobs 2 --json c.json --out c"), 0) << text;
  const std::string a = content("a.json");
  ASSERT_FALSE(a.empty());
  EXPECT_EQ(a, content("b.json"));
  EXPECT_EQ(a, content("c.json"));
  EXPECT_EQ(a, content("a/report.json"));
  EXPECT_EQ(a.find(folder.string()), std::string::npos) << "names the folder";
  for (const auto& entry : fs::recursive_directory_iterator(folder / "a")) {
    if (!entry.is_regular_file()) continue;
    const fs::path other = folder / "c" / fs::relative(entry, folder / "a");
    EXPECT_EQ(content(entry.path()), content(other)) << other;
  }
}

TEST_F(cli_reproduce, ComparedWithItselfNothingChanged) {
  ASSERT_EQ(reproduce(few + "--json a.json"), 0) << text;
  EXPECT_EQ(reproduce(few + "--compare a.json"), 0) << text;
  EXPECT_TRUE(said("Nothing changed compared with a.json")) << text;
  // Of experiments that were not asked for, nothing is said.
  EXPECT_EQ(reproduce("xia_2012/table_4_1 --compare a.json"), 0) << text;
}

TEST_F(cli_reproduce, EveryKindOfChangeIsNamed) {
  ASSERT_EQ(reproduce(few + "--json a.json"), 0) << text;
  write_changed("a.json", "b.json", [](auto& report) {
    auto& claims = report["claims"];
    claims[0]["ours"][0] = 23.5016;                                                    // a value
    claims[1]["ours"][0] = claims[1]["ours"][0].template get<double>() * (1 + 1e-12);  // rounding
    claims[4]["verdict"] = "NOT MET";                                                  // a verdict
    claims[6]["claim"] = "was called otherwise";
    for (auto& each : claims)
      if (each["id"] == "xiong_2013/fig_4_8") each["id"] = "xiong_2013/fig_9_9";  // an experiment
  });
  EXPECT_EQ(reproduce(few + "--compare b.json"), 3) << text;
  EXPECT_TRUE(said("Experiments new (1)\n  xiong_2013/fig_4_8\n")) << text;
  EXPECT_FALSE(said("Experiments lost")) << "it was not asked for";
  EXPECT_TRUE(said("row 1: the force at 0.005 m/s (source): 23.5016 N -> 23.5014")) << text;
  EXPECT_TRUE(said("Values changed (1)")) << text;
  EXPECT_TRUE(said("row 3: the force at 0.015 m/s (source): NOT MET -> met")) << text;
  EXPECT_TRUE(said("was called otherwise (source): lost (was met)")) << text;
  EXPECT_TRUE(said("row 4: the force at 0.020 m/s (source): new (met)")) << text;
}

// An experiment that is gone is told where all were asked for.
TEST_F(cli_reproduce, LostExperimentsAreNamed) {
  fs::create_directories(folder / "mine/someone_1900");
  const std::string experiment =
      "title = 'T'\nsource = 'S'\n[[run]]\nname = 'r'\nsystem = { kind = 'mass_under_force', mass "
      "= 1 "
      "}\nforce = 1\nfriction = { model = 'coulomb', F_c = 0.5 }\nrun = { duration = 1 }\n"
      "[[claim]]\ntext = 'it moves'\nsource_says = 'it moves'\nrun = 'r'\nmeasure = 'last'\n"
      "column = 'x'\nat_least = ";
  write("mine/someone_1900/fig_1.toml", experiment + "0.1\n");
  write("mine/someone_1900/fig_2.toml", experiment + "0.1\n");
  ASSERT_EQ(reproduce("--experiments mine --json a.json"), 0) << text;
  fs::remove(folder / "mine/someone_1900/fig_2.toml");
  EXPECT_EQ(reproduce("--experiments mine --compare a.json"), 3) << text;
  EXPECT_TRUE(said("Experiments lost (1)\n  someone_1900/fig_2\n")) << text;
  // A claim that fails weighs more than a change.
  write("mine/someone_1900/fig_1.toml", experiment + "9\n");
  EXPECT_EQ(reproduce("--experiments mine --compare a.json"), 1) << text;
  EXPECT_TRUE(said("met -> NOT MET")) << text;
}

TEST_F(cli_reproduce, FilesThatAreNoReportsAreRefusedBeforeAnythingRuns) {
  EXPECT_EQ(reproduce("--compare missing.json --out r"), 2);
  EXPECT_TRUE(said("cannot read 'missing.json'")) << text;
  write("text.json", "hello");
  EXPECT_EQ(reproduce("--compare text.json --out r"), 2);
  EXPECT_TRUE(said("'text.json' is not a report: it is not JSON")) << text;
  write("other.json", "{\"claims\": [{\"id\": 3}]}");
  EXPECT_EQ(reproduce("--compare other.json --out r"), 2);
  EXPECT_TRUE(said("'other.json' is not a report: claim 1 of its list")) << text;
  const auto nested = [](const std::string& begin, int deep) {
    return begin + std::string(static_cast<std::size_t>(deep), '[') +
           std::string(static_cast<std::size_t>(deep), ']');
  };
  write("deep.json", nested("", 100'000));
  write("list.json", nested("{\"claims\": ", 5000) + "}");
  write("null.json", "null");
  for (const char* file : {"deep", "list", "null"}) {
    EXPECT_EQ(reproduce(fmt::format("--compare {}.json --out r", file)), 2);
    EXPECT_TRUE(said(fmt::format("'{}.json' is not a report: ", file))) << text;
    EXPECT_FALSE(said("json.exception")) << text;
  }
  EXPECT_FALSE(fs::exists(folder / "r"));
  EXPECT_EQ(reproduce("--series"), 2);
  EXPECT_TRUE(said("--series needs --out")) << text;
  EXPECT_EQ(reproduce("--lab ../lab/index.html"), 2);
  EXPECT_TRUE(said("--lab needs --out")) << text;
}

// ---- the report ---------------------------------------------------------------------------------

std::vector<std::string> values_of(const std::string& html, const std::string& attribute) {
  std::vector<std::string> found;
  const std::string mark = " " + attribute + "=\"";
  for (std::size_t at = html.find(mark); at != std::string::npos; at = html.find(mark, at)) {
    at += mark.size();
    found.push_back(html.substr(at, html.find('"', at) - at));
  }
  return found;
}

TEST_F(cli_reproduce, PagesNeedNothingButEachOther) {
  ASSERT_EQ(reproduce(few + "--out r --series"), 0) << text;
  const std::string errata = content("r/errata.html");
  int pages = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "r")) {
    EXPECT_NE(entry.path().extension(), ".svg") << "left behind";
    if (entry.path().extension() != ".html") continue;
    ++pages;
    const std::string html = content(entry.path());
    EXPECT_EQ(html.find("<script"), std::string::npos) << entry.path();
    EXPECT_TRUE(values_of(html, "src").empty()) << entry.path();
    EXPECT_EQ(html.find("url("), std::string::npos) << entry.path();
    EXPECT_NE(html.find("name=\"viewport\""), std::string::npos) << entry.path();
    for (const auto& address : values_of(html, "href")) {
      if (address.starts_with("data:") || address.starts_with("https://doi.org/") ||
          address[0] == '#')
        continue;
      const std::size_t end = std::min(address.find('#'), address.size());
      const fs::path target = entry.path().parent_path() / address.substr(0, end);
      EXPECT_TRUE(fs::exists(target)) << entry.path() << " " << address;
      if (end < address.size() && address.find("errata") != std::string::npos) {
        EXPECT_NE(errata.find(" id=\"" + address.substr(end + 1) + "\""), std::string::npos)
            << entry.path() << " " << address;
      }
    }
  }
  EXPECT_GT(pages, 60);
}

TEST_F(cli_reproduce, APageHasPlotsEquationsParametersClaimsAuditAndCommand) {
  ASSERT_EQ(reproduce("xiong_2013/fig_5_3 --out r"), 0) << text;
  const std::string html = content("r/xiong_2013/fig_5_3.html");
  for (const char* words :
       {"<svg", "position x [m]", "force f [N]", "class=\"legend\"", "<math", "Energy audit",
        "asperity reproduce xiong_2013/fig_5_3", "../models/hunt_crossley.html",
        "almost the same height of the second peak", "../errata.html#E-14", "rk4, step 0.001 s",
        "dopri5, relative tolerance 1e-10", "N/m^1.5"})
    EXPECT_NE(html.find(words), std::string::npos) << words;
  const std::string model = content("r/models/hunt_crossley.html");
  EXPECT_NE(model.find("../xiong_2013/fig_5_3.html"), std::string::npos);
  EXPECT_NE(model.find("<math"), std::string::npos);
}

// From every page the link leads to the same file, beside the report, and to the page's own experiment.
TEST_F(cli_reproduce, ExperimentsLinkIntoTheLab) {
  const auto lab_of = [&](const fs::path& page) {
    std::vector<std::string> found;
    for (const auto& address : values_of(content(page), "href"))
      if (address.find("lab/index.html") != std::string::npos) found.push_back(address);
    return found;
  };
  ASSERT_EQ(reproduce(few + "--out without"), 0) << text;
  for (const auto& entry : fs::recursive_directory_iterator(folder / "without"))
    EXPECT_TRUE(entry.path().extension() != ".html" || lab_of(entry.path()).empty());

  ASSERT_EQ(reproduce(few + "--out site/report --lab ../lab/index.html"), 0) << text;
  fs::create_directories(folder / "site/lab");
  write("site/lab/index.html", "");
  const auto report = ordered_json::parse(content("site/report/report.json"));
  std::set<std::string> ids;
  for (const auto& claim : report["claims"]) ids.insert(claim["id"]);
  ASSERT_GT(ids.size(), 1U);
  for (const auto& id : ids) {
    const fs::path page = folder / "site/report" / (id + ".html");
    const auto found = lab_of(page);
    ASSERT_EQ(found.size(), 1U) << id;
    const std::size_t at = found[0].find('#');
    EXPECT_EQ(found[0].substr(at), "#experiment/" + id);
    EXPECT_TRUE(fs::equivalent(page.parent_path() / found[0].substr(0, at),
                               folder / "site/lab/index.html"));
  }
  EXPECT_EQ(lab_of("site/report/index.html"),
            std::vector<std::string>{"../lab/index.html#gallery"});

  // An address with a server is not seen from anywhere; what is markup in one is none in the page.
  ASSERT_EQ(reproduce(few + "--out other --lab 'https://lab.example/lab/index.html?a=1&b=2'"), 0)
      << text;
  for (const auto& id : ids) {
    const auto found = lab_of("other/" + id + ".html");
    ASSERT_EQ(found.size(), 1U) << id;
    EXPECT_TRUE(found[0].starts_with("https://lab.example/lab/index.html?a=1&amp;b=2#"))
        << found[0];
  }
}

}  // namespace
}  // namespace asperity::testing

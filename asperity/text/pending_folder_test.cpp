// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <asperity/error.hpp>
#include <asperity/text/pending_folder.hpp>
#include <set>
#include <thread>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

class results : public testing::in_folder {
 protected:
  std::set<std::string> entries(const fs::path& in = "") const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder / in))
      names.insert(entry.path().filename().string());
    return names;
  }
  using names = std::set<std::string>;
};

TEST_F(results, HiddenNamesCannotBeForeseen) {
  std::set<std::string> seen;
  for (int i = 0; i < 20; ++i) {
    const pending_folder pending(path("run"));
    EXPECT_TRUE(pending.path().filename().string().starts_with(".run.unfinished-"));
    EXPECT_TRUE(seen.insert(pending.path().string()).second);
  }
  EXPECT_EQ(entries(), names{});
}

// A link inside of the folder of results, planted while it is filled, is not followed.
TEST_F(results, PlantedLinksAreNotFollowed) {
  write("victim", "precious");
  pending_folder pending(path("run"));
  fs::create_symlink(path("victim"), pending.path() / "series.csv");
  EXPECT_THROW(pending.write("series.csv", "ours"), error);
  fs::create_symlink(path("victim"), path("plot.svg"));
  replace_file(path("plot.svg"), "picture");  // a name that the user did not give
  EXPECT_EQ(content("victim"), "precious");
  EXPECT_FALSE(fs::is_symlink(path("plot.svg")));
  EXPECT_EQ(content("plot.svg"), "picture");
}

TEST_F(results, StayInsideOfTheirFolder) {
  using namespace std::string_literals;
  const pending_folder pending(path("run"));
  for (const std::string& outside :
       {"../out"s, "a/../../out"s, path("out"), "/etc/asperity"s, "a\0b"s})
    EXPECT_THROW(pending.write(outside, "x"), error) << outside;
  EXPECT_FALSE(fs::exists(path("out")));
}

TEST_F(results, ALinkToAFolderStaysALink) {
  fs::create_directory(path("disk"));
  const auto fill = [&](const std::string& target, const std::string& text) {
    pending_folder pending(target);
    pending.write("a", text);
    pending.commit();
  };
  fs::create_directory_symlink("disk/real", path("link"));  // to what does not exist yet
  fill(path("link"), "one");
  EXPECT_EQ(content("disk/real/a"), "one");
  fill(path("link"), "two");
  EXPECT_EQ(content("disk/real/a"), "two");
  fill(path("link/"), "three");
  EXPECT_EQ(content("disk/real/a"), "three");
  fs::create_directory_symlink("link", path("further"));
  fill(path("further"), "four");
  EXPECT_EQ(content("disk/real/a"), "four");
  fill(path("link/../beside"), "five");  // beside where it leads, as every program sees it
  EXPECT_EQ(content("disk/beside/a"), "five");
  EXPECT_TRUE(fs::is_symlink(path("link")));
  EXPECT_TRUE(fs::is_symlink(path("further")));
  EXPECT_EQ(entries(), (names{"disk", "further", "link"}));
  EXPECT_EQ(entries("disk"), (names{"beside", "real"}));

  // What must not be replaced is protected through a link, too.
  fs::create_directory(path("thesis"));
  write("thesis/chapter.tex", "precious");
  fs::create_directory_symlink("thesis", path("alias"));
  EXPECT_THROW(fill(path("alias"), "x"), error);
  fs::create_symlink("loop", path("loop"));
  EXPECT_THROW(fill(path("loop"), "x"), error);
}

TEST_F(results, ALinkToAFileStaysALink) {
  fs::create_directory(path("disk"));
  fs::create_symlink("disk/real.csv", path("link.csv"));
  write_file(path("link.csv"), "one");
  write_file(path("link.csv"), "two");
  EXPECT_EQ(content("disk/real.csv"), "two");
  EXPECT_TRUE(fs::is_symlink(path("link.csv")));
  EXPECT_EQ(entries("disk"), names{"real.csv"});
  EXPECT_THROW(write_file(path("disk"), "x"), error);
  EXPECT_THROW(write_file(path("none/file"), "x"), error);
  EXPECT_EQ(entries(), (names{"disk", "link.csv"}));
}

TEST_F(results, HaveThePermissionsOfNewFiles) {
  const mode_t before = umask(027);
  write_file(path("file"), "x");
  pending_folder pending(path("run"));
  pending.write("a", "x");
  pending.commit();
  umask(before);
  const auto mode = [&](const char* name) {
    struct stat is = {};
    EXPECT_EQ(stat(path(name).c_str(), &is), 0);
    return is.st_mode & 0777U;
  };
  EXPECT_EQ(mode("file"), 0640U);
  EXPECT_EQ(mode("run"), 0750U);
  EXPECT_EQ(mode("run/a"), 0640U);
}

// The process that wrote is gone, with its number, its lock and everything.
TEST_F(results, TheNextOneRemovesWhatAKilledProcessLeft) {
  for (const bool is_folder : {true, false}) {
    const pid_t child = fork();
    if (child == 0) {
      if (is_folder) {
        const pending_folder pending(path("run"));
        pending.write("a", "half");
        raise(SIGKILL);
      }
      // As a file that is being written looks like.
      const int file =
          open(path(".run.unfinished-0123456789abcdef").c_str(), O_CREAT | O_WRONLY, 0600);
      _exit(file < 0 ? 1 : 0);
    }
    waitpid(child, nullptr, 0);
    ASSERT_EQ(entries().size(), is_folder ? 1U : 2U);
    if (is_folder) {
      pending_folder(path("run")).commit();
    } else {
      fs::remove_all(path("run"));
      write_file(path("run"), "whole");
    }
    EXPECT_EQ(entries(), names{"run"});
  }
}

TEST_F(results, WhatAnotherProcessIsWritingIsLeftAlone) {
  const pending_folder first(path("run"));
  first.write("a", "x");
  write(".run.unfinished-notes", "of the user");
  fs::create_directory(path(".run.unfinished-0123456789ABCDEF"));  // not one of our names
  {
    pending_folder second(path("run"));
    second.commit();
  }
  EXPECT_TRUE(fs::exists(first.path() / "a"));
  EXPECT_EQ(entries().size(), 4U);
}

// Many writers of one place at once: each result is whole, and nothing remains.
TEST_F(results, ManyWritersOfOnePlace) {
  std::vector<std::thread> writers;
  for (int i = 0; i < 4; ++i)
    writers.emplace_back([&, i] {
      for (int k = 0; k < 25; ++k) write_file(path("file"), std::string(10'000, char('a' + i)));
    });
  for (auto& each : writers) each.join();
  const std::string last = content("file");
  EXPECT_EQ(last, std::string(10'000, last.front()));
  EXPECT_EQ(entries(), names{"file"});
}

// Programs that chose one name before either had written: each keeps its own results.
TEST_F(results, OfOthersStayWhereTheyCame) {
  std::vector<std::string> taken(6);
  std::vector<std::thread> writers;
  for (std::size_t i = 0; i < taken.size(); ++i)
    writers.emplace_back([&, i] {
      pending_folder mine(path("a.run/"));
      mine.write("who", std::to_string(i));
      taken[i] = mine.commit_beside_others();
    });
  for (auto& each : writers) each.join();
  EXPECT_EQ(entries(), (names{"a.run", "a.run.2", "a.run.3", "a.run.4", "a.run.5", "a.run.6"}));
  for (std::size_t i = 0; i < taken.size(); ++i)
    EXPECT_EQ(content(fs::path(taken[i]).filename().string() + "/who"), std::to_string(i));
  // A folder that holds nothing is taken, a file is not.
  fs::create_directory(path("empty"));
  pending_folder into_it(path("empty"));
  EXPECT_EQ(into_it.commit_beside_others(), path("empty"));
  pending_folder late(path("b.9"));
  write_file(path("b.9"), "not mine");
  EXPECT_EQ(late.commit_beside_others(), path("b.10"));
  EXPECT_EQ(content("b.9"), "not mine");
}

TEST_F(results, GoToPipesAndDescriptors) {
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  try {
    write_file(path("pipe"), "x");
    ADD_FAILURE() << "nobody reads it";
  } catch (const error& wrong) {
    EXPECT_NE(std::string(wrong.what()).find("no program reads from it"), std::string::npos);
  }
  const std::string large(1'000'000, 'x');  // more than a pipe holds
  std::string received;
  const int reader = open(path("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  fcntl(reader, F_SETFL, 0);
  // A pipe that no one has open for writing yet reads as one that has ended.
  const int keeps_it_open = open(path("pipe").c_str(), O_WRONLY);
  std::thread reading([&] {
    char part[4096];
    for (ssize_t n = 1; received.size() < large.size() && n > 0;) {
      n = read(reader, part, sizeof part);
      received.append(part, static_cast<std::size_t>(std::max<ssize_t>(n, 0)));
    }
  });
  write_file(path("pipe"), large);
  reading.join();
  close(keeps_it_open);
  close(reader);
  EXPECT_EQ(received, large);

  const int file = open(path("out").c_str(), O_WRONLY | O_CREAT, 0600);
  fs::create_symlink("/dev/fd/" + std::to_string(file), path("alias"));
  write_file("/dev/fd/" + std::to_string(file), "one ");
  write_file(path("alias"), "two");
  close(file);
  EXPECT_EQ(content("out"), "one two") << "written through, not replaced";
}

TEST_F(results, LongNamesAreRefusedBeforeARun) {
  EXPECT_NO_THROW(pending_folder::check(path(std::string(255, 'x'))));
  EXPECT_THROW(pending_folder::check(path(std::string(256, 'x'))), error);
  pending_folder pending(path(std::string(255, 'x')));
  pending.commit();
  write_file(path(std::string(254, 'x')), "x");
  EXPECT_EQ(entries().size(), 2U);
}

// Long before anything is written.
TEST_F(results, PlacesThatCannotBeWrittenAreRefusedBeforeARun) {
  const auto told = [&](const std::string& name) -> std::string {
    try {
      pending_folder::check(path(name));
    } catch (const error& problem) {
      return problem.what();
    }
    return "";
  };
  EXPECT_EQ(told("new/folders/out"), "");
  EXPECT_FALSE(fs::exists(path("new"))) << "it only looks";
  write_file(path("file"), "x");
  EXPECT_NE(told("file/out").find("Not a directory"), std::string::npos);
  EXPECT_NE(told("file/new/out").find("Not a directory"), std::string::npos);
  fs::create_directory(path("closed"));
  fs::permissions(path("closed"), static_cast<fs::perms>(0555));
  fs::permissions(path(""), fs::perms::others_exec | fs::perms::group_exec, fs::perm_options::add);
  const auto self = geteuid();
  if (self == 0 && seteuid(65534) != 0) GTEST_SKIP() << "no other user";
  const std::string closed = told("closed/out"), below = told("closed/new/out");
  ASSERT_EQ(seteuid(self), 0);
  fs::permissions(path("closed"), fs::perms::owner_all);
  EXPECT_NE(closed.find("cannot create output folder"), std::string::npos) << closed;
  EXPECT_NE(closed.find("Permission denied"), std::string::npos) << closed;
  EXPECT_NE(below.find("Permission denied"), std::string::npos) << below;
}

TEST_F(results, FilesInFoldersThatAreNotThereAreToldSo) {
  for (const bool replaces : {false, true}) try {
      (replaces ? replace_file : write_file)(path("none/there/file.csv"), "x");
      ADD_FAILURE();
    } catch (const error& problem) {
      EXPECT_NE(std::string(problem.what()).find("there is no folder '" + path("none/there") + "'"),
                std::string::npos)
          << problem.what();
    }
  EXPECT_FALSE(fs::exists(path("none")));
}

TEST(plain_name, IsOneThatMayComeFromAFile) {
  using namespace std::string_literals;
  for (const std::string& good : {"run"s, "Größe 5"s, "caf\xe9"s, "`touch x`"s, "a.b"s})
    EXPECT_TRUE(is_plain_name(good)) << good;
  for (const std::string& bad : {""s, "."s, ".."s, ".hidden"s, "a/b"s, "a\\b"s, "a\nb"s, "a\0b"s,
                                 "\x1b[0m"s, "a\x7f"s, std::string(201, 'x')})
    EXPECT_FALSE(is_plain_name(bad)) << bad;
}

}  // namespace
}  // namespace asperity

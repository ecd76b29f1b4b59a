// SPDX-License-Identifier: Apache-2.0
#include <asperity/text/remove_tree.hpp>

#include "tests/folder.hpp"

namespace asperity::testing {
namespace {

class remove_tree_test : public in_folder {};

TEST_F(remove_tree_test, RemovesFilesAndFoldersButFollowsNoLinks) {
  fs::create_directories(folder / "kept");
  write("kept/file", "kept");
  fs::create_directories(folder / "gone/a/b/c");
  for (int i = 0; i < 1000; ++i) write(fmt::format("gone/a/{}_{}", i, std::string(50, 'x')), "x");
  fs::create_directory_symlink(folder / "kept", folder / "gone/a/link");
  fs::create_symlink(folder / "kept/file", folder / "gone/link");
  EXPECT_TRUE(remove_tree(path("gone").c_str()));
  EXPECT_FALSE(fs::exists(folder / "gone"));
  EXPECT_EQ(content("kept/file"), "kept");
  fs::create_directory_symlink(folder / "kept", folder / "link");
  EXPECT_TRUE(remove_tree(path("link").c_str()));
  EXPECT_EQ(content("kept/file"), "kept");
  EXPECT_TRUE(remove_tree(path("nothing").c_str()));
}

TEST_F(remove_tree_test, RemovesWhatIsUnfinishedAndNothingElse) {
  fs::create_directory(folder / "finished");
  fs::create_directory(folder / "unfinished");
  const std::string done = path("finished"), open = path("unfinished");
  { const unfinished_path forgotten(done.c_str()); }
  const unfinished_path remembered(open.c_str());
  remove_unfinished();
  EXPECT_TRUE(fs::exists(done));
  EXPECT_FALSE(fs::exists(open));
}

}  // namespace
}  // namespace asperity::testing

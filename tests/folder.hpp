// SPDX-License-Identifier: Apache-2.0
#pragma once

// A test that works on files, in a folder of its own that is gone when it ends.

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <system_error>

namespace asperity::testing {

namespace fs = std::filesystem;

class in_folder : public ::testing::Test {
 protected:
  const fs::path folder = name_of_folder();

  in_folder() {
    fs::remove_all(folder);
    fs::create_directory(folder);
  }
  ~in_folder() override {
    std::error_code ignored;  // a browser may still be writing
    fs::remove_all(folder, ignored);
  }

  // Files by their path in the folder.
  std::string path(const fs::path& file) const { return (folder / file).string(); }
  std::string content(const fs::path& file) const {
    std::ifstream stream(folder / file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void write(const fs::path& file, const std::string& text) const {
    std::ofstream(folder / file, std::ios::binary) << text;
  }

 private:
  // Tests run at once, in processes of their own.
  static fs::path name_of_folder() {
    const auto* test = ::testing::UnitTest::GetInstance()->current_test_info();
    return fs::temp_directory_path() /
           fmt::format("asperity_{}_{}_{}", test->test_suite_name(), test->name(), getpid());
  }
};

}  // namespace asperity::testing

// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <asperity/error.hpp>
#include <asperity/publish/report.hpp>
#include <asperity/text/csv.hpp>
#include <asperity/text/open_file.hpp>
#include <asperity/text/toml.hpp>
#include <functional>

#include "tests/folder.hpp"

namespace asperity {
namespace {

namespace fs = std::filesystem;

class input_file : public testing::in_folder {
 protected:
  static std::string problem(const std::function<void()>& work) {
    try {
      work();
    } catch (const error& wrong) {
      return wrong.what();
    }
    return "";
  }
  std::string refusal(const std::string& file, std::uintmax_t limit = 1000) const {
    return problem([&] { static_cast<void>(read_input_file(file, limit)); });
  }
};

TEST_F(input_file, IsReadAsItIs) {
  const std::string text("a\r\n\0b\xff", 6);
  write("in", text);
  EXPECT_EQ(read_input_file(path("in"), 1000), text);
  EXPECT_EQ(read_input_file(path("in"), text.size()), text) << "exactly as large as allowed";
  write("empty", "");
  EXPECT_EQ(read_input_file(path("empty"), 10), "");
  const std::string large(3'000'000, 'x');
  write("large", large);
  EXPECT_EQ(read_input_file(path("large"), 3'000'000), large);
  fs::create_symlink(path("in"), path("link"));
  EXPECT_EQ(read_input_file(path("link"), 1000), text);
  // Its size is said to be 0.
  EXPECT_NE(read_input_file("/proc/self/status", 1'000'000).find("Pid:"), std::string::npos);
}

// None of these is waited for.
TEST_F(input_file, OnlyRegularFilesAreRead) {
  EXPECT_EQ(refusal(path("none")), "cannot read '" + path("none") + "': no such file");
  EXPECT_EQ(refusal(path("")), "cannot read '" + path("") + "': it is a folder");
  ASSERT_EQ(mkfifo(path("pipe").c_str(), 0600), 0);
  EXPECT_NE(refusal(path("pipe")).find("it is a pipe"), std::string::npos);
  for (const char* device : {"/dev/zero", "/dev/null", "/dev/urandom"})
    EXPECT_NE(refusal(device).find("it is a device"), std::string::npos) << device;
  const int end = socket(AF_UNIX, SOCK_STREAM, 0);
  sockaddr_un address = {};
  address.sun_family = AF_UNIX;
  path("socket").copy(address.sun_path, sizeof address.sun_path - 1);
  ASSERT_EQ(bind(end, reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
  EXPECT_NE(refusal(path("socket")).find("not a regular file"), std::string::npos);
  close(end);
  using namespace std::string_literals;
  write("in", "x");
  EXPECT_NE(refusal(path("in") + "\0.csv"s).find("NUL"), std::string::npos);
  fs::create_symlink("loop", path("loop"));
  EXPECT_NE(refusal(path("loop")).find("cannot read"), std::string::npos);
  if (geteuid() != 0) {
    fs::permissions(folder / "in", fs::perms::none);
    EXPECT_NE(refusal(path("in")).find("permission"), std::string::npos);
  }
}

TEST_F(input_file, SizesHaveALimitThatTheMessageNames) {
  write("in", std::string(1001, 'x'));
  EXPECT_NE(refusal(path("in")).find("it has 1001 bytes, but at most 1000 can be read"),
            std::string::npos);
  // Files with a hole: no room on the disk is needed, and none in memory.
  for (const char* name : {"a.toml", "a.csv", "a.json"}) {
    write(name, "");
    fs::resize_file(folder / name, std::uintmax_t(1) << 40U);
  }
  const auto says = [](const std::string& text, const char* words) {
    EXPECT_NE(text.find(words), std::string::npos) << text;
  };
  says(problem([&] { static_cast<void>(read_toml(path("a.toml"))); }), "at most 16000000");
  says(problem([&] { static_cast<void>(csv_table::read(path("a.csv"))); }), "at most 2000000000");
  says(problem([&] { static_cast<void>(compare_with(path("a.json"), {}, {})); }),
       "at most 256000000");
}

// /etc/passwd as a table, a private key as a scenario: messages show none of their lines.
TEST_F(input_file, MessagesDoNotShowLinesOfAFile) {
  const std::string secret = "s3cr3t:x:0:0:$6$saltsalt$hashhashhashhash,,,:/root:/bin/bash";
  const auto silent = [&](const std::string& said) {
    EXPECT_NE(said, "");
    for (const char* part : {"s3cr3t", "saltsalt", "hashhash", "/bin/bash"})
      EXPECT_EQ(said.find(part), std::string::npos) << said;
  };
  const auto table = [&](const std::string& text) {
    return problem([&] { static_cast<void>(csv_table::parse(text, "in.csv").column("t")); });
  };
  silent(table(secret + "\n" + secret + "\n"));
  silent(table("name\n" + secret + "\n"));
  silent(table("t,x\n1,2\n" + secret + "\n"));
  silent(table("#\n" + secret));
  silent(table(secret));
  silent(table("daemon:x:1\n" + secret + "\n"));
  for (const std::string& text : {secret, "a = " + secret, "[" + secret, secret + " = 1",
                                  "\"" + secret, "a = [" + secret + "]", "a = 1" + secret})
    silent(problem([&] { static_cast<void>(parse_toml(text, "in.toml")); }));
}

TEST_F(input_file, MessagesShowOneCellAndShorten) {
  const auto said = [&](const std::string& cell) {
    return problem([&] {
      static_cast<void>(csv_table::parse("t,x\n1," + cell + "\n", "in.csv").column("x"));
    });
  };
  EXPECT_EQ(said("abc"), "in.csv:2: column 'x' = 'abc': it must be a finite number");
  EXPECT_EQ(said("\x1b[31m"), "in.csv:2: column 'x' = '\\u001b[31m': it must be a finite number");
  EXPECT_LT(said(std::string(1'000'000, 'y')).size(), 120U);
  const std::string key(100'000, 'k');
  EXPECT_LT(problem([&] {
              static_cast<void>(parse_toml(key + " = 1\n" + key + " = 2\n", "in.toml"));
            }).size(),
            300U);
  EXPECT_LT(problem([&] {
              static_cast<void>(parse_toml("a = " + std::string(400, '9') + "\n", "in.toml"));
            }).size(),
            300U);
  // Names of columns that are words help; others may be anything.
  const csv_table mixed = csv_table::parse("t,v [m/s],root:x:0\n1,2,3\n", "in.csv");
  EXPECT_EQ(
      problem([&] { static_cast<void>(mixed.column("f")); }),
      "in.csv:1: there is no column 'f': the columns are t, v [m/s] (and 1 whose names are not "
      "plain words)");
}

}  // namespace
}  // namespace asperity

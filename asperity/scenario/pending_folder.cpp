// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <asperity/error.hpp>
#include <asperity/scenario/pending_folder.hpp>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <fstream>

namespace asperity {

namespace fs = std::filesystem;

namespace {

constexpr const char* marker = ".asperity";

// What keeps it from being written; empty: nothing does.
std::string write_plainly(const fs::path& file, std::string_view text) {
  errno = 0;
  std::ofstream stream(file, std::ios::binary);
  stream.write(text.data(), static_cast<std::streamsize>(text.size()));
  stream.close();
  if (stream) return "";
  return std::strerror(errno != 0 ? errno : EIO);
}

// By the name that the reader knows: where it is written until it is complete is our affair.
void refuse(const fs::path& file, const std::string& why) {
  throw error(fmt::format("cannot write '{}': {}", file.string(), why));
}

fs::path absolute_folder(const std::string& target) {
  fs::path path = fs::absolute(target).lexically_normal();
  if (!path.has_filename()) path = path.parent_path();  // "run/" means "run"
  return path;
}

std::string hidden_prefix(const fs::path& target) {
  return fmt::format(".{}.unfinished-", target.filename().string());
}

// A process that was killed could not tidy up. Its number tells that it is gone.
void remove_leftovers(const fs::path& target) {
  const std::string prefix = hidden_prefix(target);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(prefix, 0) != 0) continue;
    long process = 0;
    const char* end = name.data() + name.size();
    const auto [last, code] = std::from_chars(name.data() + prefix.size(), end, process);
    if (code != std::errc{} || last != end || process <= 0) continue;
    if (kill(static_cast<pid_t>(process), 0) != 0 && errno == ESRCH)
      fs::remove_all(entry.path(), ignored);
  }
}

}  // namespace

void pending_folder::check(const std::string& target) {
  const fs::path path = absolute_folder(target);
  std::error_code ignored;
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  if (!fs::is_directory(path, ignored))
    throw error(fmt::format("output folder '{}': a file of this name is there", target));
  if (fs::exists(path / marker, ignored) || fs::is_empty(path, ignored)) return;
  throw error(
      fmt::format("output folder '{}' holds something else than our results (no file '{}'), so it "
                  "is not replaced: name another folder, or remove it",
                  target, marker));
}

pending_folder::pending_folder(const std::string& target) : target_(absolute_folder(target)) {
  check(target);
  std::error_code code;
  fs::create_directories(target_.parent_path(), code);
  remove_leftovers(target_);
  path_ = target_.parent_path() / fmt::format("{}{}", hidden_prefix(target_), getpid());
  fs::remove_all(path_, code);
  fs::create_directory(path_, code);
  if (code) throw error(fmt::format("cannot make output folder '{}': {}", target, code.message()));
  try {
    write(marker, "Results of asperity. The next run into this folder replaces all of it.\n");
  } catch (const error&) {
    fs::remove_all(path_, code);
    throw;
  }
}

pending_folder::~pending_folder() {
  std::error_code ignored;
  if (!committed_) fs::remove_all(path_, ignored);
}

void pending_folder::write(const std::string& file, std::string_view text) const {
  const std::string problem = write_plainly(path_ / file, text);
  if (!problem.empty()) refuse(target_ / file, problem);
}

void pending_folder::commit() {
  std::error_code code, ignored;
  check(target_.string());
  if (fs::is_directory(target_, ignored)) {
    // The two change places in one instant; then the old one, now under our name, goes.
    if (renameat2(AT_FDCWD, path_.c_str(), AT_FDCWD, target_.c_str(), RENAME_EXCHANGE) == 0) {
      committed_ = true;
      fs::remove_all(path_, ignored);
      return;
    }
    fs::remove_all(target_, code);  // a file system that cannot exchange
  }
  if (!code) fs::rename(path_, target_, code);
  if (code)
    throw error(
        fmt::format("cannot make output folder '{}': {}", target_.string(), code.message()));
  committed_ = true;
}

void write_file(const std::string& file, std::string_view text) {
  std::error_code code;
  // A device or a pipe takes text as it comes.
  if (fs::exists(file, code) && !fs::is_regular_file(file, code) && !fs::is_directory(file, code)) {
    const std::string problem = write_plainly(file, text);
    if (!problem.empty()) refuse(file, problem);
    return;
  }
  const std::string unfinished = fmt::format("{}.unfinished-{}", file, getpid());
  std::string problem = write_plainly(unfinished, text);
  if (problem.empty()) {
    fs::rename(unfinished, file, code);
    if (!code) return;
    problem = code.message();
  }
  fs::remove(unfinished, code);
  refuse(file, problem);
}

}  // namespace asperity

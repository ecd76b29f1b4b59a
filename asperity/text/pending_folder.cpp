// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/portable.hpp>
#include <asperity/text/pending_folder.hpp>
#include <cerrno>
#include <charconv>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace asperity {

namespace fs = std::filesystem;

namespace {

constexpr const char* marker = ".asperity";
constexpr std::size_t longest_file_name = 255;  // bytes, on the usual file systems

// By the name that the reader knows: where it is written until it is complete is our affair.
[[noreturn]] void refuse(const fs::path& file, const std::string& why) {
  throw error(fmt::format("cannot write '{}': {}", file.string(), why));
}

// A name in a folder that was deleted leads nowhere.
fs::path whole_path(const fs::path& path) {
  std::error_code code;
  fs::path whole = fs::absolute(path, code);
  if (code)
    refuse(path,
           "the current folder was deleted or cannot be used: change to another folder, or give an "
           "absolute path");
  return whole;
}

// Where the links of a name lead, also to what does not exist yet.
fs::path where_links_lead(fs::path path) {
  std::error_code code;
  for (int i = 0; i < 40 && fs::is_symlink(fs::symlink_status(path, code)); ++i)
    path = path.parent_path() / fs::read_symlink(path, code);
  fs::path whole = fs::weakly_canonical(whole_path(path), code);
  if (code) throw error(fmt::format("cannot write '{}': {}", path.string(), code.message()));
  if (!whole.has_filename()) whole = whole.parent_path();  // "run/" means "run"
  return whole;
}

// ---- names that nobody can foresee --------------------------------------------------------------

constexpr std::size_t random_digits = 16;

std::string random_word() {
  std::uint64_t number = 0;
  while (getrandom(&number, sizeof number, 0) != sizeof number) {
  }
  return fmt::format("{:0{}x}", number, random_digits);
}

std::string hidden_prefix(const fs::path& target) {
  // Of a long name only so much that there is room for the rest.
  return fmt::format(".{}.unfinished-", target.filename().string().substr(0, 200));
}

// Whoever writes holds a lock on the hidden file or folder, which ends with the process.
enum class lock { taken, held_by_another, unknown };  // some file systems have no locks
lock take_lock(const open_file& file) {
  if (flock(file.descriptor(), LOCK_EX | LOCK_NB) == 0) return lock::taken;
  return errno == EWOULDBLOCK ? lock::held_by_another : lock::unknown;
}

bool is_still_at(const open_file& file, const fs::path& path) {
  struct stat here = {}, there = {};
  return fstat(file.descriptor(), &here) == 0 && lstat(path.c_str(), &there) == 0 &&
         here.st_ino == there.st_ino && here.st_dev == there.st_dev;
}

void remove_leftovers(const fs::path& target) {
  const std::string prefix = hidden_prefix(target);
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(target.parent_path(), ignored)) {
    const std::string name = entry.path().filename().string();
    if (!name.starts_with(prefix) || name.size() != prefix.size() + random_digits ||
        name.find_first_not_of("0123456789abcdef", prefix.size()) != std::string::npos)
      continue;
    const open_file left(
        open(entry.path().c_str(), O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC));
    struct stat is = {};
    if (left && fstat(left.descriptor(), &is) == 0 && is.st_uid == geteuid() &&
        take_lock(left) == lock::taken)
      fs::remove_all(entry.path(), ignored);
  }
}

// A new and locked file or folder beside `target`. Without one, errno says why.
open_file make_hidden(const fs::path& target, bool is_folder, fs::path& path) {
  const int how = O_NOFOLLOW | O_CLOEXEC;
  for (int i = 0; i < 100; ++i) {
    path = target.parent_path() / (hidden_prefix(target) + random_word());
    if (is_folder && mkdir(path.c_str(), 0777) != 0) {
      if (errno == EEXIST) continue;
      return open_file();
    }
    open_file made(is_folder ? open(path.c_str(), how | O_RDONLY | O_DIRECTORY)
                             : open(path.c_str(), how | O_WRONLY | O_CREAT | O_EXCL, 0666));
    // A folder that was just made may have been taken for a leftover.
    if (!made && errno != EEXIST && !(is_folder && errno == ENOENT)) {
      const int why = errno;
      if (is_folder) rmdir(path.c_str());
      errno = why;
      return made;
    }
    // Before it was locked, another process may have taken it for a leftover.
    if (made && take_lock(made) != lock::held_by_another && is_still_at(made, path)) return made;
  }
  errno = EEXIST;
  return open_file();
}

// ---- files --------------------------------------------------------------------------------------

// Beside its place, then moved there: a link of that name is replaced.
void write_and_move(const fs::path& target, const std::string& shown, std::string_view text) {
  std::error_code ignored;
  if (fs::is_directory(target, ignored)) refuse(shown, "it is a folder");
  remove_leftovers(target);
  fs::path hidden;
  open_file file = make_hidden(target, false, hidden);
  if (!file && errno == ENOENT)
    refuse(shown, fmt::format("there is no folder '{}': create it first",
                              fs::path(shown).parent_path().string()));
  if (!file) refuse(shown, std::strerror(errno));
  const unfinished_path until_moved(hidden.c_str());
  const open_file locked(fcntl(file.descriptor(), F_DUPFD_CLOEXEC, 0));  // until it is moved
  int code = write_all(file.descriptor(), text);
  if (const int at_end = file.close(); code == 0) code = at_end;
  if (code == 0 && std::rename(hidden.c_str(), target.c_str()) != 0) code = errno;
  if (code == 0) return;
  remove_tree(hidden.c_str());
  refuse(shown, std::strerror(code));
}

// The descriptor that /dev/stdout, /dev/fd/3 or a link to such a name stands for; below 0: none.
int named_descriptor(fs::path path) {
  std::error_code code;
  for (int i = 0; i < 40; ++i) {
    const std::string folder = path.parent_path().string(), name = path.filename().string();
    if (folder == "/dev/fd" || folder == "/proc/self/fd") {
      int number = -1;
      const auto [end, wrong] = std::from_chars(name.data(), name.data() + name.size(), number);
      return wrong == std::errc{} && end == name.data() + name.size() ? number : -1;
    }
    if (!fs::is_symlink(fs::symlink_status(path, code))) return -1;
    path = path.parent_path() / fs::read_symlink(path, code);
  }
  return -1;
}

// A device or a pipe. Where nobody reads a pipe, that is an error and not a wait.
void write_to_device(const std::string& file, std::string_view text) {
  open_file opened(open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!opened && errno == ENXIO) refuse(file, "no program reads from it");
  if (!opened) refuse(file, std::strerror(errno));
  fcntl(opened.descriptor(), F_SETFL, fcntl(opened.descriptor(), F_GETFL) & ~O_NONBLOCK);
  int code = write_all(opened.descriptor(), text);
  if (const int at_end = opened.close(); code == 0) code = at_end;
  if (code != 0) refuse(file, std::strerror(code));
}

}  // namespace

bool is_plain_name(std::string_view name) {
  return !name.empty() && name.size() <= 200 && name.front() != '.' &&
         std::none_of(name.begin(), name.end(), [](char c) {
           return c == '/' || c == '\\' || (static_cast<unsigned char>(c) < 0x20) || c == 0x7f;
         });
}

void write_file(const std::string& file, std::string_view text) {
  if (const int descriptor = named_descriptor(whole_path(file)); descriptor >= 0) {
    std::fflush(stdout);
    if (const int code = write_all(descriptor, text); code != 0) refuse(file, std::strerror(code));
    return;
  }
  std::error_code code;
  const fs::file_status is = fs::status(file, code);
  if (fs::exists(is) && !fs::is_regular_file(is) && !fs::is_directory(is))
    return write_to_device(file, text);
  write_and_move(where_links_lead(file), file, text);
}

void replace_file(const std::string& file, std::string_view text) {
  write_and_move(whole_path(file), file, text);
}

// ---- folders ------------------------------------------------------------------------------------

namespace {

// NAME.2 after NAME, NAME.3 after NAME.2.
std::string name_of_next(const std::string& name) {
  const auto dot = name.rfind('.');
  int number = 1;
  if (dot != std::string::npos && dot > 0) {
    const char* end = name.data() + name.size();
    const auto [stop, wrong] = std::from_chars(name.data() + dot + 1, end, number);
    if (wrong == std::errc{} && stop == end && number > 1 && number < 1'000'000)
      return fmt::format("{}.{}", name.substr(0, dot), number + 1);
  }
  return name + ".2";
}

}  // namespace

void pending_folder::check(const std::string& target) {
  const fs::path path = where_links_lead(target);
  std::error_code ignored;
  // It is made beside its place, in folders that are made where there are none.
  fs::path above = path.parent_path();
  while (above.has_relative_path() && fs::status(above, ignored).type() == fs::file_type::not_found)
    above = above.parent_path();
  const bool is_folder = fs::is_directory(above, ignored);
  if (!is_folder || faccessat(AT_FDCWD, above.c_str(), W_OK | X_OK, AT_EACCESS) != 0)
    throw error(fmt::format("cannot create output folder '{}': {}", target,
                            std::strerror(is_folder ? errno : ENOTDIR)));
  if (path.filename().string().size() > longest_file_name)
    throw error(
        fmt::format("output folder '{}...': its name has {} bytes, but at most {} are allowed",
                    path.filename().string().substr(0, 40), path.filename().string().size(),
                    longest_file_name));
  if (!fs::exists(fs::symlink_status(path, ignored))) return;
  if (!fs::is_directory(path, ignored))
    throw error(fmt::format("output folder '{}': a file of this name exists", target));
  if (fs::exists(path / marker, ignored) || fs::is_empty(path, ignored)) return;
  throw error(
      fmt::format("output folder '{}' does not contain results of asperity (no file '{}'), so it "
                  "is not replaced: name another folder, or remove it",
                  target, marker));
}

pending_folder::pending_folder(const std::string& target)
    : given_(target), target_(where_links_lead(target)) {
  check(target);
  std::error_code code;
  fs::create_directories(target_.parent_path(), code);
  remove_leftovers(target_);
  lock_ = make_hidden(target_, true, path_);
  if (!lock_)
    throw error(fmt::format("cannot create output folder '{}': {}", target, std::strerror(errno)));
  unfinished_.emplace(path_.c_str());
  try {
    write(marker, "Results of asperity. The next run into this folder replaces all of it.\n");
  } catch (...) {
    remove_tree(path_.c_str());
    throw;
  }
}

pending_folder::~pending_folder() {
  if (!committed_) remove_tree(path_.c_str());
}

void pending_folder::write(const std::string& file, std::string_view text) const {
  const fs::path inside(file);
  if (inside.is_absolute() || std::find(inside.begin(), inside.end(), "..") != inside.end() ||
      file.find('\0') != std::string::npos)
    refuse(file, "it is not the name of a file inside the output folder");
  open_file made(openat(lock_.descriptor(), file.c_str(),
                        O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0666));
  if (!made) refuse(target_ / file, std::strerror(errno));
  int code = write_all(made.descriptor(), text);
  if (const int at_end = made.close(); code == 0) code = at_end;
  if (code != 0) refuse(target_ / file, std::strerror(code));
}

void pending_folder::commit() {
  std::error_code code, ignored;
  check(target_.string());
  if (fs::is_directory(target_, ignored)) {
    // The two change places in one instant; then the old one, now under our name, goes.
    if (detail::exchange_paths(path_.c_str(), target_.c_str())) {
      committed_ = true;
      remove_tree(path_.c_str());
      return;
    }
    fs::remove_all(target_, code);  // a file system that cannot exchange
  }
  if (!code) fs::rename(path_, target_, code);
  if (code)
    throw error(
        fmt::format("cannot create output folder '{}': {}", target_.string(), code.message()));
  committed_ = true;
}

std::string pending_folder::commit_beside_others() {
  std::string name = given_;
  while (name.size() > 1 && name.back() == '/') name.pop_back();
  for (int attempt = 0; attempt < 1000; ++attempt) {
    std::error_code code;
    fs::rename(path_, target_, code);  // takes the place of an empty folder at most
    if (!code) {
      committed_ = true;
      return name;
    }
    if (code != std::errc::directory_not_empty && code != std::errc::file_exists &&
        code != std::errc::not_a_directory)
      throw error(fmt::format("cannot create output folder '{}': {}", name, code.message()));
    const std::string last = name_of_next(target_.filename().string());
    name = (fs::path(name).parent_path() / last).string();
    target_ = target_.parent_path() / last;
  }
  throw error(fmt::format(
      "cannot create output folder '{}': there are too many folders of this name", given_));
}

}  // namespace asperity

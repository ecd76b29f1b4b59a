// SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <asperity/text/open_file.hpp>
#include <cerrno>
#include <cstring>
#include <map>

namespace asperity {

int open_file::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  return descriptor < 0 || ::close(descriptor) == 0 ? 0 : errno;
}

int write_all(int descriptor, std::string_view text) {
  while (!text.empty()) {
    const ssize_t count = ::write(descriptor, text.data(), text.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return count < 0 ? errno : EIO;
    text.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

namespace {

// Reads until the end, but not more than `most` bytes. Returns errno, or 0.
int read_up_to(int descriptor, std::uintmax_t most, std::string& text) {
  struct stat is = {};
  const bool known = fstat(descriptor, &is) == 0;
  // One byte more than it has, so that the end is seen without a second round.
  std::uintmax_t room = std::min(most, (known ? std::uintmax_t(is.st_size) : 0) + 1);
  std::size_t size = 0;
  for (;;) {
    text.resize(std::max<std::size_t>(room, size));
    const ssize_t count =
        pread(descriptor, text.data() + size, text.size() - size, static_cast<off_t>(size));
    if (count < 0 && errno == EINTR) continue;
    const int code = count < 0 ? errno : 0;
    size += static_cast<std::size_t>(std::max<ssize_t>(count, 0));
    if (count <= 0 || size >= most) {
      text.resize(size);
      return code;
    }
    if (size == text.size()) room = std::min<std::uintmax_t>(most, 2 * room + 65536);
  }
}

[[noreturn]] void refuse(const std::string& file, const std::string& why) {
  throw error(fmt::format("cannot read '{}': {}", in_one_line(file), why));
}

[[noreturn]] void refuse_size(const std::string& file, std::uintmax_t size, std::uintmax_t limit) {
  refuse(file, fmt::format("it has {} bytes, but at most {} can be read", size, limit));
}

}  // namespace

std::string read_all(int descriptor) {
  std::string text;
  static_cast<void>(read_up_to(descriptor, UINTMAX_MAX, text));
  return text;
}

open_file open_input_file(const std::string& file, std::uintmax_t limit) {
  if (file.find('\0') != std::string::npos)
    refuse(file, "a file name cannot contain a NUL character");
  // A pipe without a writer, or a terminal, must not keep us waiting.
  open_file result(::open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY));
  if (!result) {
    if (errno == ENOENT) refuse(file, "no such file");
    if (errno == EACCES || errno == EPERM) refuse(file, "you do not have permission to read it");
    if (errno == ENXIO) refuse(file, "it is not a regular file");  // a socket
    refuse(file, std::strerror(errno));
  }
  struct stat is = {};
  if (fstat(result.descriptor(), &is) != 0) refuse(file, std::strerror(errno));
  if (S_ISDIR(is.st_mode)) refuse(file, "it is a folder");
  if (S_ISFIFO(is.st_mode)) refuse(file, "it is a pipe: write it to a file first");
  if (!S_ISREG(is.st_mode)) refuse(file, "it is a device, not a regular file");
  if (std::uintmax_t(is.st_size) > limit) refuse_size(file, std::uintmax_t(is.st_size), limit);
  return result;
}

namespace {
std::map<std::string, std::string>& texts_of_names() {
  static std::map<std::string, std::string> texts;
  return texts;
}
}  // namespace

void read_instead_of_file(const std::string& name, std::string text) {
  texts_of_names()[name] = std::move(text);
}

std::string read_input_file(const std::string& file, std::uintmax_t limit) {
  if (const auto found = texts_of_names().find(file); found != texts_of_names().end()) {
    if (found->second.size() > limit) refuse_size(file, found->second.size(), limit);
    return found->second;
  }
  const open_file opened = open_input_file(file, limit);
  std::string text;
  const int code = read_up_to(opened.descriptor(), limit + 1, text);
  if (code != 0) refuse(file, std::strerror(code));
  if (text.size() > limit) refuse_size(file, text.size(), limit);  // it has grown
  return text;
}

}  // namespace asperity

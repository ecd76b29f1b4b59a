// SPDX-License-Identifier: Apache-2.0
#pragma once

// While one of these lives, every number that a reader of this thread reads leaves its unit and
// range here, under its full name such as "friction.F_s".

#include <asperity/model.hpp>
#include <map>
#include <string>

namespace asperity {

class noted_units {
 public:
  struct note {
    unit in;
    range allowed;
  };

  noted_units() : before_(current()) { current() = this; }
  ~noted_units() { current() = before_; }
  noted_units(const noted_units&) = delete;
  noted_units& operator=(const noted_units&) = delete;

  const note* find(const std::string& name) const {
    const auto found = notes_.find(name);
    return found == notes_.end() ? nullptr : &found->second;
  }

  static void add(const std::string& name, unit in, range allowed) {
    if (current() != nullptr) current()->notes_[name] = {in, allowed};
  }
  static bool wanted() { return current() != nullptr; }

 private:
  static noted_units*& current() {
    thread_local noted_units* latest = nullptr;
    return latest;
  }
  noted_units* before_;
  std::map<std::string, note> notes_;
};

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0

// What web/core/core.cpp uses of emscripten, declared only: with it the compiler of this build reads the binding
// of the page, where emscripten is not installed. It is never linked.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace emscripten {

class val {
 public:
  static val object();
  static val array();
  static val global(const char* name);
  bool isUndefined() const;
  bool isNull() const;
  template <class Value>
  void set(const char* key, const Value& value);
  template <class... Arguments>
  val new_(Arguments&&... arguments) const;
  template <class Result, class... Arguments>
  Result call(const char* name, Arguments&&... arguments) const;
  template <class... Arguments>
  val operator()(Arguments&&... arguments) const;
};

template <class Value>
std::vector<Value> vecFromJSArray(const val& list);

struct memory_view {};
template <class Value>
memory_view typed_memory_view(std::size_t size, const Value* data);

template <class Result, class... Arguments>
void function(const char* name, Result (*called)(Arguments...));

}  // namespace emscripten

#define EMSCRIPTEN_BINDINGS(name) void emscripten_bindings_of_##name()

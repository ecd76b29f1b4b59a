// SPDX-License-Identifier: Apache-2.0
#pragma once

// A model's card as data: what its `describe()` says, with a pointer to each parameter of one
// particular model. Everything that lists, sets, prints, checks or draws parameters goes through
// it.

#include <asperity/model.hpp>
#include <asperity/quantity.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace asperity {

template <class S>
struct card {
  struct parameter_entry {
    std::string name;
    std::string meaning;
    unit in;
    range allowed = any_value;
    std::vector<S*> value;  // one, or one per element
    bool is_list = false;
    bool is_exponent = false;        // other units depend on it: they are stated for its default
    bool is_share = false;           // a list whose elements sum to 1
    int* count = nullptr;            // the number of elements itself
    int* whole = nullptr;            // another whole number, or the index of a word
    std::vector<std::string> words;  // of a choice: the value is one of them
  };
  struct state_entry {
    std::string name;
    std::string meaning;
    unit in;
    range allowed = any_value;  // at the start of a motion
    bool is_list = false;       // stands for one state per element: name_1, name_2 ...
    bool is_even = false;       // keeps its sign when the motion is mirrored
  };

  std::string title;
  std::string source;
  unsigned claims = 0;
  std::vector<parameter_entry> parameters;
  std::vector<state_entry> states;
  std::vector<state_entry> outputs;  // what observe() answers, beside the force

  // ---- what describe() calls -------------------------------------------------------------------

  void about(std::string_view the_title, std::string_view the_source, unsigned the_claims) {
    if (depth > 0) return;  // a part keeps its title to itself
    title = the_title;
    source = the_source;
    claims = the_claims;
  }

  void parameter(std::string_view name, S& value, unit in, range allowed,
                 std::string_view meaning) {
    add(name, in, allowed, meaning).value = {&value};
  }

  // A dimensionless exponent on which the units of other parameters depend.
  void exponent(std::string_view name, S& value, range allowed, std::string_view meaning) {
    parameter(name, value, units::one, allowed, meaning);
    parameters.back().is_exponent = true;
  }

  // One value per element: a list, or a single number for all of them.
  template <int N>
  void list(std::string_view name, vec<S, N>& values, unit in, range allowed,
            std::string_view meaning) {
    auto& entry = add(name, in, allowed, meaning);
    entry.is_list = true;
    for (int i = 0; i < N; ++i) entry.value.push_back(&values[i]);
  }

  // A list that shares something out: its elements sum to 1.
  template <int N>
  void shares(std::string_view name, vec<S, N>& values, range allowed, std::string_view meaning) {
    list(name, values, units::one, allowed, meaning);
    parameters.back().is_share = true;
  }

  // The number of elements, from 1 to the capacity.
  void elements(std::string_view name, int& count, int capacity, std::string_view meaning) {
    add(name, units::one, whole(1.0, capacity), meaning).count = &count;
  }

  // A whole number that counts no elements.
  void whole_number(std::string_view name, int& value, int lowest, int highest,
                    std::string_view meaning) {
    add(name, units::one, whole(lowest, highest), meaning).whole = &value;
  }
  // One of several words. What stands on the card behind it may depend on it.
  void choice(std::string_view name, int& index, const std::vector<std::string>& words,
              std::string_view meaning) {
    auto& entry = add(name, units::one, whole(0, static_cast<double>(words.size()) - 1), meaning);
    entry.whole = &index;
    entry.words = words;
  }

  // States, with what they may be at the start of a motion.
  void state(std::string_view name, unit in, std::string_view meaning, range allowed = any_value) {
    states.push_back({std::string(name), std::string(meaning), in, allowed});
  }
  void even_state(std::string_view name, unit in, std::string_view meaning,
                  range allowed = any_value) {
    state(name, in, meaning, allowed);
    states.back().is_even = true;
  }
  void state_list(std::string_view name, unit in, std::string_view meaning,
                  range allowed = any_value) {
    state(name, in, meaning, allowed);
    states.back().is_list = true;
  }

  // What observe() answers, in this order.
  void output(std::string_view name, unit in, std::string_view meaning) {
    outputs.push_back({std::string(name), std::string(meaning), in});
  }

  // A component, such as a Stribeck curve: its parameters join ours.
  template <class Part>
  void part(Part& component) {
    ++depth;
    component.describe(*this);
    --depth;
  }

 private:
  int depth = 0;

  parameter_entry& add(std::string_view name, unit in, range allowed, std::string_view meaning) {
    auto& entry = parameters.emplace_back();
    entry.name = name;
    entry.meaning = meaning;
    entry.in = in;
    entry.allowed = allowed;
    return entry;
  }
};

// The card of `model`; its pointers live as long as the model.
template <class S, class Model>
card<S> card_of(Model& model) {
  card<S> result;
  model.describe(result);
  return result;
}

// Whether a value is finite and in the range.
bool allows(range, double value);
// "above 0", "0 to 1", "a whole number, 0 to 24": what a message says is allowed.
std::string to_string(range);

}  // namespace asperity

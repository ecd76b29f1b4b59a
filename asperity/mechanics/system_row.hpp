// SPDX-License-Identifier: Apache-2.0
#pragma once

// Systems describe themselves: an entry of asperity/systems is four files, <kind>.hpp (mechanics),
// .cpp (what it takes and shows, and its row), .md (page) and _test.cpp. The build lists them and
// stops where a file is missing; nothing else names them.

#include <asperity/integrate/system.hpp>
#include <asperity/mechanics/keys.hpp>
#include <span>

namespace asperity {

// The keys of [system]; `root` has inputs, models and other tables.
class system_builder : public key_builder {
 public:
  // Lists.
  explicit system_builder(std::vector<key_entry>& keys) : system_builder(keys, nullptr, nullptr) {}
  system_builder(std::vector<key_entry>& keys, std::shared_ptr<key_source> document,
                 std::shared_ptr<key_source> of_system)
      : key_builder(keys, "system", std::move(of_system)), root(keys, "", std::move(document)) {}

  key_builder root;
  system_builder unlisted() const {
    system_builder result = *this;
    result.root = root.unlisted();
    return result;
  }

  // The model in the table of this name, which is that of its family. Not every system can run a
  // memory that is not an ODE.
  any_model contact(const std::string& meaning);
  any_model friction(const std::string& meaning, bool memory, bool is_required = true);
  // Of systems that may as well turn about an axis: asked for before any other key.
  void axis();
  // Keys that many have.
  void gravity(double& g, range allowed = non_negative);
  void reference_load(double& load);
  void load(signal& relative_load);
  // Refuses a rigid contact, which only implicit steps can follow, in a system that has none.
  void refuse_rigid(const any_model& contact) const;
  // Refuses more states than a scenario can have.
  void check_size(int states) const;
};
inline constexpr bool may_have_memory = true, is_optional = false;

struct system_row {
  const char* name;  // the word after `kind`
  const char* what;  // one line for people
  std::shared_ptr<system> (*build)(system_builder&);
};

std::span<const system_row* const> systems();          // by name
const system_row* find_system(std::string_view name);  // null where there is none
std::string_view page_of(const system_row&);           // the text of its .md file
std::string example_of(const system_row&);             // the scenario on that page
std::vector<key_entry> keys_of(const system_row&);

// A model of asperity/models/frictional_contact, its parameters by the names on its card.
template <class Contact>
Contact read_touch_model(key_builder& table) {
  Contact contact;
  read_parameters(table, contact);
  table.finish();
  if constexpr (requires { contact.valid(); }) {
    const validity answer = contact.valid();
    if (answer.verdict == validity::refused) table.refuse("", answer.why);
    if (answer.verdict == validity::doubtful) table.warn(answer.why);
  }
  return contact;
}

namespace detail {

// Made by the build: pages in the order of the rows.
std::span<const std::string_view> system_pages();

}  // namespace detail

}  // namespace asperity

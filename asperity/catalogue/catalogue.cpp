// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>
#include <numeric>

namespace asperity {

namespace {

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> row(b.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 1; i <= a.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t substituted = diagonal + (a[i - 1] == b[j - 1] ? 0 : 1);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
    }
  }
  return row.back();
}

}  // namespace

const catalogue_entry::variant* catalogue_entry::find(std::string_view curve) const {
  const auto found = std::find_if(variants.begin(), variants.end(),
                                  [&](const variant& v) { return v.curve == curve; });
  return found == variants.end() ? nullptr : &*found;
}

const catalogue_entry::variant& catalogue_entry::default_variant() const {
  const variant* usual = find(usual_curve);
  return usual != nullptr ? *usual : variants.front();
}

std::string nearest_names(std::string_view wanted, const std::vector<std::string>& names) {
  // No name is so long: what is longer differs in any case.
  constexpr std::size_t longest = 200;
  const std::string_view start = wanted.substr(0, longest);
  std::vector<std::pair<std::size_t, const std::string*>> by_distance;
  by_distance.reserve(names.size());
  for (const auto& each : names) by_distance.emplace_back(edit_distance(start, each), &each);
  std::stable_sort(by_distance.begin(), by_distance.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> sorted;
  sorted.reserve(names.size());
  for (const auto& each : by_distance) sorted.push_back(*each.second);
  if (!sorted.empty() && by_distance.front().first <= 2 && wanted.size() > 2)
    return fmt::format("did you mean '{}'?", sorted.front());
  constexpr std::size_t most = 12;
  if (sorted.size() <= most) return fmt::format("allowed: {}", fmt::join(sorted, ", "));
  const std::size_t more = sorted.size() - most;
  sorted.resize(most);
  const auto& all = catalogue();
  const bool are_models = std::all_of(sorted.begin(), sorted.end(), [&](const auto& name) {
    return std::any_of(all.begin(), all.end(), [&](const auto* each) { return each->key == name; });
  });
  return fmt::format("allowed: {} ... and {} more{}", fmt::join(sorted, ", "), more,
                     are_models ? ": asperity models lists them" : "");
}

const catalogue_entry& find_entry(std::string_view key) {
  std::vector<std::string> names;
  for (const catalogue_entry* entry : catalogue()) {
    if (entry->key == key) return *entry;
    names.push_back(entry->key);
  }
  throw error(fmt::format("unknown model '{}': {}", shortened(key, 60), nearest_names(key, names)));
}

const catalogue_entry& find_model(std::string_view key) {
  const catalogue_entry& entry = find_entry(key);
  if (entry.at->is_line()) return entry;
  throw error(fmt::format(
      "model '{}' is of the family {}: it sees more than one direction and is chosen in scenario "
      "files ({}); here a model moves along a line",
      key, entry.family, entry.at == &ports::twist ? "docs/planar.md" : "docs/systems.md"));
}

std::vector<std::string> claim_names(unsigned claims) {
  constexpr std::array words{"odd",        "passive",  "bounded",    "rate_independent",
                             "continuous", "no_drift", "never_pulls"};
  std::vector<std::string> result;
  for (std::size_t i = 0; i < words.size(); ++i)
    if ((claims >> i & 1U) != 0) result.emplace_back(words[i]);
  return result;
}

}  // namespace asperity

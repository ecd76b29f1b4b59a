// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/text.hpp>

namespace asperity {

namespace {

char in_lower_case(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

// Letters that must be put in, left out or exchanged, and neighbours that must change places; each counts
// `one_letter`, and another case 1, so that F_S is nearer to F_s than to F_c.
constexpr std::size_t one_letter = 256;
std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before(b.size() + 1), row(before), next(before);
  for (std::size_t j = 0; j < row.size(); ++j) row[j] = j * one_letter;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    next[0] = i * one_letter;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const char of_a = a[i - 1], of_b = b[j - 1];
      const std::size_t exchanged = of_a == of_b                                 ? 0
                                    : in_lower_case(of_a) == in_lower_case(of_b) ? 1
                                                                                 : one_letter;
      next[j] = std::min({row[j] + one_letter, next[j - 1] + one_letter, row[j - 1] + exchanged});
      if (i > 1 && j > 1 && of_a == b[j - 2] && a[i - 2] == of_b)
        next[j] = std::min(next[j], before[j - 2] + one_letter);
    }
    before.swap(row);
    row.swap(next);
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
  // The beginning of a name is meant before another word two letters away: max is maximum, not mean.
  const auto begins = [&](const std::string& name) {
    return wanted.size() > 2 && name.size() > wanted.size() &&
           std::equal(wanted.begin(), wanted.end(), name.begin(),
                      [](char a, char b) { return in_lower_case(a) == in_lower_case(b); });
  };
  if (!sorted.empty() && by_distance.front().first >= 2 * one_letter)
    if (const auto found = std::find_if(sorted.begin(), sorted.end(), begins);
        found != sorted.end())
      return fmt::format("did you mean '{}'?", *found);
  // Fs is F_s, however short.
  const auto bare = [](std::string_view name) {
    std::string letters;
    for (const char c : name)
      if (c != '_' && c != '-') letters += in_lower_case(c);
    return letters;
  };
  if (const auto found = std::find_if(
          sorted.begin(), sorted.end(),
          [&, letters = bare(start)](const auto& name) { return bare(name) == letters; });
      found != sorted.end() && !bare(start).empty())
    return fmt::format("did you mean '{}'?", *found);
  // At most two letters, and less than half of the word: list is not fit.
  const std::size_t edits = wanted.size() > 4 ? 2 : wanted.size() > 2 ? 1 : 0;
  if (!sorted.empty() && by_distance.front().first < (edits + 1) * one_letter)
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
                     are_models ? ": `asperity models` lists them" : "");
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
      "model '{}' is of the family {}, which has more than one direction and is used in scenario "
      "files ({}); here a model must move along a line",
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

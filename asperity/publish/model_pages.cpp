// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/mechanics/system_row.hpp>
#include <asperity/publish/markdown.hpp>
#include <asperity/publish/model_pages.hpp>

namespace asperity {

namespace {

std::string values_text(const std::vector<double>& values) {
  const bool all_the_same = std::all_of(values.begin(), values.end(),
                                        [&](double each) { return each == values.front(); });
  if (values.size() > 1 && all_the_same)
    return fmt::format("{:.10g} ({} times)", values.front(), values.size());
  return fmt::format("{:.10g}", fmt::join(values, ", "));
}

void describe(model_page& page, const any_model& model) {
  const auto card = model.describe();
  page.title = card.title;
  page.source = card.source;
  page.claims = claim_names(card.claims);
  for (const auto& each : card.parameters)
    page.parameters.push_back(
        {each.name, each.meaning, to_string(each.in),
         each.words.empty() ? values_text(model.get(each.name))
                            : each.words.at(static_cast<std::size_t>(*each.whole)),
         each.words.empty() ? to_string(each.allowed)
                            : fmt::format("{}", fmt::join(each.words, ", "))});
  for (const auto& each : card.states)
    page.states.push_back(fmt::format("{}{}: {} [{}]", each.name, each.is_list ? "_1 ..." : "",
                                      each.meaning, to_string(each.in)));
}

std::vector<model_page> all_pages() {
  std::vector<model_page> pages;
  const auto add = [&](const std::string& key, const std::string& family,
                       const std::string& text) -> model_page& {
    model_page page;
    page.key = key;
    page.family = family;
    page.text = text;
    page.title = head_entry(text, "title");
    page.source = head_entry(text, "source");
    page.doi = head_entry(text, "doi");
    pages.push_back(std::move(page));
    return pages.back();
  };
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    model_page& page = add(entry->key, entry->family, entry->page);
    describe(page, model);
    for (const auto& variant : entry->variants)
      if (!variant.curve.empty()) page.curves.push_back(variant.curve);
  }
  for (const system_row* row : systems()) {
    model_page& page = add(row->name, "system", std::string(page_of(*row)));
    for (const key_entry& key : keys_of(*row))
      page.parameters.push_back(
          {key.table.empty() ? key.name : key.table + "." + key.name, key.meaning,
           to_string(key.in), key.required ? "required" : key.otherwise,
           key.words.empty() ? to_string(key.allowed)
                             : fmt::format("{}", fmt::join(key.words, ", "))});
  }
  return pages;
}

}  // namespace

const std::vector<model_page>& model_pages() {
  static const std::vector<model_page> pages = all_pages();
  return pages;
}

const model_page* find_page(std::string_view key) {
  for (const auto& each : model_pages())
    if (each.key == key) return &each;
  return nullptr;
}

}  // namespace asperity

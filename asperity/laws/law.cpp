// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include <asperity/error.hpp>
#include <asperity/laws/law.hpp>
#include <cmath>

namespace asperity::laws {

std::vector<subject> subjects_of(const catalogue_entry& entry) {
  const auto* usual = &entry.default_variant();
  std::vector<subject> all{{&entry, usual->curve, entry.key}};
  for (const auto& variant : entry.variants)
    if (&variant != usual)
      all.push_back({&entry, variant.curve, entry.key + "_with_" + variant.curve});
  return all;
}

dice::dice(std::string_view seed) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  for (const char c : seed) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  engine_.seed(hash);
}

double dice::power_of_ten(double lower, double upper) {
  return std::pow(10.0, uniform(lower, upper));
}

void worsen(double& worst, double value) {
  if (!std::isnan(worst) && !(value <= worst)) worst = value;
}

void verdict::add(double value, double allowed, const any_model& model) {
  const scope here = on(model);
  worsen(worst, value);
  at_most(value, allowed);
}

void verdict::fail(const std::string& what) {
  if (failed++ > 0) return;
  first = model_ != nullptr ? fmt::format("{}: {}", what, print(*model_)) : what;
}

bool verdict::differ(double a, const char* how, double b, const place& at) {
  std::string where = at.what;
  if (at.index != place::none) where += fmt::format(" {}", at.index);
  if (at.by != nullptr) where += " by " + *at.by;
  fail(fmt::format("{}{}{:.9g} {} {:.9g}", where, where.empty() ? "" : ": ", a, how, b));
  return false;
}

bool verdict::differ(double a, const char* how, double within, const char* of, double b,
                     const place& at) {
  const std::string words = within == 0 ? "is not" : fmt::format("{} {:.3g} {}", how, within, of);
  return differ(a, words.c_str(), b, at);
}

verdict check(const law& the_law, const subject& about, std::string_view seed) {
  dice random(fmt::format("{}/{}{}", the_law.name, about.name, seed));
  verdict found;
  try {
    the_law.check(about, random, found);
  } catch (const error& problem) {
    found.fail(problem.what());
  }
  return found;
}

std::string print(const any_model& model) {
  std::string text = model.key() + " " + model.curve();
  for (const auto& p : model.describe().parameters)
    text += fmt::format(" {}={:.6g}", p.name, fmt::join(model.get(p.name), ","));
  return text;
}

}  // namespace asperity::laws

// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every model must obey, unasked, and what a claim on its card promises: laws that are tried
// over random parameters and motions. The tests hold our own models to them, `asperity check` those
// of a plug-in.

#include <asperity/catalogue/catalogue.hpp>
#include <functional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace asperity::laws {

// A model with one of the curves that it takes.
struct subject {
  const catalogue_entry* entry = nullptr;
  std::string curve = {};
  std::string name = {};  // the key, with the curve where it is not the usual one
  any_model model() const { return any_model(*entry, curve); }
  const port& at() const { return *entry->at; }
  unsigned claims() const { return model().describe().claims; }
};
// One per curve, the usual one first.
std::vector<subject> subjects_of(const catalogue_entry& entry);

// Random numbers that are the same everywhere.
class dice {
 public:
  explicit dice(std::string_view seed);
  double uniform(double lower, double upper) {
    return lower + (upper - lower) * static_cast<double>(engine_() >> 11U) * 0x1p-53;
  }
  double power_of_ten(double lower, double upper);
  double sign() { return uniform(0, 1) < 0.5 ? -1.0 : 1.0; }
  int whole(int first, int last) {
    const int drawn = first + static_cast<int>(uniform(0, 1) * (last - first + 1));
    return drawn < last ? drawn : last;
  }
  std::uint64_t bits() { return engine_(); }

 private:
  std::mt19937_64 engine_;
};

// Where a comparison was made. Texts are made of it only where one fails.
struct place {
  static constexpr std::size_t none = static_cast<std::size_t>(-1);
  const char* what = "";
  std::size_t index = none;
  const std::string* by = nullptr;
};

// The worse of two; what is no number is the worst of all.
void worsen(double& worst, double value);

// What a law found. Comparisons return whether they hold, and the first that does not is told in
// words, with the model that it was. None holds for what is not a number.
class verdict {
 public:
  int draws = 0, failed = 0;
  double worst = 0;
  std::string first = {};

  // Until the end of its scope, comparisons are about this model.
  class scope {
   public:
    scope(verdict& of, const any_model& model) : of_(of) { of.model_ = &model; }
    ~scope() { of_.model_ = nullptr; }
    scope(const scope&) = delete;
    scope& operator=(const scope&) = delete;

   private:
    verdict& of_;
  };
  [[nodiscard]] scope on(const any_model& model) {
    ++draws;
    return {*this, model};
  }
  // One number of one draw, beside what it may be at most.
  void add(double value, double allowed, const any_model& model);

  bool holds(bool is_so, std::string_view otherwise) {
    if (!is_so) fail(std::string(otherwise));
    return is_so;
  }
  bool equal(double a, double b, const place& at = {}) { return near(a, b, 0, at); }
  // Also where both are the same infinity.
  bool near(double a, double b, double tolerance, const place& at = {}) {
    const double distance = a < b ? b - a : a - b;
    return a == b || distance <= tolerance || differ(a, "is not within", tolerance, "of", b, at);
  }
  bool at_most(double a, double b, const place& at = {}) {
    return a <= b || differ(a, "is above", b, at);
  }
  bool at_least(double a, double b, const place& at = {}) {
    return a >= b || differ(a, "is below", b, at);
  }
  bool less(double a, double b, const place& at = {}) {
    return a < b || differ(a, "is not below", b, at);
  }
  bool more(double a, double b, const place& at = {}) {
    return a > b || differ(a, "is not above", b, at);
  }
  void fail(const std::string& what);

 private:
  bool differ(double a, const char* how, double b, const place& at);
  bool differ(double a, const char* how, double within, const char* of, double b, const place& at);

  const any_model* model_ = nullptr;
};

struct law {
  const char* name;
  unsigned claim;  // that it keeps; 0: of whoever has what it asks for
  std::function<bool(const subject&)> binds;
  void (*check)(const subject&, dice&, verdict&);
};

// Of models that move along a line: their rates, their own advance, their card.
std::span<const law> line_laws();
// Of every port, written over what it says; no line is for one family.
std::span<const law> port_laws();

// Tries a law. Other seeds draw other parameters and motions.
verdict check(const law& the_law, const subject& about, std::string_view seed = {});

// "lugre gaussian sigma_0=1e+05 ...": a model and its parameters, for messages.
std::string print(const any_model& model);

}  // namespace asperity::laws

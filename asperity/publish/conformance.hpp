// SPDX-License-Identifier: Apache-2.0
#pragma once

// Conformance cards: small tests of friction and contact that any simulator can run. A card is a
// file conformance/NAME.toml, which says what is done, with which numbers, what is measured, what
// the measurement must be and how that is known. How our models are put to it is a row in
// asperity/publish/conformance/NAME.cpp. Other simulators hand in what they measured, and are judged
// by the same lines (docs/conformance.md).

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/draw/figure.hpp>
#include <asperity/text/reader.hpp>
#include <atomic>
#include <functional>
#include <memory>

namespace asperity {

// What a card takes from a run: one number, and between which limits the card is met.
struct conformance_measure {
  std::string name, meaning;
  unit in;
  double reference = 0, error = 0;  // what it should be, and how well that is known
  struct way {
    std::string method;
    double value;
  };
  std::vector<way> ways;  // in which the reference was found: two or more
  double at_least = -unbounded, at_most = unbounded;

  bool is_met(double value) const { return at_least <= value && value <= at_most; }
};

// What a run gives: the numbers, in the order of the row, and a curve to look at.
struct conformance_outcome {
  std::vector<double> values;
  std::vector<double> x, y;
};

// A card with its inputs.
class conformance_test {
 public:
  conformance_test() = default;
  conformance_test(const conformance_test&) = delete;
  conformance_test& operator=(const conformance_test&) = delete;
  virtual ~conformance_test() = default;

  // Why the card cannot be asked of this model, which has the port of the row; empty where it can.
  virtual std::string why_not(const any_model&) const { return {}; }
  // Throws asperity::error where a run fails, and asperity::interruption.
  virtual conformance_outcome run(const any_model&, const std::atomic<bool>* interrupt) const = 0;
};

// A new card is a file here, asperity/publish/conformance/NAME.cpp, and conformance/NAME.toml.
struct conformance_row {
  const char* name;
  const port* at;  // of the models it is for
  std::vector<std::string> measures;
  figure_axis x, y;  // of the curve
  std::unique_ptr<conformance_test> (*read)(reader& inputs);
};
std::span<const conformance_row* const> conformance_rows();  // by file

struct conformance_card {
  std::string name, title, source;
  std::string definition, procedure, reason;  // what is done, how it is measured, why it matters
  std::vector<conformance_measure> measures;
  const conformance_row* row;
  std::shared_ptr<const conformance_test> test;
};

// The folder with the cards; `wanted`, or where they are installed. Throws asperity::error.
std::string conformance_folder(const std::string& wanted = {});
// The cards of these names, all where there are none; by name. Throws asperity::error with file,
// line, key and what is allowed.
std::vector<conformance_card> read_conformance_cards(const std::string& folder,
                                                     const std::vector<std::string>& names = {});

enum class conformance_verdict { met, not_met, does_not_apply, not_run, failed };
const char* to_string(conformance_verdict);
std::string json_key(conformance_verdict);  // "not_met"

struct conformance_result {
  std::string card, subject;  // a model of ours, or a simulator
  conformance_verdict verdict = conformance_verdict::does_not_apply;
  std::string why;              // it does not apply, was not run, or failed
  conformance_outcome outcome;  // where it ran
};

// One line of the matrix.
struct conformance_subject {
  std::string name;
  std::string settings;                     // of a simulator; empty for our models
  const port* at = nullptr;                 // of a model of ours
  std::vector<conformance_result> results;  // one for each card
};

struct conformance_options {
  unsigned threads = 1;
  const std::atomic<bool>* interrupt = nullptr;
  std::function<void(double share)> progress = nullptr;
};

// Models of the catalogue by name; where there are none, all that have the port of a card. Throws
// asperity::error for an unknown name, and asperity::interruption.
std::vector<conformance_subject> run_conformance(const std::vector<conformance_card>&,
                                                 const std::vector<std::string>& models,
                                                 const conformance_options& = {});

// What another simulator measured, judged:
//   {"simulator": "MuJoCo 2.2.2", "settings": "...", "cards": {"hold_for_an_hour": {"drift": 0.1}}}
// or a list of such. In place of numbers a card may have {"does_not_apply": "why"} or
// {"not_run": "why"}. Throws
// asperity::error with file and key.
std::vector<conformance_subject> read_measured(const std::vector<conformance_card>&,
                                               const std::string& file);

// The matrix, as text, as JSON, and as a folder with index.html, a plot for each card and
// conformance.json. The last returns warnings.
std::string conformance_table(const std::vector<conformance_card>&,
                              const std::vector<conformance_subject>&);
std::string conformance_markdown(const std::vector<conformance_card>&,
                                 const std::vector<conformance_subject>&);
std::string conformance_json(const std::vector<conformance_card>&,
                             const std::vector<conformance_subject>&);
std::vector<std::string> write_conformance_page(const std::string& folder,
                                                const std::vector<conformance_card>&,
                                                const std::vector<conformance_subject>&,
                                                const std::atomic<bool>* interrupt = nullptr);

}  // namespace asperity

// SPDX-License-Identifier: Apache-2.0
#pragma once

// Whether the claims of an experiment can fail: its runs are made again with something wrong, and a
// claim that was met has to fail.
//
//   model      a law in place of another of its port and family: those that the experiment itself
//              has, and those that share most parameters, which keep their values; a Stribeck curve
//              in place of another
//   term       a parameter of a law that becomes 0 where its range allows it, an exponent that
//              becomes 1, the Stribeck effect taken away (F_s = F_c), one element of several
//   parameter  a number of a run, a list of them or a quantity, times 1.1 and 0.9; not those that
//              say how and how long it is computed
//
// A number that stands in several runs is changed in all of them at once. A claim is judged on the
// source's own execution where it was met there, otherwise on the converged one.

#include <asperity/publish/experiment.hpp>

namespace asperity {

struct mutant {
  enum class kind { model, term, parameter };

  kind is = kind::parameter;
  std::string name;  // "friction.k +10 %"
  struct changed_run {
    std::size_t run;  // of the experiment
    toml_value document;
  };
  std::vector<changed_run> runs;
};
const char* to_string(mutant::kind);

std::vector<mutant> mutants_of(const experiment&, std::size_t exchanges = 4);

struct mutant_result {
  mutant::kind is;
  std::string name;
  enum class answer {
    noticed,    // a claim that was met fails
    refused,    // it cannot be read, run or measured
    explained,  // unnoticed, for the reason that the file gives
    unnoticed,
    stale  // noticed or refused although the file says that it cannot be
  } what = answer::unnoticed;
  std::string why;  // the claim, the message or the reason
};
const char* to_string(mutant_result::answer);

struct experiment_mutants {
  std::string id;
  std::vector<mutant_result> results;
};

struct mutant_options {
  unsigned threads = 1;
  std::size_t exchanges = 4;     // laws in place of each law
  simulate_options limits = {};  // of each run
  // From one thread at a time; the mutants tried so far, of all.
  std::function<void(std::size_t finished, std::size_t all)> done = nullptr;
};

// In the order asked for, without experiments that an interruption kept from finishing. Throws
// asperity::error where a file gives a reason for a mutant that there is not.
std::vector<experiment_mutants> try_mutants(const std::string& folder,
                                            const std::vector<std::string>& ids,
                                            const mutant_options& = {});

struct mutant_counts {
  long all = 0, noticed = 0, explained = 0;  // refused ones count as noticed
  double share() const {
    return all > 0 ? static_cast<double>(noticed) / static_cast<double>(all) : 1;
  }
};
mutant_counts count(const std::vector<mutant_result>&, mutant::kind);
// Those that nobody noticed and nobody explained, and stale reasons.
long open_mutants(const std::vector<experiment_mutants>&);

// A table of experiments and sources, then what was not noticed; with `all`, every mutant.
std::string mutants_text(const std::vector<experiment_mutants>&, bool all);
std::string mutants_json(const std::vector<experiment_mutants>&);

}  // namespace asperity

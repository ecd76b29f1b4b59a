// SPDX-License-Identifier: Apache-2.0
#pragma once

// What every system asks of a normal load that varies in time.

#include <asperity/catalogue/any_model.hpp>
#include <asperity/mechanics/signal.hpp>
#include <string>

namespace asperity {

// A load this small is none but for rounding.
inline constexpr double no_load = 1e-12;

// Why a load is refused at a time, or anywhere in a run; empty where it is not.
std::string reason_load_is_refused(double t, double value);
std::string reason_load_is_refused(const signal& load, double duration);
std::string reason_load_is_refused(const any_model&, const signal& load, double duration);

// Whether a model has no answer without load: its states would move infinitely fast.
bool needs_load(const any_model&);

// The same in words, where the load vanishes in [from, to); empty where the load does not explain it.
std::string explain_bad_load(const any_model&, const signal& load, double from, double to);

// Whether a falling load moves the states of a model that is at rest. Rates, which see the load but
// not how it changes, cannot say so: only its own advance() follows such a load.
bool is_moved_by_load(const any_model&);

}  // namespace asperity

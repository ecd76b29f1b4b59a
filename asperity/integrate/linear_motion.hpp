// SPDX-License-Identifier: Apache-2.0
#pragma once

// A part that a system may have (system.hpp): it is a linear_mass or a linear_contact, or would be but
// for something that it can name. The method `exact` asks for it.

#include <asperity/integrate/linear_contact.hpp>
#include <string>

namespace asperity {

class system;

struct linear_motion {
  virtual ~linear_motion() = default;
  // Both null where something in it is not linear ...
  virtual const linear_mass* linear() const = 0;
  virtual const linear_contact* linear_touch() const { return nullptr; }
  virtual std::string why_not_linear() const = 0;  // ... which is this
  // Of its energy balance (energy_terms.hpp), under a force f of the friction or of the contact that
  // the flow knows.
  virtual void powers_under(double t, const double* y, double f, double* out) const = 0;
};

const linear_mass* linear_mass_in(const system&);        // null where it is none
const linear_contact* linear_contact_in(const system&);  // null where it is none
std::string why_not_linear(const system&);               // empty where it is one

}  // namespace asperity

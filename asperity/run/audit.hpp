// SPDX-License-Identifier: Apache-2.0
#pragma once

// The audit of a run: where its energy came from, where it is and where it went, instant by
// instant, whether the energy balance closes, and whether an element released energy that it never received.

#include <asperity/integrate/energy_terms.hpp>
#include <string>
#include <vector>

namespace asperity {

struct audit_column {
  std::string name;
  std::vector<double> values;  // [J]
};

// Something that must not be: named by element and time.
struct audit_finding {
  std::string where, what;
  double t;     // [s]
  double size;  // [J]
};

struct audit_report {
  std::vector<double> t;
  std::vector<audit_column> columns;  // in the order of the terms
  std::vector<audit_finding> findings;
  std::vector<std::string> notes;  // elements of which only the work is known
  double exchanged = 0;            // energy that changed hands at most [J]
  double residual = 0;             // greatest gap in a balance [J]
  std::string residual_in;         // and where
  double residual_at = 0;          // and when [s]
  double tolerance = 0;            // of gaps, relative to `exchanged`

  // Greatest gap over energy exchanged.
  double relative_residual() const { return exchanged > 0 ? residual / exchanged : residual; }
};

class auditor {
 public:
  auditor(energy_terms terms, double tolerance);

  // What the bodies hold and the elements store at t, and what has flowed since the start.
  void add(double t, const double* energies, const double* flows);
  audit_report finish() const;

  // Names of the columns of the report.
  static std::vector<std::string> column_names(const energy_terms& terms);

 private:
  energy_terms terms_;
  double tolerance_;
  std::vector<double> t_;
  std::vector<std::vector<double>> energies_, flows_;
};

}  // namespace asperity

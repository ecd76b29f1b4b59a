// SPDX-License-Identifier: Apache-2.0
#pragma once

// The system with its set-valued forces as given numbers lambda:
//
//   x' = phi(t, x, lambda),   u = u(t, x) the arguments,   chi = chi(t, x, lambda) the factors
//
// with exact derivatives from dual numbers. Implicit steps, the hard-constraint reference, the
// choice of constants and the stability limits all start from here.

#include <Eigen/Dense>
#include <asperity/inclusion/inclusion.hpp>
#include <asperity/scalar/dual.hpp>

namespace asperity {

// States and forces of an inclusion, each. Matrices of at most this size need no allocation.
inline constexpr int most_states = 64;
using column_of_reals = Eigen::Matrix<double, Eigen::Dynamic, 1, 0, most_states, 1>;
using table_of_reals =
    Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, 0, most_states, most_states>;

class frozen_forces {
 public:
  explicit frozen_forces(const regularised& of);
  // The same formulas, which `of` holds too.
  frozen_forces(const frozen_forces& same, const regularised& of) : frozen_forces(same) {
    of_ = &of;
  }

  int states() const { return n_; }   // the user's
  int forces() const { return m_; }   // components
  int factors() const { return k_; }  // friction terms

  struct values {
    column_of_reals phi, u, chi;
  };
  struct derivatives {
    table_of_reals phi_x, phi_l, u_x, chi_x, chi_l;
  };

  void evaluate(double t, const double* x, const double* lambda, values& out);
  // The values too.
  void differentiate(double t, const double* x, const double* lambda, values& out, derivatives& by);

  // Arguments as they move when no set-valued force acts: u' along x' = phi(t, x, 0), and its
  // derivative by x.
  struct motion {
    column_of_reals u_rate;
    table_of_reals u_rate_x;
  };
  void differentiate_motion(double t, const double* x, motion& out);

  // How fast the force of each term moves what it acts against, per unit of it: at what acceleration
  // it opens its own gap, or opposes its own velocity. Below 0 it closes the gap, or drives.
  struct mobility {
    double largest = 0, least = 0;  // of all directions in which it may point
    double size = 0;                // of what adds up to them, which may cancel
    bool acts = false;  // closed, or with a limit above 0: otherwise it may point anywhere
    // Rounding of what cancels is no sign.
    bool is_against_itself() const { return least < -1e-9 * size; }
  };
  void find_mobilities(double t, const double* x, const double* lambda, std::vector<mobility>& out);
  // False where that of a term is the same everywhere, so that it need not be looked at again.
  bool mobility_may_change(std::size_t which) const;

  // Does every formula depend on states and forces by constant factors only? Then the derivatives
  // are the same everywhere.
  bool is_linear() const { return linear_; }
  // Do rates depend on forces by products with functions of the state at most?
  bool is_affine_in_forces() const { return affine_; }

 private:
  template <class S>
  void fill(double t, const double* x, const double* lambda, S* r) const;

  const regularised* of_;
  int n_, m_, k_;
  bool linear_, affine_;
  program_layout layout_;
  program program_;
  static constexpr int width = 8;  // derivatives found in one pass
  std::vector<double> none_;       // as many zeros as there are forces
  std::vector<double> plain_;
  std::vector<dual<double, width>> dual_;
  std::vector<dual<dual<double, width>, 1>> moving_;
  values values_;
  derivatives by_;
  motion motion_;
};

}  // namespace asperity

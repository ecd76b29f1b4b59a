// SPDX-License-Identifier: Apache-2.0
// Prints trajectories of every model to the last bit. tests/golden/compare.cmake builds it with
// each compiler at hand, with and without optimisation, and all must print the same.

#include <asperity/catalogue/catalogue.hpp>
#include <asperity/generated/all_models.hpp>
#include <asperity/integrate/fixed_step.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <cstdio>

namespace asperity {
namespace {

struct inputs : no_inputs<double> {
  static double force(double) { return -9.8; }
  static double anchor(double t) { return 0.1 * t; }
};

// A body on a spring that slips over the surface, and one that falls upon it: both are arithmetic
// that must not depend on the compiler.
template <class System, class Step>
void print(const char* key, const char* method, const System& system, double h, Step step) {
  double y[System::capacity] = {};
  y[0] = 1e-4;
  if constexpr (requires { system.friction.initial(); }) {
    const auto start = system.friction.initial();
    for (int i = 2; i < system.size(); ++i) y[i] = start[i - 2];
  }
  std::printf("%s %s", key, method);
  for (long n = 0; n < 20000; ++n) {
    step(system, static_cast<double>(n) * h, h, y);
    if (n % 4000 == 3999)
      for (int i = 0; i < system.size(); ++i) std::printf(" %a", y[i]);
  }
  std::printf("\n");
}

template <class Tag>
void print_model() {
  using model = typename Tag::template type<double>;
  using sliding = sliding_mass<double, model, inputs>;
  using bouncing = bouncing_mass<double, model, inputs>;
  if constexpr (requires(const model& m, const vec<double, model::states>& y,
                         const drive<double>& in) { m(y, in); }) {
    const auto rk4 = [](const auto& system, double t, double h, double* y) {
      rk4_step(system, t, h, y);
    };
    if constexpr (!Tag::is_contact)  // as friction, a contact pushes without end
      print(Tag::key, "sliding rk4", sliding{.friction = {}, .k = 100}, 1e-6, rk4);
    print(Tag::key, "bouncing rk4", bouncing{.contact = {}}, 1e-6, rk4);
  }
  if constexpr (may_react<model>) {
    const auto sdirk2 = [](const auto& system, double t, double h, double* y) {
      double rate[sliding::capacity];
      sdirk2_step(system, t, h, y, rate);
    };
    if constexpr (!Tag::is_contact)
      print(Tag::key, "sliding sdirk2", sliding{.friction = {}, .k = 100}, 1e-4, sdirk2);
    if constexpr (reacts<model, double>)
      print(Tag::key, "bouncing sdirk2", bouncing{.contact = {}}, 1e-4, sdirk2);
  }
}

template <class... Tags>
void print_all(model_list<Tags...>) {
  (print_model<Tags>(), ...);
}

}  // namespace
}  // namespace asperity

int main() { asperity::print_all(asperity::generated::all_models{}); }

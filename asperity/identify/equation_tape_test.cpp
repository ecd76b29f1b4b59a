// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/identify/equation_tape.hpp>
#include <cmath>
#include <random>

namespace asperity {
namespace {

std::vector<equation_tape::free_parameter> all_numbers(const any_model& model) {
  std::vector<equation_tape::free_parameter> result;
  const auto about = model.describe();
  std::size_t elements = 1;
  for (const auto& p : about.parameters)
    if (p.count != nullptr) elements = static_cast<std::size_t>(*p.count);
  for (std::size_t e = 0; e < about.parameters.size(); ++e) {
    const auto& p = about.parameters[e];
    if (p.count != nullptr || p.whole != nullptr) continue;
    for (std::size_t i = 0; i < (p.is_list ? elements : 1); ++i) result.push_back({e, i});
  }
  return result;
}

double slope_in(const equation_tape::workspace& w, const std::vector<equation_tape::partial>& of,
                std::size_t variable, int point) {
  for (const auto& each : of)
    if (static_cast<std::size_t>(each.variable) == variable) return w.slope(each, point);
  return 0;
}

void expect_same(double a, double b, double size, const std::string& what) {
  if (a == b || (std::isnan(a) && std::isnan(b))) return;  // infinite, too
  EXPECT_LE(std::abs(a - b), 1e-11 * std::max({std::abs(a), std::abs(b), size})) << what;
}

// Values are those of the model, and slopes those of dual numbers, which know nothing of the tape.
TEST(equation_tape, IsTheModelAndItsDerivativesAreThoseOfDualNumbers) {
  int tried = 0;
  for (const catalogue_entry* entry : catalogue()) {
    const any_model model(*entry);
    if (!model.at().is_line() || !model.is_ode()) continue;
    const auto free = all_numbers(model);
    const auto tape = equation_tape::of(model, free);
    if (!tape) continue;
    ++tried;
    const int n = model.states();
    const auto states = static_cast<std::size_t>(n);
    equation_tape::workspace w(*tape, model);
    std::mt19937 random(7);
    std::uniform_real_distribution<double> uniform(-1, 1);
    std::vector<double> scale(states + 1, 1.0);
    model.state_scale(scale.data());
    struct point {
      double in[3];
      std::vector<double> state;
    };
    std::vector<point> points(equation_tape::points);
    for (int k = 0; k < equation_tape::points; ++k) {
      point& p = points[static_cast<std::size_t>(k)];
      // Slow and fast, forwards and backwards, and where everything is 0.
      const double size = k == 0 ? 0 : std::pow(10.0, -7 + k % 8);
      p = {{size * uniform(random), size * uniform(random), 1 + 0.3 * uniform(random)}, {}};
      for (std::size_t i = 0; i < states; ++i)
        p.state.push_back(k == 0 ? 0 : (k % 3) * uniform(random) * scale[i]);
      w.put(k, p.in, p.state.data());
    }
    w.evaluate();
    const auto& f = model.functions().in_dual;
    ASSERT_TRUE(f.is_ode()) << entry->key;
    const std::size_t variables = states + free.size();
    for (int k = 0; k < equation_tape::points; ++k) {
      const point& p = points[static_cast<std::size_t>(k)];
      double out = 0;
      std::vector<double> rate(states + 1);
      model.respond(p.in, p.state.data(), &out, rate.data());
      expect_same(w.value(tape->force(), k), out, 0, entry->key);
      for (int i = 0; i < n; ++i)
        expect_same(w.value(tape->rate(i), k), rate[static_cast<std::size_t>(i)], 0, entry->key);
      for (std::size_t first = 0; first < variables; first += 8) {
        const auto self = f.make(model.self());
        auto about = f.describe(self.get());
        std::vector<model_dual> state(states + 1), d_rate(states + 1);
        const auto is_here = [&](std::size_t v) { return v >= first && v < first + 8; };
        for (std::size_t i = 0; i < states; ++i)
          state[i] = is_here(i) ? model_dual::variable(p.state[i], static_cast<int>(i - first))
                                : model_dual(p.state[i]);
        for (std::size_t i = 0; i < free.size(); ++i)
          if (is_here(states + i)) {
            model_dual& x = *about.parameters[free[i].entry].value[free[i].element];
            x = model_dual::variable(x.value, static_cast<int>(states + i - first));
          }
        const model_dual in[3] = {p.in[0], p.in[1], p.in[2]};
        model_dual force;
        f(model.at(), self.get(), in, state.data(), &force, d_rate.data());
        for (std::size_t v = first; v < std::min(first + 8, variables); ++v) {
          const auto lane = v - first;
          const auto on_tape = [&](const equation_tape::result& of) {
            return v < states ? slope_in(w, of.by_state, v, k)
                              : slope_in(w, of.by_parameter, v - states, k);
          };
          const std::string what =
              entry->key + " variable " + std::to_string(v) + " point " + std::to_string(k);
          // Sums of terms that cancel are as good as their terms: what the value is made of, and the
          // slopes along the other states, or 1/s where all of them cancel.
          const auto size = [&](const model_dual& of) {
            if (v >= states) return 1e-3 * std::abs(of.value);
            double largest =
                std::max(1.0, std::abs(of.value) / std::max(std::abs(scale[v]), 1e-300));
            for (std::size_t j = 0; j < 8 && first + j < states; ++j)
              largest = std::max(largest, std::abs(of.derivative[j]));
            return 1e-3 * largest;
          };
          expect_same(on_tape(tape->force()), force.derivative[lane], size(force), what);
          for (int i = 0; i < n; ++i)
            expect_same(on_tape(tape->rate(i)),
                        d_rate[static_cast<std::size_t>(i)].derivative[lane],
                        size(d_rate[static_cast<std::size_t>(i)]), what);
        }
      }
    }
  }
  EXPECT_GT(tried, 15);
}

// Elements side by side know nothing of each other; all of them know the lagged limit.
TEST(equation_tape, ElementsDoNotDependOnEachOther) {
  const any_model model(find_entry("dai_multistate"));
  const auto free = all_numbers(model);
  const auto tape = equation_tape::of(model, free);
  ASSERT_TRUE(tape);
  ASSERT_EQ(tape->states(), 11);
  EXPECT_EQ(tape->order().front(), 0);
  const auto about = model.describe();
  for (int i = 1; i < tape->states(); ++i) {
    EXPECT_EQ(tape->rate(i).by_state.size(), 2U);
    for (const auto& by : tape->rate(i).by_parameter) {
      const auto& of = free[static_cast<std::size_t>(by.variable)];
      if (about.parameters[of.entry].is_list) {
        EXPECT_EQ(of.element, static_cast<std::size_t>(i - 1));
      }
    }
  }
}

TEST(equation_tape, ModelsThatBranchHaveNone) {
  EXPECT_FALSE(equation_tape::of(any_model(find_entry("preisach")), {}));
}

}  // namespace
}  // namespace asperity

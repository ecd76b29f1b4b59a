// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <asperity/catalogue/instantiate.hpp>
#include <asperity/error.hpp>
#include <asperity/generated/curves.hpp>
#include <asperity/scenario/simulate.hpp>
#include <cmath>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// The tight tolerance of every test below.
const char* const tight = "method = \"dopri5\", relative_tolerance = 1e-12";

bool is_set_valued(const any_model& model) {
  return model.has_react() && (model.describe().claims & continuous) == 0;
}

bool is_rigid(const any_model& contact) {
  const std::vector<double> state(any_model::max_states, 0.0);
  return contact.has_react() && contact.react(state.data(), 1.0, 1e-3).softness == 0;
}

void expect_closed(const run_data& data, const std::string& what) {
  constexpr double allowed = 1e-9;
  ASSERT_FALSE(is_failure(data.result.how)) << what << ": " << data.hint;
  ASSERT_TRUE(data.audit.has_value()) << what;
  EXPECT_GT(data.audit->exchanged, 1e-3) << what;
  EXPECT_LE(data.audit->relative_residual(), allowed)
      << what << ", in " << data.audit->residual_in << " at t = " << data.audit->residual_at;
  for (const auto& each : data.audit->findings)
    ADD_FAILURE() << what << ": " << each.where << " " << each.what << " at t = " << each.t;
}

std::vector<const catalogue_entry*> family(const std::string& name) {
  std::vector<const catalogue_entry*> result;
  for (const auto* entry : catalogue())
    if (entry->family == name) result.push_back(entry);
  return result;
}

TEST(audit, ClosesForEveryContactInABounce) {
  int count = 0;
  for (const auto* entry : family("contact")) {
    const any_model model(*entry);
    if (is_rigid(model)) continue;  // impacts without duration have no power
    // No explicit step meets a tight tolerance across a force that jumps at touchdown: those begin
    // inside the contact and end there.
    const bool jumps = (model.describe().claims & continuous) == 0;
    const auto data = simulate(read(fmt::format(
        "force = -9.8\nsystem = {{ kind = 'bouncing_mass', mass = 1 }}\ncontact = "
        "{{ model = '{}' }}\n"
        "initial = {{ {} }}\nintegrator = {{ {} }}\n"
        "run = {{ duration = {}, audit = true, audit_tolerance = 1e-9 }}\n",
        entry->key, jumps ? "x = -1e-6, v = -1" : "x = 0.05", tight, jumps ? 2e-3 : 0.4)));
    expect_closed(data, entry->key);
    ++count;
  }
  EXPECT_GE(count, 3);
}

TEST(audit, ClosesForEveryFrictionInSlidingAndSticking) {
  for (const char* name : {"friction", "curve"}) {
    for (const auto* entry : family(name)) {
      const any_model model(*entry);
      std::string method = tight;
      double duration = 0.3, tolerance = 1e-9;
      if (!model.is_ode()) {
        // The bodies' books close to rounding; where bristles jump inside a step the work of that
        // step is off by its own order.
        method = "method = 'advance', step = 2e-5";
        tolerance = 1e-3;
      } else if (model.has_side()) {
        method = "method = 'switch', relative_tolerance = 1e-12";
      } else if (is_set_valued(model)) {
        method = "method = 'sdirk2', step = 4e-6";  // order 2, exact at rest
      } else if (model.states() == 0 && (model.describe().claims & continuous) == 0) {
        duration = 0.03;  // a jump without memory has no rest that an explicit method could find
      }
      const auto data = simulate(read(fmt::format(
          "force = {{ kind = 'sine', amplitude = 0.4, frequency = 3 }}\n"
          "system = {{ kind = 'mass_under_force', mass = 0.1, damping = 0.02 }}\n"
          "friction = {{ model = '{}' }}\ninitial = {{ v = 0.5 }}\nintegrator = {{ {} }}\n"
          "run = {{ duration = {}, audit = true, audit_tolerance = {} }}\n",
          entry->key, method, duration, tolerance)));
      expect_closed(data, entry->key);
    }
  }
}

TEST(audit, ClosesForEveryContactAndFrictionInARollingDisc) {
  const auto roll = [](const std::string& contact, const std::string& friction,
                       const std::string& start) {
    return simulate(read(fmt::format(
        "system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, reference_load = 30 }}\n"
        "contact = {{ model = '{}' }}\nfriction = {{ model = '{}' }}\n"
        "initial = {{ {}, v_x = 0.3 }}\nintegrator = {{ {} }}\n"
        "run = {{ duration = 0.25, audit = true, audit_tolerance = 1e-9 }}\n",
        contact, friction, start, tight)));
  };
  for (const auto* entry : family("contact"))
    if (!is_rigid(any_model(*entry)))
      expect_closed(roll(entry->key, "dai", "z = 0.11"), entry->key);
  for (const auto* entry : family("friction")) {
    const any_model model(*entry);
    if (model.is_ode() && !is_set_valued(model) && !model.has_side())
      // Bristles that wear off by the load have no law without one: it rests on the ground.
      expect_closed(roll("dai_contact", entry->key, "z = 0.0999019, contact_e = 9.81e-5"),
                    entry->key);
  }
}

TEST(audit, ClosesForEveryContactWithFrictionInALaunchedSphere) {
  for (const std::string contact :
       {"model = 'dai_frictional_contact'", "model = 'azad_featherstone_clutch', coupling = 1",
        "model = 'azad_featherstone_clutch'", "model = 'azad_featherstone_stribeck'",
        "model = 'hunt_crossley'"}) {
    const auto data = simulate(read(fmt::format(
        "system = {{ kind = 'sphere_on_plane', mass = 0.2, radius = 0.02 }}\n"
        "contact = {{ {} }}\ninitial = {{ z = 0.04, v_x = 0.5, v_y = -0.2, omega_z = 5 }}\n"
        "integrator = {{ {} }}\nrun = {{ duration = 0.3, audit = true, audit_tolerance = 1e-9 }}\n",
        contact, tight)));
    expect_closed(data, contact);
    const double unbalanced =
        data.find("contact_unbalanced") != nullptr ? data["contact_unbalanced"].back() : 0;
    if (contact.find("coupling") != std::string::npos) {
      EXPECT_EQ(unbalanced, 0) << contact;
    }
  }
}

TEST(audit, PrintedLawBooksWhatItLeavesUnbalanced) {
  const auto data = simulate(
      read(fmt::format("system = {{ kind = 'sphere_on_plane', mass = 0.154, radius = 0.0165 }}\n"
                       "contact = {{ model = 'azad_featherstone_clutch' }}\n"
                       "initial = {{ z = 0.1, v_x = 0.5, v_y = 0.5 }}\nintegrator = {{ {} }}\n"
                       "run = {{ duration = 0.2, audit = true, audit_tolerance = 1e-9 }}\n",
                       tight)));
  expect_closed(data, "printed");
  EXPECT_LT(data["contact_unbalanced"].back(), -1e-4);
}

TEST(audit, GapHasTheOrderOfTheMethod) {
  // LuGre in sliding is smooth. The gap of the books falls like h^4 for Runge and Kutta's method.
  const auto gap = [](const char* method, double h) {
    const auto data = simulate(
        read(fmt::format("force = {{ kind = 'sine', amplitude = 2, frequency = 1 }}\n"
                         "system = {{ kind = 'mass_under_force', mass = 1, damping = 0.1 }}\n"
                         "friction = {{ model = 'lugre', sigma_0 = 100, sigma_1 = 1 }}\n"
                         "initial = {{ v = 5 }}\nintegrator = {{ method = '{}', step = {} }}\n"
                         "run = {{ duration = 1, audit = true }}\n",
                         method, h)));
    return data.audit->residual;
  };
  const double order_4 = std::log2(gap("rk4", 1e-3) / gap("rk4", 5e-4));
  EXPECT_NEAR(order_4, 4, 0.3);
  const double order_1 = std::log2(gap("euler", 1e-3) / gap("euler", 5e-4));
  EXPECT_NEAR(order_1, 1, 0.1);
}

TEST(audit, GapOfAClosedFormMethodHasItsOrder) {
  // Sliding on DAI friction without a stop.
  const auto gap = [](double h) {
    const auto data = simulate(read(fmt::format(
        "force = {{ kind = 'sine', amplitude = 2, frequency = 1 }}\n"
        "system = {{ kind = 'wall_spring_mass', mass = 1, stiffness = 3 }}\n"
        "friction = {{ model = 'dai', K = 100, beta = 0.01, F = 1 }}\n"
        "initial = {{ v = 5, a = 0.01 }}\nintegrator = {{ method = 'sdirk2', step = {} }}\n"
        "run = {{ duration = 0.5, audit = true }}\n",
        h)));
    return data.audit->residual;
  };
  EXPECT_NEAR(std::log2(gap(2e-3) / gap(1e-3)), 2, 0.2);
}

// Friction that pushes forward.
template <scalar S>
struct pushes_forward {
  S F = lit<S>(1.0);
  static constexpr int states = 0;
  template <class Card>
  void describe(Card& card) {
    card.about("Wrong on purpose", "nobody", odd);
    card.parameter("F", F, units::newton, positive, "push");
  }
  ASPERITY_FN response<S, 0> operator()(const vec<S, 0>&, const drive<S>& in) const {
    return {-F * math::tanh<S>(in.v / lit<S>(0.01)), {}};
  }
};
struct pushes_forward_tag {
  template <class S>
  using type = pushes_forward<S>;
};

TEST(audit, CatchesAndNamesFrictionThatPushesForward) {
  static const catalogue_entry entry = detail::make_entry<pushes_forward_tag>(
      "pushes_forward", "friction", "", generated::all_curves{});
  scenario s = read(
      "force = 0\nsystem = { kind = 'mass_under_force', mass = 1 }\n"
      "friction = { model = 'regularised_coulomb' }\ninitial = { v = 0.1 }\n"
      "integrator = { method = 'dopri5' }\nrun = { duration = 1, audit = true }\n");
  EXPECT_TRUE(simulate(s).audit->findings.empty());
  s.model = any_model(entry);
  const auto data = simulate(s);
  ASSERT_EQ(data.audit->findings.size(), 1U);
  const auto& finding = data.audit->findings.front();
  EXPECT_EQ(finding.where, "friction (model 'pushes_forward')");
  EXPECT_LT(finding.t, 0.01);
  // It is not the bookkeeping that is wrong.
  EXPECT_LT(data.audit->relative_residual(), 1e-5);
}

// A falling mass with a drag that its books do not know.
class forgetful : public machine {
 public:
  std::vector<machine_quantity> states() const override {
    return {{"x", units::metre}, {"v", units::metre / units::second}};
  }
  std::vector<double> initial() const override { return {1, 0}; }
  void rates(double t, const double* y, double* rate) const override {
    rate[0] = y[1];
    rate[1] = -9.8 - (t > 0.5 ? 2 * y[1] : 0);
  }
  energy_books books() const override {
    return {{"kinetic", "potential"}, {}, {{"ground", "", true, {{"damper"}}}}};
  }
  void energies(double, const double* y, double* out) const override {
    out[0] = 0.5 * y[1] * y[1];
    out[1] = 9.8 * y[0];
    out[2] = 0;
  }
  void powers(double, const double*, double* out) const override { out[0] = out[1] = 0; }
};

TEST(audit, NamesTheInterfaceAndTheTimeOfABalanceThatDoesNotClose) {
  scenario s = read(
      "system = { kind = 'rigid_bounce' }\nintegrator = { method = 'dopri5' }\n"
      "run = { duration = 1, audit = true, audit_tolerance = 1e-4 }\n");
  s.assembled = std::make_shared<forgetful>();
  s.initial = s.assembled->initial();
  const auto data = simulate(s);
  ASSERT_EQ(data.audit->findings.size(), 1U);
  EXPECT_EQ(data.audit->findings.front().where, "bodies");
  EXPECT_NEAR(data.audit->findings.front().t, 0.5, 0.01);
}

TEST(audit, SaysWhoKeepsNoBooks) {
  const scenario s = read(
      "system = { kind = 'rigid_bounce' }\ninitial = { x = 1 }\nintegrator = { method = 'dopri5' "
      "}\n"
      "run = { duration = 1, audit = true }\n");
  try {
    static_cast<void>(simulate(s));
    FAIL();
  } catch (const error& problem) {
    EXPECT_NE(std::string(problem.what()).find("rigid_bounce"), std::string::npos);
  }
}

TEST(audit, DoesNotMoveTheTrajectoryOfAFixedStep) {
  const std::string text =
      "force = -9.8\nsystem = { kind = 'bouncing_mass', mass = 1 }\n"
      "contact = { model = 'dai_contact' }\ninitial = { x = 0.1 }\n"
      "integrator = { method = 'rk4', step = 1e-3 }\n";
  const auto plain = simulate(read(text + "run = { duration = 1 }\n"));
  const auto audited_run = simulate(read(text + "run = { duration = 1, audit = true }\n"));
  EXPECT_EQ(plain["x"], audited_run["x"]);
  EXPECT_EQ(plain["f"], audited_run["f"]);
}

}  // namespace
}  // namespace asperity

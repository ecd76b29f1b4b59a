// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <asperity/catalogue/instantiate.hpp>
#include <asperity/error.hpp>
#include <asperity/generated/curves.hpp>
#include <asperity/mechanics/composed_system.hpp>
#include <asperity/mechanics/mass_energy.hpp>
#include <asperity/mechanics/memory_step.hpp>
#include <asperity/run/simulate.hpp>
#include <asperity/systems/mass_under_force.hpp>
#include <cmath>
#include <map>

namespace asperity {
namespace {

scenario read(const std::string& text) {
  return read_scenario(parse_toml(text, "test"), "test", "");
}

// The tight tolerance of every test below.
const char* const tight = "method = \"dopri5\", relative_tolerance = 1e-12";

void expect_closed(const run_data& data, const std::string& what) {
  constexpr double allowed = 1e-9;
  ASSERT_FALSE(is_failure(data.result.how)) << what << ": " << data.hint;
  ASSERT_TRUE(data.audit.has_value()) << what;
  EXPECT_GT(data.audit->exchanged, 1e-5) << what;
  EXPECT_LE(data.audit->relative_residual(), allowed)
      << what << ", in " << data.audit->residual_in << " at t = " << data.audit->residual_at;
  for (const auto& each : data.audit->findings)
    ADD_FAILURE() << what << ": " << each.where << " " << each.what << " at t = " << each.t;
}

// How to follow a friction law through sliding and rest.
struct way {
  std::string method = tight;
  double tolerance = 1e-9;  // within which what is dissipated may fall
};
way to_follow(const any_model& model) {
  // The balance of the bodies closes to rounding; where bristles jump inside a step the work of that step is
  // off by its own order.
  if (!model.is_ode()) return {"method = 'advance', step = 2e-5", 1e-3};
  if (model.has_side()) return {"method = 'switch', relative_tolerance = 1e-12"};
  if (is_set_valued(model)) return {"method = 'sdirk2', step = 4e-6"};  // order 2, exact at rest
  return {};
}

run_data bounce(const std::string& contact) {
  return simulate(read(fmt::format(
      "force = -9.8\nsystem = {{ kind = 'bouncing_mass', mass = 1 }}\n"
      "contact = {{ model = '{}' }}\ninitial = {{ x = 0.05 }}\nintegrator = {{ {} }}\n"
      "run = {{ duration = 0.4, audit = true, audit_tolerance = 1e-9 }}\n",
      contact,
      is_rigid(any_model(find_model(contact))) ? "method = 'backward_euler', step = 1e-4"
                                               : tight)));
}

run_data slide(const std::string& friction, const way& by) {
  return simulate(read(
      fmt::format("force = {{ kind = 'sine', amplitude = 0.4, frequency = 3 }}\n"
                  "system = {{ kind = 'mass_under_force', mass = 0.1, damping = 0.02 }}\n"
                  "friction = {{ model = '{}' }}\ninitial = {{ v = 0.5 }}\nintegrator = {{ {} }}\n"
                  "run = {{ duration = {}, audit = true, audit_tolerance = {} }}\n",
                  friction, by.method, 0.3, by.tolerance)));
}

// Slips at first, by 0.3 m/s; rolls after some 0.26 s.
run_data roll(const std::string& contact, const std::string& friction, const std::string& start,
              const way& by) {
  return simulate(read(fmt::format(
      "system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, reference_load = 30 }}\n"
      "contact = {{ model = '{}' }}\nfriction = {{ model = '{}' }}\n"
      "initial = {{ {}, v_x = 0.3 }}\nintegrator = {{ {} }}\n"
      "run = {{ duration = {}, audit = true, audit_tolerance = {} }}\n",
      contact, friction, start, by.method, 0.4, by.tolerance)));
}

run_data launch(const std::string& contact) {
  return simulate(read(fmt::format(
      "system = {{ kind = 'sphere_on_plane', mass = 0.2, radius = 0.02 }}\n"
      "contact = {{ {} }}\ninitial = {{ z = 0.04, v_x = 0.5, v_y = -0.2, omega_z = 5 }}\n"
      "integrator = {{ {} }}\nrun = {{ duration = 0.3, audit = true, audit_tolerance = 1e-9 }}\n",
      contact, tight)));
}

// Every contact bounces, and bounces and rolls; every friction slides, and slides and rolls; every
// contact with friction is launched. Gaps stay below 1e-9 of the energy exchanged (expect_closed).
TEST(audit, ClosesForEveryModelInBouncingSlidingAndRolling) {
  std::map<std::string, int> count;
  for (const auto* entry : catalogue()) {
    const std::string &key = entry->key, &family = entry->family;
    if (!entry->at->is_line()) continue;
    SCOPED_TRACE(key);
    ++count[family];
    const any_model model(*entry);
    if (family == "contact") {
      const auto data = bounce(key);
      expect_closed(data, key + " bounces");
      EXPECT_GE(data.times_of("touchdown").size(), 1U);
      // Impulses on rigid ground close the balance of a disc that falls at the order of the method
      // only: below.
      const bool rigid = is_rigid(model);
      expect_closed(rigid ? roll(key, "dai", "z = 0.1", {"method = 'backward_euler', step = 1e-4"})
                          : roll(key, "dai", "z = 0.11", {}),
                    key + " rolls");
      if (!rigid) expect_closed(launch(fmt::format("model = '{}'", key)), key);
    }
    if (family == "friction" || family == "curve") {
      expect_closed(slide(key, to_follow(model)), key + " slides");
      // Bristles that wear off by the load have no law without one: the disc rests on the ground.
      expect_closed(
          roll("dai_contact", key, "z = 0.0999019, contact_e = 9.81e-5", to_follow(model)),
          key + " rolls");
    }
  }
  for (const std::string contact :
       {"model = 'dai_frictional_contact'", "model = 'azad_featherstone_clutch', coupling = 1",
        "model = 'azad_featherstone_clutch'", "model = 'azad_featherstone_stribeck'"}) {
    const auto data = launch(contact);
    expect_closed(data, contact);
    if (contact.find("coupling") != std::string::npos) {
      EXPECT_EQ(data["contact_unbalanced"].back(), 0) << contact;
    }
  }
  EXPECT_GE(count["contact"], 8);
  EXPECT_GE(count["friction"], 20);
  EXPECT_GE(count["curve"], 7);
}

// A force that jumps at touchdown or separation: the jump is at an event, and every step sees one
// side of it, so that the method keeps its order across the bounce.
TEST(audit, KeepsItsOrderAcrossAForceThatJumps) {
  for (const char* contact : {"kelvin_voigt", "kelvin_voigt_clamped"}) {
    const auto run = [&](double h) {
      return simulate(read(
          fmt::format("force = -9.8\nsystem = {{ kind = 'bouncing_mass', mass = 1 }}\n"
                      "contact = {{ model = '{}', K = 1e4, B = 20 }}\ninitial = {{ x = 0.1 }}\n"
                      "integrator = {{ method = 'rk4', step = {} }}\nrun = {{ duration = 0.2, "
                      "audit = true }}\n",
                      contact, h)));
    };
    const auto reference = run(1e-5);
    // One touchdown and one separation.
    EXPECT_EQ(reference.times_of("touchdown").size(), 1U);
    EXPECT_EQ(reference.times_of("liftoff").size(), 1U);
    const double height = reference["x"].back();
    const double coarse = std::abs(run(2e-3)["x"].back() - height);
    const double fine = std::abs(run(1e-3)["x"].back() - height);
    EXPECT_GT(coarse, 0);
    // Where the clamped force ends, it has a corner but no jump: order 2 at least.
    EXPECT_LT(fine, coarse / (contact == std::string("kelvin_voigt") ? 12 : 3.5)) << contact;
  }
}

// Impulses take no time: their work is the impulse times the mean of the velocities. On a mass the
// balances close to rounding (above); on a disc with weight as its potential, at order 1.
TEST(audit, BooksImpactsOnRigidGround) {
  const auto drop = [](double h) {
    return simulate(read(fmt::format(
        "system = {{ kind = 'rolling_disc', mass = 1, radius = 0.1, reference_load = 30 }}\n"
        "contact = {{ model = 'rigid' }}\nfriction = {{ model = 'coulomb' }}\n"
        "initial = {{ z = 0.11, v_x = 0.3 }}\n"
        "integrator = {{ method = 'backward_euler', step = {} }}\n"
        "run = {{ duration = 0.3, audit = true, audit_tolerance = 1e-2 }}\n",
        h)));
  };
  const auto coarse = drop(2e-4), fine = drop(1e-4);
  EXPECT_TRUE(fine.audit->findings.empty());
  // All of the fall is lost, and what slipping takes.
  EXPECT_GT(fine["dissipated_contact"].back(), 0.9 * 9.81 * 0.01);
  EXPECT_NEAR(std::log2(coarse.audit->residual / fine.audit->residual), 1, 0.2);
}

// Newton's law of impact: each takes (1 - e^2) of what is there, and in the end all is lost.
TEST(audit, BooksEveryImpactUntilAllIsLost) {
  for (const char* method : {"rk4", "dopri5", "sdirk2"}) {
    const auto data = simulate(
        read(fmt::format("system = {{ kind = 'rigid_bounce', restitution = 0.6, mass = 2 "
                         "}}\ninitial = {{ x = 0.5 }}\n"
                         "integrator = {{ method = '{}', step = 1e-3 }}\n"
                         "run = {{ duration = 2, audit = true, audit_tolerance = 1e-9 }}\n",
                         method)));
    expect_closed(data, method);
    EXPECT_NEAR(data["ground_impacts"].back(), 2 * 9.81 * 0.5, 1e-9) << method;
    EXPECT_EQ(data.times_of("rest").size(), 1U) << method;
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
  // LuGre in sliding is smooth. The gap of the balance falls like h^4 for the classical Runge-Kutta method.
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

// A wrong arm or sign in a rate is found: the contact seems to be moved from outside, but nothing
// there moves. Behind a belt something does.
TEST(audit, NamesAWrongRateOfAnInclusion) {
  const auto sliding = [](const char* argument, const char* rate) {
    return simulate(
        read(fmt::format("system = {{ kind = 'inclusion' }}\n"
                         "parameters = {{ M = '1 kg', F = '0.5 N', u = '0.2 m/s' }}\n"
                         "definitions = {{ friction = 'F*sgn({})' }}\n"
                         "energy = {{ kinetic = 'M*v^2/2' }}\n"
                         "terms = {{ friction = {{ K = 1e4, beta = 1e-3 }} }}\n"
                         "run = {{ duration = 0.3, audit = true }}\n"
                         "[states]\nv = {{ unit = 'm/s', rate = '{}', initial = 1 }}\n",
                         argument, rate)));
  };
  EXPECT_TRUE(sliding("v", "-friction/M").audit->findings.empty());
  const auto doubled = sliding("v", "-2*friction/M");
  ASSERT_EQ(doubled.audit->findings.size(), 1U);
  EXPECT_EQ(doubled.audit->findings[0].where, "motion of friction");
  EXPECT_THROW(sliding("v", "friction/M"), error);  // pushed by its own friction
  const auto belt = sliding("v - u", "-friction/M");
  EXPECT_TRUE(belt.audit->findings.empty());
  EXPECT_GT(std::abs(belt["supplied_motion_of_friction"].back()), 0.01);

  const auto data =
      simulate(read("system = { kind = 'inclusion' }\n"
                    "parameters = { M = '1 kg', I = '0.1 kg m^2', R = '0.5 m', F = '1 N' }\n"
                    "definitions = { friction = 'F*sgn(v - R*w)' }\n"
                    "energy = { kinetic = 'M*v^2/2', rotational = 'I*w^2/2' }\n"
                    "run = { duration = 0.3, audit = true }\n"
                    "[states]\nv = { unit = 'm/s', rate = '-friction/M', initial = 1 }\n"
                    "w = { unit = '1/s', rate = '2*R*friction/I' }\n"));
  EXPECT_GT(std::abs(data["supplied_motion_of_friction"].back()), 0.05);
  ASSERT_EQ(data.audit->findings.size(), 1U);
  EXPECT_NE(data.audit->findings[0].what.find("lever arms"), std::string::npos);
}

// Bodies on a patch of cells, an object in a gripper, a contact that is moved.
TEST(audit, ClosesForPlanarSystems) {
  const auto run = [](const std::string& text) { return simulate(read(text)); };
  const std::string body =
      "system = { kind = 'planar_body', mass = 0.5 }\n"
      "force_y = { kind = 'sine', amplitude = 3, frequency = 4 }\n"
      "torque = { kind = 'sine', amplitude = 0.05, frequency = 3 }\n"
      "initial = { v_x = 0.4, omega = 10 }\n";
  const std::string patch =
      "patch = { shape = 'rectangle', width = 0.1, height = 0.04, cells = 3 }\n";
  const std::string timing = "run = { duration = 0.2, audit = true, audit_tolerance = 1e-9 }\n";
  // Springs of every cell, damper and slider: what is taken and not stored never falls.
  const auto cells =
      run(body + patch + timing +
          "friction = { model = 'patch_dai', K = 1e5, beta = 1e-3, F_c = 1.5, F_s = 1.8 }\n"
          "integrator = { method = 'dopri5', relative_tolerance = 1e-12 }\n");
  expect_closed(cells, "patch_dai");
  EXPECT_GT(cells["dissipated_friction"].back(), 0.01);
  const auto moved =
      run("system = { kind = 'planar_motion' }\n"
          "velocity_x = { kind = 'sine', amplitude = 0.1, frequency = 3 }\n" +
          patch + timing +
          "friction = { model = 'patch_dai', K = 1e5, beta = 1e-3, F_c = 1.5, F_s = 1.8 }\n"
          "integrator = { method = 'dopri5', relative_tolerance = 1e-12 }\n");
  expect_closed(moved, "planar_motion");
  // Gravity, and more states than adaptive methods take: order 1 by backward Euler.
  const auto gripped = [&](double h) {
    return run(fmt::format(
        "system = {{ kind = 'gripped_object', mass = 0.1, inertia = 3.3e-4 }}\n"
        "patch = {{ shape = 'disc', radius = 0.01, pressure = 'hertz', cells = 12 }}\n"
        "friction = {{ model = 'patch_dai', K = 5e5, beta = 2e-3, F_c = 3, F_s = 3 }}\n"
        "load = {{ kind = 'nodes', times = [0.2, 0.25, 0.45, 0.5], values = [3, 0.9, 0.9, 3] }}\n"
        "initial = {{ x = 0.02 }}\nintegrator = {{ method = 'backward_euler', step = {} }}\n"
        "run = {{ duration = 0.5, audit = true, audit_tolerance = 0.05 }}\n",
        h));
  };
  const auto coarse = gripped(4e-4), fine = gripped(2e-4);
  EXPECT_TRUE(fine.audit->findings.empty());
  EXPECT_NEAR(std::log2(coarse.audit->residual / fine.audit->residual), 1, 0.3);
}

TEST(audit, ClosesForTheLinkageAndTheMultiplay) {
  const std::string rest =
      "integrator = { method = 'dopri5', relative_tolerance = 1e-12 }\n"
      "run = { duration = 20, audit = true, audit_tolerance = 1e-9 }\n";
  for (const char* inertia : {"right", "printed"})
    expect_closed(
        simulate(
            read(fmt::format("system = {{ kind = 'two_bar_linkage', inertia = '{}' }}\n", inertia) +
                 "force = { kind = 'sine', amplitude = 1, frequency = 0.1 }\n" + rest)),
        inertia);
  const auto masses = simulate(
      read("system = { kind = 'multiplay_and_inverse' }\nfriction = { model = 'multiplay' }\n"
           "motion = { kind = 'sine', amplitude = 2, frequency = 0.1 }\n" +
           rest));
  expect_closed(masses, "multiplay");
  EXPECT_GT(masses["dampers_viscous"].back(), 0.1);
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
  static const catalogue_entry entry = detail::make_entry<ports::drive, pushes_forward_tag>(
      "pushes_forward", "friction", "", generated::all_curves{});
  scenario s = read(
      "force = 0\nsystem = { kind = 'mass_under_force', mass = 1 }\n"
      "friction = { model = 'regularised_coulomb' }\ninitial = { v = 0.1 }\n"
      "integrator = { method = 'dopri5' }\nrun = { duration = 1, audit = true }\n");
  EXPECT_TRUE(simulate(s).audit->findings.empty());
  s.system = make_mass_under_force({any_model(entry)});
  const auto data = simulate(s);
  ASSERT_EQ(data.audit->findings.size(), 1U);
  const auto& finding = data.audit->findings.front();
  EXPECT_EQ(finding.where, "friction (model 'pushes_forward')");
  EXPECT_LT(finding.t, 0.01);
  // It is not the bookkeeping that is wrong.
  EXPECT_LT(data.audit->relative_residual(), 1e-5);
}

// A falling mass with a drag that its energy balance does not know.
class forgetful final : public composed_system {
 public:
  forgetful() {
    add_state("x", units::metre, 1);
    add_state("v", units::metre / units::second);
    set_energy({{"kinetic", "potential"}, {}, {{"ground", "", true, {{"damper"}}}}});
  }
  void rates(double t, const double* y, double* rate, workspace&) const override {
    rate[0] = y[1];
    rate[1] = -9.8 - (t > 0.5 ? 2 * y[1] : 0);
  }
  void energies(double, const double* y, double* out, workspace&) const override {
    out[0] = 0.5 * y[1] * y[1];
    out[1] = 9.8 * y[0];
    out[2] = 0;
  }
  void powers(double, const double*, double* out, workspace&) const override {
    out[0] = out[1] = 0;
  }
};

TEST(audit, NamesTheInterfaceAndTheTimeOfABalanceThatDoesNotClose) {
  scenario s = read(
      "system = { kind = 'rigid_bounce' }\nintegrator = { method = 'dopri5' }\n"
      "run = { duration = 1, audit = true, audit_tolerance = 1e-4 }\n");
  s.system = std::make_shared<forgetful>();
  s.initial = s.system->initial();
  const auto data = simulate(s);
  ASSERT_EQ(data.audit->findings.size(), 1U);
  EXPECT_EQ(data.audit->findings.front().where, "bodies");
  EXPECT_NEAR(data.audit->findings.front().t, 0.5, 0.01);
}

// A system without energy says so, and why.
TEST(audit, SaysWhoHasNoBalanceAndWhy) {
  for (const auto& [text, why] : std::vector<std::pair<std::string, std::string>>{
           {"system = { kind = 'prescribed_motion' }\nhysteresis = { model = 'bouc_wen' }\n"
            "motion = { of = 'position', kind = 'sine', amplitude = 1, frequency = 1 }\n",
            "takes plain numbers to plain numbers"},
           {"system = { kind = 'inclusion' }\nstates = { v = { rate = '-sgn(v)', initial = 1 } }\n",
            "state the energy of the bodies"}}) {
    try {
      static_cast<void>(simulate(read(text + "run = { duration = 0.5, audit = true }\n")));
      ADD_FAILURE() << text;
    } catch (const error& problem) {
      EXPECT_NE(std::string(problem.what()).find(why), std::string::npos) << problem.what();
    }
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

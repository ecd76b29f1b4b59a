// SPDX-License-Identifier: Apache-2.0
// Whatever bits a state, a drive or a step holds, no law reads or writes outside its arrays, loops
// without end or calls something undefined: a file may hold any number, and a run that has failed
// hands on what it has. Under the sanitizers this test says more than here.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <asperity/catalogue/catalogue.hpp>
#include <asperity/error.hpp>
#include <asperity/mechanics/planar_system.hpp>
#include <asperity/models/frictional_contact/azad_featherstone_clutch.hpp>
#include <asperity/models/frictional_contact/azad_featherstone_stribeck.hpp>
#include <asperity/models/frictional_contact/dai_frictional_contact.hpp>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/table_coupling.hpp>
#include <asperity/run/scenario.hpp>
#include <bit>
#include <cmath>
#include <limits>
#include <random>

namespace asperity {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
constexpr std::size_t capacity = any_model::max_states;

// Numbers that are an index, a count or a flag out of bounds, or nothing that a law expects.
class hostile {
 public:
  explicit hostile(unsigned seed) : engine_(seed) {}

  double operator()() {
    constexpr std::array odd_ones{0.0,    -0.0,    0.5,    1.0,      -1.0,        -5.0,
                                  24.0,   25.0,    30.0,   1000.0,   1e9,         1e19,
                                  -1e19,  1e300,   -1e300, infinity, -infinity,   no_number,
                                  5e-324, -5e-324, 1e-300, 1.7e308,  4294967296.5};
    if (engine_() % 3 != 0) return odd_ones[engine_() % odd_ones.size()];
    return std::bit_cast<double>(engine_());  // any bits at all
  }
  template <class S>
  S as() {
    return static_cast<S>((*this)());
  }

 private:
  std::mt19937_64 engine_;
};

// States with a margin behind them that nobody may touch.
struct guarded_state {
  static constexpr double mark = 4711.25;
  std::array<double, capacity + 8> all;
  explicit guarded_state(hostile& any, int states) {
    all.fill(mark);
    for (int i = 0; i < states; ++i) all[static_cast<std::size_t>(i)] = any();
  }
  double* data() { return all.data(); }
  bool is_whole(int states) const {
    for (std::size_t i = static_cast<std::size_t>(states); i < all.size(); ++i)
      if (all[i] != mark) return false;
    return true;
  }
};

std::vector<any_model> every_model() {
  std::vector<any_model> all;
  for (const catalogue_entry* entry : catalogue())
    for (const auto& variant : entry->variants)
      if (entry->at->is_line()) all.emplace_back(*entry, variant.curve);
  return all;
}

std::string name_of(const any_model& model) { return model.key() + " " + model.curve(); }

TEST(any_bits, AreTakenByEveryModelOfTheCatalogue) {
  for (const any_model& model : every_model()) {
    hostile any(20);
    const int n = model.states();
    for (int trial = 0; trial < 300; ++trial) {
      guarded_state state(any, n), rate(any, n);
      const drive<double> from{any(), any(), any()}, to{any(), any(), any()};
      const double h = any();
      if (model.is_ode()) model.respond(state.data(), to.x, to.v, to.load, rate.data());
      if (model.has_side()) model.side(state.data(), to, any(), rate.data());
      model.force(state.data(), to);
      if (model.has_energy()) model.stored_energy(state.data(), to.x, to.v, to.load);
      if (model.has_losses()) model.lost(state.data(), to, any(), rate.data());
      if (model.has_bound()) model.force_bound(to.x, to.v, to.load);
      if (model.has_slip_margin()) model.slip_margin(state.data(), to.x, to.v, to.load);
      if (model.has_react()) {
        const auto left = model.react(state.data(), to.load, h, from.x);
        model.settle(state.data(), left.solve(any(), any()), h);
      }
      // What it makes of them must not become an index, either.
      for (int i = 0; i < 4; ++i) model.advance(state.data(), from, {any(), any(), any()}, h);
      model.advance(state.data(), to, {1e-3, 1e-3, 1.0}, 1e-3);
      ASSERT_TRUE(state.is_whole(n) && rate.is_whole(n)) << name_of(model);
    }
  }
}

// The same equations in the other number types.
template <class S>
void any_bits_in(const any_model& model, const typed_functions<S>& equations) {
  if (equations.make == nullptr) return;
  const auto self = equations.make(model.self());
  hostile any(21);
  for (int trial = 0; trial < 50; ++trial) {
    std::array<S, capacity> state, rate;
    for (auto& each : state) each = lit<S>(any());
    const auto draw = [&] { return drive<S>{lit<S>(any()), lit<S>(any()), lit<S>(any())}; };
    const drive<S> from = draw(), to = draw();
    if (equations.respond != nullptr)
      equations.respond(self.get(), state.data(), to.x, to.v, to.load, rate.data());
    if (equations.side != nullptr)
      equations.side(self.get(), state.data(), to, lit<S>(any()), rate.data());
    if (equations.advance != nullptr)
      for (int i = 0; i < 3; ++i)
        equations.advance(self.get(), state.data(), from, draw(), lit<S>(any()));
  }
}

TEST(any_bits, AreTakenInEveryNumberType) {
  for (const any_model& model : every_model()) {
    any_bits_in(model, model.functions().in_float);
    any_bits_in(model, model.functions().in_dual);
    any_bits_in(model, model.functions().in_pack);
  }
}

TEST(any_bits, WithoutANumberGiveNone) {
  for (const any_model& model : every_model()) {
    std::array<double, capacity> state;
    state.fill(no_number);
    const drive<double> nowhere{no_number, no_number, no_number};
    EXPECT_TRUE(std::isnan(model.force(state.data(), nowhere))) << name_of(model);
    EXPECT_TRUE(std::isnan(model.advance(state.data(), nowhere, nowhere, no_number)))
        << name_of(model);
    for (int i = 0; i < model.states(); ++i)
      EXPECT_TRUE(std::isnan(state[static_cast<std::size_t>(i)])) << name_of(model) << " " << i;
  }
}

template <class Contact>
void any_bits_in_touch() {
  const Contact contact;
  hostile any(22);
  for (int trial = 0; trial < 2000; ++trial) {
    vec<double, Contact::states> state;
    for (double& each : state.element) each = any();
    const touch<double> in{any(), any(), {{any(), any()}}};
    static_cast<void>(contact(state, in));
    static_cast<void>(contact.energy(state, in));
    static_cast<void>(contact.slip_margin(state, in));
    if constexpr (requires { contact.remember(state, in); }) contact.remember(state, in);
    if constexpr (requires { contact.react(state, touch_mechanics<double>{}, 0.0); }) {
      const double h = any();
      const auto f = contact.react(state, {any(), {{any(), any()}}, any(), any()}, h);
      static_cast<void>(contact.settle(state, f, h));
    }
  }
  vec<double, Contact::states> none;
  for (double& each : none.element) each = no_number;
  const auto answer = contact(none, {no_number, no_number, {{no_number, no_number}}});
  EXPECT_TRUE(std::isnan(answer.f_n) || std::isnan(answer.rate[0]));
}

TEST(any_bits, AreTakenByEveryFrictionalContact) {
  any_bits_in_touch<dai_frictional_contact<double>>();
  any_bits_in_touch<azad_featherstone_clutch<double>>();
  any_bits_in_touch<azad_featherstone_stribeck<double>>();
}

TEST(any_bits, AreTakenByEveryPlanarLaw) {
  using curve = stribeck_exponential<double>;
  const auto patch = contact_patch::rectangle(0.02, 0.03, {});
  const auto mount = planar_mount::carried;
  std::vector<std::unique_ptr<planar_friction>> all;
  all.push_back(make_friction(disc_friction{}));
  all.push_back(make_friction(ellipsoid_friction{}));
  const patch_coulomb coulomb{patch, 1.0, 1e-6};
  all.push_back(make_friction(support_friction{
      [coulomb](const twist<double>& t) { return coulomb(t); }, 1.0, mount, true}));
  all.push_back(make_friction(patch_lugre_friction{patch_lugre(patch, 4, {}), mount}));
  all.push_back(make_friction(patch_dai_friction{patch_dai(patch, 4, {}), mount}));
  all.push_back(make_friction(patch_dai_friction{
      patch_dai(patch, 4, {.K = 1e5, .beta = 1e-3, .tau_d = 0.01, .g = {}}), mount}));
  const auto with = [&]<class Coupling>(const Coupling& coupling) {
    planar_lugre<double, Coupling, curve> lugre;
    planar_elastoplastic<double, Coupling, curve> elastoplastic;
    lugre.coupling = elastoplastic.coupling = coupling;
    all.push_back(make_bristle_friction(lugre, mount, false));
    all.push_back(make_bristle_friction(elastoplastic, mount, false));
  };
  with(ellipsoid_coupling<double>{});
  with(disc_coupling<double>{});
  with(table_coupling(patch, 8));

  for (std::size_t which = 0; which < all.size(); ++which) {
    const planar_friction& law = *all[which];
    hostile any(23);
    const auto n = static_cast<std::size_t>(law.states());
    std::vector<double> z(n), rate(n), end(n);
    for (int trial = 0; trial < 100; ++trial) {
      for (double& each : z) each = any();
      const vec<double, 3> q{{any(), any(), any()}}, u{{any(), any(), any()}};
      const double load = any();
      law.respond(q, u, z.data(), load, rate.data());
      law.stored(q, z.data());
      law.slipping(q, u, z.data(), load);
      law.utilisation(q, u, z.data(), load);
      law.initial(q, z.data());
      if (!law.has_stage()) continue;
      vec<double, 3> u_end{};
      const planar_stage<double> s{any(), q, u, {{any(), any(), any()}}, {{any(), any(), any()}},
                                   load};
      law.stage(s, z.data(), end.data(), u_end);
    }
    std::fill(z.begin(), z.end(), no_number);
    const vec<double, 3> none{{no_number, no_number, no_number}};
    const vec<double, 3> f = law.respond(none, none, z.data(), 1.0, rate.data());
    EXPECT_TRUE(std::isnan(f[0]) && std::isnan(f[2])) << "law " << which;
  }
}

// ---- what a start may be ------------------------------------------------------------------------

TEST(start, OfEveryModelIsAllowedAndSoIsWhatAMotionReaches) {
  for (const any_model& model : every_model()) {
    std::array<double, capacity> state{};
    model.initial(state.data());
    ASSERT_NO_THROW(model.check_state(state.data())) << name_of(model);
    // Turns of all sizes, from a motion that is far beyond every limit to one far within.
    std::mt19937 engine(24);
    const auto allowed = model.state_ranges();
    drive<double> at{0, 0, 1};
    const bool is_contact = model.at().is_contact();
    for (int i = 0; i < 2000; ++i) {
      const double size = std::pow(10.0, -7.0 + 6.0 * (i % 100) / 100);
      const double x = size * (engine() / 2147483648.0 - 1.0) - (is_contact ? 1e-4 : 0.0), h = 1e-3;
      const drive<double> next{x, (x - at.x) / h, 1};
      model.advance(state.data(), at, next, h);
      at = next;
      for (std::size_t k = 0; k < allowed.size(); ++k)
        ASSERT_TRUE(!allowed[k].whole || allows(allowed[k], state[k]))
            << name_of(model) << " " << model.state_names()[k] << " = " << state[k];
    }
  }
}

std::string complaint(const any_model& model, const std::string& initial) {
  const std::string curve =
      model.curve().empty() ? "" : fmt::format(", curve = '{}'", model.curve());
  const auto given = parse_toml(
      fmt::format("system.kind = 'prescribed_motion'\n{} = {{ model = '{}'{} }}\n"
                  "motion = {{ of = 'velocity', value = 0 }}\nload = 1\nrun.duration = 1\n"
                  "initial = {{ {} }}\n",
                  model.entry().family, model.key(), curve, initial),
      "it.toml");
  try {
    static_cast<void>(read_scenario(given, "it", ""));
    return "";
  } catch (const error& problem) {
    return problem.what();
  }
}

TEST(start, OutOfItsRangeIsRefusedWithStateValueAndRange) {
  int ranged = 0;
  for (const any_model& model : every_model()) {
    const auto names = model.state_names();
    const auto allowed = model.state_ranges();
    for (std::size_t i = 0; i < names.size(); ++i) {
      const range r = allowed[i];
      std::vector<double> bad, good;
      if (r.lower > -unbounded) (r.open_below ? bad : good).push_back(r.lower);
      if (r.lower > -unbounded) bad.push_back(r.lower - 1);
      if (r.upper < unbounded) good.push_back(r.upper);
      if (r.upper < unbounded) bad.push_back(r.upper + 1);
      if (r.whole) bad.push_back(0.5);
      ranged += bad.empty() ? 0 : 1;
      for (const double value : bad) {
        const std::string told = complaint(model, fmt::format("{} = {}", names[i], value));
        for (const std::string& word :
             {std::string("it.toml:6:"), fmt::format("initial.{} = ", names[i]), to_string(r)})
          EXPECT_NE(told.find(word), std::string::npos) << name_of(model) << ": " << told;
      }
      for (const double value : good)
        EXPECT_EQ(complaint(model, fmt::format("{} = {}", names[i], value)), "") << name_of(model);
    }
  }
  EXPECT_GT(ranged, 60);  // indices, counts, flags, friction limits
}

}  // namespace
}  // namespace asperity

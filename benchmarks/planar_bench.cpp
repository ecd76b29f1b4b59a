// SPDX-License-Identifier: Apache-2.0
// Planar friction: Coulomb friction of patches per wrench, distributed laws per cell and step, from
// 10 x 10 to 200 x 200 cells, reduced laws per step, and how far the reduced ones are from the
// distributed ones along the same motion. The setting is that of the public code for planar LuGre
// friction (20 mm disc, mu_c 1, mu_s 1.2, v_s 1 mm/s, sigma 1e5, 20, 0.2, steps of 10 us), the
// motion our own.

#include <benchmark/benchmark.h>

#include <algorithm>
#include <asperity/models/planar/planar_elastoplastic.hpp>
#include <asperity/patch/patch_coulomb.hpp>
#include <asperity/patch/patch_dai.hpp>
#include <asperity/patch/patch_lugre.hpp>
#include <asperity/patch/table_coupling.hpp>
#include <cmath>
#include <cstdio>
#include <string>

namespace asperity {
namespace {

constexpr double R = 0.01, h = 1e-5;
const stribeck_exponential<double> curve{.F_c = 1, .F_s = 1.2, .v_s = 1e-3, .sigma_2 = 0.2};

// Sliding and spinning with reversals of all three.
twist<double> motion(double t) {
  return {{0.02 * std::cos(2 * t), 0.015 * std::sin(3.1 * t + 0.4), 2.0 * std::cos(1.3 * t + 1)}};
}

// The first steps of it, over and over, so that the sines are not measured. Patches start in
// sliding: however few steps are measured, they are of the same kind.
constexpr int path_steps = 1000, steps_before = 500;
const std::vector<twist<double>>& path() {
  static const auto all = [] {
    std::vector<twist<double>> points;
    for (int i = 0; i < path_steps; ++i) points.push_back(motion(h * i));
    return points;
  }();
  return all;
}

patch_lugre::parameters lugre_with(double z_ba) {
  patch_lugre::parameters with;
  with.sigma_0 = 1e5;
  with.sigma_1 = 20;
  with.z_ba = z_ba;
  with.g = curve;
  return with;
}

void per_cell(benchmark::State& state, int cells) {
  state.counters["cells"] = cells;
  state.counters["ns_per_cell"] = benchmark::Counter(
      cells * 1e-9, benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

// About centres of rotation all around, at a distance of so many percent of the reach.
void coulomb(benchmark::State& state, const contact_patch& patch) {
  const patch_coulomb law{patch};
  std::vector<twist<double>> motions;
  for (int i = 0; i < 20; ++i) {
    const double distance = 0.01 * static_cast<double>(state.range(0)) * patch.reach();
    motions.push_back(
        {{distance * std::sin(0.3 + 0.31 * i), -distance * std::cos(0.3 + 0.31 * i), 1}});
  }
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(law(motions[i]));
    i = (i + 1) % motions.size();
  }
}

// Ten by ten uneven pressures that cover the patches here.
planar_table some_pressures() {
  planar_table table{-2 * R, -2 * R, 4 * R / 9, 4 * R / 9, 10, 10, {}};
  for (int i = 0; i < 100; ++i) table.values.push_back(1 + 0.5 * std::sin(i));
  return table;
}

void register_coulomb() {
  pressure_field hertz, table;
  hertz.is = pressure_field::kind::hertz;
  table.is = pressure_field::kind::table;
  table.table = some_pressures();
  contact_patch::polygon star;
  for (int i = 0; i < 16; ++i) {
    const double r = i % 2 == 0 ? R : 0.7 * R;
    star.push_back({r * std::cos(0.3927 * i), r * std::sin(0.3927 * i)});
  }
  for (const auto& [name, patch] :
       {std::pair{"rectangle", contact_patch::rectangle(2 * R, R)},
        std::pair{"polygon_of_16", contact_patch::with_holes(star)},
        std::pair{"disc", contact_patch::disc(R)},
        std::pair{"disc/hertz", contact_patch::disc(R, hertz)},
        std::pair{"ellipse", contact_patch::ellipse(R, 0.4 * R)},
        std::pair{"ring", contact_patch::ring(0.6 * R, R)},
        std::pair{"disc/table", contact_patch::disc(R, table)},
        std::pair{"grid_of_100", contact_patch::grid(some_pressures())}})
    benchmark::RegisterBenchmark((std::string("patch_coulomb/") + name).c_str(), coulomb, patch)
        ->Arg(50)
        ->Arg(100)
        ->Arg(200)
        ->Arg(2000);
}

void distributed_lugre(benchmark::State& state, double z_ba) {
  const patch_lugre law(contact_patch::rectangle(2 * R, 2 * R), static_cast<int>(state.range(0)),
                        lugre_with(z_ba));
  std::vector<double> z(static_cast<std::size_t>(law.states()));
  std::size_t i = 0;
  const auto step = [&] {
    const auto f = law.advance(z.data(), path()[i], 1, h);
    i = (i + 1) % path_steps;
    return f;
  };
  for (int n = 0; n < steps_before; ++n) step();
  for (auto _ : state) benchmark::DoNotOptimize(step());
  per_cell(state, law.cells());
}

// A body on patch_dai, in the three states that differ in cost: it slides and spins with all cells,
// driven towards the motion by a stiff hand; a soft hand that friction stops holds it; a force that
// goes around at 0.7 of the friction, with a torque, lets about half of the cells slip. `slipping`
// is the share of the load on cells that slip, on average.
enum class on_patch { slides, held, slips_partly };
void distributed_dai(benchmark::State& state, on_patch what) {
  patch_dai::parameters with{.K = 1e5, .beta = 1e-3};
  with.g = curve;
  const patch_dai law(contact_patch::rectangle(2 * R, 2 * R), static_cast<int>(state.range(0)),
                      with);
  std::vector<double> b(static_cast<std::size_t>(law.states())), end = b;
  vec<double, 3> q{}, u{};
  if (what != on_patch::slips_partly) u = motion(0);
  law.initial(q, b.data());
  double passes = 0, steps = 0, slipping = 0;
  std::size_t i = 0;
  std::vector<vec<double, 3>> around;
  for (int n = 0; n < path_steps; ++n) {
    const double phase = 2 * 3.14159265358979323846 * n / path_steps;
    around.push_back({{0.7 * std::cos(phase), 0.7 * std::sin(phase), 0.15 * R * std::cos(phase)}});
  }
  const auto push = [&]() -> vec<double, 3> {
    if (what == on_patch::slips_partly) return around[i];
    const vec<double, 3> hand = (what == on_patch::slides ? 200.0 : 20.0) * (path()[i] - u);
    return {{hand[0], hand[1], 1e-4 * hand[2]}};
  };
  const auto advance = [&] {
    const vec<double, 3> f = push();
    const vec<double, 3> u_free{
        {u[0] + h * f[0] / 0.1, u[1] + h * f[1] / 0.1, u[2] + h * f[2] / 5e-6}};
    const auto step = law.step({{{0.1, 0.1, 5e-6}}}, q, u, u_free, 1, h, b.data(), end.data());
    if (!step.converged) state.SkipWithError("a step did not converge");
    u = step.u;
    q = q + h * u;
    b.swap(end);
    i = (i + 1) % path_steps;
    passes += step.passes;
    slipping += step.slipping;
    ++steps;
  };
  for (int n = 0; n < steps_before; ++n) advance();
  passes = steps = slipping = 0;
  for (auto _ : state) advance();
  per_cell(state, law.cells());
  state.counters["passes"] = passes / steps;
  state.counters["slipping"] = slipping / steps;
}

// One explicit step of the three states, as the public code does.
template <class Law>
wrench<double> advance(const Law& law, vec<double, 3>& z, const twist<double>& t) {
  const auto answer = law(z, t, 1.0);
  z = z + h * answer.rate;
  return answer.f;
}

template <class Law>
void reduced(benchmark::State& state, const Law& law) {
  vec<double, 3> z;
  twist<double> along[1000];
  for (int i = 0; i < 1000; ++i) along[i] = motion(2e-3 * i);
  int i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(advance(law, z, along[i]));
    i = i == 999 ? 0 : i + 1;
  }
}

template <template <class, class, class> class Law, class Coupling>
auto reduced_law(const Coupling& coupling) {
  Law<double, Coupling, stribeck_exponential<double>> law;
  law.sigma_0 = 1e5;
  law.sigma_1 = 20;
  law.coupling = coupling;
  law.g = curve;
  if constexpr (requires { law.z_ba; }) law.z_ba = 5e-6;
  return law;
}

// A motion of the public code for planar LuGre friction (vel_num_cells): spin,
// sliding along x and back, sliding along y, each begun and ended evenly in 0.6 s.
twist<double> published_motion(double t) {
  const auto ramp = [&](double from) { return std::clamp((t - from) / 0.6, 0.0, 1.0); };
  return {{0.015 * (ramp(0.8) - ramp(1.6)), 0.015 * (ramp(2.4) - ramp(4.0)), ramp(0) - ramp(3.2)}};
}

// Root mean square differences of force and torque along a motion, relative to their own. What
// differs is the wake of a centre of rotation inside the contact, which three states do not have:
// the error falls with the speed.
template <class Law, class Motion>
void compare(const char* name, const Law& law, double z_ba, const char* which, double duration,
             const Motion& along) {
  const patch_lugre cells(contact_patch::disc(R), 30, lugre_with(z_ba));
  std::vector<double> states(static_cast<std::size_t>(cells.states()));
  vec<double, 3> z;
  double force = 0, force_off = 0, torque = 0, torque_off = 0;
  for (int i = 0; i < duration / h; ++i) {
    const twist<double> t = along(h * i);
    const auto exact = cells.advance(states.data(), t, 1, h), ours = advance(law, z, t);
    if (i < 2000) continue;
    force += exact[0] * exact[0] + exact[1] * exact[1];
    torque += exact[2] * exact[2];
    force_off += std::pow(ours[0] - exact[0], 2) + std::pow(ours[1] - exact[1], 2);
    torque_off += std::pow(ours[2] - exact[2], 2);
  }
  std::printf("%-28s %s: force %.3f %%   torque %.3f %% rms off the distributed law\n", name, which,
              100 * std::sqrt(force_off / force), 100 * std::sqrt(torque_off / torque));
}

}  // namespace
}  // namespace asperity

int main(int count, char** arguments) {
  using namespace asperity;
  const table_coupling table(contact_patch::disc(R));
  const disc_coupling<double> disc{R};
  const auto lugre_disc = reduced_law<planar_lugre>(disc);
  const auto lugre_table = reduced_law<planar_lugre>(table);
  const auto plastic_disc = reduced_law<planar_elastoplastic>(disc);
  const auto plastic_table = reduced_law<planar_elastoplastic>(table);

  register_coulomb();
  for (const auto& [name, z_ba] :
       {std::pair{"patch_lugre", 0.0}, std::pair{"patch_lugre/elastoplastic", 5e-6}})
    benchmark::RegisterBenchmark(name, distributed_lugre, z_ba)
        ->Arg(10)
        ->Arg(20)
        ->Arg(50)
        ->Arg(100)
        ->Arg(200);
  for (const auto& [name, what] : {std::pair{"patch_dai/slides", on_patch::slides},
                                   std::pair{"patch_dai/held", on_patch::held},
                                   std::pair{"patch_dai/slips_partly", on_patch::slips_partly}})
    benchmark::RegisterBenchmark(name, distributed_dai, what)
        ->Arg(10)
        ->Arg(20)
        ->Arg(50)
        ->Arg(100)
        ->Arg(200);
  const auto add = [](const char* name, const auto& law) {
    benchmark::RegisterBenchmark(name, [&law](benchmark::State& state) { reduced(state, law); });
  };
  add("planar_lugre/disc", lugre_disc);
  add("planar_lugre/table", lugre_table);
  add("planar_elastoplastic/disc", plastic_disc);
  add("planar_elastoplastic/table", plastic_table);
  benchmark::Initialize(&count, arguments);
  benchmark::RunSpecifiedBenchmarks();
  const std::string filter = benchmark::GetBenchmarkFilter();
  if (!filter.empty() && filter != ".") return 0;  // only some were asked for
  const auto compare_all = [&](const char* which, double duration, const auto& along) {
    compare("planar_lugre/disc", lugre_disc, 0, which, duration, along);
    compare("planar_lugre/table", lugre_table, 0, which, duration, along);
    compare("planar_elastoplastic/disc", plastic_disc, 5e-6, which, duration, along);
    compare("planar_elastoplastic/table", plastic_table, 5e-6, which, duration, along);
  };
  for (const auto& [which, faster] :
       {std::pair{"at  6 mm/s", 0.3}, std::pair{"at 20 mm/s", 1.0}, std::pair{"at 60 mm/s", 3.0}})
    compare_all(which, 2, [faster = faster](double t) { return faster * motion(t); });
  compare_all("published ", 4.6, published_motion);
}

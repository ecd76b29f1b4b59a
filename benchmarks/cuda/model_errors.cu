// SPDX-License-Identifier: Apache-2.0
// Every model of the catalogue with rates, on a GPU: 10 ms of a body that it rubs or holds up, by RK4
// in steps of 2 us, for 256 masses. Printed are the differences from double on the processor:
// greatest difference of the positions over the greatest way.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -I. -Ibuild/release/generated benchmarks/cuda/model_errors.cu -o model_errors && ./model_errors

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/generated/all_models.hpp>
#include <asperity/systems/bouncing_mass.hpp>
#include <cstdio>

namespace asperity {
namespace {

constexpr double start_of_contact = 1e-4, start_of_friction = 0;

template <class S>
struct shaken : no_inputs<S> {
  ASPERITY_FN S force(const S& t) const { return lit<S>(3.0) * math::sin<S>(lit<S>(500.0) * t); }
};
template <class S>
struct falling : no_inputs<S> {
  ASPERITY_FN S force(const S&) const { return lit<S>(-9.81); }
};

template <class Real, class Tag>
struct bodies {
  std::vector<Real> mass;
  std::size_t count() const { return mass.size(); }
  template <class S>
  ASPERITY_FN auto at(const lane_reader<S>& read) const {
    using model = typename Tag::template type<S>;
    if constexpr (Tag::is_contact) {
      bouncing_mass<S, model, falling<S>> system;
      system.m = read(mass);
      return system;
    } else {
      sliding_mass<S, model, shaken<S>> system;
      system.m = read(mass);
      return system;
    }
  }
};

template <class S, class Tag>
concept runs = requires {
  typename Tag::template type<S>;
}
&&requires(const typename Tag::template type<S>& model,
           const vec<S, Tag::template type<S>::states>& state, const drive<S>& in) {
  model(state, in);
};

// The positions in the end.
template <class S, class Tag>
std::vector<double> positions(device where) {
  using Real = typename lane_reader<S>::real;
  bodies<Real, Tag> all;
  for (int i = 0; i < 256; ++i) all.mass.push_back(static_cast<Real>(0.5 + i / 256.0));
  const typename Tag::template type<Real> model;
  std::vector<std::vector<Real>> y(2 + static_cast<std::size_t>(state_count(model)),
                                   std::vector<Real>(all.count()));
  std::fill(y[0].begin(), y[0].end(),
            static_cast<Real>(Tag::is_contact ? start_of_contact : start_of_friction));
  if constexpr (requires { model.initial(); }) {
    const auto first = model.initial();
    for (std::size_t k = 2; k < y.size(); ++k)
      std::fill(y[k].begin(), y[k].end(), first[static_cast<int>(k) - 2]);
  }
  std::vector<Real*> places;
  for (auto& each : y) places.push_back(each.data());
  run_batch<S, batch_method::rk4>(on_device{.where = where}, all, {.step = 2e-6, .steps = 5000},
                                  places);
  return {y[0].begin(), y[0].end()};
}

// Models of many elements take minutes to compile; batch_bench.cu has one of them.
template <class Tag>
constexpr bool is_small = requires {
  requires Tag::template type<double>::states <= 4;
};

template <class Tag>
void print() {
  if constexpr (runs<double, Tag> && !is_small<Tag>) {
    std::printf("%-32s has many elements: not looked at here\n", Tag::key);
  } else if constexpr (runs<double, Tag>) {
    const auto truth = positions<double, Tag>(device::cpu);
    double way = 0;
    for (const double x : truth)
      way = std::max(way, std::abs(x - (Tag::is_contact ? start_of_contact : start_of_friction)));
    const auto error = [&](const std::vector<double>& x) {
      double worst = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const double d = std::abs(x[i] - truth[i]);
        if (!(d <= worst)) worst = d;
      }
      return worst / way;
    };
    if (!std::isfinite(way)) {
      std::printf("%-32s is rigid: for closed-form steps alone\n", Tag::key);
      return;
    }
    std::printf("%-32s way %.1e m  double %.0e", Tag::key, way,
                error(positions<double, Tag>(device::cuda)));
    if constexpr (runs<prepared<double>, Tag>)
      std::printf("  prepared %.0e", error(positions<prepared<double>, Tag>(device::cuda)));
    if constexpr (runs<float, Tag>)
      std::printf("  float %.0e", error(positions<float, Tag>(device::cuda)));
    if constexpr (runs<prepared<float>, Tag>)
      std::printf("  prepared %.0e", error(positions<prepared<float>, Tag>(device::cuda)));
    else
      std::printf("  prepared: none, it branches on its memory");
    std::printf("\n");
  } else {
    std::printf("%-32s has no rates: its memory is not an ODE\n", Tag::key);
  }
  std::fflush(stdout);
}

template <class List>
struct every;
template <class... Tags>
struct every<model_list<Tags...>> {
  static void print_all() { (print<Tags>(), ...); }
};

}  // namespace
}  // namespace asperity

int main() {
  try {
    asperity::every<asperity::generated::all_models>::print_all();
  } catch (const asperity::error& problem) {
    std::printf("%s\n", problem.what());
    return 1;
  }
}

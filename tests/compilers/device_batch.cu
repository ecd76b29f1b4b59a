// SPDX-License-Identifier: Apache-2.0
// For nvcc: batches in kernels, with measures and events, and every number of elements that
// with_fixed_count knows. Run on a device, it compares with the same text on the processor; without
// one it exits with 77. ptxas is told to refuse a stack: states must stay in registers.

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cstdio>

namespace asperity {
namespace {

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  ASPERITY_FN S anchor(const S& t) const { return speed * t; }
};
template <class S>
ASPERITY_FN void set(dai<S>&) {}
template <class S>
ASPERITY_FN void set(lugre<S>&) {}
template <class S, class Curve, int N, class Count>
ASPERITY_FN void set(dai_multistate<S, Curve, N, Count>& model) {
  model.kappa = lists::harmonic<S, N>(1e5);
  model.sigma = lists::all<S, N>(20.0);
  model.lambda = lists::all<S, N>(1.0 / N);
  model.g.v_s = lit<S>(1e-3);
}

template <class Real, template <class> class Model>
struct pulled_masses {
  std::vector<Real> mass, speed;
  explicit pulled_masses(std::size_t n) : mass(n), speed(n) {
    for (std::size_t i = 0; i < n; ++i) {
      mass[i] = static_cast<Real>(0.5 + 0.001 * static_cast<double>(i));
      speed[i] = static_cast<Real>(0.05 + 0.001 * static_cast<double>(i % 50));
    }
  }
  std::size_t count() const { return mass.size(); }
  template <class S>
  ASPERITY_FN auto at(const lane_reader<S>& read) const {
    sliding_mass<S, Model<S>, steady_pull<S>> system;
    system.m = read(mass);
    system.k = lit<S>(100.0);
    system.inputs.speed = read(speed);
    set(system.friction);
    return system;
  }
  template <class S>
  static ASPERITY_FN S event(const S&, const S* y) {
    return y[1] - lit<S>(0.01);
  }
  template <class System, class S>
  static ASPERITY_FN vec<S, 1> observe(const System&, const S&, const S* y) {
    return {{y[1]}};
  }
};
template <class S>
using exponential_lugre = lugre<S>;

template <class Real>
struct result {
  std::vector<std::vector<Real>> states;
  batch_events<Real> events;
  batch_measures<Real> measures;
  std::vector<Real*> places;
  result(int size, std::size_t n)
      : states(static_cast<std::size_t>(size), std::vector<Real>(n)), events(n), measures(n, 1) {
    for (auto& each : states) places.push_back(each.data());
  }
};

// The greatest difference, relative to the greatest value; 1 where one of them is NaN.
template <class Real>
double difference(const std::vector<Real>& a, const std::vector<Real>& b) {
  double worst = 0, size = 1e-300;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (std::isnan(d)) return 1;
    worst = std::max(worst, d);
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return worst / size;
}

// Whether device and processor end in the same states and saw the same.
template <class S, batch_method Method, template <class> class Model, int Size>
int compare(const char* what, double tolerance) {
  using Real = typename lane_reader<S>::real;
  const pulled_masses<Real, Model> systems(1000);
  const batch_plan plan{.step = 5e-5, .steps = 4000, .method = Method};
  result<Real> here(Size, systems.count()), there(Size, systems.count());
  run_batch<S, Method>(on_device{.where = device::cpu}, systems, plan, here.places, &here.events,
                       &here.measures);
  // In chunks, too.
  run_batch<S, Method>(on_device{.where = device::cuda, .memory = 20'000}, systems, plan,
                       there.places, &there.events, &there.measures);
  const double worst = std::max({difference(there.states[0], here.states[0]),
                                 difference(there.states[1], here.states[1]),
                                 difference(there.events.first, here.events.first),
                                 difference(there.measures.maximum[0], here.measures.maximum[0]),
                                 difference(there.measures.mean[0], here.measures.mean[0])});
  const bool is_same = worst <= tolerance && there.events.count == here.events.count;
  std::printf("%-24s %s: %.1e\n", what, is_same ? "same" : "DIFFERENT", worst);
  return is_same ? 0 : 1;
}

template <int N>
struct elements {
  template <class S>
  using model = dai_multistate<S, stribeck_exponential<S>, N, fixed_count<N>>;
};

// What is written for doubles of a device (scalar/device_doubles.hpp), beside the processor: sat to the
// bit, the others by units in the last place.
constexpr int cases = 1 << 16;
__device__ double doubles[3][cases];

__global__ void evaluate_doubles(const double* bounds, const double* at) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  doubles[0][i] = math::sat<double>(bounds[i], at[i]);
  doubles[1][i] = detail::quick_exp<double>(at[i]);
  doubles[2][i] = detail::reciprocal<double>(at[i]);
}

double units_off(double x, double exact) {
  if (std::isnan(exact)) return std::isnan(x) ? 0 : unbounded;
  if (x == exact) return 0;
  return std::abs(x - exact) / (std::nextafter(std::abs(exact), unbounded) - std::abs(exact));
}

int compare_doubles() {
  std::vector<double> bounds, at;
  for (const double Z : {0.0, 1.0, 1e-300, 1e300, unbounded, std::nan("")})
    for (const double x : {0.0, 1.0, 1e-300, 1e300, 708.5, 709.75, 710.0, unbounded, std::nan("")})
      for (const double sign : {-1.0, 1.0}) {
        bounds.push_back(Z);
        at.push_back(sign * x);
      }
  for (int k = static_cast<int>(at.size()); k < cases; ++k) {  // |x| from 1e-9 to 700
    bounds.push_back(std::exp(0.01 * (k % 1000) - 5));
    at.push_back((k % 2 == 0 ? 1 : -1) * std::exp(27.27 * k / cases - 20.72));
  }
  double *Z = nullptr, *x = nullptr;
  detail::check_cuda(cudaMalloc(&Z, 2 * cases * sizeof(double)), "doubles");
  x = Z + cases;
  cudaMemcpy(Z, bounds.data(), cases * sizeof(double), cudaMemcpyHostToDevice);
  cudaMemcpy(x, at.data(), cases * sizeof(double), cudaMemcpyHostToDevice);
  evaluate_doubles<<<cases / 128, 128>>>(Z, x);
  std::vector<double> found(3 * cases);
  detail::check_cuda(cudaMemcpyFromSymbol(found.data(), doubles, 3 * cases * sizeof(double)),
                     "doubles");
  cudaFree(Z);
  double worst[3] = {};
  for (std::size_t i = 0; i < cases; ++i) {
    const double sat = math::sat<double>(bounds[i], at[i]);
    if (std::signbit(sat) != std::signbit(found[i]) && !std::isnan(sat)) worst[0] = unbounded;
    worst[0] = std::max(worst[0], units_off(found[i], sat));
    const double power = std::exp(at[i]);  // below 2.3e-308 it is 0
    worst[1] = std::max(worst[1], units_off(found[cases + i], at[i] < -708 ? 0 : power));
    worst[2] = std::max(worst[2], units_off(found[2 * cases + i], 1 / at[i]));
  }
  const bool is_right = worst[0] == 0 && worst[1] <= 2 && worst[2] <= 1;
  std::printf("%-24s %s: sat %.1f, exp %.1f, 1/x %.1f units\n", "doubles",
              is_right ? "same" : "DIFFERENT", worst[0], worst[1], worst[2]);
  return is_right ? 0 : 1;
}

int run() {
  using enum batch_method;
  int failures = compare_doubles();
  failures += compare<double, rk4, dai, 3>("dai, rk4", 1e-9);
  failures += compare<double, euler, dai, 3>("dai, euler", 1e-9);
  failures += compare<double, backward_euler, dai, 3>("dai, backward Euler", 1e-9);
  failures += compare<double, sdirk2, dai, 3>("dai, sdirk2", 1e-9);
  failures += compare<double, rk4, exponential_lugre, 3>("lugre, rk4", 1e-9);
  failures += compare<prepared<double>, rk4, exponential_lugre, 3>("lugre, prepared", 1e-9);
  failures += compare<prepared<double>, rk4, dai, 3>("dai, prepared", 1e-9);
  failures += compare<prepared<float>, rk4, dai, 3>("dai, float, prepared", 1e-3);
  failures += compare<float, rk4, elements<1>::model, 4>("1 element, float", 1e-3);
  failures += compare<float, rk4, elements<2>::model, 5>("2 elements, float", 1e-3);
  failures += compare<float, rk4, elements<4>::model, 7>("4 elements, float", 1e-3);
  failures += compare<float, rk4, elements<8>::model, 11>("8 elements, float", 1e-3);
  failures += compare<double, rk4, elements<10>::model, 13>("10 elements", 1e-9);
  failures += compare<prepared<double>, rk4, elements<10>::model, 13>("10, prepared", 1e-9);
  failures += compare<float, rk4, elements<16>::model, 19>("16 elements, float", 1e-3);
  failures += compare<prepared<float>, rk4, elements<32>::model, 35>("32, float, prepared", 1e-3);
  return failures;
}

}  // namespace
}  // namespace asperity

int main() {
  std::string why;
  if (!asperity::has_cuda_device(&why)) {
    std::printf("no device (%s): skipped\n", why.c_str());
    return 77;
  }
  try {
    return asperity::run() == 0 ? 0 : 1;
  } catch (const asperity::error& problem) {
    std::printf("%s\n", problem.what());
    return 1;
  }
}

// SPDX-License-Identifier: Apache-2.0
// A million stick-slip oscillators on a GPU: RK4 steps per second through run_batch, with parameters
// of their own and with measures, beside bare kernels of the same arithmetic; the error of float and
// of prepared numbers; and a map of the onset of stick-slip, checked against the processor.
//
//   nvcc -std=c++20 -O3 -arch=sm_90 -I. benchmarks/cuda/batch_bench.cu -o batch_bench && ./batch_bench
//   compute-sanitizer ./batch_bench --small

#include <asperity/batch/cuda/batch.hpp>
#include <asperity/mechanics/sliding_mass.hpp>
#include <asperity/models/friction/dai.hpp>
#include <asperity/models/friction/dai_multistate.hpp>
#include <asperity/models/friction/lugre.hpp>
#include <cstdio>
#include <random>

namespace asperity {
namespace {

constexpr double h = 5e-5;  // [s]
constexpr double spring = 100, stiffness = 1e5, damping = 316.2277660168379;
constexpr double coulomb = 1, stribeck_speed = 1e-3, viscous = 0.4;
constexpr double element_damping = 20, lag = 0.02;

// ---- the systems, through the library -----------------------------------------------------------

template <class S>
struct steady_pull : no_inputs<S> {
  S speed = lit<S>(0.1);
  ASPERITY_FN S anchor(const S& t) const { return speed * t; }
};

// Of a mass on friction and a spring nothing but these: sliding_mass has a force and a damper as well,
// two operations more for each evaluation.
template <class S, class Model>
struct mass_on_spring {
  Model friction;
  S m = lit<S>(1.0), k = lit<S>(1.0), speed = lit<S>(0.1);
  static constexpr int capacity = 2 + Model::states;
  ASPERITY_FN int size() const { return 2 + state_count(friction); }
  ASPERITY_FN void rates(const S& t, const S* y, S* rate) const {
    const S f = respond(friction, y + 2, drive<S>{y[0], y[1]}, rate + 2);
    rate[0] = y[1];
    rate[1] = (k * (speed * t - y[0]) - f) / m;
  }
};

template <class S>
ASPERITY_FN void set_level(lugre<S>& model, const S& level) {
  model.g.F_s = level;
}
template <class S>
ASPERITY_FN void set_level(dai<S>& model, const S& level) {
  model.F = level;
}
template <class S, class Curve, int N, class Count>
ASPERITY_FN void set_level(dai_multistate<S, Curve, N, Count>& model, const S& level) {
  model.kappa = lists::harmonic<S, N>(stiffness);
  model.sigma = lists::all<S, N>(element_damping);
  model.lambda = lists::all<S, N>(1.0 / N);
  model.g.F_s = level;
  model.g.v_s = lit<S>(stribeck_speed);
}

// Pulled masses that differ in mass, speed and the highest friction.
template <class Real, template <class> class Model>
struct oscillators {
  std::vector<Real> mass, speed, level;
  explicit oscillators(std::size_t n) : mass(n), speed(n), level(n) {
    for (std::size_t i = 0; i < n; ++i) {
      mass[i] = static_cast<Real>(0.5 + static_cast<double>(i % 1000) / 1000);
      speed[i] = static_cast<Real>(0.05 + 0.1 * static_cast<double>(i % 777) / 777);
      level[i] = static_cast<Real>(1.2 + 0.3 * static_cast<double>(i % 555) / 555);
    }
  }
  std::size_t count() const { return mass.size(); }
  template <class S>
  ASPERITY_FN auto at(const lane_reader<S>& read) const {
    mass_on_spring<S, Model<S>> system;
    system.m = read(mass);
    system.k = lit<S>(spring);
    system.speed = read(speed);
    set_level(system.friction, read(level));
    return system;
  }
  template <class System, class S>
  static ASPERITY_FN vec<S, 1> observe(const System&, const S&, const S* y) {
    return {{y[1]}};
  }
  template <class System, class S>
  static ASPERITY_FN S stick_margin(const System&, const S&, const S* y) {
    return math::abs<S>(y[1]) - lit<S>(1e-3);
  }
};

template <class S>
using exponential_lugre = lugre<S>;
template <class S>
using ten_elements = dai_multistate<S, stribeck_exponential<S>, 10, fixed_count<10>>;

// ---- the same arithmetic without any library ----------------------------------------------------
// Fast: reciprocals in place of divisions, and the hardware's exponential in float.

enum class law { lugre, dai, ten };
template <law Which>
constexpr int states_of = Which == law::ten ? 13 : 3;

template <class T, bool Fast>
struct bare_numbers {
  static __device__ T quotient(T a, T b, T per_b) { return Fast ? a * per_b : a / b; }
  static __device__ T quotient(T a, T b) {
    if constexpr (Fast && sizeof(T) == 4) return __fdividef(a, b);
    return a / b;
  }
  static __device__ T exponential(T x) {
    if constexpr (Fast && sizeof(T) == 4) return __expf(x);
    return std::exp(x);
  }
};

template <class T, bool Fast, law Which>
struct bare_rates {
  using numbers = bare_numbers<T, Fast>;
  T m, speed, level, per_m;

  __device__ T at_speed(T v) const {
    const T r = numbers::quotient(v, T(stribeck_speed), T(1 / stribeck_speed));
    return T(coulomb) + (level - T(coulomb)) * numbers::exponential(-(r * r));
  }
  __device__ void operator()(T t, const T* y, T* rate) const {
    const T v = y[1];
    T f = 0;
    if constexpr (Which == law::lugre) {
      rate[2] = v - numbers::quotient(T(stiffness) * std::abs(v), at_speed(v)) * y[2];
      f = T(stiffness) * y[2] + T(damping) * rate[2] + T(viscous) * v;
    } else if constexpr (Which == law::dai) {
      const T trial = T(stiffness) * (y[2] + T(1e-3) * v);
      f = std::fmin(level, std::fmax(-level, trial));
      const T slipping = numbers::quotient(
          numbers::quotient(f, T(stiffness), T(1 / stiffness)) - y[2], T(1e-3), T(1e3));
      rate[2] = std::abs(trial) < level ? v : slipping;
    } else {
      rate[2] = numbers::quotient(at_speed(v) - y[2], T(lag), T(1 / lag));
      const T limit = T(0.1) * y[2];
#pragma unroll
      for (int i = 0; i < 10; ++i) {
        const T elastic = T(stiffness / (i + 1)) * y[3 + i];
        const T trial = elastic + T(element_damping) * v;
        const T part = std::fmin(limit, std::fmax(-limit, trial));
        const T slipping =
            numbers::quotient(part - elastic, T(element_damping), T(1 / element_damping));
        rate[3 + i] = std::abs(trial) < limit ? v : slipping;
        f += part;
      }
    }
    rate[0] = v;
    rate[1] = numbers::quotient(T(spring) * (speed * t - y[0]) - f, m, per_m);
  }
};

template <class T, bool Fast, law Which>
__global__ void bare_kernel(const T* parameters, T* states, int count, int steps) {
  constexpr int n = states_of<Which>;
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i >= count) return;
  const T m = parameters[i];
  const bare_rates<T, Fast, Which> rates{m, parameters[count + i], parameters[2 * count + i],
                                         1 / m};
  T y[n], k1[n], k2[n], k3[n], k4[n], stage[n];
#pragma unroll
  for (int k = 0; k < n; ++k) y[k] = states[k * count + i];
  for (int step = 0; step < steps; ++step) {
    const T t = T(step * h), half = T(h / 2), whole = T(h);
    rates(t, y, k1);
#pragma unroll
    for (int k = 0; k < n; ++k) stage[k] = y[k] + half * k1[k];
    rates(t + half, stage, k2);
#pragma unroll
    for (int k = 0; k < n; ++k) stage[k] = y[k] + half * k2[k];
    rates(t + half, stage, k3);
#pragma unroll
    for (int k = 0; k < n; ++k) stage[k] = y[k] + whole * k3[k];
    rates(t + whole, stage, k4);
#pragma unroll
    for (int k = 0; k < n; ++k) y[k] += T(h / 6) * (k1[k] + 2 * (k2[k] + k3[k]) + k4[k]);
  }
#pragma unroll
  for (int k = 0; k < n; ++k) states[k * count + i] = y[k];
}

// ---- measured -----------------------------------------------------------------------------------

double seconds() {
  const std::chrono::duration<double> now = std::chrono::steady_clock::now().time_since_epoch();
  return now.count();
}

template <class Real>
struct state_arrays {
  std::vector<std::vector<Real>> values;
  std::vector<Real*> places;
  state_arrays(int states, std::size_t n)
      : values(static_cast<std::size_t>(states), std::vector<Real>(n)) {
    for (auto& each : values) places.push_back(each.data());
  }
};

template <class Real>
void start(law which, const std::vector<Real>& level, state_arrays<Real>& states) {
  for (auto& each : states.values) std::fill(each.begin(), each.end(), Real(0));
  if (which == law::ten) states.values[2] = level;  // the lagged limit of a surface at rest
}

// The final states of the bare kernel, and its steps per second.
template <class Real, bool Fast, law Which>
double bare(const std::vector<Real>* parameters, state_arrays<Real>& states, long steps) {
  const std::size_t n = parameters[0].size();
  constexpr int size = states_of<Which>;
  Real *columns = nullptr, *y = nullptr;
  detail::check_cuda(cudaMalloc(&columns, 3 * n * sizeof(Real)), "bare kernel");
  detail::check_cuda(cudaMalloc(&y, size * n * sizeof(Real)), "bare kernel");
  for (std::size_t k = 0; k < 3; ++k)
    cudaMemcpy(columns + k * n, parameters[k].data(), n * sizeof(Real), cudaMemcpyHostToDevice);
  double best = 1e300;
  for (int turn = 0; turn < 3; ++turn) {
    start(Which, parameters[2], states);
    for (std::size_t k = 0; k < size; ++k)
      cudaMemcpy(y + k * n, states.places[k], n * sizeof(Real), cudaMemcpyHostToDevice);
    cudaDeviceSynchronize();
    const double from = seconds();
    bare_kernel<Real, Fast, Which><<<static_cast<unsigned>((n + 127) / 128), 128>>>(
        columns, y, static_cast<int>(n), static_cast<int>(steps));
    detail::check_cuda(cudaDeviceSynchronize(), "bare kernel");
    best = std::min(best, seconds() - from);
  }
  for (std::size_t k = 0; k < size; ++k)
    cudaMemcpy(states.places[k], y + k * n, n * sizeof(Real), cudaMemcpyDeviceToHost);
  cudaFree(columns);
  cudaFree(y);
  return static_cast<double>(n) * static_cast<double>(steps) / best;
}

template <class S, class Systems, class Real>
double through_api(law which, const Systems& systems, state_arrays<Real>& states, long steps,
                   batch_measures<Real>* measures) {
  double best = 1e300;
  for (int turn = 0; turn < 3; ++turn) {
    start(which, systems.level, states);
    const double from = seconds();
    run_batch<S, batch_method::rk4>(on_device{.where = device::cuda}, systems,
                                    {.step = h, .steps = steps}, states.places, nullptr, measures);
    best = std::min(best, seconds() - from);
  }
  return static_cast<double>(systems.count()) * static_cast<double>(steps) / best;
}

// The greatest difference of the positions, relative to the greatest position.
template <class A, class B>
double difference(const std::vector<A>& a, const std::vector<B>& b) {
  double worst = 0, size = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    const double d = std::abs(static_cast<double>(a[i]) - static_cast<double>(b[i]));
    if (!(d <= worst)) worst = d;  // a NaN is seen
    size = std::max(size, std::abs(static_cast<double>(b[i])));
  }
  return worst / size;
}

template <class Real, law Which, template <class> class Model>
void table(const char* model, const char* real, std::size_t n, long steps) {
  const oscillators<Real, Model> all(n);
  const std::vector<Real> parameters[] = {all.mass, all.speed, all.level};
  constexpr int size = states_of<Which>;
  state_arrays<Real> hand(size, n), ours(size, n);
  batch_measures<Real> measures(n, 1);
  batch_measures<Real>* const nothing = nullptr;
  for (const bool fast : {false, true}) {
    const double alone = fast ? bare<Real, true, Which>(parameters, hand, steps)
                              : bare<Real, false, Which>(parameters, hand, steps);
    double plain = 0, measured = 0;
    if (fast) {
      plain = through_api<prepared<Real>>(Which, all, ours, steps, nothing);
      measured = through_api<prepared<Real>>(Which, all, ours, steps, &measures);
    } else {
      plain = through_api<Real>(Which, all, ours, steps, nothing);
      measured = through_api<Real>(Which, all, ours, steps, &measures);
    }
    std::printf(
        "%-6s %-6s %-8s %6ld steps: bare %.2e  run_batch %.2e (%.2f)  with measures %.2e (%.2f)"
        "  differs by %.1e\n",
        model, real, fast ? "prepared" : "plain", steps, alone, plain, plain / alone, measured,
        measured / alone, difference(ours.values[0], hand.values[0]));
    std::fflush(stdout);
  }
}

// The same systems in every number type, beside double on the processor.
template <law Which, template <class> class Model>
void errors(const char* model, std::size_t n, long steps) {
  const oscillators<double, Model> all(n);
  const oscillators<float, Model> all_float(n);
  constexpr int size = states_of<Which>;
  const batch_plan plan{.step = h, .steps = steps};
  state_arrays<double> truth(size, n), y(size, n);
  state_arrays<float> z(size, n);
  start(Which, all.level, truth);
  run_batch<double, batch_method::rk4>(on_device{.where = device::cpu}, all, plan, truth.places);
  const on_device gpu{.where = device::cuda};
  start(Which, all.level, y);
  run_batch<double, batch_method::rk4>(gpu, all, plan, y.places);
  const double plain = difference(y.values[0], truth.values[0]);
  start(Which, all.level, y);
  run_batch<prepared<double>, batch_method::rk4>(gpu, all, plan, y.places);
  const double fast = difference(y.values[0], truth.values[0]);
  start(Which, all_float.level, z);
  run_batch<float, batch_method::rk4>(gpu, all_float, plan, z.places);
  const double plain_float = difference(z.values[0], truth.values[0]);
  start(Which, all_float.level, z);
  run_batch<prepared<float>, batch_method::rk4>(gpu, all_float, plan, z.places);
  std::printf(
      "%-6s after %ld steps, beside double on the processor: double %.1e, prepared %.1e; "
      "float %.1e, prepared %.1e\n",
      model, steps, plain, fast, plain_float, difference(z.values[0], truth.values[0]));
  std::fflush(stdout);
}

// ---- a map ----------------------------------------------------------------------------------------
// Stick-slip over the stiffness of the spring (100 to 10^4 N/m) and the speed of the pull (5 to 200
// mm/s): 4 s in steps of 0.2 ms from rest, the amplitude of the velocity measured over the second
// half.

template <class Real>
struct onset_map {
  std::vector<Real> k, speed;
  std::size_t count() const { return k.size(); }
  template <class S>
  ASPERITY_FN auto at(const lane_reader<S>& read) const {
    sliding_mass<S, lugre<S>, steady_pull<S>> system;
    system.friction.sigma_0 = lit<S>(1e4);
    system.friction.sigma_1 = lit<S>(100.0);
    system.friction.g.v_s = lit<S>(0.01);
    system.friction.g.sigma_2 = lit<S>(4.0);
    system.k = read(k);
    system.inputs.speed = read(speed);
    return system;
  }
  template <class System, class S>
  static ASPERITY_FN vec<S, 1> observe(const System&, const S&, const S* y) {
    return {{y[1]}};
  }
};

// In steady sliding the velocity does not swing; in stick-slip, by about the speed of the pull or more.
template <class Real>
bool slips(const onset_map<Real>& map, const batch_measures<Real>& measures, std::size_t i) {
  return measures.amplitude(0, i) > Real(0.5) * map.speed[i];
}

template <class S>
bool draw_map(const char* type, std::size_t side, long steps) {
  using Real = typename lane_reader<S>::real;
  const std::size_t n = side * side;
  onset_map<Real> map;
  for (std::size_t i = 0; i < n; ++i) {
    const double row = static_cast<double>(i / side), column = static_cast<double>(i % side);
    const double last = static_cast<double>(side - 1);
    map.k.push_back(static_cast<Real>(std::pow(10.0, 2 + 2 * row / last)));
    map.speed.push_back(static_cast<Real>(5e-3 * std::pow(40.0, column / last)));
  }
  const batch_plan plan{.step = 2e-4, .steps = steps};
  state_arrays<Real> states(3, n);
  batch_measures<Real> measures(n, 1);
  measures.skip = steps / 2;
  const double from = seconds();
  run_batch<S, batch_method::rk4>(on_device{.where = device::cuda}, map, plan, states.places,
                                  nullptr, &measures);
  const double took = seconds() - from;
  std::size_t slipping = 0;
  for (std::size_t i = 0; i < n; ++i) slipping += slips(map, measures, i);

  // Some of the points again on the processor, in double; and once more with a spring that is stiffer
  // by 1e-12 of itself, which tells by how much a motion amplifies what disturbs it. The rounding of
  // 20 000 steps disturbs it by about 1.1e-16 sqrt(20 000) = 1.6e-14: where that grows by less than
  // 1e4, device and processor must agree to 1e-9.
  std::mt19937_64 random(1);
  onset_map<double> some;
  std::vector<std::size_t> which(std::min<std::size_t>(n, 2000));
  for (auto& i : which) {
    i = random() % n;
    some.k.push_back(static_cast<double>(map.k[i]));
    some.speed.push_back(static_cast<double>(map.speed[i]));
  }
  const auto on_processor = [&](const onset_map<double>& points) {
    state_arrays<double> again(3, which.size());
    batch_measures<double> seen(which.size(), 1);
    seen.skip = steps / 2;
    run_batch<double, batch_method::rk4>(on_device{.where = device::cpu}, points, plan,
                                         again.places, nullptr, &seen);
    return seen;
  };
  constexpr double disturbance = 1e-12;
  const auto seen = on_processor(some);
  onset_map<double> stiffer = some;
  for (double& k : stiffer.k) k *= 1 + disturbance;
  const auto disturbed = on_processor(stiffer);
  std::vector<double> differences;
  double worst = 0, most_amplified = 0;
  std::size_t different = 0, sensitive = 0;
  for (std::size_t j = 0; j < which.size(); ++j) {
    const double amplitude = seen.amplitude(0, j), speed = some.speed[j];
    const double difference =
        std::abs(static_cast<double>(measures.amplitude(0, which[j])) - amplitude) / speed;
    const double amplified = std::abs(disturbed.amplitude(0, j) - amplitude) / speed / disturbance;
    differences.push_back(difference);
    most_amplified = std::max(most_amplified, amplified);
    if (!(amplified < 1e4)) {
      ++sensitive;
      continue;
    }
    if (!(difference <= worst)) worst = difference;
    different += slips(map, measures, which[j]) != slips(some, seen, j);
  }
  std::sort(differences.begin(), differences.end());
  std::printf(
      "map %zu x %zu, %ld steps, %s: %.2f s, %.2e steps/s; %.1f %% stick and slip. Of %zu points "
      "on "
      "the processor %zu amplify by more than 1e4 (most: %.0e); of the others %zu differ in kind, "
      "amplitudes by at most %.1e of the speed; half of all by less than %.0e, 99 %% by %.0e\n",
      side, side, steps, type, took, static_cast<double>(n) * static_cast<double>(steps) / took,
      100.0 * static_cast<double>(slipping) / static_cast<double>(n), which.size(), sensitive,
      most_amplified, different, worst, differences[differences.size() / 2],
      differences[differences.size() * 99 / 100]);
  std::fflush(stdout);
  return std::is_same_v<Real, float> || (different == 0 && worst < 1e-9);
}

int run(bool small) {
  cudaDeviceProp properties{};
  detail::check_cuda(cudaGetDeviceProperties(&properties, 0), "asking what it is");
  std::printf("%s\n", properties.name);
  const std::size_t n = small ? 1000 : std::size_t{1} << 20;
  const long steps = small ? 128 : 16384;
  // So many that the copies to and from the device, some milliseconds, do not count.
  const auto many_times = [&](long times) { return small ? steps : times * steps; };
  std::printf("RK4 steps per second, %zu systems\n", n);
  table<float, law::lugre, exponential_lugre>("lugre", "float", n, many_times(4));
  table<double, law::lugre, exponential_lugre>("lugre", "double", n, many_times(4));
  table<float, law::dai, dai>("dai", "float", n, many_times(8));
  table<double, law::dai, dai>("dai", "double", n, many_times(4));
  table<float, law::ten, ten_elements>("ten", "float", n, many_times(2));
  table<double, law::ten, ten_elements>("ten", "double", n, many_times(2));
  for (const long many : {steps / 16, steps}) {
    errors<law::lugre, exponential_lugre>("lugre", small ? 100 : 2000, many);
    errors<law::dai, dai>("dai", small ? 100 : 2000, many);
    errors<law::ten, ten_elements>("ten", small ? 100 : 2000, many / 4);
  }
  const std::size_t side = small ? 32 : 4096;
  bool is_right = draw_map<double>("double", side, small ? 100 : 20'000);
  is_right &= draw_map<float>("float", side, small ? 100 : 20'000);
  is_right &= draw_map<prepared<float>>("float, prepared", side, small ? 100 : 20'000);
  std::printf("%s\n", is_right ? "the map is that of the processor" : "WRONG: see above");
  return is_right ? 0 : 1;
}

}  // namespace
}  // namespace asperity

int main(int count, char** arguments) {
  try {
    return asperity::run(count > 1 && std::string(arguments[1]) == "--small");
  } catch (const asperity::error& problem) {
    std::printf("%s\n", problem.what());
    return 1;
  }
}

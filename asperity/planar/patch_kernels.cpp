// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/planar/lane.hpp>
#include <asperity/planar/patch_kernels.hpp>
#include <asperity/planar/patch_lugre.hpp>
#include <cmath>

#define ASPERITY_INLINE [[gnu::always_inline]] static inline

namespace asperity::kernels {

namespace {

// Cells per block: what is summed of them fits into the first cache.
constexpr int block = 128;

// Sums the arrays of a block into eight lanes each, then adds those up, always in the same order.
template <int N>
struct lane_sums {
  double lane[N][lanes] = {};
};
template <int N>
ASPERITY_INLINE void add_block(lane_sums<N>& sums, const double (&values)[N][block], int count) {
  for (int k = 0; k < N; ++k)
    for (int i = 0; i < count; i += lanes)
      for (int l = 0; l < lanes; ++l) sums.lane[k][l] += values[k][i + l];
}
template <int N>
ASPERITY_INLINE double total(const lane_sums<N>& sums, int k) {
  const double* s = sums.lane[k];
  return ((s[0] + s[4]) + (s[2] + s[6])) + ((s[1] + s[5]) + (s[3] + s[7]));
}

stribeck_exponential<lane> in_lanes(const stribeck_exponential<double>& g) {
  return {.F_c = g.F_c, .F_s = g.F_s, .v_s = g.v_s, .delta = g.delta, .sigma_2 = g.sigma_2};
}

// ---- LuGre --------------------------------------------------------------------------------------

template <bool steps>
ASPERITY_INLINE wrench<double> lugre_loop(const lugre_cells& c, const stribeck_exponential<lane>& g,
                                          const lane z_ba, const twist<double>& t, double h,
                                          double* __restrict z_x, double* __restrict z_y,
                                          double* __restrict rate_x, double* __restrict rate_y) {
  lane_sums<3> sums;
  double values[3][block];
  const double u_x = t[0], u_y = t[1], omega = t[2];
  const double sigma_0 = c.sigma_0, sigma_1 = c.sigma_1, sigma_2 = g.sigma_2.x, load = c.load;
  const double per_h = steps ? 1.0 / h : 0.0;
  for (int from = 0; from < c.count; from += block) {
    const int count = std::min(block, c.count - from);
    const double* __restrict x = c.x + from;
    const double* __restrict y = c.y + from;
    const double* __restrict share = c.share + from;
    double* __restrict zx = z_x + from;
    double* __restrict zy = z_y + from;
    for (int i = 0; i < count; ++i) {
      const double v_x = u_x - omega * y[i], v_y = u_y + omega * x[i];
      const auto slip = cell_slip_at<lane>(g, sigma_0, z_ba, load, zx[i], zy[i], v_x, v_y);
      double a_x, a_y, dot_x, dot_y;
      if constexpr (steps) {
        const double left = slip.level.x / (slip.level.x + h * slip.pull.x);
        a_x = (zx[i] + h * v_x) * left;
        a_y = (zy[i] + h * v_y) * left;
        dot_x = (a_x - zx[i]) * per_h;
        dot_y = (a_y - zy[i]) * per_h;
        zx[i] = a_x;
        zy[i] = a_y;
      } else {
        const double relax = slip.pull.x / slip.level.x;
        a_x = zx[i];
        a_y = zy[i];
        dot_x = v_x - relax * a_x;
        dot_y = v_y - relax * a_y;
        rate_x[from + i] = dot_x;
        rate_y[from + i] = dot_y;
      }
      const double f_x = share[i] * (sigma_0 * a_x + sigma_1 * dot_x + sigma_2 * v_x);
      const double f_y = share[i] * (sigma_0 * a_y + sigma_1 * dot_y + sigma_2 * v_y);
      values[0][i] = f_x;
      values[1][i] = f_y;
      values[2][i] = x[i] * f_y - y[i] * f_x;
    }
    add_block(sums, values, count);
  }
  return {{total(sums, 0), total(sums, 1), total(sums, 2)}};
}

// The usual cases with their constants known to the compiler: no sine, no logarithm.
ASPERITY_INLINE wrench<double> lugre_body(const lugre_cells& c, const twist<double>& t, double h,
                                          double* z_x, double* z_y, double* rate_x,
                                          double* rate_y) {
  const auto go = [&](const auto& g, lane z_ba) __attribute__((always_inline)) {
    return h > 0 ? lugre_loop<true>(c, g, z_ba, t, h, z_x, z_y, rate_x, rate_y)
                 : lugre_loop<false>(c, g, z_ba, t, h, z_x, z_y, rate_x, rate_y);
  };
  auto g = in_lanes(c.g);
  if (g.delta.x == 2.0) {
    g.delta = 2.0;
    return c.z_ba > 0 ? go(g, c.z_ba) : go(g, 0.0);
  }
  return go(g, c.z_ba);
}

// ---- DAI ----------------------------------------------------------------------------------------

ASPERITY_INLINE dai_sums dai_body(const dai_cells& c, const twist<double>& t) {
  lane_sums<11> sums;
  const double u_x = t[0], u_y = t[1], omega = t[2], k = c.k, d = c.d, per_d = 1.0 / c.d;
  for (int from = 0; from < c.count; from += lanes) {
    const double* __restrict x = c.r_x + from;
    const double* __restrict y = c.r_y + from;
    const double* __restrict share = c.share + from;
    const double* __restrict a_x = c.a_x + from;
    const double* __restrict a_y = c.a_y + from;
    const double* __restrict level = c.level + from;
    for (int i = 0; i < lanes; ++i) {
      const double p_x = k * a_x[i] + d * (u_x - omega * y[i]);
      const double p_y = k * a_y[i] + d * (u_y + omega * x[i]);
      const double length = __builtin_sqrt(p_x * p_x + p_y * p_y), Z = level[i];
      const bool slips = Z < length;
      const double per_length = 1.0 / (slips ? length : 1.0);
      const double e_x = p_x * per_length, e_y = p_y * per_length;
      const double cut = slips ? Z * per_length : 1.0, turn = slips ? cut : 0.0;
      const double s = share[i], f_x = s * cut * p_x, f_y = s * cut * p_y;
      // d/dv of sat: d cut (1 - e e') where it slips, d where it sticks.
      const double s_d = s * d;
      const double xx = s_d * (cut - turn * e_x * e_x), xy = -s_d * turn * e_x * e_y;
      const double yy = s_d * (cut - turn * e_y * e_y);
      const double xt = x[i] * xy - y[i] * xx, yt = x[i] * yy - y[i] * xy;
      const double energy = slips ? Z * (length - 0.5 * Z) : 0.5 * length * length;
      sums.lane[0][i] += f_x;
      sums.lane[1][i] += f_y;
      sums.lane[2][i] += x[i] * f_y - y[i] * f_x;
      sums.lane[3][i] += xx;
      sums.lane[4][i] += xy;
      sums.lane[5][i] += yy;
      sums.lane[6][i] += xt;
      sums.lane[7][i] += yt;
      sums.lane[8][i] += x[i] * yt - y[i] * xt;
      sums.lane[9][i] += s * per_d * energy;
      sums.lane[10][i] += slips ? s : 0.0;
    }
  }
  dai_sums result;
  for (int i = 0; i < 3; ++i) result.f[i] = total(sums, i);
  for (int i = 0; i < 6; ++i) result.stiffness[i] = total(sums, 3 + i);
  result.energy = total(sums, 9);
  result.slipping = total(sums, 10);
  return result;
}

ASPERITY_INLINE void move_body(const dai_cells& c, const twist<double>& t, double h,
                               double h_plus_beta, double* __restrict b_x, double* __restrict b_y) {
  const double u_x = t[0], u_y = t[1], omega = t[2], k = c.k, d = c.d,
               share_of_step = h / h_plus_beta;
  const double* __restrict x = c.r_x;
  const double* __restrict y = c.r_y;
  const double* __restrict a_x = c.a_x;
  const double* __restrict a_y = c.a_y;
  const double* __restrict level = c.level;
  for (int i = 0; i < c.count; ++i) {
    const double p_x = k * a_x[i] + d * (u_x - omega * y[i]);
    const double p_y = k * a_y[i] + d * (u_y + omega * x[i]);
    const double length = __builtin_sqrt(p_x * p_x + p_y * p_y);
    const bool slips = level[i] < length;
    // b_dot = v - (f/k - a)/(h + beta), and k (a + (h + beta) v) is the pull.
    const double lost = slips ? share_of_step * (1.0 - level[i] / length) / k : 0.0;
    b_x[i] += lost * p_x;
    b_y[i] += lost * p_y;
  }
}

ASPERITY_INLINE void place_body(int count, const double* __restrict x, const double* __restrict y,
                                const double* __restrict b_x, const double* __restrict b_y,
                                double place_x, double place_y, double cosine, double sine,
                                double* __restrict r_x, double* __restrict r_y,
                                double* __restrict a_x, double* __restrict a_y) {
  for (int i = 0; i < count; ++i) {
    const double arm_x = cosine * x[i] - sine * y[i], arm_y = sine * x[i] + cosine * y[i];
    r_x[i] = arm_x;
    r_y[i] = arm_y;
    a_x[i] = (place_x + arm_x) - b_x[i];
    a_y[i] = (place_y + arm_y) - b_y[i];
  }
}

ASPERITY_INLINE void levels_loop(int count, const double* __restrict r_x,
                                 const double* __restrict r_y, const stribeck_exponential<lane>& g,
                                 double load, const twist<double>& t, double h_over_tau,
                                 bool lagging, double* __restrict gamma, double* __restrict level) {
  const double u_x = t[0], u_y = t[1], omega = t[2], divisor = 1.0 / (1.0 + h_over_tau);
  if (lagging) {
    for (int i = 0; i < count; ++i) {
      const double v_x = u_x - omega * r_y[i], v_y = u_y + omega * r_x[i];
      const double steady = g.level(lane(__builtin_sqrt(v_x * v_x + v_y * v_y))).x;
      gamma[i] = (gamma[i] + h_over_tau * steady) * divisor;
      level[i] = load * gamma[i];
    }
  } else {
    for (int i = 0; i < count; ++i) {
      const double v_x = u_x - omega * r_y[i], v_y = u_y + omega * r_x[i];
      level[i] = load * g.level(lane(__builtin_sqrt(v_x * v_x + v_y * v_y))).x;
    }
  }
}

ASPERITY_INLINE void levels_body(int count, const double* r_x, const double* r_y,
                                 const stribeck_exponential<double>& curve, double load,
                                 const twist<double>& t, double h_over_tau, bool lagging,
                                 double* gamma, double* level) {
  auto g = in_lanes(curve);
  if (g.delta.x == 2.0) {
    g.delta = 2.0;
    levels_loop(count, r_x, r_y, g, load, t, h_over_tau, lagging, gamma, level);
  } else {
    levels_loop(count, r_x, r_y, g, load, t, h_over_tau, lagging, gamma, level);
  }
}

// ---- one text, three processors
// ------------------------------------------------------------------

// The same inlined text under three sets of instructions.
#define ASPERITY_VARIANTS(attribute, suffix)                                                      \
  attribute wrench<double> lugre_##suffix(const lugre_cells& c, const twist<double>& t, double h, \
                                          double* z_x, double* z_y, double* rate_x,               \
                                          double* rate_y) {                                       \
    return lugre_body(c, t, h, z_x, z_y, rate_x, rate_y);                                         \
  }                                                                                               \
  attribute dai_sums dai_##suffix(const dai_cells& c, const twist<double>& t) {                   \
    return dai_body(c, t);                                                                        \
  }                                                                                               \
  attribute void move_##suffix(const dai_cells& c, const twist<double>& t, double h, double hb,   \
                               double* b_x, double* b_y) {                                        \
    move_body(c, t, h, hb, b_x, b_y);                                                             \
  }                                                                                               \
  attribute void place_##suffix(int n, const double* x, const double* y, const double* b_x,       \
                                const double* b_y, double px, double py, double c, double s,      \
                                double* r_x, double* r_y, double* a_x, double* a_y) {             \
    place_body(n, x, y, b_x, b_y, px, py, c, s, r_x, r_y, a_x, a_y);                              \
  }                                                                                               \
  attribute void levels_##suffix(int n, const double* r_x, const double* r_y,                     \
                                 const stribeck_exponential<double>& g, double load,              \
                                 const twist<double>& t, double ht, bool lagging, double* gamma,  \
                                 double* level) {                                                 \
    levels_body(n, r_x, r_y, g, load, t, ht, lagging, gamma, level);                              \
  }                                                                                               \
  constexpr loops suffix##_loops{lugre_##suffix, dai_##suffix, move_##suffix, place_##suffix,     \
                                 levels_##suffix};

struct loops {
  decltype(&kernels::lugre) lugre;
  decltype(&kernels::dai) dai;
  decltype(&kernels::dai_move_anchors) move;
  void (*place)(int, const double*, const double*, const double*, const double*, double, double,
                double, double, double*, double*, double*, double*);
  decltype(&kernels::dai_levels) levels;
};

ASPERITY_VARIANTS(, plain)
#if defined(__x86_64__) && defined(__GNUC__)
ASPERITY_VARIANTS([[gnu::target("avx2")]], avx2)
#if !defined(__clang__)
ASPERITY_VARIANTS([[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]], avx512)
#endif
#endif

const loops* best_loops() {
#if defined(__x86_64__) && defined(__GNUC__)
#if !defined(__clang__)
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
      __builtin_cpu_supports("avx512vl"))
    return &avx512_loops;
#endif
  if (__builtin_cpu_supports("avx2")) return &avx2_loops;
#endif
  return &plain_loops;
}

const loops* chosen = best_loops();

}  // namespace

void allow_wide(bool allowed) { chosen = allowed ? best_loops() : &plain_loops; }

wrench<double> lugre(const lugre_cells& c, const twist<double>& t, double h, double* z_x,
                     double* z_y, double* rate_x, double* rate_y) {
  return chosen->lugre(c, t, h, z_x, z_y, rate_x, rate_y);
}
dai_sums dai(const dai_cells& c, const twist<double>& t) { return chosen->dai(c, t); }
void dai_move_anchors(const dai_cells& c, const twist<double>& t, double h, double h_plus_beta,
                      double* b_x, double* b_y) {
  chosen->move(c, t, h, h_plus_beta, b_x, b_y);
}
void dai_place(int count, const double* x, const double* y, const double* b_x, const double* b_y,
               double place_x, double place_y, double theta, double* r_x, double* r_y, double* a_x,
               double* a_y) {
  chosen->place(count, x, y, b_x, b_y, place_x, place_y, std::cos(theta), std::sin(theta), r_x, r_y,
                a_x, a_y);
}
void dai_levels(int count, const double* r_x, const double* r_y,
                const stribeck_exponential<double>& g, double load, const twist<double>& t,
                double h_over_tau, bool lagging, double* gamma, double* level) {
  chosen->levels(count, r_x, r_y, g, load, t, h_over_tau, lagging, gamma, level);
}

}  // namespace asperity::kernels

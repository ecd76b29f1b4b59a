// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <asperity/patch/lane.hpp>
#include <asperity/patch/patch_kernels.hpp>
#include <asperity/patch/patch_lugre.hpp>
#include <cmath>

#define ASPERITY_ALWAYS [[gnu::always_inline]]
#define ASPERITY_INLINE ASPERITY_ALWAYS static inline

namespace asperity::kernels {

namespace {

// Eight cells of an array, copied: what is computed from copies cannot alias what is written, so
// that the compiler turns every loop over them into SIMD.
struct alignas(lanes * sizeof(double)) eight {
  double v[lanes];

  eight() = default;
  ASPERITY_ALWAYS explicit eight(const double* from) {
    for (int i = 0; i < lanes; ++i) v[i] = from[i];
  }
  ASPERITY_ALWAYS void store(double* to) const {
    for (int i = 0; i < lanes; ++i) to[i] = v[i];
  }
  ASPERITY_ALWAYS double operator[](int i) const { return v[i]; }
  ASPERITY_ALWAYS double& operator[](int i) { return v[i]; }
};

// Sums in eight lanes each, which are added up at the end, always in the same order.
template <int N>
struct lane_sums {
  double lane[N][lanes];

  ASPERITY_ALWAYS lane_sums() {
    for (int k = 0; k < N; ++k)
      for (int i = 0; i < lanes; ++i) lane[k][i] = 0;
  }
  // By halves, all sums at once.
  struct totals {
    double of[N];

    ASPERITY_ALWAYS explicit totals(const lane_sums& sums) {
      double half[N][4], quarter[N][2];
      for (int k = 0; k < N; ++k)
        for (int i = 0; i < 4; ++i) half[k][i] = sums.lane[k][i] + sums.lane[k][i + 4];
      for (int k = 0; k < N; ++k)
        for (int i = 0; i < 2; ++i) quarter[k][i] = half[k][i] + half[k][i + 2];
      for (int k = 0; k < N; ++k) of[k] = quarter[k][0] + quarter[k][1];
    }
    ASPERITY_ALWAYS double operator[](int k) const { return of[k]; }
  };
};

// A curve over the square of the speed: with half the exponent it is the same curve, and needs
// neither a root nor a division.
struct square_curve {
  stribeck_exponential<lane> g;
  double per_square;  // 1/v_s^2
  double fast;        // from this square on the exponential is below rounding, and level is F_c

  ASPERITY_ALWAYS double level(double square) const { return g.level(square * per_square).x; }
  ASPERITY_ALWAYS bool is_fast(double square) const { return square >= fast; }  // not a NaN
  // Of eight cells. Where all are fast, as mostly in sliding, nothing has to be computed.
  ASPERITY_ALWAYS eight levels(const eight& squares) const {
    eight result;
    std::int64_t slow = 0;
    for (int i = 0; i < lanes; ++i) slow |= is_fast(squares[i]) ? 0 : 1;
    if (slow == 0) {
      for (int i = 0; i < lanes; ++i) result[i] = g.F_c.x;
    } else {
      for (int i = 0; i < lanes; ++i) result[i] = level(squares[i]);
    }
    return result;
  }
};
// Calls with the usual exponent known to the compiler: no logarithm.
template <class Go>
ASPERITY_INLINE auto with_curve(const stribeck_exponential<double>& g, const Go& go) {
  // (F_s - F_c) exp(-x) is less than half a unit in the last place of F_c: log(r) <= r - 1.
  const double x = 37.0 + g.F_s / g.F_c;
  square_curve curve{{.F_c = g.F_c, .F_s = g.F_s, .v_s = 1.0, .delta = 0.5 * g.delta},
                     1.0 / (g.v_s * g.v_s),
                     g.v_s * g.v_s * (g.delta == 2.0 ? x : std::pow(x, 2.0 / g.delta))};
  if (g.delta != 2.0) return go(curve);
  curve.g.delta = 1.0;
  return go(curve);
}

// ---- LuGre --------------------------------------------------------------------------------------

template <bool steps>
ASPERITY_INLINE wrench<double> lugre_loop(const lugre_cells& c, const square_curve& g,
                                          double elastic_range, const twist<double>& t, double h,
                                          double* z_x, double* z_y, double* rate_x,
                                          double* rate_y) {
  lane_sums<3> sums;
  const double u_x = t[0], u_y = t[1], omega = t[2], load = c.load;
  const double sigma_0 = c.sigma_0, sigma_1 = c.sigma_1, sigma_2 = c.g.sigma_2;
  const double per_h = steps ? 1.0 / h : 0.0;
  for (int from = 0; from < c.count; from += lanes) {
    const eight x(c.x + from), y(c.y + from), share(c.share + from);
    eight zx(z_x + from), zy(z_y + from), dx, dy, vx, vy, squares;
    for (int i = 0; i < lanes; ++i) {
      vx[i] = u_x - omega * y[i];
      vy[i] = u_y + omega * x[i];
      squares[i] = vx[i] * vx[i] + vy[i] * vy[i];
    }
    const eight levels = g.levels(squares);
    for (int i = 0; i < lanes; ++i) {
      const double v_x = vx[i], v_y = vy[i], level = levels[i] * load;
      const double pull = cell_pull<lane>(level, sigma_0, elastic_range, zx[i], zy[i], v_x, v_y,
                                          __builtin_sqrt(squares[i]))
                              .x;
      double dot_x, dot_y;
      if constexpr (steps) {
        const double left = level / (level + h * pull);
        const double end_x = (zx[i] + h * v_x) * left, end_y = (zy[i] + h * v_y) * left;
        dot_x = (end_x - zx[i]) * per_h;
        dot_y = (end_y - zy[i]) * per_h;
        zx[i] = end_x;
        zy[i] = end_y;
      } else {
        const double relax = pull / level;
        dx[i] = dot_x = v_x - relax * zx[i];
        dy[i] = dot_y = v_y - relax * zy[i];
      }
      const double f_x = share[i] * (sigma_0 * zx[i] + sigma_1 * dot_x + sigma_2 * v_x);
      const double f_y = share[i] * (sigma_0 * zy[i] + sigma_1 * dot_y + sigma_2 * v_y);
      sums.lane[0][i] += f_x;
      sums.lane[1][i] += f_y;
      sums.lane[2][i] += x[i] * f_y - y[i] * f_x;
    }
    if constexpr (steps) {
      zx.store(z_x + from);
      zy.store(z_y + from);
    } else {
      dx.store(rate_x + from);
      dy.store(rate_y + from);
    }
  }
  const lane_sums<3>::totals total(sums);
  return {{total[0], total[1], total[2]}};
}

ASPERITY_INLINE wrench<double> lugre_body(const lugre_cells& c, const twist<double>& t, double h,
                                          double* z_x, double* z_y, double* rate_x,
                                          double* rate_y) {
  return with_curve(
      c.g, [&](const square_curve& g) __attribute__((always_inline)) {
        const auto go = [&](double elastic_range) __attribute__((always_inline)) {
          return h > 0 ? lugre_loop<true>(c, g, elastic_range, t, h, z_x, z_y, rate_x, rate_y)
                       : lugre_loop<false>(c, g, elastic_range, t, h, z_x, z_y, rate_x, rate_y);
        };
        // Plain LuGre with its constant known to the compiler: no sine.
        return c.z_ba > 0 ? go(c.z_ba * c.load) : go(0.0);
      });
}

// ---- DAI ----------------------------------------------------------------------------------------

// Friction levels, by the speeds of the cells in the axes of the body: no cell has to be turned.
template <bool lagging>
ASPERITY_INLINE void levels_loop(const dai_cells& c, const square_curve& g, double load,
                                 double h_over_tau, const twist<double>& t, const double* gamma,
                                 double* gamma_end, double* level) {
  const double u_x = c.at.cosine * t[0] + c.at.sine * t[1];
  const double u_y = c.at.cosine * t[1] - c.at.sine * t[0];
  const double omega = t[2], divisor = 1.0 / (1.0 + h_over_tau);
  if constexpr (!lagging) {
    // Where no cell can be slow, none is looked at.
    const double slowest = __builtin_sqrt(u_x * u_x + u_y * u_y) - __builtin_fabs(omega) * c.reach;
    if (slowest > 0.0 && g.is_fast(slowest * slowest)) {
      for (int i = 0; i < c.count; ++i) level[i] = load * g.g.F_c.x;
      return;
    }
  }
  constexpr int chunk = 4 * lanes;
  for (int first = 0; first < c.count; first += chunk) {
    const int last = std::min(first + chunk, c.count);
    lane_sums<1> slow;
    for (int from = first; from < last; from += lanes) {
      const eight x(c.x + from), y(c.y + from);
      eight squares;
      for (int i = 0; i < lanes; ++i) {
        const double v_x = u_x - omega * y[i], v_y = u_y + omega * x[i];
        squares[i] = v_x * v_x + v_y * v_y;
        slow.lane[0][i] += g.is_fast(squares[i]) ? 0.0 : 1.0;
      }
      squares.store(level + from);
    }
    const bool all_fast = lane_sums<1>::totals(slow)[0] == 0.0;
    for (int from = first; from < last; from += lanes) {
      eight now(level + from), Z;
      if (all_fast) {
        for (int i = 0; i < lanes; ++i) now[i] = g.g.F_c.x;
      } else {
        for (int i = 0; i < lanes; ++i) now[i] = g.level(now[i]);
      }
      if constexpr (lagging) {
        const eight before(gamma + from);
        for (int i = 0; i < lanes; ++i) now[i] = (before[i] + h_over_tau * now[i]) * divisor;
        now.store(gamma_end + from);
      }
      for (int i = 0; i < lanes; ++i) Z[i] = load * now[i];
      Z.store(level + from);
    }
  }
}

ASPERITY_INLINE void levels_body(const dai_cells& c, const dai_curve& curve, const twist<double>& t,
                                 const double* gamma, double* gamma_end, double* level) {
  with_curve(
      curve.g, [&](const square_curve& g) __attribute__((always_inline)) {
        if (curve.h_over_tau < 0) {
          levels_loop<false>(c, g, curve.load, 0.0, t, nullptr, nullptr, level);
        } else {
          levels_loop<true>(c, g, curve.load, curve.h_over_tau, t, gamma, gamma_end, level);
        }
      });
}

// The cells of a patch that moves with a twist: arms, and the pull k a + d v.
struct moving_patch {
  dai_place at;
  double k, d_x, d_y, d_omega;  // d times the twist

  ASPERITY_ALWAYS moving_patch(const dai_cells& c, const twist<double>& t)
      : at(c.at), k(c.k), d_x(c.d * t[0]), d_y(c.d * t[1]), d_omega(c.d * t[2]) {}
  struct cell {
    double r_x, r_y, p_x, p_y;
  };
  ASPERITY_ALWAYS cell operator()(double x, double y, double b_x, double b_y) const {
    const auto [r_x, r_y, a_x, a_y] = place_cell(at, x, y, b_x, b_y);
    return {r_x, r_y, k * a_x + (d_x - d_omega * r_y), k * a_y + (d_y + d_omega * r_x)};
  }
};

// The sums of dai_sums: wrench, slipping, stiffness over d.
template <bool with_stiffness>
struct cell_sums : lane_sums<with_stiffness ? 10 : 4> {
  double room[lanes];

  ASPERITY_ALWAYS cell_sums() {
    for (double& each : room) each = __builtin_huge_val();
  }
  // Adds a cell with the level Z; answers sat(Z, p)/p. Choices come last: between sums the compiler
  // would make branches of them, and no SIMD.
  ASPERITY_ALWAYS double add(int i, double s, const moving_patch::cell& cell, double Z) {
    const auto [r_x, r_y, p_x, p_y] = cell;
    // Root and division do not wait for each other.
    const double square = p_x * p_x + p_y * p_y, length = __builtin_sqrt(square);
    const double per_square = 1.0 / square;
    const bool slips = Z < length;
    const double cut = slips ? Z * (length * per_square) : 1.0;
    // d/dv of sat is d cut (1 - e e') where it slips, e = p/|p|, and d where it sticks; with the
    // arms, e becomes (p_x, p_y, c)/|p|.
    const double c = r_x * p_y - r_y * p_x;
    const double s_cut = s * cut, turn = slips ? s_cut * per_square : 0.0;
    const double s_slips = slips ? s : 0.0;
    auto& lane = this->lane;
    lane[0][i] += s_cut * p_x;
    lane[1][i] += s_cut * p_y;
    lane[2][i] += s_cut * c;
    if constexpr (with_stiffness) {
      const double left = Z - length;
      room[i] = left < room[i] ? left : room[i];
      const double t_x = turn * p_x, t_y = turn * p_y;
      // The last column, whose torque is that of its forces.
      const double w_x = s_cut * r_x - t_y * c, w_y = s_cut * r_y + t_x * c;
      lane[4][i] += s_cut - t_x * p_x;
      lane[5][i] -= t_x * p_y;
      lane[6][i] += s_cut - t_y * p_y;
      lane[7][i] -= w_y;
      lane[8][i] += w_x;
      lane[9][i] += r_x * w_x + r_y * w_y;
    }
    lane[3][i] += s_slips;
    return cut;
  }
  ASPERITY_ALWAYS dai_sums totals([[maybe_unused]] double d) const {
    const typename lane_sums<with_stiffness ? 10 : 4>::totals total(*this);
    dai_sums result{};
    for (int k = 0; k < 3; ++k) result.f[k] = total[k];
    result.slipping = total[3];
    if constexpr (with_stiffness) {
      for (int k = 0; k < 6; ++k) result.stiffness[k] = d * total[4 + k];
      result.room = room[0];
      for (int i = 1; i < lanes; ++i) result.room = room[i] < result.room ? room[i] : result.room;
    }
    return result;
  }
};

ASPERITY_INLINE dai_sums dai_body(const dai_cells& c, const twist<double>& t, const double* level) {
  cell_sums<true> sums;
  const moving_patch patch(c, t);
  for (int from = 0; from < c.count; from += lanes) {
    const eight x(c.x + from), y(c.y + from), share(c.share + from), Z(level + from);
    const eight b_x(c.b_x + from), b_y(c.b_y + from);
    for (int i = 0; i < lanes; ++i) sums.add(i, share[i], patch(x[i], y[i], b_x[i], b_y[i]), Z[i]);
  }
  return sums.totals(c.d);
}

// Anchors move by `part` of the pull that friction does not hold, from where they are or from 0.
template <bool from_zero>
ASPERITY_INLINE dai_sums balance_body(const dai_cells& c, const twist<double>& t,
                                      const double* level, double part, double* end_x,
                                      double* end_y) {
  cell_sums<false> sums;
  const moving_patch patch(c, t);
  for (int from = 0; from < c.count; from += lanes) {
    const eight x(c.x + from), y(c.y + from), share(c.share + from), Z(level + from);
    eight b_x(c.b_x + from), b_y(c.b_y + from);
    for (int i = 0; i < lanes; ++i) {
      const auto cell = patch(x[i], y[i], b_x[i], b_y[i]);
      const double cut = sums.add(i, share[i], cell, Z[i]);
      // b_dot = v - (f/k - a)/(h + beta), and k (a + (h + beta) v) is the pull.
      const double lost = part * (1.0 - cut);
      b_x[i] = (from_zero ? 0.0 : b_x[i]) + lost * cell.p_x;
      b_y[i] = (from_zero ? 0.0 : b_y[i]) + lost * cell.p_y;
    }
    b_x.store(end_x + from);
    b_y.store(end_y + from);
  }
  return sums.totals(c.d);
}

// ---- one text, three processors -----------------------------------------------------------------

// The same text under three sets of instructions, with everything in it inlined: a function that is
// called is of the baseline. Attributes stand without parentheses.
// NOLINTBEGIN(bugprone-macro-parentheses)
#define ASPERITY_VARIANTS(attribute, suffix)                                                      \
  attribute wrench<double> lugre_##suffix(const lugre_cells& c, const twist<double>& t, double h, \
                                          double* z_x, double* z_y, double* rate_x,               \
                                          double* rate_y) {                                       \
    return lugre_body(c, t, h, z_x, z_y, rate_x, rate_y);                                         \
  }                                                                                               \
  attribute void levels_##suffix(const dai_cells& c, const dai_curve& g, const twist<double>& t,  \
                                 const double* gamma, double* gamma_end, double* level) {         \
    levels_body(c, g, t, gamma, gamma_end, level);                                                \
  }                                                                                               \
  attribute dai_sums dai_##suffix(const dai_cells& c, const twist<double>& t,                     \
                                  const double* level) {                                          \
    return dai_body(c, t, level);                                                                 \
  }                                                                                               \
  attribute dai_sums balance_##suffix(const dai_cells& c, const twist<double>& t,                 \
                                      const double* level, double step_share, double* end_x,      \
                                      double* end_y) {                                            \
    return balance_body<false>(c, t, level, step_share / c.k, end_x, end_y);                      \
  }                                                                                               \
  attribute dai_sums rates_##suffix(const dai_cells& c, const twist<double>& t,                   \
                                    const double* level, double* rate_x, double* rate_y) {        \
    return balance_body<true>(c, t, level, 1.0 / c.d, rate_x, rate_y);                            \
  }                                                                                               \
  constexpr loops suffix##_loops{lugre_##suffix, levels_##suffix, dai_##suffix, balance_##suffix, \
                                 rates_##suffix};
// NOLINTEND(bugprone-macro-parentheses)

struct loops {
  decltype(&kernels::lugre) lugre;
  decltype(&kernels::dai_levels) levels;
  decltype(&kernels::dai) dai;
  decltype(&kernels::dai_balance) balance;
  decltype(&kernels::dai_rates) rates;
};

ASPERITY_VARIANTS(, plain)
#if defined(__x86_64__) && defined(__GNUC__)
ASPERITY_VARIANTS([[gnu::target("avx2")]], avx2)
#if !defined(__clang__)
ASPERITY_VARIANTS([[gnu::target("avx512f,avx512dq,avx512vl,prefer-vector-width=512")]], avx512)
#endif
#endif

const loops* best_loops([[maybe_unused]] instructions most) {
#if defined(__x86_64__) && defined(__GNUC__)
#if !defined(__clang__)
  if (most >= instructions::avx512 && __builtin_cpu_supports("avx512f") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"))
    return &avx512_loops;
#endif
  if (most >= instructions::avx2 && __builtin_cpu_supports("avx2")) return &avx2_loops;
#endif
  return &plain_loops;
}

const loops* chosen = best_loops(instructions::avx512);

}  // namespace

void allow(instructions most) { chosen = best_loops(most); }

wrench<double> lugre(const lugre_cells& c, const twist<double>& t, double h, double* z_x,
                     double* z_y, double* rate_x, double* rate_y) {
  return chosen->lugre(c, t, h, z_x, z_y, rate_x, rate_y);
}
void dai_levels(const dai_cells& c, const dai_curve& g, const twist<double>& t, const double* gamma,
                double* gamma_end, double* level) {
  chosen->levels(c, g, t, gamma, gamma_end, level);
}
dai_sums dai(const dai_cells& c, const twist<double>& t, const double* level) {
  return chosen->dai(c, t, level);
}
dai_sums dai_balance(const dai_cells& c, const twist<double>& t, const double* level,
                     double step_share, double* end_x, double* end_y) {
  return chosen->balance(c, t, level, step_share, end_x, end_y);
}
dai_sums dai_rates(const dai_cells& c, const twist<double>& t, const double* level, double* rate_x,
                   double* rate_y) {
  return chosen->rates(c, t, level, rate_x, rate_y);
}
}  // namespace asperity::kernels

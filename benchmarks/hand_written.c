/* SPDX-License-Identifier: Apache-2.0 */
/* The yardstick: what a user would type from the paper, in plain C. A mass on a spring whose end
   moves at constant speed, over LuGre or DAI friction, by the classical Runge-Kutta method. */

#include "hand_written.h"

#include <math.h>

static void lugre_rates(const struct oscillator* o, double t, const double* y, double* rate) {
  const double x = y[0], v = y[1], z = y[2];
  const double r = fabs(v / o->v_s);
  const double g = o->F_c + (o->F_s - o->F_c) * exp(-(r * r));
  const double z_dot = v - o->sigma_0 * fabs(v) / g * z;
  const double f = o->sigma_0 * z + o->sigma_1 * z_dot + o->sigma_2 * v;
  rate[0] = v;
  rate[1] = (-o->k * (x - o->speed * t) - f) / o->m;
  rate[2] = z_dot;
}

static void dai_rates(const struct oscillator* o, double t, const double* y, double* rate) {
  const double x = y[0], v = y[1], a = y[2];
  double f = o->K * (a + o->beta * v);
  if (f < -o->F) f = -o->F;
  if (f > o->F) f = o->F;
  rate[0] = v;
  rate[1] = (-o->k * (x - o->speed * t) - f) / o->m;
  rate[2] = (f / o->K - a) / o->beta;
}

#define RK4(name, rates)                                                                 \
  void name(const struct oscillator* o, double h, long first, long last, double* y) {    \
    double k1[3], k2[3], k3[3], k4[3], s[3];                                             \
    for (long n = first; n < last; ++n) {                                                \
      const double t = (double)n * h;                                                    \
      rates(o, t, y, k1);                                                                \
      for (int i = 0; i < 3; ++i) s[i] = y[i] + 0.5 * h * k1[i];                         \
      rates(o, t + 0.5 * h, s, k2);                                                      \
      for (int i = 0; i < 3; ++i) s[i] = y[i] + 0.5 * h * k2[i];                         \
      rates(o, t + 0.5 * h, s, k3);                                                      \
      for (int i = 0; i < 3; ++i) s[i] = y[i] + h * k3[i];                               \
      rates(o, t + h, s, k4);                                                            \
      for (int i = 0; i < 3; ++i) y[i] += h / 6 * (k1[i] + 2 * (k2[i] + k3[i]) + k4[i]); \
    }                                                                                    \
  }

RK4(hand_written_lugre, lugre_rates)
RK4(hand_written_dai, dai_rates)

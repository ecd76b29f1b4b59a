/* SPDX-License-Identifier: Apache-2.0 */
#ifndef ASPERITY_BENCHMARKS_HAND_WRITTEN_H
#define ASPERITY_BENCHMARKS_HAND_WRITTEN_H

struct oscillator {
  double m, k, speed;                              /* kg, N/m, m/s */
  double sigma_0, sigma_1, sigma_2, F_c, F_s, v_s; /* LuGre */
  double K, F, beta;                               /* DAI */
};

/* Steps first ... last - 1 of length h from y = (x, v, internal state). */
void hand_written_lugre(const struct oscillator* o, double h, long first, long last, double* y);
void hand_written_dai(const struct oscillator* o, double h, long first, long last, double* y);

#endif

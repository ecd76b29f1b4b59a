# SPDX-License-Identifier: Apache-2.0
"""The stick-slip oscillator of stiff_bench by SciPy's LSODA, as a user would type it.

usage: stick_slip_scipy.py LOG10_OF_RELATIVE_TOLERANCE
Prints the processor time of 20 s in seconds and the mean period of slip over 120 s.
"""
import math
import sys
import time

from scipy.integrate import solve_ivp

relative = 10 ** float(sys.argv[1])
absolute = [0.1 * relative, 0.1 * relative, 1e-5 * relative]
sigma_0, sigma_1, sigma_2 = 1e5, math.sqrt(1e5), 0.4


def rates(t, y):
    x, v, z = y
    level = 1 + 0.5 * math.exp(-min((v / 1e-3) ** 2, 700.0))
    z_dot = v - sigma_0 * abs(v) / level * z
    friction = sigma_0 * z + sigma_1 * z_dot + sigma_2 * v
    return [v, 0.1 * t - x - friction, z_dot]


def onset(t, y):
    return y[1] - 0.05


onset.direction = 1


def solve(end):
    return solve_ivp(rates, (0, end), [0.0, 0.0, 0.0], method="LSODA", rtol=relative,
                     atol=absolute, events=onset)


best = math.inf
for _ in range(5):
    start = time.process_time()
    solve(20)
    best = min(best, time.process_time() - start)
times = solve(120).t_events[0]
print(best, (times[-1] - times[1]) / (len(times) - 2))

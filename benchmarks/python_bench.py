# SPDX-License-Identifier: Apache-2.0
"""The Python package beside C++, plain Python and SciPy, in one run.

python_bench.py SAMPLE_LOOP: the program of benchmarks/sample_loop.cpp; PYTHONPATH leads to the package.

Times are processor times, the least of some tries, taken in turns: all of it runs on one thread, and a machine that
others use, too, is nearly as good as an empty one."""

import math
import subprocess
import sys
import time

import numpy as np

import asperity

ROWS, TURNS = 1_000_000, 7


def least(call, tries):
    """Seconds of the processor that a call takes, the least of some tries."""
    best = math.inf
    for _ in range(tries):
        start = time.process_time()
        call()
        best = min(best, time.process_time() - start)
    return best


t = 1e-3 * np.arange(ROWS)
v = 0.002 * np.sin(6.28 * t)
model = asperity.models.lugre()
out = model(t, v)

# ---- arrays, in turns with C++
ours = theirs = math.inf
for _ in range(TURNS):
    answer = subprocess.run([sys.argv[1], "lugre", str(ROWS), "1"], capture_output=True, text=True, check=True)
    nanoseconds, last = map(float, answer.stdout.split())
    theirs = min(theirs, nanoseconds)
    ours = min(ours, 1e9 * least(lambda: model(t, v), 1) / ROWS)
assert abs(last - out[-1]) < 1e-9, (last, out[-1])  # sin of numpy and of C may differ in a bit
print(f"lugre over {ROWS} samples, ns each: Python {ours:.0f}, C++ {theirs:.0f}")
print(f"ratio | Python over C++, lugre over 1e6 samples | {ours / theirs:.2f}")

# ---- the same in plain Python: a step of Dormand and Prince per sample would be ten times these lines; this is Euler's
# method in steps of a tenth, which is less work per step and less exact.
p = model.parameters


def plain(rows):
    """LuGre along the samples by lists and floats."""
    z, forces = 0.0, []
    times, speeds = t[:rows].tolist(), v[:rows].tolist()
    s0, s1, s2, c, s, w, e = (p[n] for n in ("sigma_0", "sigma_1", "sigma_2", "F_c", "F_s", "v_s", "delta"))
    for i in range(rows):
        speed = speeds[i]
        g = c + (s - c) * math.exp(-(abs(speed / w) ** e))
        if i > 0:
            h = (times[i] - times[i - 1]) / 10
            for _ in range(10):
                rate = speed - s0 * abs(speed) / g * z
                z += h * rate
        rate = speed - s0 * abs(speed) / g * z
        forces.append(s0 * z + s1 * rate + s2 * speed)
    return forces


rows = 20_000
in_plain = 1e9 * least(lambda: plain(rows), 3) / rows
print(f"ratio | plain Python (ten Euler steps per sample) over ours | {in_plain / ours:.0f}")

# ---- and by SciPy
try:
    from scipy.integrate import solve_ivp
except ImportError:
    print("SciPy is not installed")
else:
    rows = 2_000
    constants = [p[n] for n in ("sigma_0", "F_c", "F_s", "v_s", "delta")]

    def rate(at, z):
        s0, c, s, w, e = constants
        speed = 0.002 * math.sin(6.28 * at)
        return [speed - s0 * abs(speed) / (c + (s - c) * math.exp(-(abs(speed / w) ** e))) * z[0]]

    def by_scipy():
        return solve_ivp(rate, (0, t[rows - 1]), [0.0], t_eval=t[:rows], method="LSODA", rtol=1e-6, atol=1e-12)

    in_scipy = 1e9 * least(by_scipy, 3) / rows
    print(f"ratio | SciPy's solve_ivp (LSODA) over ours | {in_scipy / ours:.0f}")

# ---- one sample at a time
model.reset()
step, calls = model.step, 20_000


def loop():
    for _ in range(calls):
        step(1e-3, x=0.0, v=0.001)


dai = asperity.models.dai()


def loop_of_dai():
    closed = dai.step
    for _ in range(calls):
        closed(1e-3, x=0.0, v=0.001)


print(f"one call of step, ns: lugre {1e9 * least(loop, TURNS) / calls:.0f}, dai {1e9 * least(loop_of_dai, TURNS) / calls:.0f}")

# ---- arrays of parameters
limits = np.linspace(1.1, 2, 1000)
rows = 1000
many = asperity.models.lugre(F_s=limits)
singles = [asperity.models.lugre(F_s=each) for each in limits[:50]]
together = 1e9 * least(lambda: many(t[:rows], v[:rows]), 3) / (rows * len(limits))
alone = 1e9 * least(lambda: [each(t[:rows], v[:rows]) for each in singles], 3) / (rows * len(singles))
print(f"1000 values of F_s, ns per sample: in packs {together:.1f}, one by one {alone:.1f}")
print(f"ratio | one by one over packs, 1000 lugre | {alone / together:.1f}")

# SPDX-License-Identifier: Apache-2.0
"""asperity.fit beside scipy.optimize.least_squares around the same model, on the same record.

    PYTHONPATH=build/release/python /usr/bin/python3 benchmarks/fit_against_scipy.py [--rows N] [MODEL ...]

The record is made by `evaluate`, with error control; noise of 1 % is added. Both look for the same
parameters, without sensor errors, multistart and intervals. SciPy gets the model as a function of arrays
(`model(t, v=v)`, compiled, one call per residual vector), the logarithms of the parameters as unknowns, each
within a factor of 1000, the method `trf` with differences, and starts a factor of 1.3 from the truth; ours starts from what the record
shows. Times are processor times of one thread. Prints a table and the ratios.
"""

import argparse
import time

import numpy as np
from scipy.optimize import least_squares

import asperity

# What is found, and how far the motion reaches [m].
CASES = {
    "lugre": (("sigma_0", "sigma_1", "F_c", "F_s", "v_s", "sigma_2"), 3e-4),
    "dai": (("K", "F", "beta"), 3e-6),
    "dai_multistate": (("kappa", "sigma", "tau_d", "F_c", "F_s", "v_s"), 3e-6),
}


def record_of(key, reach, rows):
    t = np.arange(rows) * 1e-3
    slow, fast = 2 * np.pi * 0.7, 2 * np.pi * 2.3
    v = reach * (slow * np.cos(slow * t) + 0.7 * fast * np.cos(fast * t) * np.sin(0.7 * t) + 9 * np.cos(46 * t + 1))
    f = np.asarray(getattr(asperity.models, key)().evaluate(t=t, v=v)["f"])
    f = f + 0.01 * f.std() * np.random.default_rng(1).normal(size=rows)
    return {"t": t, "v": v, "f": f}


class ByScipy:
    """The residuals as SciPy wants them, counted."""

    def __init__(self, key, names, record):
        self.make = getattr(asperity.models, key)
        self.record = record
        self.parts = []
        model, start = self.make(), []
        for name in names:
            value = np.atleast_1d(np.asarray(model.parameters[name], dtype=float))
            self.parts.append((name, len(value)))
            start.extend(np.log(value))
        self.start = np.array(start) + np.log(1.3)
        self.calls = 0

    def __call__(self, u):
        self.calls += 1
        values, at = {}, 0
        for name, length in self.parts:
            some = np.exp(u[at : at + length])
            values[name] = float(some[0]) if length == 1 else list(some)
            at += length
        values["F_s"] = max(values["F_s"], values["F_c"]) if "F_s" in values else None
        model = self.make(**{k: x for k, x in values.items() if x is not None})
        return np.asarray(model(self.record["t"], v=self.record["v"])) - self.record["f"]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=10000)
    parser.add_argument("models", nargs="*", default=list(CASES))
    given = parser.parse_args()
    print(f"{'model':16} {'by':9} {'unknowns':>8} {'seconds':>9} {'calls':>6} {'residual':>10}")
    for key in given.models:
        names, reach = CASES[key]
        record = record_of(key, reach, given.rows)
        scale = record["f"].std()

        begin = time.process_time()
        ours = asperity.fit(getattr(asperity.models, key), record, free=names, sensor=(), hold_out=0, starts=0,
                            intervals=False)
        own = time.process_time() - begin
        rms = np.sqrt(np.mean(np.square(ours.residual)))
        unknowns = len(ours.data["parameters"])
        print(f"{key:16} {'asperity':9} {unknowns:8} {own:9.2f} {'':>6} {100 * rms / scale:8.3f} %")

        problem = ByScipy(key, names, record)
        begin = time.process_time()
        theirs = least_squares(problem, problem.start, bounds=(problem.start - 7, problem.start + 7), x_scale="jac",
                               max_nfev=60)
        scipy = time.process_time() - begin
        rms = np.sqrt(np.mean(np.square(theirs.fun)))
        print(f"{key:16} {'scipy':9} {len(problem.start):8} {scipy:9.2f} {problem.calls:6} {100 * rms / scale:8.3f} %"
              + ("" if theirs.success else "  (stopped after 60 iterations)"))
        print(f"{key}: scipy takes {scipy / own:.1f} times as long")


if __name__ == "__main__":
    main()

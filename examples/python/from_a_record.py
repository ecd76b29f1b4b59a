# SPDX-License-Identifier: Apache-2.0
"""From a record of a rig to a model with intervals.

The record is made here, with noise and an offset of the sensor, so that the truth is known: the parameters
must lie inside the intervals that the fit states, or the fit must say that it cannot tell them.
"""

import numpy as np

import asperity

truth = asperity.models.dai(F=2.0, K=5e4, beta=1e-3)
t = np.arange(0, 4, 2e-3)
x = 2e-4 * np.sin(5 * t) + 5e-5 * np.sin(23 * t)
random = np.random.default_rng(1)
f = truth.evaluate(t=t, x=x)["f"] + 0.05 + 0.02 * random.standard_normal(len(t))

found = asperity.fit(asperity.models.dai, {"t": t, "x": x, "f": f})
print(found)
for name, value in (("F", 2.0), ("K", 5e4)):
    fitted = found.model.parameters[name]
    print(f"{name}: {fitted:.6g}, truth {value:g}")
    assert abs(fitted / value - 1) < 0.02

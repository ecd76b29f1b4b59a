# SPDX-License-Identifier: Apache-2.0
"""Where does it stick and slip? A map over the speed of the drive and the stiffness of its spring.

A block is pulled by a spring. Slow and soft drives make it stick and slip, fast and stiff ones pull it
steadily: why a door creaks when it is opened slowly, and how a machine is cured.
"""

import numpy as np

import asperity

scenario = {
    "system": {"kind": "pulled_mass", "mass": 1, "stiffness": 100, "damping": 3, "speed": 0.1},
    "friction": {"model": "dai_stribeck"},
    "run": {"duration": 20, "sample": 0.01},
}
table = asperity.sweep(
    scenario,
    {"system.stiffness": np.geomspace(30, 3e5, 9), "system.speed": np.geomspace(0.01, 1, 9)},
    ["span(v, from=10)"],
)
(name,) = [k for k in table if "(" in k]
relative = table[name] / table["system.speed"][None, :]

print("stick-slip (#) over stiffness (up) and speed (right)")
for i in reversed(range(relative.shape[0])):
    row = "".join(" #" if r > 0.5 else " ." for r in relative[i])
    print(f"{table['system.stiffness'][i]:8.0f} N/m {row}")

slow_and_soft, fast_and_stiff = relative[0, 0], relative[-1, -1]
assert slow_and_soft > 0.5 > fast_and_stiff

try:
    import matplotlib.pyplot as plt
except ImportError:
    raise SystemExit(0)
plt.pcolormesh(table["system.speed"], table["system.stiffness"], relative > 0.5, shading="nearest")
plt.xscale("log"), plt.yscale("log")
plt.xlabel("speed of the drive [m/s]"), plt.ylabel("stiffness [N/m]")
plt.savefig("stick_slip_map.svg")

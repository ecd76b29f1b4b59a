# SPDX-License-Identifier: Apache-2.0
"""Why LuGre drifts.

A mass is pushed by a force that swings but never reaches the friction limit. A real machine stays
where it is. Friction models with a bristle do not all agree.
"""

import math

import asperity

push = {"kind": "sine", "amplitude": 0.2, "offset": 0.6, "omega": 4 * math.pi}
scenario = {
    "system": {"kind": "mass_under_force", "mass": 1},
    "force": push,
    "run": {"duration": 60},
}

ways = {}
for name in ("lugre", "elastoplastic", "dai"):
    run = asperity.run({**scenario, "friction": {"model": name}})
    # Whole periods apart, so that the elastic swing itself does not count.
    settled = run["x"][len(run["x"]) // 2]
    ways[name] = run["x"][-1] - settled
    print(f"{name:14s} creeps {ways[name] * 1e6:9.4f} um in 30 s")

# Each swing takes the LuGre bristle a little further round its curve than it comes back: the state z
# of the bristle relaxes towards F/sigma_0 whenever the mass moves, however slowly. The elasto-plastic
# law and the DAI law have a range in which the bristle is a plain spring, so the mass stays.
assert abs(ways["lugre"]) > 20 * abs(ways["dai"])

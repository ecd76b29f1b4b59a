# SPDX-License-Identifier: Apache-2.0
"""Our right-hand sides in an integrator of others: scipy's solve_ivp.

Models that are ODEs answer with their force and the rates of their states, so any integrator takes them.
The same motion by Asperity's own run is the check.
"""

import sys

import numpy as np

import asperity

try:
    from scipy.integrate import solve_ivp
except ImportError:
    print("skipped: scipy is not installed")
    sys.exit(77)

mass, stiffness, speed = 1.0, 2.0, 0.1
friction = asperity.models.lugre()


def rates(t, y):
    x, v, z = y
    (force,), (z_dot,) = friction.rates([z], x=x, v=v, load=1.0)
    return [v, (stiffness * (speed * t - x) - force) / mass, z_dot]


found = solve_ivp(rates, (0, 5), [0, 0, 0], method="LSODA", rtol=1e-8, atol=1e-10, dense_output=True)
ours = asperity.run(
    {
        "system": {"kind": "pulled_mass", "mass": mass, "stiffness": stiffness, "speed": speed},
        "friction": friction,
        "run": {"duration": 5},
        "integrator": {"relative_tolerance": 1e-8},
    }
)
apart = np.abs(found.sol(ours["t"])[0] - ours["x"]).max()
print(f"scipy took {found.nfev} evaluations; the motions differ by at most {apart:.2g} m")
assert apart < 1e-5

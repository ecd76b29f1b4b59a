# SPDX-License-Identifier: Apache-2.0
"""Our right-hand sides in an integrator of others: scipy's solve_ivp.

Models that are ODEs answer with their force and the rates of their states, so any integrator takes them. Bristles
are stiff, so an implicit method is wanted, and such a method wants derivatives: those of the model are exact.
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


asked = 0


def rates(t, y):
    global asked
    asked += 1
    x, v, z = y
    (force,), (z_dot,) = friction.rates([z], x=x, v=v, load=1.0)
    return [v, (stiffness * (speed * t - x) - force) / mass, z_dot]


def jacobian(t, y):
    x, v, z = y
    of = friction.jacobian([z], x=x, v=v, load=1.0)
    f_x, f_v, _ = of["outputs_by_inputs"][0]
    z_x, z_v, _ = of["rates_by_inputs"][0]
    return [
        [0, 1, 0],
        [-(stiffness + f_x) / mass, -f_v / mass, -of["outputs_by_state"][0, 0] / mass],
        [z_x, z_v, of["rates_by_state"][0, 0]],
    ]


found = solve_ivp(
    rates, (0, 5), [0, 0, 0], method="Radau", jac=jacobian, rtol=1e-8, atol=1e-10, dense_output=True
)
with_ours, asked = asked, 0
solve_ivp(rates, (0, 5), [0, 0, 0], method="Radau", rtol=1e-8, atol=1e-10)
ours = asperity.run(
    {
        "system": {"kind": "pulled_mass", "mass": mass, "stiffness": stiffness, "speed": speed},
        "friction": friction,
        "run": {"duration": 5},
        "integrator": {"relative_tolerance": 1e-8},
    }
)
apart = np.abs(found.sol(ours["t"])[0] - ours["x"]).max()
print(f"scipy asked {with_ours} times with our derivatives and {asked} times with differences of its own")
print(f"the motions differ by at most {apart:.2g} m")
assert found.success and apart < 1e-5
assert with_ours < asked

# SPDX-License-Identifier: Apache-2.0
"""Slide and spin: a disc that spins is pushed aside by the smallest force.

Friction points against the slip of each piece of the contact. Where a disc spins fast, its pieces slip
in all directions, and hardly anything is left against a slow slide.
"""

import numpy as np

import asperity

disc = asperity.models.disc_coulomb()
t = np.array([0.0, 1e-3])
radius = disc.parameters.get("R", disc.parameters.get("radius", 0.05))
slide = 0.1

print("rim speed / slide speed    force along the slide")
forces = []
for ratio in (0.0, 0.5, 1.0, 2.0, 5.0, 20.0):
    out = disc(t, v_x=slide, v_y=0.0, omega=ratio * slide / radius)
    forces.append(out[-1, 0])
    print(f"{ratio:10.1f} {out[-1, 0]:26.4f} N")

# The faster it spins, the less the slide is resisted: for fast spin as slide over rim speed.
assert all(a > b > 0 for a, b in zip(forces, forces[1:]))
assert abs(forces[-1] / forces[-2] - 5.0 / 20.0) < 0.01

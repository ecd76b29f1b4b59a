# SPDX-License-Identifier: Apache-2.0
"""Butterflies: a loop seen through a hill becomes two wings.

Magnetostrictive and piezoelectric actuators answer a swinging field with a curve like a butterfly. It is
a simple hysteresis loop, of the magnetisation say, seen through a curve that does not care for signs.
"""

import numpy as np

import asperity

t = np.linspace(0, 8 * np.pi, 8001)
field = 2 * np.sin(t)
simple = asperity.models.prandtl_ishlinskii()(t, x=field)
seen = simple**2

half = len(t) // 4  # after the first swing from rest
one = asperity.loops(field[half:], simple[half:])
two = asperity.loops(field[half:], seen[half:])
print(f"the simple loop:  area {one['area_per_cycle']:.4f}")
print(f"the butterfly:    area {two['area_per_cycle']:.4f}")

# Its wings are run through in opposite directions, so that their areas cancel.
assert abs(two["area_per_cycle"]) < 0.05 * abs(one["area_per_cycle"])

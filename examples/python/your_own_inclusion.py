# SPDX-License-Identifier: Apache-2.0
"""Your own system with dry friction, written as one writes it on paper.

``F sgn(v)`` is set-valued at v = 0. Asperity turns the inclusion into an ordinary differential equation
that sticks where the paper's system sticks.
"""

import numpy as np

import asperity

oscillator = """
[system]
kind = "inclusion"
[parameters]
k = "100 N/m"
m = "1 kg"
F = "2 N"
[states]
x = { unit = "m", rate = "v", initial = 0.1 }
v = { unit = "m/s", rate = "(-k*x - F*sgn(v))/m" }
[run]
duration = 3
"""

try:
    run = asperity.run(oscillator)
except asperity.Error as message:
    # The text says what to change, with the line.
    print(message)
    raise SystemExit(1)

x = run["x"]
# Each half swing loses 2 F/k, until it stops between -F/k and F/k: 0.10, -0.06, 0.02.
print("stops at", x[-1], "m")
assert abs(x[-1]) <= 2.0 / 100 + 1e-6
assert np.ptp(x[-100:]) < 1e-9

# SPDX-License-Identifier: Apache-2.0
"""A ball that bounces as ordered.

What people know of an impact is how high something bounces, and perhaps how long it touches. What a
simulator wants is a stiffness and a damping. Asperity solves for these, and simulates the impact as a check.
"""

import asperity

contact = asperity.design_contact("dai_contact", restitution="0.7@2m/s", time="5 ms", mass=0.5)
print(contact)
found = asperity.restitution(contact, 2.0, mass=0.5)
print(f"bounces with {found['restitution']:.4f} after {found['contact_time'] * 1e3:.3f} ms")
assert abs(found["restitution"] - 0.7) < 1e-6
assert abs(found["contact_time"] - 5e-3) < 1e-8

# A bounce that gives back more than it got cannot be had, and the library says so.
try:
    asperity.design_contact("dai_contact", restitution="1.2@2m/s")
except asperity.Error as reason:
    print("refused:", reason)
else:
    raise SystemExit("a bounce that gains energy was designed")

# SPDX-License-Identifier: Apache-2.0
"""A friction law of your own, written in C++ and used from Python like all others.

``asperity new model`` writes a header with its page, its test and a CMakeLists.txt. Here we replace its equations,
build it, and compare it with a law of the library. See docs/plugins.md.
"""

import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import numpy as np

import asperity

tool = os.environ.get("ASPERITY_TOOL") or shutil.which("asperity")
if not tool or not shutil.which("cmake"):
    print("this lesson needs the program asperity and cmake")
    sys.exit(77)

folder = pathlib.Path(tempfile.mkdtemp())
subprocess.run([tool, "new", "model", "leaky_spring", "--out", folder], check=True, stdout=subprocess.DEVNULL)

# The equations of the template are Dahl's. We let the spring forget with a time constant T.
header = folder / "leaky_spring.hpp"
text = header.read_text()
for old, new in [
    ("S K = lit<S>(1e5), F = lit<S>(1.0);", "S K = lit<S>(1e5), F = lit<S>(1.0), T = lit<S>(10.0);"),
    ("    card.state(", '    card.parameter("T", T, second, positive, "in which the spring forgets");\n    card.state('),
    ("(f / (F * in.load))}}", "(f / (F * in.load)) - z / T}}"),
    (" | rate_independent", ""),  # it was a claim of the template, and is not true any more
]:
    assert old in text, old
    text = text.replace(old, new)
header.write_text(text)

builder = ["-G", "Ninja"] if shutil.which("ninja") else []  # otherwise CMake takes make
configured = subprocess.run(["cmake", "-S", folder, "-B", folder / "build", *builder], capture_output=True, text=True)
if configured.returncode != 0 and "asperityConfig.cmake" in configured.stderr:
    print("this lesson needs the CMake package of asperity: cmake --install, or asperity_DIR")
    sys.exit(77)
assert configured.returncode == 0, configured.stderr
subprocess.run(["cmake", "--build", folder / "build", "--target", "leaky_spring"], check=True, stdout=subprocess.DEVNULL)
plugin = folder / "build" / "leaky_spring.so"

# Does it keep what its card promises? Here: odd, passive, bounded and continuous, units, derivatives ...
checked = subprocess.run([tool, "check", plugin], capture_output=True, text=True)
print(checked.stdout.splitlines()[-1])
assert checked.returncode == 0, checked.stderr

print(asperity.load_plugin(plugin))  # ['leaky_spring']

# Pushed to half of its limit and held there, Dahl friction stays, and ours lets go.
t = np.linspace(0, 30, 3001)
x = np.minimum(t, 1) * 7e-6
held = asperity.models.dahl(sigma_0="0.1 N/um", F_c=1)(t, x=x)
ours = asperity.models.leaky_spring(K="0.1 N/um", F=1, T=10)(t, x=x)
print(f"after 1 s: {held[100]:.3f} N and {ours[100]:.3f} N; after 30 s: {held[-1]:.3f} N and {ours[-1]:.3f} N")
assert abs(held[-1] - held[100]) < 1e-3
assert abs(ours[-1] / ours[100] - np.exp(-29 / 10)) < 1e-2

# In scenarios, too.
run = asperity.run({
    "system": {"kind": "pulled_mass", "mass": 1, "stiffness": 2, "speed": 0.1},
    "friction": {"model": "leaky_spring", "F": 0.5},
    "run": {"duration": 2},
})
print(run)
assert np.max(np.abs(run["f"])) <= 0.5 * (1 + 1e-3)

try:
    asperity.load_plugin(header)
except asperity.Error as message:
    print(message)  # ... it is not a plug-in of asperity; write one with `asperity new model NAME` ...
else:
    raise SystemExit("a text is no plug-in")
shutil.rmtree(folder)

# SPDX-License-Identifier: Apache-2.0
"""A mass on a slide joint of MuJoCo, pushed with 96 % of what friction holds: MuJoCo's own frictionloss creeps, a law
of this library holds.

    PYTHONPATH=build/release/python python3 adapters/mujoco/hold.py

It needs the package asperity and MuJoCo: its package `mujoco`, or else its library and header (Debian: libmujoco-dev)
and a C compiler, which is asked where the numbers lie.
"""

import math
import sys

try:
    import asperity
except ImportError:
    sys.exit("hold.py: the package asperity is missing: ./dev build, then PYTHONPATH=build/release/python")


class ByLibrary:
    """As much of the package `mujoco` as is needed here, from the shared library."""

    FIELDS = ("qpos", "qvel", "qM", "qfrc_passive", "qfrc_bias", "qfrc_applied")

    def __init__(self):
        import ctypes
        import ctypes.util
        import os
        import subprocess
        import tempfile

        name, compiler = ctypes.util.find_library("mujoco"), os.environ.get("CC", "cc")
        if name is None:
            sys.exit("hold.py: neither the package mujoco nor its library is installed (Debian: libmujoco-dev)")
        library = ctypes.CDLL(name)
        for function in ("mj_loadXML", "mj_makeData"):
            getattr(library, function).restype = ctypes.c_void_p
        lines = "".join(f'printf("{field} %zu\\n", offsetof(mjData, {field}));' for field in self.FIELDS)
        with tempfile.TemporaryDirectory() as folder:
            source, program = os.path.join(folder, "places.c"), os.path.join(folder, "places")
            with open(source, "w", encoding="utf-8") as file:
                file.write("#include <mujoco/mujoco.h>\n#include <stddef.h>\n#include <stdio.h>\n")
                file.write("int main(void) {" + lines + "return 0; }\n")
            try:
                subprocess.run([compiler, source, "-o", program], check=True)
            except (OSError, subprocess.CalledProcessError):
                sys.exit("hold.py: mujoco/mujoco.h or a C compiler is missing (Debian: libmujoco-dev, gcc)")
            told = subprocess.run([program], capture_output=True, text=True, check=True).stdout
        places = {field: int(place) for field, place in (line.split() for line in told.splitlines())}

        def numbers(address, field):
            return ctypes.cast(address + places[field], ctypes.POINTER(ctypes.POINTER(ctypes.c_double)))[0]

        class Model:
            def __init__(self, xml):
                words = ctypes.create_string_buffer(1000)
                with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
                    file.write(xml)
                    file.flush()
                    self.address = library.mj_loadXML(file.name.encode(), None, words, len(words))
                if not self.address:
                    sys.exit("hold.py: MuJoCo: " + words.value.decode())

            from_xml_string = classmethod(lambda kind, xml: kind(xml))

        class Data:
            def __init__(self, model):
                self.address = library.mj_makeData(ctypes.c_void_p(model.address))
                for field in ByLibrary.FIELDS:
                    setattr(self, field, numbers(self.address, field))

        def called(function):
            return lambda m, d: getattr(library, function)(ctypes.c_void_p(m.address), ctypes.c_void_p(d.address))

        self.MjModel, self.MjData = Model, Data
        self.mj_step, self.mj_step1, self.mj_step2 = called("mj_step"), called("mj_step1"), called("mj_step2")


try:
    import mujoco
except ImportError:
    mujoco = ByLibrary()

STEP, LIMIT = 2e-3, 1.0
SCENE = """<mujoco><option timestep="{step}" gravity="0 0 0"/><worldbody><body><joint name="slide" type="slide"
axis="1 0 0" frictionloss="{own}"/><geom type="box" size=".1 .1 .1" mass="1" contype="0" conaffinity="0"/></body>
</worldbody></mujoco>"""


def scene(own):
    model = mujoco.MjModel.from_xml_string(SCENE.format(step=STEP, own=own))
    return model, mujoco.MjData(model)


def push(time):
    """Within a second: a sudden force would swing the mass beyond the limit."""
    return 0.96 * LIMIT * 0.5 * (1 - math.cos(math.pi * min(1.0, time)))


def creep_of_mujoco(seconds):
    """How far it goes from the second second on, with MuJoCo's own friction."""
    model, data = scene(LIMIT)
    for i in range(round(seconds / STEP)):
        if i == round(2 / STEP):
            start = data.qpos[0]
        data.qfrc_applied[0] = push(i * STEP)
        mujoco.mj_step(model, data)
    return data.qpos[0] - start


def creep_with(friction, seconds):
    """The same where the force is that which the law has at the end of each step, together with the mass."""
    model, data = scene(0)
    for i in range(round(seconds / STEP)):
        if i == round(2 / STEP):
            start = data.qpos[0]
        mujoco.mj_step1(model, data)
        force = push(i * STEP)
        mobility = STEP / data.qM[0]
        others = force + data.qfrc_passive[0] - data.qfrc_bias[0]
        v = data.qvel[0]
        friction.step_with_body(STEP, free=v + mobility * others, mobility=mobility, x=data.qpos[0], v=v)
        data.qfrc_applied[0] = force - friction.outputs["f"]
        mujoco.mj_step2(model, data)
    return data.qpos[0] - start


own, ours = creep_of_mujoco(100), creep_with(asperity.models.dai(F=LIMIT), 100)
print("1 kg pushed with 96 % of the limit, from 2 s to 100 s, steps of 2 ms")
print(f"  frictionloss: creeps {own:.3g} m")
print(f"  dai:          creeps {ours:.3g} m")
if not (abs(ours) < 1e-12 and own > 1e-3):
    sys.exit("hold.py: that is not what docs/mujoco.md says")

# SPDX-License-Identifier: Apache-2.0
"""Analyses of models and records."""

import os

import numpy as np

from . import _asperity
from .model import floats, one_model, one_number, whole_number
from .run import Progress, _document


def loops(u, y, *, noise=None):
    """Loops in a record of an input u and an output y: which close, how large, which way round.

    ``noise`` is that of u, peak to peak; it is guessed where not given. Returns a dict with the list
    ``loops`` and the areas of all (``area``) and of a cycle on average (``area_per_cycle``).
    """
    columns = {name: floats("loops", name, each, "a list of numbers") for name, each in {"u": u, "y": y}.items()}
    for name, column in columns.items():
        if column.ndim != 1:
            raise _asperity.Error(f"loops: {name} has the shape {column.shape}: it must be a list of numbers")
        if not np.isfinite(column).all():
            at = int(np.argmin(np.isfinite(column)))
            raise _asperity.Error(f"{name} = {column.flat[at]} at sample {at}: it must be a finite number")
    if noise is not None and not 0 <= one_number("loops", "noise", noise) < np.inf:
        raise _asperity.Error(f"noise = {noise!r}: it must be at least 0 and finite")
    return _asperity.loops(columns["u"], columns["y"], -1.0 if noise is None else noise)


def restitution(model, speed, *, mass=1.0, force=0.0):
    """What a contact model makes of an impact: restitution, contact time, peak force, depth.

    ``force`` acts on the mass away from the surface: -m g for a mass that falls. With an array of
    speeds each number becomes an array.
    """
    speeds = floats("restitution", "speed", speed, "one number in SI units, or an array of numbers")
    mass, force = one_number("restitution", "mass", mass), one_number("restitution", "force", force)
    if speeds.size == 0:
        raise _asperity.Error("speed is an empty array: give at least one value")
    one = one_model(model)._one
    found = [_asperity.impact(one, float(v), mass, force) for v in speeds.ravel()]
    if speeds.ndim == 0:
        return found[0]
    return {
        name: [one[name] for one in found] if name == "why" else np.reshape([one[name] for one in found], speeds.shape)
        for name in found[0]
    }


def limit_surface(*, around=48, up=25, tolerance=1e-8, a=0.0, folder="", progress=None, **patch):
    """Forces and torques that a contact patch can hold, sliding and spinning, for mu f_n = 1.

    The patch goes by the keys of ``[patch]`` in a scenario: ``limit_surface(shape="disc", radius="20 mm")``;
    ``asperity show planar_body`` lists them. Returns a dict with ``f_x``, ``f_y`` [N] and ``torque`` [N m] as
    arrays of up x around directions of the twist, ``torque_over_force`` [m], and how far the ellipsoid with
    the same extremes is off (``ellipsoid_worst_error``); with ``a`` it is the ellipsoid whose torque is a
    times the reach of the patch. ``folder`` is where files of pressures lie.
    """
    around, up = whole_number("limit_surface", "around", around), whole_number("limit_surface", "up", up)
    tolerance, a = one_number("limit_surface", "tolerance", tolerance), one_number("limit_surface", "a", a)
    with Progress(progress) as watch:
        found = _asperity.limit_surface(_document(patch), os.fsencode(folder), around, up, tolerance, a, watch)
    for name in ("longitude", "latitude", "f_x", "f_y", "torque"):
        found[name] = found[name].reshape(found["up"], found["around"])
    return found


def hysteresis(model, amplitude, *, offset=0.0, omega=10.0, loops=13, progress=None):
    """Periodic loops of a model, ever slower, and the limit of their area and width with its error."""
    given = {"amplitude": amplitude, "offset": offset, "omega": omega}
    values = [one_number("hysteresis", name, value) for name, value in given.items()]
    with Progress(progress) as watch:
        return _asperity.hysteresis(
            one_model(model)._one, *values, whole_number("hysteresis", "loops", loops), watch
        )

# SPDX-License-Identifier: Apache-2.0
"""Parameters from measurements, and contacts from wishes."""

import json

import numpy as np

from . import _asperity, models
from .model import floats, one_model, one_number, one_text, whole_number
from .run import Progress, words

#: What can be wished of a contact.
_WISHES = ("restitution", "time", "penetration", "force", "resting_penetration")


class Fit:
    """A model fitted to records, and what can be said about it. ``print(fit)`` shows the report.

    ``model`` has the parameters that were found, ``residual`` is model minus measurement [N], one sample after the
    other, and ``data`` is the report as a dict: values, intervals, correlations, findings.
    """

    def __init__(self, key, data):
        #: The model with the parameters that were found.
        self.model = getattr(models, key)(curve=data["curve"], **data["parameters"])
        #: Model minus measurement, one after the other [N].
        self.residual = data["residual"]
        #: The report as data: values, intervals, correlations, findings.
        self.data = json.loads(data["json"])
        self._text = data["text"]

    def __str__(self):
        return self._text

    def __repr__(self):
        return f"<Fit of {self.model.key}>\n{self._text}"


def _flag(key, name, value):
    if not isinstance(value, (bool, np.bool_)):
        raise _asperity.Error(f"{key}: {name} must be True or False, not {value!r}")
    return bool(value)


def _record(model, number, given):
    """Columns of a record by name: times, what moves the model, and what was measured."""
    if not hasattr(given, "keys"):
        raise _asperity.Error(f"record {number} must be a dict of arrays such as {{'t': t, 'x': x, 'f': f}}, not {given!r}")
    columns = {}
    for name in given.keys():
        where = f"record {number}"
        one_text(f"{where}: the name of a column", name)
        column = floats(where, name, given[name], "a list of numbers")
        if column.ndim != 1:
            raise _asperity.Error(f"{where}: {name} has {column.ndim} axes: it must be a list of numbers")
        if not np.isfinite(column).all():
            at = int(np.argmin(np.isfinite(column)))
            raise _asperity.Error(f"{where}: {name} = {column[at]} at sample {at}: it must be a finite number")
        columns[name] = column
    places = {c["rate_of"]: c["name"] for c in model.card["inputs"] if c["is_place"]}
    wanted = [("t",), tuple(c["name"] for c in model.card["outputs"])]
    wanted += [(c["name"], places.get(c["name"])) for c in model.card["inputs"] if c["is_rate"]]
    for names in wanted:
        if not any(name in columns for name in names):
            listed = " or ".join(f"'{name}'" for name in names if name)
            raise _asperity.Error(f"record {number} has no {listed}, which {model.key} needs; it has {', '.join(columns)}")
    return columns


def fit(model, records, *, free=(), hold=(), sensor=("offset",), settle=0.0, hold_out=0.25, starts=24, seed=1,
        intervals=True, time_limit=None, progress=None):
    """Parameters of a model from measured records.

    ``model`` is a class of :mod:`asperity.models` or one with parameters; ``records`` is a dict of arrays
    (``t``, ``x`` or ``v``, ``f``, perhaps ``load``), a pandas frame with such columns, or a list of these. ``free``
    and ``hold`` name the parameters to find or to keep; ``sensor`` which errors of the force sensor are found, too (offset, gain,
    delay, stiffness). The last ``hold_out`` of each record judges the fit. Returns a :class:`Fit`.

    >>> found = asperity.fit(asperity.models.dai, {"t": t, "x": x, "f": f})
    >>> print(found); found.model
    """
    model = one_model(model)
    is_one = hasattr(records, "keys") or isinstance(records, str) or not np.iterable(records)
    given = [records] if is_one else list(records)
    columns = [_record(model, number, each) for number, each in enumerate(given, 1)]
    starts, seed = whole_number("fit", "starts", starts), whole_number("fit", "seed", seed)
    hold_out, settle = one_number("fit", "hold_out", hold_out), one_number("fit", "settle", settle)
    if not 0 <= hold_out < 1:
        raise _asperity.Error(f"hold_out = {hold_out!r}: it must be at least 0 and below 1")
    if not 0 <= settle < np.inf:
        raise _asperity.Error(f"settle = {settle!r}: it must be a time in s, at least 0")
    if not 0 <= seed < 2**32:
        raise _asperity.Error(f"seed = {seed}: it must be from 0 to {2**32 - 1}")
    limit = 0.0 if time_limit is None else one_number("fit", "time_limit", time_limit)
    if time_limit is not None and not 0 < limit < np.inf:
        raise _asperity.Error(f"time_limit = {time_limit!r}: it must be a time in s, above 0, or None")
    names = words("free", free), words("hold", hold), words("sensor", sensor)
    with Progress(progress) as watch:
        data = _asperity.fit(
            model._one, columns, *names, settle, hold_out, starts, seed, _flag("fit", "intervals", intervals), limit, watch
        )
    return Fit(model.key, data)


def design_contact(model="dai_contact", *, mass=1.0, under_weight=False, step=0.0, **wishes):
    """A contact model from what an impact on it shall be.

    Wishes are texts: ``restitution="0.7@2m/s"``, ``time="2 ms"``, ``penetration="1 mm"``, ``force="2 kN"``,
    ``resting_penetration="10 um"``. Those that name no speed are for the first speed that is named, or 1 m/s. Returns a
    model of :mod:`asperity.models`; raises :class:`asperity.Error` with the reason where the wishes exclude each other.
    """
    key = model if isinstance(model, str) else one_model(model).key
    mass, step = one_number("design_contact", "mass", mass), one_number("design_contact", "step", step)
    for name in wishes:
        if name not in _WISHES:
            raise _asperity.Error(f"'{name}' is not a wish for a contact: allowed: {', '.join(_WISHES)}")
    under_weight = _flag("design_contact", "under_weight", under_weight)
    texts = {k: one_text(k, str(v)) for k, v in wishes.items()}
    found = _asperity.design_contact(key, texts, mass, under_weight, step)
    if not found["is_met"]:
        raise _asperity.Error(found["why"])
    return getattr(models, key)(**found["parameters"])


def design_regularisation(*, mass, load, friction_limit=0.0, step=0.0, penetration=_asperity.default_deflection,
                          creep=_asperity.default_deflection, frequency=0.0,
                          restitution=_asperity.default_restitution):
    """Rigid contact and Coulomb friction as a simulator with a step can take them.

    ``mass`` [kg] is pressed on a surface by ``load`` [N] and held there by friction of at most ``friction_limit`` [N].
    The contact yields by no more than ``penetration`` [m] at rest, with ``restitution``; the stuck body moves by no more
    than ``creep`` [m], also under loads of up to ``frequency`` [rad/s]. ``step`` [s] is that of an explicit method; 0 an
    implicit one. Returns a :class:`asperity.models.dai_contact`, and a :class:`asperity.models.dai`, or None without a
    ``friction_limit``; raises :class:`asperity.Error` with the reason where the wishes exclude each other.
    """
    given = {"mass": mass, "load": load, "friction_limit": friction_limit, "step": step, "penetration": penetration,
             "creep": creep, "frequency": frequency, "restitution": restitution}
    found = _asperity.design_regularisation(
        **{name: one_number("design_regularisation", name, value) for name, value in given.items()}
    )
    for part in found.values():
        if not part["is_met"]:
            raise _asperity.Error(part["why"])
    contact, friction = found["contact"], found.get("friction")
    return (
        models.dai_contact(K=contact["K"], beta=contact["beta"], alpha=contact["alpha"]),
        None if friction is None else models.dai(K=friction["K"], beta=friction["beta"], F=friction_limit),
    )

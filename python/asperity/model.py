# SPDX-License-Identifier: Apache-2.0
"""Models as classes: parameters by keyword, states and forces as numpy arrays."""

import html
import keyword
import numbers

import numpy as np

from . import _asperity


def number(value):
    """A number as people write it."""
    return f"{value:g}" if isinstance(value, float) else str(value)


def unit_of(line):
    """The unit of a line of a card, with a space before it; nothing for plain numbers."""
    return "" if line["unit"] == "-" else " " + line["unit"]


class Model:
    """A model of the catalogue with its parameters and its state.

    Make one of :mod:`asperity.models`, such as ``asperity.models.lugre(F_s=1.5)``. A parameter may be a
    number in SI, a text with a unit, a list where the card has one per element, or, for studies, an
    array of many values of a scalar parameter: the model is then evaluated for each of them, in packs
    where it can be (:attr:`is_in_packs`). Several arrays must fit together as numpy's do. A parameter whose
    name is a word of Python takes an underscore: ``lambda_=1.5``.

    ``key`` is its name in the catalogue, ``card`` a dict of what the card says (title, source, parameters, states,
    inputs, outputs, page), ``shape`` that of the arrays of parameters, () for a single model. Copies and pickles go
    on with the same bits, work and all.
    """

    #: Name in the catalogue; set by the classes of :mod:`asperity.models`.
    key = None

    def __init__(self, *, curve="", **parameters):
        if self.key is None:
            raise _asperity.Error("Model itself has no law: use a class of asperity.models, such as lugre")
        if not isinstance(curve, str):
            raise _asperity.Error(f"{self.key}: curve must be the name of a Stribeck curve, not {curve!r}")
        one_text(f"{self.key}: curve", curve)
        scalars = {p["name"]: not p["is_list"] for p in self.card["parameters"]}
        parameters = {_without_underscore(n): v for n, v in parameters.items()}
        self._curve = curve
        # Of its own: what is done to the caller's arrays and lists later is nothing to the model.
        self._given = {n: _own(v) for n, v in parameters.items()}
        many = {}
        for name, value in self._given.items():
            if isinstance(value, (np.generic, np.ndarray)) and value.ndim == 0:
                value = value.item()
            if scalars.get(name, False) and isinstance(value, (np.ndarray, list, tuple, range)):
                many[name] = _numbers(self.key, name, value)
            else:
                parameters[name] = _parameter(self.key, name, value)
        #: Shape of the arrays that were given for scalar parameters; () for a single model.
        self.shape = _common_shape(self.key, many)
        self._many = {n: np.broadcast_to(v, self.shape) for n, v in many.items()}
        if many:
            fixed = {n: v for n, v in parameters.items() if n not in many}
            flat = {n: np.ascontiguousarray(v).ravel() for n, v in self._many.items()}
            self._models = _asperity.Models(self.key, curve, fixed, flat)
            self._compiled, self._step_line = None, None
        else:
            self._models, self._compiled = None, _asperity.Model(self.key, curve, parameters)
            self._step_line = self._compiled.step_line if len(self.card["outputs"]) == 1 else None

    @property
    def _one(self):
        if self._models is not None:
            raise _asperity.Error(f"{self.key}: this needs a single model, not one for each of {self.shape} values")
        return self._compiled

    @property
    def _any(self):
        return self._compiled if self._models is None else self._models

    # ---- what it is ------------------------------------------------------------------------------

    @property
    def parameters(self):
        """All parameters in SI, by name; arrays where arrays were given."""
        if self._models is None:
            return {p["name"]: self._compiled.get(p["name"]) for p in self.card["parameters"]}
        fixed = {n: v for n, v in self._given.items() if n not in self._many}
        first = Model.__new__(type(self))  # not by the class, which may be made otherwise by its user
        Model.__init__(first, curve=self._curve, **fixed, **{n: float(v.flat[0]) for n, v in self._many.items()})
        return {**first.parameters, **self._many}

    @property
    def is_in_packs(self):
        """Whether arrays of parameters are evaluated side by side in packs: models of friction that are an
        ordinary differential equation. Others, and single models, are evaluated one by one."""
        return self._models is not None and self._models.is_in_packs

    @property
    def curve(self):
        """Name of its Stribeck curve; empty where it has none."""
        return self._any.card()["curve"]

    def __repr__(self):
        if self.shape:
            return f"<{len(self._models)} models {self.key}, shape {self.shape}>"
        lines = {p["name"]: p for p in self.card["parameters"]}
        shown = ", ".join(
            f"{n}={number(v)}{unit_of(lines[n])}" for n, v in self.parameters.items() if not isinstance(v, list)
        )
        return f"{self.key}({shown})"

    def _repr_html_(self):
        values = {n: f"{len(self._models)} values" if n in self._many else v for n, v in self.parameters.items()}
        rows = "".join(
            f"<tr><td><code>{html.escape(p['name'])}</code></td><td>{html.escape(str(values[p['name']]))}</td>"
            f"<td>{html.escape(p['unit'])}</td><td>{html.escape(p['meaning'])}</td></tr>"
            for p in self.card["parameters"]
        )
        equations = self.card["page"].partition("## Equations")[2].partition("\n## ")[0].strip()
        return (
            f"<h4>{html.escape(self.card['title'])}</h4><p>{html.escape(self.card['source'])}</p>"
            f"<pre>{html.escape(equations)}</pre>"
            f"<table><tr><th>parameter</th><th>value</th><th>unit</th><th>meaning</th></tr>{rows}</table>"
        )

    def __getstate__(self):
        # All that is carried on from one step to the next, so that a copy goes on with the same bits.
        if self._models is None:
            memories = [self._compiled.memory()]
        else:
            memories = [self._models.memory(i) for i in range(len(self._models))]
        kept = {n: v for n, v in vars(self).items() if n not in _MADE_ANEW}
        slots = {n for each in type(self).__mro__ for n in _slots_of(each)}
        kept.update((n, getattr(self, n)) for n in slots if hasattr(self, n))
        return {"curve": self._curve, "given": self._given, "memories": memories, "kept": kept}

    def __setstate__(self, state):
        # Without the constructor of the class, which may want other things.
        Model.__init__(self, curve=state["curve"], **state["given"])
        for i, memory in enumerate(state["memories"]):
            if self._models is None:
                self._compiled.recall(memory)
            else:
                self._models.recall(i, memory)
        for name, value in state["kept"].items():
            setattr(self, name, value)

    def __reduce__(self):
        kind = type(self)
        # Ours by name, so that a plug-in that is not loaded can be named; those of users as Python finds them.
        which = self.key if kind.__module__ == "asperity.models" else kind
        return (_blank, (which,), self.__getstate__())

    def __eq__(self, other):
        if not isinstance(other, Model) or self.key != other.key or self.shape != other.shape:
            return NotImplemented
        ours, theirs = self.parameters, other.parameters
        return self.curve == other.curve and all(np.array_equal(v, theirs[n]) for n, v in ours.items())

    __hash__ = None

    # ---- what it does ----------------------------------------------------------------------------

    def __call__(self, t, v=None, x=None, load=None, *, resets=True, **inputs):
        """Force along a motion, sample by sample, beginning at rest.

        t and each input are arrays of equal length, or inputs plain numbers. Of a place and its rate one
        is enough: a missing velocity is the slope between two samples, a missing position the integral. Inputs
        of other ports go by name (``gap=``, ``slip_x=``, ``omega=`` ...; see :attr:`card`). Between samples
        inputs are joined by lines, and the state goes on by the model's closed form where it has one, by
        steps with error control elsewhere. With ``resets=False`` it goes on from where it is.

        Returns an array of forces, with a further axis for models of several outputs, and with the shape
        of the parameters in front where those are arrays.
        """
        t = _times(self.key, t)
        given = {k: w for k, w in {"v": v, "x": x, "load": load, **inputs}.items() if w is not None}
        names = [c["name"] for c in self.card["inputs"]]
        for name in given:
            if name not in names:
                raise _asperity.Error(f"{self.key} has no input '{name}'; it has {', '.join(names)}")
        columns = [None] * len(names)
        for i, name in enumerate(names):
            if name not in given:
                continue
            columns[i] = _column(self.card, name, given[name], t)
        result = self._any.sample(t, columns, resets)
        return result if self._models is None else result.reshape(self.shape + result.shape[1:])

    def evaluate(self, *, tolerance=1e-9, **columns):
        """All columns along a motion, integrated with error control: t, inputs, states, forces.

        ``evaluate(t=t, x=x)`` or ``evaluate(t=t, v=v, load=load)``: arrays as long as t, or plain numbers.
        Returns a :class:`asperity.Run`; where the integration fails, RuntimeError has what was computed as its
        attribute ``run``.
        """
        from .run import _checked

        m = self._one
        names = ["t"] + [c["name"] for c in self.card["inputs"]]
        for name in columns:
            if name not in names:
                raise _asperity.Error(f"{self.key} has no input '{name}'; it has {', '.join(names[1:])}")
        if "t" not in columns:
            raise _asperity.Error(f"{self.key}: t is missing: give the times")
        tolerance = one_number(self.key, "tolerance", tolerance)
        if not 0 < tolerance <= 1:
            raise _asperity.Error(f"tolerance = {number(tolerance)}: it must be above 0 and at most 1")
        t = _times(self.key, columns.pop("t"))
        if not t.size:
            raise _asperity.Error(f"{self.key}: t is empty: give the times")
        given = {name: _column(self.card, name, column, t) for name, column in columns.items()}
        return _checked(m.evaluate({"t": t, **given}, tolerance))

    def reset(self, **inputs):
        """Back to the start: at rest where these inputs are (all 0 and load 1 where not given)."""
        rest = [1.0 if c["name"] == "load" else 0.0 for c in self.card["inputs"]]
        self._any.reset_to(self._in_order(inputs, rest))

    def step(self, h, x=None, v=None, load=None, **inputs):
        """A step of h seconds to these inputs; those not given stay as they are. Returns the force, or a
        list of outputs where the model has several."""
        if self._step_line is not None and x is not None and v is not None and not inputs:
            try:
                return self._step_line(h, x, v) if load is None else self._step_line(h, x, v, load)
            except TypeError:
                pass  # one of them is no number: below it is told which
        m = self._one
        given = {"x": x, "v": v, "load": load}
        inputs.update((k, w) for k, w in given.items() if w is not None)
        out = m.step(self._in_order(inputs, m.inputs), one_number(self.key, "h", h))
        return out[0] if len(out) == 1 else out

    def step_with_body(self, h, *, free, mobility, **inputs):
        """A step together with the body that it acts on, so that what sticks stays where it is.

        ``free`` is what the velocity (across a contact: the gap) would be at the end without the force,
        ``mobility`` what each newton changes it by: h/m for a mass m, h*h/m for a gap. One number each,
        or one per output. Returns the inputs at the end by name; the force is in :attr:`outputs`.
        """
        m = self._one
        names = [c["name"] for c in self.card["inputs"]]
        outputs = [c["name"] for c in self.card["outputs"]]
        given = {"free": _list(self.key, "free", free), "mobility": _list(self.key, "mobility", mobility)}
        for name, values in given.items():
            if len(values) != len(outputs):
                raise _asperity.Error(
                    f"{self.key}: {name} has {len(values)} numbers; it needs one for each of {', '.join(outputs)}"
                )
        end = m.step_coupled(self._in_order(inputs, m.inputs), *given.values(), one_number(self.key, "h", h))
        return dict(zip(names, end))

    def _in_order(self, inputs, now):
        names = [c["name"] for c in self.card["inputs"]]
        for name in inputs:
            if name not in names:
                raise _asperity.Error(f"{self.key} has no input '{name}'; it has {', '.join(names)}")
        return [one_number(self.key, n, inputs[n]) if n in inputs else old for n, old in zip(names, now)]

    def rates(self, state, **inputs):
        """Outputs and rates of the states, for integrators of others such as scipy's solve_ivp.

        Numbers that are not finite, which an integrator may try, are answered with some that are not finite.
        """
        m = self._one
        return m.rates(self._in_order(inputs, m.inputs), _list(self.key, "state", state))

    def jacobian(self, state, **inputs):
        """Exact derivatives of what :meth:`rates` answers, for implicit integrators of others.

        Returns a dict of matrices: ``"outputs_by_state"``, ``"outputs_by_inputs"``, ``"rates_by_state"`` and
        ``"rates_by_inputs"``; rows are outputs or states, columns inputs in the order of the card or states. At a
        kink it is the derivative of one side.
        """
        m = self._one
        values = _list(self.key, "state", state)
        whole = m.derivatives(self._in_order(inputs, m.inputs), values)
        outputs, columns = len(self.card["outputs"]), len(self.card["inputs"])
        return {
            "outputs_by_state": whole[:outputs, columns:],
            "outputs_by_inputs": whole[:outputs, :columns],
            "rates_by_state": whole[outputs:, columns:],
            "rates_by_inputs": whole[outputs:, :columns],
        }

    @property
    def state(self):
        """Its state as a list, in the order of :attr:`state_names`; can be set."""
        return self._one.state

    @state.setter
    def state(self, values):
        self._one.state = _list(self.key, "state", values)

    @property
    def state_names(self):
        """Names of the states."""
        return self._one.state_names

    @property
    def outputs(self):
        """Outputs now, by name."""
        return dict(zip((c["name"] for c in self.card["outputs"]), self._one.outputs))

    @property
    def stored_energy(self):
        """Energy stored now [J]; 0 where the model does not say."""
        return self._one.stored_energy

    @property
    def work(self):
        """Work done on the model since the reset [J]; what is not stored was lost."""
        return self._one.work

    @property
    def can_step_with_body(self):
        """Whether :meth:`step_with_body` is there: models with a closed form have it."""
        return self._one.can_couple


def one_model(model):
    """A model of :mod:`asperity.models`; of a class the one with default parameters."""
    if isinstance(model, type) and issubclass(model, Model):
        model = model()
    if not isinstance(model, Model):
        raise _asperity.Error(f"{model!r} is not a model: use one of asperity.models, such as asperity.models.lugre()")
    return model


#: Attributes that the constructor makes from what was given.
_MADE_ANEW = ("_curve", "_given", "_many", "_models", "_compiled", "_step_line", "shape")


def _slots_of(kind):
    slots = vars(kind).get("__slots__", ())
    names = [slots] if isinstance(slots, str) else list(slots)
    private = kind.__name__.lstrip("_")
    return [f"_{private}{n}" if n.startswith("__") and not n.endswith("__") else n for n in names if n != "__dict__"]


def _blank(which):
    """A model without parameters or state, for what is copied or read."""
    from . import models

    if isinstance(which, str):
        if which not in models.__all__:
            raise _asperity.Error(f"there is no model '{which}': load the plug-in that it comes from")
        which = getattr(models, which)
    return which.__new__(which)


def _without_underscore(name):
    return name[:-1] if name.endswith("_") and keyword.iskeyword(name[:-1]) else name


def _own(value):
    if isinstance(value, np.ndarray):
        return value.copy()
    return list(value) if isinstance(value, list) else value


def _parameter(key, name, value):
    """A text, a number, or the numbers of a list."""
    if isinstance(value, str):
        return one_text(f"{key}: {name}", value)
    try:
        if isinstance(value, numbers.Real) or not np.iterable(value):
            return float(value)
        if not isinstance(value, (bytes, dict)):
            return [float(each) for each in value]
    except (TypeError, ValueError, OverflowError):
        pass
    raise _asperity.Error(
        f"{key}: {name} must be a number in SI units, text with a unit, or a list of numbers, not {_shown(value)}"
    )


def _numbers(key, name, value):
    found = floats(key, name, value, "one number, text with a unit, or an array of numbers in SI units")
    if found.size == 0:
        raise _asperity.Error(f"{key}: {name} is an empty array: give at least one value")
    return found


def floats(key, name, value, wanted):
    """An array of floats; no texts, times of the calendar, complex numbers or entries that are masked."""
    try:
        found = np.asarray(value)
        if np.ma.is_masked(value) or found.dtype.kind not in "biufO":
            raise TypeError
        if found.dtype.kind == "O":  # exact fractions and the like, but neither texts nor None
            if not all(isinstance(each, numbers.Real) for each in found.flat):
                raise TypeError
        return np.ascontiguousarray(found, dtype=float).reshape(found.shape)
    except (TypeError, ValueError, OverflowError):
        raise _asperity.Error(f"{key}: {name} must be {wanted}, not {_shown(value)}") from None


def _shown(value):
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


def one_text(name, value):
    """A text that can be written as UTF-8."""
    if not isinstance(value, str):
        raise _asperity.Error(f"{name} must be a text, not {_shown(value)}")
    try:
        value.encode()
    except UnicodeEncodeError:
        raise _asperity.Error(f"{name} = {_shown(value)} is not a text that UTF-8 can hold") from None
    return value


def one_number(key, name, value):
    """One number, as a float."""
    if type(value) is float:
        return value
    found = floats(key, name, value, "one number in SI units")
    if found.ndim:
        raise _asperity.Error(f"{key}: {name} must be one number in SI units, not {_shown(value)}")
    return float(found)


def whole_number(key, name, value):
    """One whole number, as an int."""
    found = one_number(key, name, value)
    if not found.is_integer():
        raise _asperity.Error(f"{key}: {name} must be a whole number, not {_shown(value)}")
    return int(found)


def _list(key, name, values):
    found = np.atleast_1d(floats(key, name, values, "one number in SI units, or a list of numbers"))
    if found.ndim > 1:
        raise _asperity.Error(f"{key}: {name} has the shape {found.shape}: it must be a list of numbers")
    return found.tolist()


def _times(key, values):
    t = floats(key, "t", values, "a list of times in seconds")
    if t.ndim != 1:
        raise _asperity.Error(f"{key}: t must be a list of times, not an array of {t.ndim} axes")
    if not np.isfinite(t).all():
        at = int(np.isfinite(t).argmin())
        raise _asperity.Error(f"{key}: t = {t[at]:g} s at sample {at}: times must be finite numbers")
    if t.size > 1 and not (t[1:] > t[:-1]).all():
        at = int((t[1:] > t[:-1]).argmin()) + 1
        raise _asperity.Error(
            f"{key}: t = {t[at]:g} s at sample {at}: times must increase, but the previous one is {t[at - 1]:g} s"
        )
    return t


def _column(card, name, values, t):
    """One number per time, none below what the card allows."""
    key, lower = card["key"], next(c["lower"] for c in card["inputs"] if c["name"] == name)
    column = floats(key, name, values, "one number in SI units, or one per time")
    if column.ndim and column.shape != t.shape:
        raise _asperity.Error(
            f"{key}: {name} has the shape {column.shape}, t has {t.shape}; an input must be one number, or one per time, the"
            " same for all values of the parameters"
        )
    column = np.full(t.shape, column) if not column.ndim else column
    allowed = np.isfinite(column) & (column >= lower)
    if not allowed.all():
        at = int(allowed.argmin())
        must = "at least 0" if np.isfinite(column[at]) else "a finite number"
        raise _asperity.Error(f"{key}: {name} = {column[at]:g} at sample {at}: it must be {must}")
    return column


def _common_shape(key, many):
    try:
        return np.broadcast_shapes(*(v.shape for v in many.values()))
    except ValueError:
        shapes = ", ".join(f"{n} {v.shape}" for n, v in many.items())
        raise _asperity.Error(f"{key}: the shapes of the parameters do not match: {shapes}") from None


def class_of(card):
    """The class of a model, made from its card."""
    lines = [card["title"], "", card["source"], "", "Parameters", "----------"]
    for p in card["parameters"]:
        default = p["default"] if not isinstance(p["default"], list) else "one per element"
        name = p["name"] + ("_" if keyword.iskeyword(p["name"]) else "")
        lines += [
            f"{name} : {'list' if p['is_list'] else 'float'}, default {number(default)}{unit_of(p)}",
            f"    {p['meaning']} ({p['allowed']})",
        ]
    if card["curves"]:
        lines += ["curve : str", f"    Stribeck curve: {', '.join(card['curves'])}"]
    if card["states"]:
        lines += ["", "States: " + ", ".join(f"{s['name']} [{s['unit']}]" for s in card["states"])]
    lines.append("Inputs: " + ", ".join(f"{c['name']} [{c['unit']}]" for c in card["inputs"]))
    lines.append("Outputs: " + ", ".join(f"{c['name']} [{c['unit']}]" for c in card["outputs"]))
    return type(
        card["key"],
        (Model,),
        {"key": card["key"], "card": card, "__doc__": "\n".join(lines), "__module__": "asperity.models"},
    )

# SPDX-License-Identifier: Apache-2.0
"""Scenarios, experiments and sweeps."""

import difflib
import itertools
import math
import os
import re

import numpy as np

from . import _asperity
from .model import Model, one_text


class Progress:
    """How far a long call is: a function of the share that is done, or tqdm's bar where it is asked for
    with ``True`` and tqdm is installed."""

    def __init__(self, wanted):
        if wanted is not None and not isinstance(wanted, (bool, np.bool_)) and not callable(wanted):
            raise _asperity.Error(
                f"progress must be True, False or a function of the share that is done, not {wanted!r}"
            )
        self._bar = None
        self._told = wanted if callable(wanted) else None
        if isinstance(wanted, (bool, np.bool_)) and wanted:
            try:
                from tqdm.auto import tqdm
            except ImportError:
                return
            self._bar = tqdm(total=1.0, bar_format="{l_bar}{bar}| {elapsed}<{remaining}")
            self._told = lambda share: self._bar.update(share - self._bar.n)

    def __enter__(self):
        return self._told

    def __exit__(self, *_):
        if self._bar is not None:
            self._bar.close()


class Run:
    """Columns of a run by name, with their units, its events and its warnings.

    ``run["x"]`` is an array in SI, ``run.units["x"]`` its unit. Attributes: ``events`` (name and time),
    ``warnings``, ``outcome``, ``steps``, ``name`` and ``title`` of the scenario, ``resolved`` (the complete scenario
    as text).
    """

    def __init__(self, data):
        self._columns = data["columns"]
        #: Unit of each column.
        self.units = data["units"]
        #: Events in time, each a dict with ``name`` and ``t`` [s].
        self.events = data["events"]
        #: What is doubtful about the run, in words.
        self.warnings = data["warnings"]
        #: How it ended, in words: "completed" ...
        self.outcome = data["outcome"]
        #: Steps that were taken.
        self.steps = data["steps"]
        #: Name and title of the scenario.
        self.name = data.get("name", "")
        self.title = data.get("title", "")
        #: The complete scenario as TOML, in SI.
        self.resolved = data.get("resolved", "")
        self._panels = data.get("panels", [])

    def __getitem__(self, name):
        try:
            return self._columns[name]
        except KeyError:
            raise KeyError(f"there is no column '{name}'; the columns are {', '.join(self._columns)}") from None

    def __contains__(self, name):
        return name in self._columns

    def __iter__(self):
        return iter(self._columns)

    def __len__(self):
        return len(self._columns)

    def keys(self):
        """Names of the columns."""
        return self._columns.keys()

    def times_of(self, event):
        """Times of an event [s]."""
        return np.array([e["t"] for e in self.events if e["name"] == event])

    def measure(self, text):
        """A measure such as ``"maximum(f)"`` or ``"period(x)"``; see :func:`asperity.measures`."""
        return _asperity.measure(one_text("a measure", text), self._columns, self.events)

    def to_numpy(self):
        """All columns as one structured array."""
        names = list(self._columns)
        result = np.empty(len(self._columns[names[0]]), dtype=[(n, float) for n in names])
        for n in names:
            result[n] = self._columns[n]
        return result

    def to_pandas(self):
        """All columns as a pandas frame, indexed by time; units are in ``frame.attrs``."""
        import pandas

        frame = pandas.DataFrame(self._columns)
        frame.attrs["units"] = dict(self.units)
        return frame.set_index("t") if "t" in frame else frame

    def to_xarray(self):
        """All columns as an xarray dataset over time, each with its unit."""
        import xarray

        t = self._columns["t"]
        return xarray.Dataset(
            {n: ("t", c, {"units": self.units[n]}) for n, c in self._columns.items() if n != "t"},
            coords={"t": ("t", t, {"units": "s"})},
        )

    def plot(self, *y, x="t", axes=None):
        """Columns over a column with matplotlib; without names the panels of the scenario, or all."""
        import matplotlib.pyplot as plt

        panels = [{"title": "", "x": x, "y": list(y)}] if y else self._panels
        if not panels:
            panels = [{"title": "", "x": "t", "y": [n]} for n in list(self._columns)[1:5]]
        if axes is None:
            _, axes = plt.subplots(len(panels), 1, squeeze=False, sharex=len({p["x"] for p in panels}) == 1)
            axes = axes.ravel()
        for axis, panel in zip(np.atleast_1d(axes), panels):
            for name in panel["y"]:
                axis.plot(self[panel["x"]], self[name], label=name)
            axis.set_xlabel(f"{panel['x']} [{self.units[panel['x']]}]")
            units = sorted({self.units[n] for n in panel["y"]})
            axis.set_ylabel(f"{', '.join(panel['y'])} [{', '.join(units)}]")
            axis.set_title(panel["title"])
            if len(panel["y"]) > 1:
                axis.legend()
        np.atleast_1d(axes)[0].figure.tight_layout()
        return axes

    def __repr__(self):
        rows = len(next(iter(self._columns.values()))) if self._columns else 0
        return f"<Run {self.name}: {self.outcome}, {rows} rows of {', '.join(self._columns)}>"


class Experiment:
    """A published experiment that was run again.

    ``id``, ``title`` and ``source`` say which, ``runs`` has its runs by name, which ``experiment[name]`` gives, too,
    and ``claims`` its claims with their verdicts.
    """

    def __init__(self, data):
        #: Id, title and source of the experiment.
        self.id, self.title, self.source = data["id"], data["title"], data["source"]
        #: Runs by name.
        self.runs = {name: Run({**run, "name": name}) for name, run in data["runs"].items()}
        #: Claims, each a dict with the source's words, our number and the verdict.
        self.claims = data["claims"]
        self._panels = data["panels"]

    def __getitem__(self, name):
        try:
            return self.runs[name]
        except KeyError:
            raise KeyError(f"there is no run '{name}'; the runs are {', '.join(self.runs)}") from None

    def plot(self):
        """The figure's panels with matplotlib."""
        import matplotlib.pyplot as plt

        _, axes = plt.subplots(len(self._panels), 1, squeeze=False)
        for axis, panel in zip(axes.ravel(), self._panels):
            for name in panel["runs"] or self.runs:
                run = self.runs.get(name)
                for column in panel["y"]:
                    if run is not None and column in run:
                        axis.plot(run[panel["x"]], run[column], label=f"{name}: {column}")
                        axis.set_xlabel(f"{panel['x']} [{run.units[panel['x']]}]")
                        axis.set_ylabel(f"{column} [{run.units[column]}]")
            axis.set_title(panel["title"])
            axis.set_xscale("log" if panel["x_log"] else "linear")
            axis.set_yscale("log" if panel["y_log"] else "linear")
            axis.legend(fontsize="small")
        axes.ravel()[0].figure.tight_layout()
        return axes.ravel()

    def __repr__(self):
        met = sum(c["verdict"] == "met" for c in self.claims)
        return f"<Experiment {self.id}: {self.title}; {met} of {len(self.claims)} verdicts met>"


def toml_of(value):
    """A value as TOML: numbers, texts, lists and dicts of them; numpy's are taken, too."""
    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (float, np.floating)):
        if math.isnan(value):
            return "nan"
        return ("-" if value < 0 else "") + "inf" if math.isinf(value) else repr(float(value))
    if isinstance(value, str):
        one_text("a text of a scenario", value)
        escaped = "".join(c if c >= " " and c not in '"\\\x7f' else f"\\u{ord(c):04x}" for c in value)
        return f'"{escaped}"'
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{toml_of(str(k))} = {toml_of(v)}" for k, v in value.items()) + " }"
    if isinstance(value, (list, tuple, np.ndarray)):
        return "[" + ", ".join(toml_of(v) for v in value) + "]"
    raise _asperity.Error(f"a scenario cannot contain {value!r}")


def words(name, given):
    """A list of texts; one alone may stand for itself."""
    found = [given] if isinstance(given, str) or not np.iterable(given) else list(given)
    if not all(isinstance(each, str) for each in found):
        raise _asperity.Error(f"{name} must be a text or a list of texts, not {given!r}")
    return [one_text(name, str(each)) for each in found]


def _document(scenario):
    return "\n".join(f"{toml_of(str(k))} = {toml_of(_table(v))}" for k, v in scenario.items())


def _setting(argument, key, value):
    """Key, value and place of a change; messages begin with the place."""
    place = f"{argument}[{key!r}]"
    if not isinstance(key, str) or not key.strip():
        raise _asperity.Error(f"{place}: a key must be a text such as 'friction.F_s'")
    try:
        return one_text("the key", key), toml_of(_table(value)), place
    except _asperity.Error as problem:
        raise _asperity.Error(f"{place}: {problem}") from None


def _settings(changes):
    if changes is not None and not hasattr(changes, "items"):
        raise _asperity.Error(f"set must be a dict such as {{'friction.F_s': 2}}, not {changes!r}")
    return [_setting("set", key, value) for key, value in (changes or {}).items()]


def _named(scenario):
    """What stands for a scenario, as a text, if it is no dict."""
    try:
        return os.fsdecode(scenario)
    except TypeError:
        raise _asperity.Error(
            "scenario must be a dict, TOML text, a file, the name of an example or the id of an experiment, not"
            f" {scenario!r}"
        ) from None


def _is_text(scenario):
    return "\n" in scenario or re.match(r"\s*(\[|[\w.\"-]+\s*=)", scenario) is not None


def run(scenario, *, set=None, progress=None):
    """Runs a scenario: a dict, TOML text, a file, the name of an example (:func:`asperity.examples`), or the id
    of a published experiment.

    >>> asperity.run({"system": {"kind": "pulled_mass", "mass": 1, "stiffness": 2, "speed": 0.1},
    ...               "friction": {"model": "lugre"}, "run": {"duration": 60}}).plot("x", "f")
    >>> asperity.run("xiong_2013/fig_3_4").plot()

    ``set`` changes keys: ``set={"friction.F_s": 2}``. Models may stand in place of their tables:
    ``"friction": asperity.models.lugre(F_s=2)``. Raises :class:`asperity.Error` for bad input and
    RuntimeError, with what to try, where the run fails.
    """
    settings = _settings(set)
    with Progress(progress) as watch:
        if isinstance(scenario, dict):
            text = _document(scenario)
            return _checked(_asperity.run_text(text, "scenario", os.getcwd(), settings, watch))
        scenario = _named(scenario)
        if _is_text(scenario):
            one_text("scenario", scenario)
            return _checked(_asperity.run_text(scenario, "scenario", os.getcwd(), settings, watch))
        if os.path.exists(scenario) or scenario.endswith(".toml"):
            return _checked(_asperity.run_file(os.fsencode(scenario), settings, watch))
        example = _example(scenario)
        if example:
            return _checked(_asperity.run_file(os.fsencode(example), settings, watch))
        _check_named(scenario)
        if settings:
            raise _asperity.Error("an experiment runs as it was published: leave out 'set'")
        return Experiment(_asperity.perform(one_text("scenario", scenario), watch))


def _example(name):
    from .catalogue import examples

    found = examples()
    named = [file for each, file in found.items() if name in (each, each.rpartition("/")[2])]
    return found.get(name) or (named[0] if len(named) == 1 else None)


def _check_named(name):
    from .catalogue import examples, experiments

    if "/" in name or any(each.startswith(name + "/") for each in experiments()):
        return  # of an experiment: the library has its words where there is none
    names = {part for each in examples() for part in (each, each.rpartition("/")[2])}
    near = difflib.get_close_matches(name.lower(), sorted(names), 1)
    hint = f"did you mean '{near[0]}'?" if near else "asperity.examples() and asperity.experiments() list those"
    raise _asperity.Error(f"'{name}' is not a file, nor the name of an example or experiment: {hint}")


def _table(value):
    if isinstance(value, type) and issubclass(value, Model):
        value = value()
    if not isinstance(value, Model):
        return value
    if value.shape:
        raise _asperity.Error(f"a scenario takes a single {value.key}, not one for each of {value.shape} values: use sweep")
    return {"model": value.key, **({"curve": value.curve} if value.curve else {}), **value.parameters}


def _checked(data):
    result = Run(data)
    if data["failed"]:
        words = [f"{data['outcome']} at t = {data['t']:g} s", data["detail"], data["hint"]]
        failure = RuntimeError("; ".join(w for w in words if w))
        failure.run = result
        raise failure
    return result


def reproduce(ids=None, *, progress=None):
    """Runs published experiments again and judges their claims; all of them where none is named.

    Ids are those of experiments, figures and tables (``"xiong_2013/fig_3_4"``), or of sources (``"xiong_2013"``).
    """
    from .catalogue import experiments

    known = experiments()
    chosen = {}  # in order, each once
    for each in known if ids is None else words("ids", ids):
        chosen.update(dict.fromkeys([k for k in known if k.startswith(f"{each}/")] or [each]))
    with Progress(progress) as watch:
        result = []
        for i, each in enumerate(chosen):
            result.append(Experiment(_asperity.perform(each, None)))
            if watch is not None:
                watch((i + 1) / len(chosen))
    return result


def _read(scenario):
    if not os.path.exists(scenario) and not scenario.endswith(".toml"):
        example = _example(scenario)
        if example is None:
            _check_named(scenario)
        scenario = example or scenario
    try:
        with open(scenario, encoding="utf-8") as file:
            return file.read(), os.path.dirname(os.path.abspath(scenario))
    except (OSError, UnicodeDecodeError) as problem:
        why = getattr(problem, "strerror", None) or "it is not UTF-8"
        raise _asperity.Error(f"cannot read '{scenario}': {why}") from None


def _values(name, given):
    """Values to go through, as an array; numbers beside texts, tables and models stay what they are."""
    found = np.atleast_1d(np.asarray(given))
    if found.dtype.kind == "U":
        found = np.atleast_1d(np.asarray(given, dtype=object))
        if all(isinstance(each, str) for each in found.flat):
            found = found.astype(str)
    if found.ndim != 1:
        raise _asperity.Error(f"{name} has the shape {found.shape}: give its values as a list")
    return found


def sweep(scenario, parameters, measures, *, progress=None):
    """Measures of a scenario, given as :func:`run` takes it, over a grid of keys.

    >>> asperity.sweep(scenario, {"friction.F_s": [1, 2], "speed": np.linspace(0.1, 1, 5)}, ["maximum(f)"])

    Returns a dict: each key as the array of its values, each measure as an array over the grid. A run
    that fails gives nan.
    """
    measures = words("measures", measures)
    if not measures:
        raise _asperity.Error("there is nothing to measure: give measures such as ['maximum(f)']")
    if not hasattr(parameters, "keys"):
        raise _asperity.Error(f"parameters must be a dict such as {{'friction.F_s': [1, 2]}}, not {parameters!r}")
    names = list(parameters)
    if not names:
        raise _asperity.Error("there is nothing to sweep: give keys with their values, such as {'friction.F_s': [1, 2]}")
    values = [_values(n, parameters[n]) for n in names]
    settings = [[_setting("parameters", n, each) for each in v] for n, v in zip(names, values)]
    points = [list(each) for each in itertools.product(*settings)]
    if isinstance(scenario, dict):
        text, folder = _document(scenario), os.getcwd()
    elif _is_text(_named(scenario)):
        text, folder = one_text("scenario", _named(scenario)), os.getcwd()
    else:
        text, folder = _read(_named(scenario))
    with Progress(progress) as watch:
        table = _asperity.sweep_text(text, "scenario", folder, points, measures, watch)
    shape = tuple(len(v) for v in values)
    return {**dict(zip(names, values)), **{m: table[:, k].reshape(shape) for k, m in enumerate(measures)}}

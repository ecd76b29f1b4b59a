# SPDX-License-Identifier: Apache-2.0
"""Facts about the package, over the whole catalogue."""

import copy
import fractions
import functools
import inspect
import json
import keyword
import os
import pickle
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
import unittest

import numpy as np

import asperity

STICK_SLIP = {
    "system": {"kind": "pulled_mass", "mass": 1, "stiffness": 2, "speed": 0.1},
    "friction": {"model": "lugre"},
    "run": {"duration": 5},
}


class Catalogue(unittest.TestCase):
    def test_names_are_those_of_the_tool(self):
        tool = os.environ.get("ASPERITY_TOOL")
        if not tool:
            self.skipTest("the command-line tool was not built")
        for command, ours in (
            ("models", asperity.models.__all__),
            ("systems", asperity.systems()),
            ("measures", asperity.measures()),
            ("methods", asperity.methods()),
        ):
            answer = subprocess.run([tool, command, "--json"], capture_output=True, text=True, check=True)
            # Some measures are only there for sweeps.
            listed = [row[command[:-1]] for row in json.loads(answer.stdout) if row.get("claims", True)]
            self.assertEqual(sorted(listed), sorted(ours), command)

    def test_everything_public_is_documented(self):
        for name in asperity.__all__:
            thing = getattr(asperity, name)
            if name != "__version__":
                self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                self.assert_members_are_documented(thing)
        for module in (asperity, asperity.models):
            self.assertTrue(module.__doc__)
            for name in dir(module):
                self.assertTrue(
                    name.startswith("_") or name in module.__all__ or inspect.ismodule(getattr(module, name)), name
                )
        for key in asperity.models.__all__:
            self.assert_members_are_documented(getattr(asperity.models, key))
        # What is set when they are made: named in the text of the class.
        t = np.linspace(0, 1, 50)
        record = {"t": t, "x": 1e-3 * np.sin(9 * t), "f": np.sin(9 * t)}
        for made in (
            asperity.models.lugre(),
            asperity.run(STICK_SLIP),
            asperity.run("xiong_2013/fig_3_4"),
            asperity.fit(asperity.models.dai, record, free="F", starts=1, intervals=False),
        ):
            for attribute in vars(made):
                if not attribute.startswith("_"):
                    kind = next(c for c in (asperity.Model, type(made)) if isinstance(made, c))
                    self.assertRegex(kind.__doc__, rf"\b{attribute}\b", type(made).__name__)
        for key in asperity.models.__all__:
            text = getattr(asperity.models, key).__doc__
            for p in getattr(asperity.models, key).card["parameters"]:
                self.assertIn(p["name"] + ("_ : " if keyword.iskeyword(p["name"]) else " : "), text)
                self.assertIn(p["meaning"], text)

    def assert_members_are_documented(self, thing):
        # Of every kind: methods, properties, class methods, cached properties; those of bases, too.
        self.assertTrue(inspect.getdoc(thing), thing)
        for member in dir(thing):
            if member.startswith("_"):
                continue
            value = inspect.getattr_static(thing, member)
            kinds = (property, classmethod, staticmethod, functools.cached_property)
            if callable(value) or isinstance(value, kinds):
                self.assertTrue(inspect.getdoc(value), f"{thing.__name__}.{member}")
            else:  # data of the class
                self.assertRegex(asperity.Model.__doc__, rf"\b{member}\b", thing.__name__)

    def test_what_is_no_plugin_is_refused(self):
        # examples/python/your_own_model.py builds one that is loaded.
        before = list(asperity.models.__all__)
        with self.assertRaisesRegex(asperity.Error, "missing.so.*there is no such file"):
            asperity.load_plugin("missing.so")
        with self.assertRaisesRegex(asperity.Error, "is not a plug-in of asperity"):
            asperity.load_plugin(__file__)
        self.assertEqual(asperity.models.__all__, before)

    def test_stubs_are_fresh(self):
        package = os.path.dirname(asperity.__file__)
        writer = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "stubs.py")
        with tempfile.TemporaryDirectory() as folder:
            copy = os.path.join(folder, "asperity")
            shutil.copytree(package, copy, ignore=shutil.ignore_patterns("models.pyi", "__pycache__"))
            subprocess.run([sys.executable, writer, copy], check=True)
            with open(os.path.join(copy, "models.pyi"), encoding="utf-8") as fresh:
                expected = fresh.read()
        with open(os.path.join(package, "models.pyi"), encoding="utf-8") as file:
            self.assertEqual(file.read(), expected)
        compile(expected, "models.pyi", "exec")
        for key in asperity.models.__all__:
            self.assertIn(f"class {key}(Model)", expected)
            line = expected.partition(f"class {key}(Model):\n")[2].partition("\n")[0]
            for p in getattr(asperity.models, key).card["parameters"]:
                name = p["name"] + ("_" if keyword.iskeyword(p["name"]) else "")
                self.assertIn(f", {name}: Number = ...", line)


def motion_for(model, rows=200):
    """t and inputs by name, a small swing in every direction."""
    t = np.linspace(0, 0.5, rows)
    given = {}
    for c in model.card["inputs"]:
        if c["is_rate"]:
            given[c["name"]] = 6e-4 * np.cos(6 * t) * (-1 if c["name"] == "gap_rate" else 1)
    return t, given


class Named(asperity.models.lugre):
    """A class as users write them: made otherwise than ours, with things of its own."""

    __slots__ = ("place",)

    def __init__(self, label, limit):
        super().__init__(F_s=limit)
        self.label = label


class Models(unittest.TestCase):
    def test_all_answer_on_arrays_and_step_by_step_alike(self):
        for key in asperity.models.__all__:
            if key == "rigid":
                continue  # it cannot be pushed into
            with self.subTest(key):
                model = getattr(asperity.models, key)()
                t, given = motion_for(model)
                if model.card["port"] in ("press", "touch"):
                    place = "x" if model.card["port"] == "press" else "gap"
                    given.pop("gap_rate", None)
                    given.pop("v", None)
                    given[place] = -1e-4 * (1 - np.cos(6 * t))
                f = model(t, **given)
                self.assertTrue(np.isfinite(f).all())
                again = model(t, **given)
                np.testing.assert_array_equal(f, again)
                first = model(t[:100], **{k: v[:100] for k, v in given.items()})
                state = model._one.state
                rest = model(t[99:], resets=False, **{k: v[99:] for k, v in given.items()})
                np.testing.assert_array_equal(first, f[:100])
                self.assertEqual(rest.shape[0], 101)
                self.assertEqual(len(state), len(model.state_names))

    def test_copies_go_on_as_the_original(self):
        ways = (lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy)
        worked = 0
        for key in asperity.models.__all__:
            with self.subTest(key):
                model = getattr(asperity.models, key)()
                t, given = swing_of(model)
                if key == "rigid":
                    given["x"] = 1e-4 * (1 - np.cos(6 * t))  # it cannot be pushed into
                for c in model.card["inputs"]:  # some laws follow the place, and without a rate there is no work
                    if c["rate_of"] and c["name"] in given:
                        given[c["rate_of"]] = np.gradient(given[c["name"]], t)
                    elif c["rate_of"]:
                        given[c["name"]] = np.cumsum(given[c["rate_of"]]) * t[1]
                rows = [dict(zip(given, row)) for row in zip(*given.values())]
                h = float(t[1] - t[0])
                model.reset(**rows[0])
                for row in rows[1:80]:
                    model.step(h, **row)
                copies = [way(model) for way in ways]
                worked += model.work != 0
                for each in copies:
                    self.assertEqual(each, model)
                    self.assertEqual((each.state, each.outputs), (model.state, model.outputs))
                    self.assertEqual((each.work, each.stored_energy), (model.work, model.stored_energy))
                for row in rows[80:180]:
                    expected = model.step(h, **row)
                    for each in copies:
                        self.assertEqual(each.step(h, **row), expected)
                        self.assertEqual(each.work, model.work)
                for each in copies:
                    self.assertEqual(each.state, model.state)
                # One does not move the other.
                before = model.state
                copies[0].step(h, **rows[0])
                self.assertEqual(model.state, before)
        self.assertGreater(worked, 50)  # a play does none within its slack

    def test_copies_of_a_class_of_the_users_are_of_that_class(self):
        t = np.linspace(0, 1, 50)
        for way in (lambda m: pickle.loads(pickle.dumps(m)), copy.copy, copy.deepcopy):
            model = Named("bearing", 1.5)
            model.notes, model.place = ["worn"], "left"
            model.step(0.1, x=1e-3, v=0.01)
            each = way(model)
            self.assertIs(type(each), Named)
            self.assertEqual((each.label, each.notes, each.place), ("bearing", ["worn"], "left"))
            self.assertEqual((each.parameters, each.state, each.work), (model.parameters, model.state, model.work))
            self.assertEqual(each.step(0.1, x=2e-3, v=0.01), model.step(0.1, x=2e-3, v=0.01))
            many = Named("bearings", [1.5, 2.5])
            np.testing.assert_array_equal(way(many)(t, v=0.01), many(t, v=0.01))
            np.testing.assert_array_equal(many.parameters["F_s"], [1.5, 2.5])
            # A shallow copy shares what the user hung on it, as Python's own do.
            self.assertEqual(each.notes is model.notes, way is copy.copy)
        ours = asperity.models.lugre()
        ours.label = "mine"
        self.assertEqual(copy.deepcopy(ours).label, "mine")

    def test_a_model_serves_one_thread_after_another(self):
        # In a process of its own: what lies behind this is a heap that was written to by two threads.
        program = """
import pickle, threading
import numpy as np, asperity
t = np.linspace(0, 1, 5001)
v = 0.01 * np.sin(60 * t) * (1 + t)
for key in ("leuven", "preisach", "lugre", "multiplay"):
    model = getattr(asperity.models, key)()
    many = asperity.models.lugre(F_s=[1.2, 1.5]) if key == "lugre" else model
    alone, together, wrong = model(t, v=v), many(t, v=v), []
    def work(number):
        for _ in range(6):
            if not np.array_equal(model(t, v=v), alone) or not np.array_equal(many(t, v=v), together):
                wrong.append(number)
            if number % 2:
                model.step(1e-4, x=1e-3, v=0.1)
                pickle.loads(pickle.dumps(model)).reset()
                model.reset()
    threads = [threading.Thread(target=work, args=(number,)) for number in range(8)]
    for each in threads: each.start()
    for each in threads: each.join()
    assert not wrong, (key, wrong)
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=os.environ, timeout=300)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_signal_handler_cannot_use_the_model_that_it_interrupts(self):
        program = """
import signal
import numpy as np, asperity
model, told = asperity.models.lugre(), []
def handler(*_):
    try:
        model.step(1e-3, x=0, v=0)
    except asperity.Error as problem:
        told.append(str(problem))
signal.signal(signal.SIGALRM, handler)
signal.setitimer(signal.ITIMER_REAL, 0.2, 0.05)  # again and again: it may come between two calls
t = np.linspace(0, 1, 100001)
v = 0.01 * np.sin(60 * t)
while not told:
    model(t, v=v)
signal.setitimer(signal.ITIMER_REAL, 0)
assert "in use by this thread" in told[0], told
"""
        done = subprocess.run([sys.executable, "-c", program], capture_output=True, env=os.environ, timeout=120)
        self.assertEqual((done.returncode, done.stderr), (0, b""))

    def test_a_copy_with_a_body_goes_on_as_the_original(self):
        compared = 0
        for key in asperity.models.__all__:
            model = getattr(asperity.models, key)()
            if not model.can_step_with_body or key == "rigid":
                continue
            with self.subTest(key):
                outputs = len(model.card["outputs"])
                body = {"free": [-1e-5] * outputs, "mobility": [1e-8] * outputs}
                for _ in range(5):
                    model.step_with_body(1e-3, **body)
                each = copy.deepcopy(model)
                for _ in range(20):
                    self.assertEqual(each.step_with_body(1e-3, **body), model.step_with_body(1e-3, **body))
                    self.assertEqual((each.work, each.outputs), (model.work, model.outputs))
                compared += 1
        self.assertGreater(compared, 8)

    def test_show_themselves(self):
        for key in asperity.models.__all__:
            model = getattr(asperity.models, key)()
            self.assertTrue(repr(model).startswith(key + "("))
            self.assertIn("<table>", model._repr_html_())

    def test_jacobians_are_difference_quotients(self):
        compared = 0
        for key in asperity.models.__all__:
            model = getattr(asperity.models, key)()
            if model.card["port"] != "drive":
                continue
            # Away from kinks: sliding, with a state of its own.
            inputs = {"x": 3e-5, "v": 7.3e-4, "load": 1.1}
            try:
                model.reset(**inputs)
                state = np.array(model.state) + 1e-6
                exact = model.jacobian(state, **inputs)
                answer = lambda z, **w: np.concatenate([np.ravel(part) for part in model.rates(z, **w)])
                base = answer(state, **inputs)
            except asperity.Error as refused:
                self.assertRegex(str(refused), "no derivatives|not an ODE|step it")
                continue
            whole = np.block(
                [
                    [exact["outputs_by_inputs"], exact["outputs_by_state"]],
                    [exact["rates_by_inputs"], exact["rates_by_state"]],
                ]
            )
            with self.subTest(key):
                places = list(inputs.values()) + list(state)
                for column, value in enumerate(places):
                    h = 1e-6 * abs(value)
                    ends = []
                    for sign in (1, -1):
                        moved = list(places)
                        moved[column] += sign * h
                        ends.append(answer(moved[3:], **dict(zip(inputs, moved[:3]))))
                    quotient = (ends[0] - ends[1]) / (2 * h)
                    scale = np.abs(quotient).max() + np.abs(base).max() / abs(value)
                    np.testing.assert_allclose(whole[:, column], quotient, rtol=1e-4, atol=1e-5 * scale)
                compared += 1
        self.assertGreater(compared, 15)

    def test_arrays_of_every_layout_are_the_same_numbers(self):
        model, t = asperity.models.lugre(), np.arange(11) / 8
        x = np.array([0, 1, 3, 4, 4, 2, 0, -1, 1, 2, 5]) / 64  # the same in every type
        expected = model(t, x=x)
        read_only = x.copy()
        read_only.flags.writeable = False
        columns = np.zeros((11, 3))
        columns[:, 1] = x
        same = {
            "list": x.tolist(),
            "tuple": tuple(x),
            "float32": x.astype("f4"),
            "longdouble": x.astype(np.longdouble),
            "big-endian": x.astype(">f8"),
            "every other": np.repeat(x, 2)[::2],
            "backwards": x[::-1].copy()[::-1],
            "a column of a table": columns[:, 1],
            "read-only": read_only,
            "fractions": [fractions.Fraction(each) for each in x],
            "nothing is masked": np.ma.array(x, mask=False),
        }
        for layout, given in same.items():
            with self.subTest(layout):
                np.testing.assert_array_equal(model(t, x=given), expected)
                np.testing.assert_array_equal(model(np.asarray(t.astype(">f8")), x=given), expected)
                np.testing.assert_array_equal(model.evaluate(t=t, x=given)["f"], model.evaluate(t=t, x=x)["f"])
                together = asperity.models.lugre(F_s=[1.5, 1.75])(t, x=given)
                np.testing.assert_array_equal(together, asperity.models.lugre(F_s=[1.5, 1.75])(t, x=x))
        whole = np.array([0, 1, 3, 3, 2])
        np.testing.assert_array_equal(model(range(5), x=whole), model(np.arange(5.0), x=whole.astype(float)))
        self.assertEqual(model([], v=[]).shape, (0,))

    def test_what_is_no_real_number_is_refused_everywhere(self):
        t = np.linspace(0, 1, 11)
        for wrong in (
            1j,
            "1",
            [1, 2],
            np.zeros((1, 2)),
            np.datetime64("2020"),
            {},
            object(),
            10**400,
            [[1], [1, 2]],
            ["1"] * 11,
            [None] * 11,
            t + 1j,
            np.zeros((11, 1)),
            np.ma.array(t, mask=t > 0.5),
            t.astype("m8[s]"),
            (each for each in t),
        ):
            friction, many = asperity.models.dai(), asperity.models.dai(F=[1.0, 2.0])
            lugre = asperity.models.lugre()
            for call in (
                lambda: friction(t, v=wrong),
                lambda: friction(t, v=0.01, load=wrong),
                lambda: many(t, v=wrong),
                lambda: friction.evaluate(t=t, x=wrong),
                lambda: friction.evaluate(t=t, v=0.01, tolerance=wrong),
                lambda: friction.step(wrong, x=0.0, v=0.01),
                lambda: friction.step(1e-3, v=wrong),
                lambda: friction.step(1e-3, x=0.0, v=0.01, load=wrong),
                lambda: friction.reset(x=wrong),
                lambda: many.reset(load=wrong),
                lambda: friction.step_with_body(1e-3, free=wrong, mobility=1e-3),
                lambda: friction.step_with_body(1e-3, free=0.0, mobility=wrong),
                lambda: friction.step_with_body(wrong, free=0.0, mobility=1e-3),
                lambda: lugre.rates(wrong, v=0.01),
                lambda: lugre.rates([0.0], v=wrong),
                lambda: lugre.jacobian(wrong, v=0.01),
                lambda: setattr(lugre, "state", wrong),
            ):
                with self.subTest(wrong=str(wrong)[:30], line=call.__code__.co_firstlineno):
                    with self.assertRaises(asperity.Error):
                        call()

    def test_loads_below_zero_are_refused_by_every_call(self):
        t, compared = np.linspace(0, 1, 11), 0
        for key in asperity.models.__all__:
            model = getattr(asperity.models, key)()
            if ("load", 0.0) not in [(c["name"], c["lower"]) for c in model.card["inputs"]]:
                continue
            rates = {c["name"]: 0.0 for c in model.card["inputs"] if c["is_rate"]}
            outputs = len(model.card["outputs"])
            state, work = model.state, model.work
            calls = [
                lambda: model.reset(load=-1),
                lambda: model.step(1e-3, load=-1.0, **rates),
                lambda: model(t, load=-1, **rates),
                lambda: model.evaluate(t=t, load=-1, **rates),
            ]
            if model.can_step_with_body:
                still = [0.0] * outputs
                calls.append(lambda: model.step_with_body(1e-3, free=still, mobility=still, load=-1))
            for call in calls:
                with self.subTest(key, line=call.__code__.co_firstlineno):
                    with self.assertRaisesRegex(asperity.Error, "load.* = -1.*it must be at least 0"):
                        call()
            self.assertEqual((model.state, model.work), (state, work))
            compared += 1
        self.assertGreater(compared, 30)
        for call in (asperity.models.lugre().rates, asperity.models.lugre().jacobian):
            with self.assertRaisesRegex(asperity.Error, "load = -1: it must be at least 0"):
                call([0.0], v=0.01, load=-1)
        with self.assertRaisesRegex(asperity.Error, "load = -1: it must be at least 0"):
            asperity.models.lugre(F_s=[1.5, 1.75]).reset(load=-1)
        with self.assertRaisesRegex(asperity.Error, "load = 0, by which this law divides"):
            asperity.models.lugre().step(1e-3, v=0.01, load=0)
        with self.assertRaisesRegex(asperity.Error, "mobility = -1: it must be at least 0"):
            asperity.models.dai().step_with_body(1e-3, free=0.0, mobility=-1)

    def test_a_step_that_is_too_stiff_says_what_to_do(self):
        # A bristle of 1e14 N/m moves within nanoseconds. Its force in steady sliding is the curve: 1 N and 0.4 N s/m.
        t = np.linspace(0, 1, 3)
        stiff = asperity.models.lugre(sigma_0=1e14)
        for call in (
            lambda: stiff.step(1.0, x=0.1, v=0.1),
            lambda: stiff(t, v=0.1),
            lambda: asperity.models.lugre(sigma_0=[1e14, 1e13])(t, v=0.1),
        ):
            with self.assertRaisesRegex(asperity.Error, "take shorter steps .*evaluate.. takes implicit steps"):
                call()
        np.testing.assert_allclose(stiff.evaluate(t=t, v=0.1)["f"][1:], 1.04, rtol=1e-6)

    def test_units_are_checked(self):
        self.assertEqual(asperity.models.lugre(sigma_0="0.5 N/um").parameters["sigma_0"], 5e5)
        for bad, word in (({"sigma_0": "5 kg"}, "kg"), ({"F_q": 1}, "F_q"), ({"F_s": -1}, "F_s")):
            with self.assertRaisesRegex(asperity.Error, word):
                asperity.models.lugre(**bad)

    def test_bad_arrays_are_refused(self):
        lugre = asperity.models.lugre()
        t = np.linspace(0, 1, 10)
        for bad in ({"v": np.zeros(9)}, {"v": np.full(10, np.nan)}, {}, {"w": t}):
            with self.assertRaises((asperity.Error, ValueError)):
                lugre(t, **bad)
        with self.assertRaisesRegex(asperity.Error, "increase"):
            lugre(t[::-1], v=t)
        with self.assertRaises(asperity.Error):
            lugre(np.zeros((2, 2)), v=0)

    def test_parameters_of_another_kind_are_refused_by_name(self):
        for value in (None, 1j, object(), b"1", {}, 10**400, (x for x in "ab"), np.array([1j]), np.datetime64("2020")):
            with self.subTest(value=str(value)[:20]):
                with self.assertRaisesRegex(asperity.Error, "lugre: F_s must be .*number"):
                    asperity.models.lugre(F_s=value)
        with self.assertRaisesRegex(asperity.Error, "gms: kappa must be .*number"):
            asperity.models.gms(kappa=[1, None])
        with self.assertRaisesRegex(asperity.Error, "curve must be the name of a Stribeck curve, not 3"):
            asperity.models.lugre(curve=3)
        with self.assertRaisesRegex(asperity.Error, "use a class of asperity.models"):
            asperity.Model()
        for value in (np.float32(1.5), np.longdouble(1.5), np.array(1.5), "1500 mN"):
            self.assertAlmostEqual(asperity.models.lugre(F_s=value).parameters["F_s"], 1.5, 12)

    def test_what_is_infinite_is_told_to_be_finite(self):
        for value in (np.inf, -np.inf, np.nan, [1.5, np.inf]):
            with self.assertRaisesRegex(asperity.Error, "F_s = .* must be a finite number, above 0"):
                asperity.models.lugre(F_s=value)
        with self.assertRaisesRegex(asperity.Error, "system.mass = inf: it must be a finite number in kg, above 0"):
            asperity.run(STICK_SLIP, set={"system.mass": np.inf})
        with self.assertRaisesRegex(asperity.Error, "F_s.*'1e400 N' is too large .*1.8e.308"):
            asperity.models.lugre(F_s="1e400 N")
        for values in ([1.5, 10**400], [1.5, None], [1.5, b"2"], ["1.5", "2"]):
            with self.assertRaisesRegex(asperity.Error, "lugre: F_s must be .* an array of numbers"):
                asperity.models.lugre(F_s=values)

    def test_texts_that_are_none_are_refused_by_name(self):
        broken = "1\ud800"
        for call in (
            lambda: asperity.models.lugre(F_s=broken),
            lambda: asperity.models.lugre(curve=broken),
            lambda: asperity.run(STICK_SLIP, set={broken: 1}),
            lambda: asperity.run({**STICK_SLIP, "title": broken}),
            lambda: asperity.run(STICK_SLIP).measure(broken),
        ):
            with self.assertRaisesRegex(asperity.Error, "not a text that UTF-8 can hold"):
                call()

    def test_words_of_python_take_an_underscore(self):
        for key in asperity.models.__all__:
            made = getattr(asperity.models, key)
            for p in made.card["parameters"]:
                if keyword.iskeyword(p["name"]) and not p["is_list"]:
                    value = 1.25 * p["default"]
                    self.assertEqual(made(**{p["name"] + "_": value}).parameters[p["name"]], value)
        self.assertEqual(asperity.models.hunt_crossley(lambda_=1.75).parameters["lambda"], 1.75)

    def test_arrays_of_the_caller_stay_his(self):
        forces, stiffnesses = np.array([1.0, 1.5]), [4.0, 5.0]
        models = asperity.models.lugre(F_s=forces)
        chain = asperity.models.gms(elements=2, kappa=stiffnesses, lambda_=[0.5, 0.5])
        forces[0] = stiffnesses[0] = 99
        np.testing.assert_array_equal(models.parameters["F_s"], [1.0, 1.5])
        np.testing.assert_array_equal(pickle.loads(pickle.dumps(models)).parameters["F_s"], [1.0, 1.5])
        self.assertEqual(pickle.loads(pickle.dumps(chain)).parameters["kappa"], [4.0, 5.0])

    def test_what_evaluate_is_given_must_fit(self):
        model, t = asperity.models.lugre(), np.linspace(0, 1, 11)
        for wrong, words in (
            ({"x": [0.0]}, r"x has the shape \(1,\), t has \(11,\)"),
            ({"x": np.arange(12.0)}, r"x has the shape \(12,\)"),
            ({"x": np.zeros((11, 2))}, r"x has the shape \(11, 2\)"),
            ({"v": 0.01, "lod": 2}, "has no input 'lod'; it has x, v, load"),
            ({"v": 0.01, "tolerance": 0}, "tolerance = 0: it must be above 0"),
            ({"v": 0.01, "tolerance": np.nan}, "tolerance = nan"),
        ):
            with self.subTest(words), self.assertRaisesRegex(asperity.Error, words):
                model.evaluate(t=t, **wrong)
        with self.assertRaisesRegex(asperity.Error, "t is missing"):
            model.evaluate(v=t)
        np.testing.assert_array_equal(model.evaluate(t=t, v=0.01)["f"], model.evaluate(t=t, v=np.full(11, 0.01))["f"])

    def test_an_evaluation_that_fails_raises_with_what_there_is(self):
        t = np.linspace(0, 1, 11)
        with self.assertRaises(RuntimeError) as caught:
            asperity.models.rigid().evaluate(t=t, x=0.45 - t)  # bodies overlap from the fifth row on: no force is finite
        self.assertEqual(len(caught.exception.run["t"]), 5)

    def test_samples_on_its_lines_do_not_change_a_motion(self):
        # Places are joined by lines, so that ten times as many samples on these lines are the same motion.
        t = np.linspace(0, 0.05, 61)
        x = 1e-3 * np.sin(300 * t)
        finer = np.linspace(0, 0.05, 601)
        for key in ("bouc_wen", "lugre", "elastoplastic", "duhem", "gms_smoothed"):
            with self.subTest(key):
                model = getattr(asperity.models, key)()
                coarse, fine = model(t, x=x), model(finer, x=np.interp(finer, t, x))[::10]
                np.testing.assert_allclose(coarse, fine, rtol=0, atol=1e-4 * np.abs(fine).max())
        models = asperity.models.lugre(F_s=[1.5, 1.75])
        self.assertTrue(models.is_in_packs)
        for force, F_s in zip(models(t, x=x), (1.5, 1.75)):
            np.testing.assert_allclose(force, asperity.models.lugre(F_s=F_s)(t, x=x), rtol=0, atol=1e-9)

    def test_a_step_with_a_body_starts_where_it_is_told(self):
        model = asperity.models.kelvin_voigt_clamped()
        step = {"free": -1e-4, "mobility": 1e-6, "x": -1e-5}
        told = model.step_with_body(1e-3, **step), model.outputs
        model.reset(x=-1e-5)
        self.assertEqual((model.step_with_body(1e-3, **step), model.outputs), told)

    def test_a_signal_ends_an_evaluation(self):
        # It is asked for after half a second of work, of many that there are to do.
        program = (
            "import numpy as np, asperity, signal, time\n"
            "signal.signal(signal.SIGPROF, signal.default_int_handler)\n"
            "signal.setitimer(signal.ITIMER_PROF, 0.5)\n"
            "begun = time.process_time()\n"
            "try: asperity.models.leuven().evaluate(t=np.linspace(0, 2e4, 50), v=0.01 * np.sin(np.arange(50)))\n"
            "except KeyboardInterrupt: print(time.process_time() - begun)"
        )
        answer = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        self.assertLess(float(answer.stdout), 3)

    def test_a_step_that_fails_names_what_was_given(self):
        for key in ("lugre", "planar_lugre"):
            model = getattr(asperity.models, key)()
            rate = next(c["name"] for c in model.card["inputs"] if c["is_rate"])
            for h, wrong, words in (
                (0, {}, "h = 0 s: it must be above 0"),
                (-1e-3, {}, "h = -0.001 s: it must be above 0"),
                (1e-3, {rate: np.nan}, f"{rate} = nan: it must be a finite number"),
                (1e-3, {"load": -1.0, rate: 0.01}, "load = -1: it must be at least 0"),
            ):
                with self.subTest(f"{key}: {words}"), self.assertRaisesRegex(asperity.Error, words):
                    model.step(h, **wrong)

    def test_a_load_that_goes_to_zero_is_named(self):
        model = asperity.models.lugre()
        model.step(1e-3, x=1e-3, v=1.0)  # the bristle is bent
        with self.assertRaisesRegex(asperity.Error, "load = 0, by which this law divides"):
            model.step(1e-3, x=2e-3, v=1.0, load=0)

    def test_numbers_of_analyses_are_refused_by_name(self):
        models, t = asperity.models, np.linspace(0, 1, 11)
        for call, words in (
            (lambda: asperity.restitution(models.dai_contact, 1, mass="1 kg"), "restitution: mass must be one number"),
            (lambda: asperity.restitution(models.dai_contact, "fast"), "restitution: speed must be one number"),
            (lambda: asperity.hysteresis(models.dahl, "1 um"), "hysteresis: amplitude must be one number"),
            (lambda: asperity.hysteresis(models.dahl, 1e-5, loops=2.5), "hysteresis: loops must be a whole number"),
            (lambda: asperity.hysteresis(models.disc_coulomb, 1), "disc_coulomb.*more than one direction"),
            (lambda: asperity.limit_surface(shape="disc", radius=1, around="x"), "around must be one number"),
            (lambda: asperity.loops("a", "b"), "loops: u must be a list of numbers"),
            (lambda: asperity.loops(np.ones((3, 3)), np.ones((3, 3))), r"loops: u has the shape \(3, 3\)"),
            (lambda: asperity.loops(t, t, noise="x"), "loops: noise must be one number"),
            (lambda: asperity.design_contact(restitution="0.7", mass="1 kg"), "design_contact: mass must be one"),
            (lambda: asperity.design_contact(5, restitution="0.7"), "5 is not a model"),
            (lambda: asperity.design_regularisation(mass="1 kg", load=1), "mass must be one number"),
            (lambda: asperity.fit(models.dai, {"t": t, "x": t, "f": t}, starts="many"), "fit: starts must be one"),
            (lambda: models.lugre().rates([0.0, 1.0], v=1), "model 'lugre' has 1 states, not 2"),
            (lambda: models.lugre().jacobian([], v=1), "model 'lugre' has 1 states, not 0"),
            (
                lambda: asperity.fit(models.lugre, {"t": t, "v": t, "f": t, "load": -1 - t}),
                "record 1.*'load' = '-1'.*at least 0",
            ),
        ):
            with self.subTest(words), self.assertRaisesRegex(asperity.Error, words):
                call()

    def test_a_wish_without_a_speed_is_for_one_metre_per_second(self):
        for wishes in ({"restitution": "0.7"}, {"restitution": 0.7, "penetration": "1 mm"}, {"time": "2 ms"}):
            with self.subTest(wishes):
                designed = asperity.design_contact(mass=0.5, **wishes)
                impact = asperity.restitution(designed, 1.0, mass=0.5)
                if "restitution" in wishes:
                    self.assertAlmostEqual(impact["restitution"], 0.7, 6)
                if "time" in wishes:
                    self.assertAlmostEqual(impact["contact_time"], 2e-3, 8)

    def test_a_load_that_is_the_weight_of_the_laws_own_mass_may_lift_it(self):
        # Clear of its bristles, a body of weight -m g rises with the acceleration g.
        t = np.linspace(0, 2, 201)
        for key in ("compressed_bristle", "compressed_bristle_literal"):
            with self.subTest(key):
                model = getattr(asperity.models, key)(g=10)
                model.reset(load=-1)
                if key == "compressed_bristle":  # the bristles of the other one also pull
                    model.state = [100.0, 0.0]
                    self.assertEqual(model.step(0.5, x=0.0, v=0.0, load=-1.0), 0.0)
                    np.testing.assert_allclose(model.state, [101.25, 5.0], rtol=1e-9)
                    self.assertEqual(model.rates([100.0, 0.0], load=-1.0)[1], [0.0, 10.0])
                    rise = model.evaluate(t=t, v=0.0, load=-1.0)["y_dot"]
                    np.testing.assert_allclose(np.diff(rise)[-50:], 0.1, rtol=1e-6)
                    model(t, v=0.0, load=-1.0)
                    self.assertAlmostEqual(model.state[1], rise[-1], delta=1e-4 * rise[-1])
                many = type(model)(g=[9.0, 10.0])
                many.reset(load=-1)
                self.assertEqual(many(t, v=0.01, load=-1).shape, (2, 201))

    def test_times_and_loads_are_refused_by_name(self):
        model, t = asperity.models.lugre(), np.linspace(0, 1, 11)
        for times in ([np.nan], [-np.inf, 0.0], [0.0, np.inf]):
            with self.assertRaisesRegex(asperity.Error, "times must be finite"):
                model(times, v=0.01)
        with self.assertRaisesRegex(asperity.Error, "load = -0.5 at sample 5: it must be at least 0"):
            model(t, v=0.01, load=np.where(np.arange(11) == 5, -0.5, 1.0))

    def test_a_body_that_sticks_stays(self):
        friction, h, mass = asperity.models.dai(F=1), 1e-3, 2
        x = v = 0.0
        places = []
        for _ in range(20000):
            end = friction.step_with_body(h, free=v + h / mass * 0.96, mobility=h / mass, x=x, v=v)
            x, v = end["x"], end["v"]
            places.append(x)
        self.assertEqual(places[-1], places[10000])
        self.assertAlmostEqual(friction.outputs["f"], 0.96, 12)


def swing_of(model):
    """t and inputs that every port can follow: contacts are pushed into, the others swing."""
    t, given = motion_for(model)
    if model.card["port"] in ("press", "touch"):
        given.pop("gap_rate", None)
        given.pop("v", None)
        given["x" if model.card["port"] == "press" else "gap"] = -1e-4 * (1 - np.cos(6 * t))
    return t, given


class ArraysOfParameters(unittest.TestCase):
    """One model for each value, in packs where there are packs."""

    # exp of a pack is a series of its own, so that numbers may differ in the last bits, which also move the lengths of
    # steps, whose own tolerance is 1e-6; a force that nearly vanishes is a difference of large ones.
    def assert_same(self, together, alone, is_in_packs, tolerance=1e-10):
        if not is_in_packs:
            np.testing.assert_array_equal(together, alone)
            return
        np.testing.assert_allclose(together, alone, rtol=tolerance, atol=tolerance * np.abs(alone).max())

    def test_every_model_answers_as_one_by_one(self):
        packed, compared = set(), set()
        for key in asperity.models.__all__:
            kind = getattr(asperity.models, key)
            if key == "rigid":
                continue  # it cannot be pushed into
            t, given = swing_of(kind())
            for p in kind.card["parameters"]:
                if p["is_list"] or p["is_whole"] or p["words"]:
                    continue
                values = p["default"] * np.array([1, 1 + 1e-3, 1 + 2e-3]) if p["default"] else np.array([0, 1e-6, 2e-6])
                with self.subTest(model=key, parameter=p["name"]):
                    try:
                        alone = [kind(**{p["name"]: value}) for value in values]
                    except asperity.Error as refused:
                        with self.assertRaises(asperity.Error) as again:
                            kind(**{p["name"]: values})
                        self.assertIn(str(refused), str(again.exception))
                        continue
                    together = kind(**{p["name"]: values})
                    expected = np.array([m(t, **given) for m in alone])
                    tolerance = 1e-6 if key == "gms_smoothed" else 1e-10  # it switches steeply
                    self.assert_same(together(t, **given), expected, together.is_in_packs, tolerance)
                    compared.add(key)
                    if together.is_in_packs:
                        packed.add(key)
        self.assertGreater(len(compared), len(asperity.models.__all__) - 8)
        self.assertLessEqual({"lugre", "dai", "elastoplastic", "drbm", "coulomb"}, packed)
        # Laws that are no differential equation, and other ports, go one by one.
        self.assertFalse({"preisach", "hertz", "planar_lugre"} & packed)

    def test_laws_without_exp_give_the_same_bits(self):
        t = np.linspace(0, 1, 400)
        v = 0.02 * np.sin(20 * t)
        for key, name, values in (("dai", "F", np.linspace(0.5, 2, 70)), ("lugre", "F_s", np.linspace(1, 2, 70))):
            curve = "stribeck_lorentzian" if key == "lugre" else ""
            kind = getattr(asperity.models, key)
            together = kind(curve=curve, **{name: values})
            self.assertTrue(together.is_in_packs)
            alone = [kind(curve=curve, **{name: f})(t, v=v) for f in values]
            np.testing.assert_array_equal(together(t, v=v), alone)

    def test_numbers_do_not_depend_on_what_stands_beside(self):
        values = np.linspace(1.1, 2, 101)
        t = np.linspace(0, 1, 100)
        v = 0.01 * np.sin(9 * t)
        expected = asperity.models.lugre(F_s=values)(t, v)
        for some in (slice(0, 1), slice(3, 6), slice(0, 17), slice(40, 101), slice(None, None, -1)):
            np.testing.assert_array_equal(asperity.models.lugre(F_s=values[some])(t, v), expected[some])

    def test_steps_are_as_exact_as_those_of_one(self):
        # The force in steady sliding is the Stribeck curve, whatever the steps were; explicit steps of a stiff bristle
        # end within some 1e-5 of it.
        limits = np.linspace(1.1, 3, 40)
        model = asperity.models.lugre(F_s=limits, F_c=1.0, v_s=0.1, sigma_2=0.5)
        t = np.linspace(0, 2, 5)  # far between, so that each lane takes steps of its own
        np.testing.assert_allclose(
            model(t, v=0.1)[:, -1], 1 + (limits - 1) * np.exp(-1.0) + 0.05, rtol=1e-4
        )

    def test_shapes_are_those_of_numpy(self):
        t = np.linspace(0, 0.1, 20)
        limits, stiffness = np.linspace(1.1, 2, 3)[:, None], np.linspace(1e5, 2e5, 4)
        model = asperity.models.lugre(F_s=limits, sigma_0=stiffness)
        self.assertEqual(model.shape, (3, 4))
        f = model(t, v=0.01)
        self.assertEqual(f.shape, (3, 4, 20))
        one = asperity.models.lugre(F_s=limits[2, 0], sigma_0=stiffness[1])(t, v=0.01)
        np.testing.assert_allclose(f[2, 1], one, rtol=1e-11)
        self.assertEqual(asperity.models.planar_lugre(sigma_0=[1e5, 2e5])(t, v_x=0.1, v_y=0, omega=0).shape, (2, 20, 3))
        self.assertEqual(model.parameters["F_s"].shape, (3, 4))
        self.assertIn("12 models", repr(model))
        self.assertIn("12 values", model._repr_html_())

    def test_they_go_on_from_where_they_are(self):
        t = np.linspace(0, 1, 201)
        v = 0.01 * np.sin(9 * t)
        for key, name in (("lugre", "F_s"), ("dai", "F"), ("preisach", "scale")):
            kind = getattr(asperity.models, key)
            if name not in [p["name"] for p in kind.card["parameters"]]:
                name = next(p["name"] for p in kind.card["parameters"] if not p["is_list"] and not p["is_whole"])
            model = kind(**{name: kind().parameters[name] * np.linspace(1, 1.5, 5)})
            whole = model(t, v)
            first = model(t[:101], v[:101])
            copied = pickle.loads(pickle.dumps(model))
            rest = model(t[100:], v[100:], resets=False)
            np.testing.assert_array_equal(whole[:, :101], first)
            np.testing.assert_allclose(whole[:, 101:], rest[:, 1:], rtol=1e-9, atol=1e-9)
            np.testing.assert_array_equal(copied(t[100:], v[100:], resets=False), rest)
            self.assertEqual(copied, model)

    def test_what_does_not_fit_is_refused(self):
        lugre, t = asperity.models.lugre, np.linspace(0, 1, 10)
        for bad, words in (
            ({"F_s": np.ones(3), "sigma_0": np.ones(4)}, r"F_s \(3,\), sigma_0 \(4,\)"),
            ({"F_s": [1.5, -1.0]}, r"F_s = -1.*model 1 of 2"),
            ({"F_s": [1.5, np.nan]}, "F_s.*model 1 of 2"),
            ({"F_s": [1.5, 0.5], "F_c": 1.0}, "F_s.*model 1 of 2"),
            ({"F_s": []}, "F_s is an empty array"),
            ({"F_s": ["1 N", "2 N"]}, "F_s must be one number"),
            ({"F_q": [1.0, 2.0]}, "F_q"),
        ):
            with self.assertRaisesRegex(asperity.Error, words):
                lugre(**bad)
        many = lugre(F_s=np.linspace(1.1, 2, 4))
        with self.assertRaisesRegex(asperity.Error, r"v has the shape \(4, 10\), t has \(10,\)"):
            many(t, v=np.zeros((4, 10)))
        with self.assertRaisesRegex(asperity.Error, "sample 3"):
            many(t, v=np.where(np.arange(10) == 3, np.inf, 0.0))
        with self.assertRaisesRegex(asperity.Error, "times must increase"):
            many(t[::-1], v=0.1)
        for call in (lambda: many.state, lambda: many.step(0.1, x=0, v=0), lambda: many.work):
            with self.assertRaisesRegex(asperity.Error, "single model"):
                call()
        with self.assertRaisesRegex(asperity.Error, "single lugre"):
            asperity.run({**STICK_SLIP, "friction": many})

    def test_the_interpreter_is_released(self):
        model, t = asperity.models.lugre(F_s=np.linspace(1.1, 2, 400)), np.linspace(0, 1, 4000)
        times = []

        def work():
            times.append(time.monotonic())
            model(t, v=0.01)
            times.append(time.monotonic())

        thread = threading.Thread(target=work)
        ticks = []
        thread.start()
        while thread.is_alive():
            ticks.append(time.monotonic())
            time.sleep(1e-4)
        # Held, nothing would tick between the first and the last of these.
        self.assertGreater(sum(times[0] < tick < times[1] for tick in ticks), 5)

    def test_ctrl_c_ends_it(self):
        program = (
            "import asperity, numpy as np\n"
            "t = np.linspace(0, 1, 100000)\n"
            "print('ready', flush=True)\n"
            "asperity.models.lugre(F_s=np.linspace(1.1, 2, 1000))(t, v=0.01 * np.sin(9 * t))\n"
        )
        child = subprocess.Popen(
            [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
        )
        child.stdout.readline()
        time.sleep(0.5)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=60)
        self.assertIn(b"KeyboardInterrupt", error)


class Runs(unittest.TestCase):
    def test_dicts_texts_files_and_models_give_the_same(self):
        first = asperity.run(STICK_SLIP)
        text = asperity.run(first.resolved)
        np.testing.assert_array_equal(first["x"], text["x"])
        model = asperity.run({**STICK_SLIP, "friction": asperity.models.lugre()})
        np.testing.assert_array_equal(first["x"], model["x"])
        changed = asperity.run(STICK_SLIP, set={"friction.F_s": 2})
        self.assertFalse(np.array_equal(first["x"], changed["x"]))

    def test_structured_array_has_all_columns(self):
        run = asperity.run(STICK_SLIP)
        table = run.to_numpy()
        self.assertEqual(set(table.dtype.names), set(run.keys()))
        np.testing.assert_array_equal(table["f"], run["f"])
        self.assertAlmostEqual(run.measure("maximum(f)"), run["f"].max(), 6)

    def test_frames_have_the_columns_and_their_units(self):
        try:
            import pandas
        except ImportError:
            self.skipTest("pandas is not installed")
        run = asperity.run(STICK_SLIP)
        frame = run.to_pandas()
        self.assertIsInstance(frame, pandas.DataFrame)
        np.testing.assert_array_equal(frame["x"].to_numpy(), run["x"])
        np.testing.assert_array_equal(frame.index.to_numpy(), run["t"])
        self.assertEqual(frame.attrs["units"]["v"], "m/s")

    def test_datasets_have_the_columns_and_their_units(self):
        try:
            import xarray  # noqa: F401
        except ImportError:
            self.skipTest("xarray is not installed")
        run = asperity.run(STICK_SLIP)
        found = run.to_xarray()
        np.testing.assert_array_equal(found["x"].values, run["x"])
        self.assertEqual(found["v"].attrs["units"], "m/s")

    def test_plots_show_columns_with_units(self):
        try:
            import matplotlib.pyplot as plt
        except ImportError:
            self.skipTest("matplotlib is not installed")
        run = asperity.run(STICK_SLIP)
        axes = np.atleast_1d(run.plot("x", "v"))
        self.assertEqual(axes[0].get_xlabel(), "t [s]")
        self.assertIn("m/s", axes[0].get_ylabel())
        np.testing.assert_array_equal(axes[0].lines[0].get_ydata(), run["x"])
        plt.close("all")

    def test_progress_is_told_and_may_stop_a_run(self):
        told = []
        long = {"run.duration": 2000, "run.sample": 1}
        asperity.run(STICK_SLIP, set=long, progress=told.append)
        self.assertEqual(told, sorted(told))
        self.assertTrue(all(0 <= share <= 1 for share in told))

        def stop(share):
            raise RuntimeError("enough")

        if told:
            with self.assertRaisesRegex(RuntimeError, "enough"):
                asperity.run(STICK_SLIP, set=long, progress=stop)

    def test_progress_is_true_false_or_a_function(self):
        record = {"t": [0, 1], "x": [0, 1], "f": [0, 1]}
        for wrong in ("yes", 1, 0, [], {}):
            for call in (
                lambda: asperity.run(STICK_SLIP, progress=wrong),
                lambda: asperity.sweep(STICK_SLIP, {"system.speed": [1]}, "maximum(f)", progress=wrong),
                lambda: asperity.reproduce("xiong_2013/fig_3_4", progress=wrong),
                lambda: asperity.fit(asperity.models.dai, record, progress=wrong),
                lambda: asperity.hysteresis(asperity.models.dahl, 1e-3, progress=wrong),
                lambda: asperity.limit_surface(shape="disc", radius=1, progress=wrong),
            ):
                with self.assertRaisesRegex(asperity.Error, "progress must be True, False or a function"):
                    call()
        for right in (None, True, False, np.bool_(False)):
            self.assertEqual(asperity.run(STICK_SLIP, progress=right).outcome, "completed")

    def test_messages_name_the_argument(self):
        def told(call):
            with self.assertRaises(asperity.Error) as caught:
                call()
            self.assertNotIn("--", str(caught.exception))
            return str(caught.exception)

        for key, value, words in (
            ("friction.F_S", 2, "did you mean 'F_s'"),
            ("friction.F_s", "2 m", "but N is wanted"),
            ("system.mass.x", 2, "not a table"),
            ("friction", 2, "must be a table"),
            ("a=b", 2, "unknown key"),
            ("", 2, "a key must be a text"),
            (3, 2, "a key must be a text"),
            ("friction.F_s", None, "cannot contain None"),
        ):
            for argument, call in (
                ("set", lambda: asperity.run(STICK_SLIP, set={key: value})),
                ("set", lambda: asperity.run("stick_slip", set={key: value})),
                ("parameters", lambda: asperity.sweep(STICK_SLIP, {key: [value]}, "maximum(f)")),
            ):
                message = told(call)
                self.assertTrue(message.startswith(f"{argument}[{key!r}]: "), message)
                self.assertIn(words, message)
        run = asperity.run(STICK_SLIP)
        self.assertIn("nope", told(lambda: run.measure("nope(x)")))
        self.assertIn("a measure must be a text", told(lambda: run.measure(3)))
        for measures in (3, [3], None):
            words = "measures must be a text or a list of texts"
            self.assertIn(words, told(lambda: asperity.sweep(STICK_SLIP, {"system.speed": [1]}, measures)))
        for scenario in (3, None, ["stick_slip"]):
            self.assertIn("scenario must be a dict", told(lambda: asperity.run(scenario)))
            self.assertIn("scenario must be a dict", told(lambda: asperity.sweep(scenario, {"x": 1}, "maximum(f)")))
        with self.assertRaisesRegex(KeyError, "no run 'nope'; the runs are dahl"):
            asperity.run("xiong_2013/fig_3_4")["nope"]

    def test_names_of_files_may_be_any_bytes(self):
        with tempfile.TemporaryDirectory() as folder:
            file = os.path.join(os.fsencode(folder), b"caf\xe9.toml")
            shutil.copy(asperity.examples()["stick_slip"], file)
            expected = asperity.run("stick_slip")["x"]
            for name in (file, os.fsdecode(file)):
                np.testing.assert_array_equal(asperity.run(name)["x"], expected)
            with self.assertRaisesRegex(asperity.Error, "no such file"):
                asperity.run(file + b".toml")

    def test_errors_say_where(self):
        with self.assertRaisesRegex(asperity.Error, "pulled_mass"):
            asperity.run({"system": {"kind": "puled_mass"}})
        with self.assertRaises(asperity.Error):
            asperity.run("xiong_2013/fig_99")
        with self.assertRaises(asperity.Error):
            asperity.run("nothing.toml")
        hostile = {**STICK_SLIP, "title": 'x"\n[run]\nduration = 0 `touch /tmp/x` \\'}
        self.assertEqual(asperity.run(hostile).outcome, "completed")

    def test_threads_get_the_same_numbers(self):
        expected = asperity.run(STICK_SLIP)["x"]
        found = []
        threads = [threading.Thread(target=lambda: found.append(asperity.run(STICK_SLIP)["x"])) for _ in range(8)]
        for each in threads:
            each.start()
        for each in threads:
            each.join()
        self.assertEqual(len(found), 8)
        for x in found:
            np.testing.assert_array_equal(x, expected)

    def test_ctrl_c_ends_a_long_run(self):
        program = "import asperity\nasperity.run(%r, set={'run.duration': 1e7, 'system.speed': 0.002, 'integrator.max_steps': 2000000000})" % STICK_SLIP
        child = subprocess.Popen([sys.executable, "-c", program], stderr=subprocess.PIPE, env=os.environ)
        time.sleep(2)
        child.send_signal(signal.SIGINT)
        _, error = child.communicate(timeout=20)
        self.assertIn(b"KeyboardInterrupt", error)

    def test_ctrl_c_ends_every_long_call(self):
        calls = (
            "asperity.sweep(S, {'friction.F_s': np.linspace(1, 2, 1000000)}, 'maximum(f)')",
            "asperity.fit(asperity.models.lugre, {'t': t, 'x': x, 'f': np.sign(x)}, starts=1000)",
            "asperity.hysteresis(asperity.models.dai_multistate, 1e-3, loops=60, omega=1e-3)",
            "asperity.reproduce()",
            "asperity.loops(np.sin(3e6 * t) + 0.3 * np.sin(1e7 * t), np.cos(3e6 * t))",
        )
        for call in calls:
            with self.subTest(call):
                program = (
                    f"import asperity, numpy as np\nS = {STICK_SLIP!r}\nt = np.linspace(0, 100, 1000000)\n"
                    f"x = 1e-3 * np.sin(3 * t) + 1e-4 * np.sin(50 * t)\nprint('ready', flush=True)\n{call}"
                )
                child = subprocess.Popen(
                    [sys.executable, "-c", program], stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=os.environ
                )
                child.stdout.readline()
                time.sleep(1)
                child.send_signal(signal.SIGINT)
                try:
                    _, error = child.communicate(timeout=20)
                except subprocess.TimeoutExpired:
                    child.kill()
                    _, error = child.communicate()
                self.assertIn(b"KeyboardInterrupt", error)

    def test_progress_is_told_in_the_thread_of_the_caller(self):
        for call in (
            lambda told: asperity.run(STICK_SLIP, set={"run.duration": 2000, "run.sample": 1}, progress=told),
            lambda told: asperity.sweep(STICK_SLIP, {"system.speed": [0.1, 0.2]}, "maximum(f)", progress=told),
            lambda told: asperity.reproduce("xiong_2013/fig_3_4", progress=told),
        ):
            told, threads = [], set()

            def tell(share):
                told.append(share)
                threads.add(threading.get_ident())

            call(tell)
            self.assertEqual(threads, {threading.get_ident()})
            self.assertEqual(told, sorted(told))
            self.assertTrue(0.9 < told[-1] <= 1, told)

    def test_models_may_stand_in_changes(self):
        changed = asperity.run(STICK_SLIP, set={"friction": asperity.models.lugre(F_s=2)})
        np.testing.assert_array_equal(changed["f"], asperity.run(STICK_SLIP, set={"friction.F_s": 2})["f"])
        with self.assertRaisesRegex(asperity.Error, "set must be a dict"):
            asperity.run(STICK_SLIP, set="friction.F_s=2")

    def test_a_sweep_says_what_it_cannot_take(self):
        alone = asperity.sweep(STICK_SLIP, {"system.speed": 0.1}, "maximum(f)")
        listed = asperity.sweep(STICK_SLIP, {"system.speed": [0.1]}, ["maximum(f)"])
        np.testing.assert_array_equal(alone["maximum(f)"], listed["maximum(f)"])
        with self.assertRaisesRegex(asperity.Error, "nothing to sweep"):
            asperity.sweep(STICK_SLIP, {}, ["maximum(f)"])
        with self.assertRaisesRegex(asperity.Error, r"system.speed has the shape \(1, 2\)"):
            asperity.sweep(STICK_SLIP, {"system.speed": [[0.1, 0.2]]}, ["maximum(f)"])

    def test_a_sweep_is_a_run_for_each_point(self):
        table = asperity.sweep(STICK_SLIP, {"friction.F_s": [1.2, 1.8]}, ["maximum(f)"])
        for limit, value in zip(table["friction.F_s"], table["maximum(f)"]):
            run = asperity.run(STICK_SLIP, set={"friction.F_s": float(limit)})
            self.assertEqual(value, run.measure("maximum(f)"))

    def test_a_sweep_goes_through_whatever_a_scenario_holds(self):
        lugre, dahl = asperity.models.lugre(F_s=2), asperity.models.dahl
        table = asperity.sweep(
            STICK_SLIP,
            {"friction": [lugre, dahl, {"model": "dai"}], "system.mass": [1, "1500 g"]},
            ["maximum(f)"],
        )
        self.assertEqual(table["maximum(f)"].shape, (3, 2))
        for i, friction in enumerate((lugre, dahl, {"model": "dai"})):
            for k, mass in enumerate((1, 1.5)):
                run = asperity.run({**STICK_SLIP, "friction": friction}, set={"system.mass": mass})
                self.assertEqual(table["maximum(f)"][i, k], run.measure("maximum(f)"))

    def test_examples_have_names(self):
        found = asperity.examples()
        self.assertIn("stick_slip", found)
        self.assertIn("inclusions/belt_oscillator", found)
        by_name = asperity.run("stick_slip", set={"run.duration": 0.5})
        by_file = asperity.run(found["stick_slip"], set={"run.duration": 0.5})
        self.assertEqual(by_name["x"].tolist(), by_file["x"].tolist())
        self.assertEqual(asperity.run("belt_oscillator", set={"run.duration": 0.1}).outcome, "completed")
        for call in (asperity.run, lambda name: asperity.sweep(name, {"friction.F_s": [1, 2]}, "maximum(f)")):
            for name, words in (
                ("stick_slop", "'stick_slop'.*did you mean 'stick_slip'"),
                ("Stick_Slip", "did you mean 'stick_slip'"),
                ("", "asperity.examples"),
                ("no.toml", "cannot read 'no.toml'"),
            ):
                with self.subTest(name), self.assertRaisesRegex(asperity.Error, words):
                    call(name)

    def test_a_sweep_takes_what_run_takes(self):
        short = {"run.duration": [0.5], "friction.F_s": [1.2, 1.8]}
        named = ("stick_slip", asperity.examples()["stick_slip"])
        tables = [asperity.sweep(each, short, "maximum(f)") for each in named]
        by_run = asperity.run("stick_slip", set={"run.duration": 0.5, "friction.F_s": 1.8}).measure("maximum(f)")
        for table in tables:
            self.assertEqual(table["maximum(f)"][0, 1], by_run)
        with self.assertRaisesRegex(asperity.Error, "nothing to measure"):
            asperity.sweep(STICK_SLIP, {"friction.F_s": [1, 2]}, [])
        with self.assertRaisesRegex(asperity.Error, "parameters must be a dict"):
            asperity.sweep(STICK_SLIP, ["friction.F_s"], "maximum(f)")

    def test_a_class_of_models_has_their_defaults(self):
        by_class = asperity.run({**STICK_SLIP, "friction": asperity.models.dai})
        by_model = asperity.run({**STICK_SLIP, "friction": asperity.models.dai()})
        self.assertEqual(by_class["x"].tolist(), by_model["x"].tolist())

    def test_sources_name_their_experiments(self):
        ids = [each for each in asperity.experiments() if each.startswith("xia_2012/")]
        self.assertGreater(len(ids), 1)
        self.assertEqual([each.id for each in asperity.reproduce([ids[0], "xia_2012"])], ids)

    def test_an_experiment_is_judged(self):
        experiment = asperity.run("xiong_2013/fig_3_4")
        self.assertTrue(all(c["verdict"] in ("met", "explained") for c in experiment.claims))


class Analyses(unittest.TestCase):
    def test_a_loop_has_its_area(self):
        phase = np.linspace(0, 6 * np.pi, 3001)
        found = asperity.loops(np.sin(phase), np.sin(phase - 0.5))
        self.assertAlmostEqual(abs(found["area_per_cycle"]), np.pi * np.sin(0.5), 3)

    def test_a_disc_holds_two_thirds_of_its_radius_in_torque(self):
        surface = asperity.limit_surface(shape="disc", radius="20 mm", around=8, up=9)
        self.assertAlmostEqual(surface["torque_over_force"], 2 / 3 * 0.02, delta=1e-9)
        self.assertEqual(surface["torque"].shape, (9, 8))
        self.assertAlmostEqual(np.hypot(surface["f_x"], surface["f_y"]).max(), 1, delta=1e-6)
        with self.assertRaisesRegex(asperity.Error, "radius"):
            asperity.limit_surface(shape="disc", radius=-1)
        with self.assertRaisesRegex(asperity.Error, "around"):
            asperity.limit_surface(shape="disc", radius=1, around=0)

    def test_records_that_are_no_numbers_are_refused(self):
        t = np.linspace(0, 4, 400)
        x = 1e-3 * np.sin(3 * t)
        y = np.where(np.arange(400) == 7, np.nan, x)
        with self.assertRaisesRegex(asperity.Error, "y = nan at sample 7"):
            asperity.loops(x, y)
        for noise in (np.nan, np.inf, -1.0):
            with self.assertRaisesRegex(asperity.Error, "noise = .*must be at least 0"):
                asperity.loops(x, x, noise=noise)
        with self.assertRaisesRegex(asperity.Error, "record 1: f = nan at sample 7"):
            asperity.fit(asperity.models.dai, {"t": t, "x": x, "f": y})
        with self.assertRaisesRegex(asperity.Error, "record 2: x has 2 axes"):
            good = {"t": t, "x": x, "f": x}
            asperity.fit(asperity.models.dai, [good, {**good, "x": x.reshape(2, 200)}])
        for wrong in ({"hold_out": 1.0}, {"hold_out": np.nan}, {"hold_out": -0.5}, {"settle": np.nan}, {"settle": -1}):
            with self.assertRaisesRegex(asperity.Error, f"{next(iter(wrong))} = .*must be"):
                asperity.fit(asperity.models.dai, {"t": t, "x": x, "f": x}, **wrong)

    def test_what_a_fit_cannot_take_is_refused_by_name(self):
        t = np.linspace(0, 4, 100)
        good = {"t": t, "x": 1e-3 * np.sin(3 * t), "f": np.sin(3 * t)}
        for record, words in (
            ({"t": t}, "record 1 has no 'f', which dai needs; it has t"),
            ({"t": t, "f": t}, "record 1 has no 'v' or 'x', which dai needs"),
            ({"x": t, "f": t}, "record 1 has no 't'"),
            ({**good, "x": ["a"] * 100}, "record 1: x must be a list of numbers"),
            ({**good, "x": good["x"] + 0j}, "record 1: x must be a list of numbers"),
            ({**good, 3: t}, "record 1: the name of a column must be a text, not 3"),
            (3, "record 1 must be a dict of arrays"),
            ("rig.csv", "record 1 must be a dict of arrays"),
            ([good, 3], "record 2 must be a dict of arrays"),
        ):
            with self.assertRaisesRegex(asperity.Error, words):
                asperity.fit(asperity.models.dai, record)
        for wrong, words in (
            ({"seed": -1}, "seed = -1: it must be from 0 to 4294967295"),
            ({"seed": 2**32}, "seed = 4294967296: it must be from 0"),
            ({"time_limit": "1 s"}, "time_limit must be one number"),
            ({"time_limit": -1}, "time_limit = -1: it must be a time in s, above 0"),
            ({"time_limit": np.nan}, "time_limit = nan: it must be"),
            ({"intervals": "no"}, "intervals must be True or False, not 'no'"),
            ({"free": 3}, "free must be a text or a list of texts"),
            ({"sensor": None}, "sensor must be a text or a list of texts"),
        ):
            with self.assertRaisesRegex(asperity.Error, words):
                asperity.fit(asperity.models.dai, good, **wrong)
        with self.assertRaisesRegex(asperity.Error, "under_weight must be True or False"):
            asperity.design_contact(restitution="0.5", under_weight="yes")

    def test_a_name_alone_and_a_class_are_taken(self):
        t = np.linspace(0, 4, 200)
        x = 1e-3 * np.sin(3 * t)
        record = {"t": t, "x": x, "f": asperity.models.dai(F=2)(t, x=x)}
        found = asperity.fit(asperity.models.dai, record, free="F", sensor="offset", starts=1, intervals=False)
        self.assertAlmostEqual(found.model.parameters["F"], 2, 2)
        self.assertEqual(found.model.parameters["K"], asperity.models.dai().parameters["K"])
        contact = asperity.models.hunt_crossley
        self.assertEqual(asperity.restitution(contact, 1.0), asperity.restitution(contact(), 1.0))
        with self.assertRaisesRegex(asperity.Error, "'hertz' is not a model: use one of asperity.models"):
            asperity.restitution("hertz", 1.0)
        with self.assertRaisesRegex(asperity.Error, "speed is an empty array"):
            asperity.restitution(contact(), [])

    def test_a_limit_surface_has_as_many_directions_as_the_tool_allows(self):
        for wrong in ({"around": 10**9}, {"up": 10**9}, {"around": 3}, {"up": 2}):
            with self.assertRaisesRegex(asperity.Error, "must be 4 to 720, and up = .* must be 3 to 361"):
                asperity.limit_surface(shape="disc", radius=0.02, **wrong)

    def test_wishes_that_are_misspelt_are_refused(self):
        with self.assertRaisesRegex(asperity.Error, "'restituton' is not a wish.*restitution, time"):
            asperity.design_contact(restituton="0.7@2m/s")

    def test_a_regularisation_keeps_to_its_wishes(self):
        contact, friction = asperity.design_regularisation(
            mass=2.0, load=20.0, friction_limit=6.0, penetration=1e-5, creep=5e-6
        )
        # At rest a spring carries the load; at the limit that of friction does.
        self.assertLessEqual(20.0 / contact.parameters["K"], 1e-5 * (1 + 1e-9))
        self.assertLessEqual(6.0 / friction.parameters["K"], 5e-6 * (1 + 1e-9))
        self.assertEqual(friction.parameters["F"], 6.0)
        self.assertIsNone(asperity.design_regularisation(mass=2.0, load=20.0)[1])
        with self.assertRaises(asperity.Error):
            asperity.design_regularisation(mass=-1.0, load=20.0)
        # A step that is too long for a spring this stiff.
        with self.assertRaises(asperity.Error):
            asperity.design_regularisation(mass=1.0, load=10.0, penetration=1e-9, step=0.1)

    def test_restitution_of_a_linear_contact_does_not_depend_on_speed(self):
        e = asperity.restitution(asperity.models.dai_contact(), [0.1, 1.0, 10.0])["restitution"]
        np.testing.assert_allclose(e, e[0], rtol=1e-8)


if __name__ == "__main__":
    unittest.main()

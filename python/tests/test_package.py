# SPDX-License-Identifier: Apache-2.0
"""Facts about the package, over the whole catalogue."""

import inspect
import json
import os
import pickle
import signal
import subprocess
import sys
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
    def test_counts_are_those_of_the_tool(self):
        tool = os.environ.get("ASPERITY_TOOL")
        if not tool:
            self.skipTest("the command-line tool was not built")
        for command, ours in (
            ("models", asperity.models.__all__),
            ("systems", asperity.systems()),
            ("measures", asperity.measures()),
            ("methods", asperity.methods()),
        ):
            answer = subprocess.run([tool, command, "--json"], capture_output=True, text=True)
            if answer.returncode != 0:
                answer = subprocess.run([tool, command], capture_output=True, text=True, check=True)
                words = {line.split()[0] for line in answer.stdout.splitlines() if line.strip()}
                self.assertLessEqual(set(ours), words, command)
                continue
            # Some measures are only there for sweeps.
            listed = [row for row in json.loads(answer.stdout) if row.get("claims", True)]
            self.assertEqual(len(listed), len(ours), command)

    def test_everything_public_is_documented(self):
        for name in asperity.__all__:
            thing = getattr(asperity, name)
            if name != "__version__":
                self.assertTrue(inspect.getdoc(thing), name)
            if inspect.isclass(thing) and not issubclass(thing, Exception):
                for member, value in vars(thing).items():
                    if not member.startswith("_") and (callable(value) or isinstance(value, property)):
                        self.assertTrue(inspect.getdoc(value), f"{name}.{member}")
        for key in asperity.models.__all__:
            text = getattr(asperity.models, key).__doc__
            for p in getattr(asperity.models, key).card["parameters"]:
                self.assertIn(p["name"], text)
                self.assertIn(p["meaning"], text)

    def test_what_is_no_plugin_is_refused(self):
        # examples/python/your_own_model.py builds one that is loaded.
        before = list(asperity.models.__all__)
        with self.assertRaisesRegex(asperity.Error, "missing.so.*there is no such file"):
            asperity.load_plugin("missing.so")
        with self.assertRaisesRegex(asperity.Error, "is not a plug-in of asperity"):
            asperity.load_plugin(__file__)
        self.assertEqual(asperity.models.__all__, before)

    def test_stubs_name_every_model(self):
        stub = os.path.join(os.path.dirname(asperity.__file__), "models.pyi")
        with open(stub, encoding="utf-8") as file:
            text = file.read()
        for key in asperity.models.__all__:
            self.assertIn(f"class {key}(Model)", text)


def motion_for(model, rows=200):
    """t and inputs by name, a small swing in every direction."""
    t = np.linspace(0, 0.5, rows)
    given = {}
    for c in model.card["inputs"]:
        if c["is_rate"]:
            given[c["name"]] = 6e-4 * np.cos(6 * t) * (-1 if c["name"] == "gap_rate" else 1)
    return t, given


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

    def test_pickles_keep_parameters_and_state(self):
        for key in asperity.models.__all__:
            with self.subTest(key):
                model = getattr(asperity.models, key)()
                copy = pickle.loads(pickle.dumps(model))
                self.assertEqual(model, copy)
                self.assertEqual(copy.state, model.state)

    def test_show_themselves(self):
        for key in asperity.models.__all__:
            model = getattr(asperity.models, key)()
            self.assertTrue(repr(model).startswith(key + "("))
            self.assertIn("<table>", model._repr_html_())

    def test_arrays_of_parameters_are_models_each(self):
        limits = np.linspace(1.1, 2, 7)
        t = np.linspace(0, 1, 50)
        together = asperity.models.lugre(F_s=limits)(t, v=0.01)
        self.assertEqual(together.shape, (7, 50))
        for i, limit in enumerate(limits):
            np.testing.assert_array_equal(together[i], asperity.models.lugre(F_s=limit)(t, v=0.01))

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
        with self.assertRaisesRegex(asperity.Error, "rise"):
            lugre(t[::-1], v=t)
        with self.assertRaises(asperity.Error):
            lugre(np.zeros((2, 2)), v=0)

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

    def test_a_sweep_is_a_run_for_each_point(self):
        table = asperity.sweep(STICK_SLIP, {"friction.F_s": [1.2, 1.8]}, ["maximum(f)"])
        for limit, value in zip(table["friction.F_s"], table["maximum(f)"]):
            run = asperity.run(STICK_SLIP, set={"friction.F_s": float(limit)})
            self.assertEqual(value, run.measure("maximum(f)"))

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

    def test_restitution_of_a_linear_contact_does_not_depend_on_speed(self):
        e = asperity.restitution(asperity.models.dai_contact(), [0.1, 1.0, 10.0])["restitution"]
        np.testing.assert_allclose(e, e[0], rtol=1e-8)


if __name__ == "__main__":
    unittest.main()

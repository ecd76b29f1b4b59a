# SPDX-License-Identifier: Apache-2.0
"""Our Moreau-Jean steps beside those of Siconos, on the same two systems.

    python3 compare.py PATH_OF_ASPERITY

Exit code 77: Siconos is not installed, nothing was compared.
"""
import csv
import os
import subprocess
import sys
import tempfile

os.environ.setdefault("OMP_NUM_THREADS", "1")
try:
    import numpy as np
    import siconos.kernel as sk
    import siconos.numerics as sn
except ImportError as problem:
    print(f"SKIPPED: {problem}")
    sys.exit(77)

HERE = os.path.dirname(os.path.abspath(__file__))


def ours(name):
    with tempfile.TemporaryDirectory() as folder:
        out = os.path.join(folder, "run")
        subprocess.run([sys.argv[1], "run", os.path.join(HERE, name + ".toml"), "--out", out],
                       check=True, stdout=subprocess.DEVNULL)
        with open(os.path.join(out, "series.csv"), encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
    return {key: np.array([float(row[key]) for row in rows]) for key in rows[0]}


def simulate(body, law, rows_of_h, problem, h, end):
    """Steps a Lagrangian system with one interaction; returns its states after each step."""
    dimension = rows_of_h.shape[1]
    relation = sk.LagrangianLinearTIR(rows_of_h)
    interaction = sk.Interaction(law, relation)
    model = sk.NonSmoothDynamicalSystem(0, end)
    model.insertDynamicalSystem(body)
    model.link(interaction, body)
    stepping = sk.TimeStepping(model, sk.TimeDiscretisation(0, h), sk.MoreauJeanOSI(0.5), problem)
    rows = []
    while stepping.hasNextEvent():
        stepping.computeOneStep()
        rows.append(np.concatenate([body.q()[:dimension], body.velocity()[:dimension]]))
        stepping.nextStep()
    return np.array(rows)


def bouncing_ball(h):
    body = sk.LagrangianLinearTIDS([1.0], [0.0], np.array([[1.0]]))
    body.setFExtPtr(np.array([-9.8]))
    return simulate(body, sk.NewtonImpactNSL(0.8), np.array([[1.0]]), sk.LCP(), h, 3.0)


def block_on_belt(h):
    # In the frame of the belt: friction then opposes the velocity itself.
    body = sk.LagrangianLinearTIDS([0.0, 0.0], [1.5, 0.0], np.eye(2))
    body.setFExtPtr(np.array([0.0, -9.8]))
    normal_then_tangent = np.array([[0.0, 1.0], [1.0, 0.0]])
    return simulate(body, sk.NewtonImpactFrictionNSL(0.0, 0.0, 0.25, 2), normal_then_tangent,
                    sk.FrictionContact(2), h, 2.0)


def worst(a, b):
    n = min(len(a), len(b))
    return float(np.max(np.abs(a[:n] - b[:n])))


def main():
    h = 1e-3
    failures = 0

    def judge(what, difference, allowed):
        nonlocal failures
        verdict = "ok" if difference <= allowed else "FAILED"
        failures += verdict == "FAILED"
        print(f"{verdict:6} {what}: worst difference {difference:.2e}, allowed {allowed:.0e}")

    # The same equations, step by step: only rounding may differ.
    ball, mine = bouncing_ball(h), ours("bouncing_ball")
    judge("bouncing ball, height [m]", worst(ball[:, 0], mine["z"][1:]), 1e-11)
    rebounds = [max(each[(t > a) & (t < b)]) for a, b in [(0.5, 1.2), (1.4, 1.9)]
                for t, each in [(np.arange(1, len(ball) + 1) * h, ball[:, 0]),
                                (mine["t"], mine["z"])]]
    judge("bouncing ball, first apex [m]", abs(rebounds[0] - rebounds[1]), 1e-11)
    judge("bouncing ball, second apex [m]", abs(rebounds[2] - rebounds[3]), 1e-11)

    block, mine = block_on_belt(h), ours("block_on_belt")
    judge("block on a belt, speed [m/s]", worst(block[:, 2] + 0.5, mine["v"][1:]), 1e-11)
    judge("block on a belt, speed at rest on it [m/s]", abs(mine["v"][-1] - block[-1, 2] - 0.5),
          1e-12)
    t = np.arange(1, len(block) + 1) * h
    judge("block on a belt, place [m]", worst(block[:, 0] + 0.5 * t, mine["x"][1:]), 1e-11)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())

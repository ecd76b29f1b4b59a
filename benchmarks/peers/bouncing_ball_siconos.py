# SPDX-License-Identifier: Apache-2.0
"""A bouncing ball by the Moreau-Jean steps of Siconos: prints the processor seconds of one step."""
import os
import time

os.environ.setdefault("OMP_NUM_THREADS", "1")
import numpy as np
import siconos.kernel as sk


def seconds_per_step():
    body = sk.LagrangianLinearTIDS([1.0], [0.0], np.array([[1.0]]))
    body.setFExtPtr(np.array([-9.8]))
    interaction = sk.Interaction(sk.NewtonImpactNSL(0.8),
                                 sk.LagrangianLinearTIR(np.array([[1.0]])))
    model = sk.NonSmoothDynamicalSystem(0, 3.0)
    model.insertDynamicalSystem(body)
    model.link(interaction, body)
    stepping = sk.TimeStepping(model, sk.TimeDiscretisation(0, 1e-3), sk.MoreauJeanOSI(0.5),
                               sk.LCP())
    start = time.process_time()
    steps = 0
    while stepping.hasNextEvent():
        stepping.computeOneStep()
        stepping.nextStep()
        steps += 1
    return (time.process_time() - start) / steps


print(min(seconds_per_step() for _ in range(5)))

# SPDX-License-Identifier: Apache-2.0
"""Friction, contact and hysteresis: models of the literature behind one interface.

>>> import numpy as np, asperity
>>> t = np.linspace(0, 1, 1001)
>>> f = asperity.models.lugre(F_s=1.5)(t, v=0.01 * np.sin(6.28 * t))

All numbers are SI. Parameters may be texts with units: ``lugre(sigma_0="0.1 N/um")``. Bad input raises
:class:`asperity.Error`, whose text names the symbol, its value and what is allowed.
"""

import os as _os

# A wheel brings the published experiments along; installed in a prefix, they lie in its share folder.
_here = _os.path.dirname(_os.path.abspath(__file__))
for _published in (
    _os.path.join(_here, "experiments"),
    _os.path.normpath(_os.path.join(_here, "../../../../share/asperity/experiments")),
):
    if _os.path.isdir(_published):
        _os.environ.setdefault("ASPERITY_EXPERIMENTS", _published)
        break

from . import models
from ._asperity import Error, version as __version__
from .analysis import hysteresis, limit_surface, loops, restitution
from .catalogue import examples, experiments, load_plugin, measures, methods, systems
from .identify import Fit, design_contact, design_regularisation, fit
from .model import Model
from .run import Experiment, Run, reproduce, run, sweep

__all__ = [
    "Error",
    "Experiment",
    "Fit",
    "Model",
    "Run",
    "__version__",
    "design_contact",
    "design_regularisation",
    "examples",
    "experiments",
    "fit",
    "hysteresis",
    "limit_surface",
    "load_plugin",
    "loops",
    "measures",
    "methods",
    "models",
    "reproduce",
    "restitution",
    "run",
    "sweep",
    "systems",
]

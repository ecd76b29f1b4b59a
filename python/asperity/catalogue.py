# SPDX-License-Identifier: Apache-2.0
"""What there is, from the cards of the library: no name is written here."""

import os
from functools import lru_cache

from . import _asperity


@lru_cache(maxsize=None)
def cards():
    """Cards of all models by name: title, source, parameters, states, inputs, outputs, page."""
    return {card["key"]: card for card in _asperity.models()}


def load_plugin(file):
    """Loads the models of a shared object (docs/plugins.md) and returns their names.

    They stand in :mod:`asperity.models` from then on, and in scenarios. A file that is loaded already is not loaded
    again; one that is no plug-in, or was built for another asperity, raises :class:`asperity.Error`.
    """
    from . import models

    names = _asperity.load_plugin(os.fspath(file))
    cards.cache_clear()
    models._add_new()
    return names


def systems():
    """Systems by name, each with what it is, its keys, its page and an example scenario."""
    return {row["key"]: row for row in _asperity.systems()}


def measures():
    """Measures by name, each with its meaning and unit in words."""
    return {row["key"]: row for row in _asperity.measures()}


def methods():
    """Methods of integration by name, each with its meaning."""
    return {row["key"]: row for row in _asperity.methods()}


def examples():
    """Scenarios that come with the package, by name, each with its file: ``asperity.run("stick_slip")``."""
    here = os.path.dirname(os.path.abspath(__file__))
    places = [
        os.environ.get("ASPERITY_EXAMPLES", ""),
        os.path.join(here, "examples"),  # of a wheel
        os.path.normpath(os.path.join(here, "../../../../share/asperity/examples")),  # installed in a prefix
        os.path.join(os.path.dirname(_asperity.experiments_folder()), "examples"),  # in the sources
    ]
    folder = next((place for place in places if place and os.path.isdir(place)), None)
    found = {}
    for place, _, files in os.walk(folder) if folder else ():
        for file in files:
            name, ending = os.path.splitext(os.path.relpath(os.path.join(place, file), folder))
            if ending == ".toml":
                found[name.replace(os.sep, "/")] = os.path.join(place, file)
    return dict(sorted(found.items(), key=lambda each: ("/" in each[0], each[0])))


def experiments():
    """Published experiments by id, each with its title, source, figures and runs."""
    return {row["id"]: row for row in _asperity.experiments()}

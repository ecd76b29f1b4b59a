# SPDX-License-Identifier: Apache-2.0
"""What there is, from the cards of the library: no name is written here."""

from functools import lru_cache

from . import _asperity


@lru_cache(maxsize=None)
def cards():
    """Cards of all models by name: title, source, parameters, states, inputs, outputs, page."""
    return {card["key"]: card for card in _asperity.models()}


def systems():
    """Systems by name, each with what it is, its keys, its page and an example scenario."""
    return {row["key"]: row for row in _asperity.systems()}


def measures():
    """Measures by name, each with its meaning and unit in words."""
    return {row["key"]: row for row in _asperity.measures()}


def methods():
    """Methods of integration by name, each with its meaning."""
    return {row["key"]: row for row in _asperity.methods()}


def experiments():
    """Published experiments by id, each with its title, source, figures and runs."""
    return {row["id"]: row for row in _asperity.experiments()}

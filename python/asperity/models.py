# SPDX-License-Identifier: Apache-2.0
"""Every model of the catalogue as a class, made from its card when the package is imported; those of a plug-in when it
is loaded."""

from .catalogue import cards as _cards
from .model import class_of as _class_of

__all__ = []


def _add_new():
    for key, card in _cards().items():
        if key not in __all__:
            globals()[key] = _class_of(card)
            __all__.append(key)


_add_new()

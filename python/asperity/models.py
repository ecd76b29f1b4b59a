# SPDX-License-Identifier: Apache-2.0
"""Every model of the catalogue as a class, made from its card when the package is imported."""

from .catalogue import cards as _cards
from .model import class_of as _class_of

__all__ = []
for _key, _card in _cards().items():
    globals()[_key] = _class_of(_card)
    __all__.append(_key)

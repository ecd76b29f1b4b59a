# SPDX-License-Identifier: Apache-2.0
"""Writes the types of asperity.models, which are made from cards: stubs.py FOLDER_OF_PACKAGE"""

import keyword
import pathlib
import sys


def main():
    folder = pathlib.Path(sys.argv[1])
    sys.path.insert(0, str(folder.parent))
    from asperity.catalogue import cards

    lines = [
        "# Generated from the cards of the models by stubs.py.",
        "from typing import Sequence, Union",
        "import numpy",
        "from .model import Model",
        "",
        "Number = Union[float, str, Sequence[float], numpy.ndarray]",
        "",
    ]
    for key, card in cards().items():
        names = [p["name"] + ("_" if keyword.iskeyword(p["name"]) else "") for p in card["parameters"]]
        arguments = "".join(f", {n}: Number = ..." for n in names)
        lines += [f"class {key}(Model):", f"    def __init__(self, *, curve: str = ...{arguments}) -> None: ...", ""]
    target = folder / "models.pyi"
    text = "\n".join(lines)
    if not target.exists() or target.read_text(encoding="utf-8") != text:
        target.write_text(text, encoding="utf-8")


main()

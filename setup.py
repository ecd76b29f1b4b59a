# SPDX-License-Identifier: Apache-2.0
"""Builds the compiled part with CMake. Where ASPERITY_BUILD names a folder in which it was configured
already, that one is used."""

import os
import pathlib
import re
import shutil
import subprocess
import sys

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

ROOT = pathlib.Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, ext):
        build = pathlib.Path(os.environ.get("ASPERITY_BUILD", self.build_temp)).resolve()
        if not (build / "CMakeCache.txt").exists():
            subprocess.check_call(
                ["cmake", "-S", str(ROOT), "-B", str(build), "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release"]
                + ["-DASPERITY_TESTS=OFF", "-DASPERITY_BENCHMARKS=OFF", "-DASPERITY_CLI=OFF", "-DASPERITY_C=OFF"]
                + ["-DASPERITY_INSTALL=OFF", f"-DPython3_EXECUTABLE={sys.executable}"]
            )
        subprocess.check_call(["cmake", "--build", str(build), "--target", "asperity_python", "--parallel"])
        target = pathlib.Path(self.get_ext_fullpath(ext.name)).resolve()
        target.parent.mkdir(parents=True, exist_ok=True)
        made = build / "python" / "asperity"
        shutil.copy(next(made.glob("_asperity*.so")), target)
        shutil.copy(made / "models.pyi", target.parent)
        # What is published travels along, so that asperity.run("xiong_2013/fig_3_4") works anywhere.
        shutil.copytree(
            ROOT / "experiments",
            target.parent / "experiments",
            dirs_exist_ok=True,
            ignore=shutil.ignore_patterns("*_test.cpp"),
        )
        for example in (ROOT / "examples").rglob("*.toml"):
            place = target.parent / "examples" / example.relative_to(ROOT / "examples")
            place.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(example, place)


version = re.search(r"project\(asperity VERSION ([0-9.]+)", (ROOT / "CMakeLists.txt").read_text(encoding="utf-8"))[1]
setup(version=version, ext_modules=[Extension("asperity._asperity", [])], cmdclass={"build_ext": CMakeBuild})

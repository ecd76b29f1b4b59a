# SPDX-License-Identifier: Apache-2.0
"""Every block of code in docs/*.md in sh, toml, python or cpp is run here, is run by a test that is named here, or
has a reason why it is not run. A block that is not listed fails, and so does an entry without a block.

blocks.py SOURCE TOOL COMPILER [MODULE]: the folder of the sources, the tool, a C++ compiler, and the folder of the
Python package where it was built."""

import glob
import os
import re
import subprocess
import sys
import tempfile

source, tool, compiler = sys.argv[1:4]
module = sys.argv[4] if len(sys.argv) > 4 else ""

MASS = '[system]\nkind = "mass_under_force"\nmass = 1\n[friction]\nmodel = "dai"\n'
BALL = 'force = -9.81\n[system]\nkind = "bouncing_mass"\nmass = 1\n'
SHORT = "\n[run]\nduration = 0.01\n"

# Page, language, which of its blocks from 1: what is done with it.
#   ("run",)              as it stands, in a folder of its own with the examples
#   ("scenario", a, b)    between the texts a and b it is a scenario, which is run
#   ("same as", file)     it is in this file, which other tests compile and run
#   ("compiles",)         the compiler takes it
#   ("other test", name)  that test does the same
#   ("not run", why)
BLOCKS = {
    ("c.md", "sh", 1): ("not run", "needs an installed library; install tests link and run the same program"),
    ("command-line.md", "toml", 1): ("not run", "a part of an experiment; experiments/ has such tables"),
    ("cpp.md", "cpp", 1): ("same as", "examples/scenario.cpp"),
    ("cpp.md", "cpp", 2): ("same as", "examples/own_system.cpp"),
    ("design.md", "toml", 1): ("scenario", BALL, "\n[initial]\nx = 0.01" + SHORT),
    ("fmi.md", "toml", 1): ("scenario", "", "\n" + MASS + SHORT),
    ("gpu.md", "cpp", 1): ("not run", "needs nvcc; tests/compilers/device_batch.cu makes the same calls"),
    ("gpu.md", "cpp", 2): ("not run", "needs nvcc; tests/compilers/device_batch.cu makes the same calls"),
    ("hysteresis.md", "sh", 1): ("run",),
    ("hysteresis.md", "sh", 2): ("run",),
    ("hysteresis.md", "sh", 3): ("run",),
    ("hysteresis.md", "sh", 4): ("run",),
    ("inclusions.md", "toml", 1): ("scenario", "", ""),
    ("inclusions.md", "toml", 2): ("not run", "a part of a file; the examples of inclusions have such a table"),
    ("inclusions.md", "cpp", 1): ("same as", "examples/inclusion.cpp"),
    ("lab.md", "sh", 1): ("not run", "needs emscripten and node; ./dev web --test does it"),
    ("measured-data.md", "toml", 1): ("scenario", MASS, SHORT),
    ("mujoco.md", "cpp", 1): ("not run", "needs MuJoCo; adapters/mujoco/joint_friction_test.cpp makes the same calls"),
    ("planar.md", "sh", 1): ("run",),
    ("planar.md", "toml", 1): ("not run", "a part of a scenario; cli_planar_test has patches of every shape"),
    ("plugins.md", "sh", 1): ("other test", "cli_plugin"),
    ("plugins.md", "sh", 2): ("other test", "cli_plugin"),
    ("plugins.md", "python", 1): ("other test", "python: the tests of plug-ins"),
    ("python.md", "python", 1): ("run",),
    ("python.md", "sh", 1): ("not run", "installs; ./dev python does it"),
    ("scenario-files.md", "toml", 1): ("scenario", "", ""),
    ("scenario-files.md", "toml", 2): ("scenario", "", ""),
    ("scenario-files.md", "toml", 3): ("scenario", MASS, SHORT),
    ("speed.md", "cpp", 1): ("compiles",),
    ("speed.md", "cpp", 2): ("compiles",),
}
# ./dev test --toys writes the files and types the commands of these; `asperity site` makes the pictures of the last.
WHOLE_PAGES = {"extending.md": "./dev test --toys", "adding-a-model.md": "./dev test --toys"}


def blocks(text):
    """Language and text of the fenced blocks of a page."""
    fence = None
    for line in text.split("\n"):
        mark = re.match(r"^(`{3,})(.*)$", line)
        if mark and fence is None:
            fence, language, body = mark[1], mark[2].strip(), []
        elif fence is not None and line == fence:
            yield language, "\n".join(body) + "\n"
            fence = None
        elif fence is not None:
            body.append(line)


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout[-3000:]))


def has_matplotlib():
    """Which is optional, and which the blocks of Python draw with."""
    return subprocess.run(["/usr/bin/python3", "-c", "import matplotlib"], stderr=subprocess.DEVNULL).returncode == 0


def try_block(how, language, text, folder, environment):
    os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
    if how[0] == "same as":
        with open(os.path.join(source, how[1]), encoding="utf-8") as stream:
            assert text.strip() in stream.read(), how[1] + " has other text"
    elif how[0] == "compiles":
        with open(os.path.join(folder, "one.cpp"), "w", encoding="utf-8") as stream:
            stream.write(text)
        run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-I", source, "one.cpp"], cwd=folder)
    elif how[0] == "scenario":
        with open(os.path.join(folder, "rig.csv"), "w", encoding="utf-8") as stream:
            stream.write("t_ms,drive [kN]\n0,0\n500,1e-4\n1000,0\n")
        with open(os.path.join(folder, "one.toml"), "w", encoding="utf-8") as stream:
            stream.write(how[1] + text + how[2])
        run([tool, "run", "one.toml", "--plot", "none", "--quiet", "--out", "one"], cwd=folder, env=environment)
    elif language == "python":
        if module and has_matplotlib():
            run(["/usr/bin/python3", "-c", text], cwd=folder, env=dict(environment, PYTHONPATH=module, MPLBACKEND="Agg"))
    else:
        run(["bash", "-euc", text], cwd=folder, env=environment)


failures, tried, seen = [], 0, set()
with tempfile.TemporaryDirectory() as work:
    os.mkdir(os.path.join(work, "bin"))
    os.symlink(tool, os.path.join(work, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(work, "bin") + ":" + os.environ["PATH"])
    for page in sorted(glob.glob(os.path.join(source, "docs", "*.md"))):
        name, counts = os.path.basename(page), {}
        with open(page, encoding="utf-8") as stream:
            for language, text in blocks(stream.read()):
                if language not in ("sh", "toml", "python", "cpp") or name in WHOLE_PAGES:
                    continue
                counts[language] = counts.get(language, 0) + 1
                key = (name, language, counts[language])
                seen.add(key)
                if key not in BLOCKS:
                    failures.append("docs/%s: block %d in %s is in no list: say in tests/site/blocks.py how it is run" % (
                        name, counts[language], language))
                    continue
                how = BLOCKS[key]
                if how[0] in ("not run", "other test"):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        try_block(how, language, text, folder, environment)
                        tried += 1
                    except (AssertionError, RuntimeError) as problem:
                        failures.append("docs/%s: block %d in %s: %s" % (name, counts[language], language, problem))
    for key in sorted(set(BLOCKS) - seen):
        failures.append("tests/site/blocks.py lists %s, which is not there" % (key,))
for each in failures:
    print(each)
print("docs: %d blocks were run, %d have a reason or a test of their own" % (tried, len(seen) - tried))
sys.exit(1 if failures else 0)

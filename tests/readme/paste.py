# SPDX-License-Identifier: Apache-2.0
"""Does what README.md shows: the commands down to "More commands" one after the other, the Python code, and
the C++ programs, whose last line says what they print.

paste.py SOURCE TOOL COMPILER [MODULE LIBRARY...]: the folder of the sources, the tool, a C++ compiler, and
the folder of the Python package where it was built."""

import os
import re
import shutil
import subprocess
import sys
import tempfile

source, tool, compiler = sys.argv[1:4]
module = sys.argv[4] if len(sys.argv) > 4 else ""
with open(os.path.join(source, "README.md"), encoding="utf-8") as stream:
    readme = stream.read()
assert "differential-algebraic inclusion" in readme
shown = readme[: readme.index("## More commands")]


def blocks(language):
    return re.findall(r"^```%s\n(.*?)^```$" % language, shown, re.MULTILINE | re.DOTALL)


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.exit("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout))
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(tool, os.path.join(folder, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    commands = [block for block in blocks("sh") if "./dev" not in block]
    assert len(commands) == 3, commands
    for block in commands:
        run(["bash", "-euc", block], cwd=folder, env=environment)
    for made in ("picture/series.csv", "stick_slip.run/series.csv", "force.csv"):
        assert os.path.getsize(os.path.join(folder, made)) > 1000, made
    # The picture is that of the command: the same text on it, the same number of points.
    if shutil.which("gnuplot"):
        pictures = []
        for file in (os.path.join(folder, "picture/plot.svg"), os.path.join(source, "docs/pictures/stick_slip.svg")):
            with open(file, encoding="utf-8") as stream:
                text = stream.read()
            pictures.append((re.findall(r"<text>(.*?)</text>", text, re.DOTALL), len(text) // 5000))
            assert len(text) < 60000, file
        assert pictures[0] == pictures[1], "docs/pictures/stick_slip.svg is not what the command draws"

    if module:
        for block in blocks("python"):
            print(run(["/usr/bin/python3", "-c", block], cwd=folder, env=dict(environment, PYTHONPATH=module)), end="")

    programs = blocks("cpp")
    assert len(programs) == 2
    program = programs[0]
    with open(os.path.join(folder, "one.cpp"), "w", encoding="utf-8") as stream:
        stream.write(program)
    run([compiler, "-std=c++20", "-O1", "-Wall", "-Werror", "-I", source, "one.cpp", "-o", "one"], cwd=folder)
    printed = run([os.path.join(folder, "one")]).strip()
    said = re.search(r"// (\S+ N)\n}", program)[1]
    assert printed == said, (printed, said)
    print("README.md:", len(commands), "blocks of commands, Python and C++ do what they say")

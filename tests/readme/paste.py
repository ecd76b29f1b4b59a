# SPDX-License-Identifier: Apache-2.0
"""Does what README.md shows, and compares what it says is printed: all commands, those down to "More commands" one after
the other; the Python code; the C++ programs, the second by the lines for CMake; and the figures that it compares with
other software where a command measures them in seconds.

paste.py SOURCE TOOL COMPILER [--prefix PREFIX] [MODULE]: the folder of the sources, the tool, a C++ compiler, the folder
where all was installed, with which programs link, and the folder of the Python package where it was built."""

import math
import os
import re
import shutil
import subprocess
import sys
import tempfile

source, tool, compiler, *rest = sys.argv[1:]
prefix = rest[rest.index("--prefix") + 1] if "--prefix" in rest else ""
module = [word for word in rest if word not in ("--prefix", prefix)][:1]
with open(os.path.join(source, "README.md"), encoding="utf-8") as stream:
    readme = stream.read()
assert "differential-algebraic inclusion" in readme
shown = readme[: readme.index("## More commands")]
more = readme[readme.index("## More commands") : readme.index("## Features")]

# What "More commands" reads beside the examples: written, or made by other commands, before it.
FILES = {
    "data.csv": "x,f\n" + "".join("%g,%g\n" % (math.sin(0.1 * i), math.sin(0.1 * i - 0.3)) for i in range(200)),
    "rig.csv": "t_s,position_m,friction_N\n" + "".join(
        "%g,%g,%g\n" % (0.01 * i, 1e-4 * math.sin(0.3 * i), -1 if math.cos(0.3 * i) > 0 else 1) for i in range(200)),
}
# Commands that would run every published experiment do so with one.
ONE = "drincic_2012/fig_4_4"
SHORTER = {"asperity reproduce --": "asperity reproduce " + ONE + " --"}


def blocks(language, text=shown):
    return re.findall(r"^```%s\n(.*?)^```$" % language, text, re.MULTILINE | re.DOTALL)


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.exit("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout))
    return done.stdout


def commands_of(text):
    """Lines that are typed: comments left out."""
    return [line for line in text.split("\n") if line and not line.startswith("#")]


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(tool, os.path.join(folder, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])

    def type_in(text):
        return run(["bash", "-euc", text], cwd=folder, env=environment)

    commands = [block for block in blocks("sh") if "./dev" not in block]
    assert len(commands) == 3, commands
    for block in commands:
        type_in(block)
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

    # "More commands", each as it stands.
    for name, content in FILES.items():
        with open(os.path.join(folder, name), "w", encoding="utf-8") as stream:
            stream.write(content)
    type_in("asperity reproduce %s --json earlier.json" % ONE)
    lines = commands_of(blocks("sh", more)[0])
    assert len(lines) >= 20, lines
    typed = 0
    for line in lines:
        if line.startswith("asperity --plugin "):
            if not prefix:
                continue
            type_in("cmake -S my_law -B my_law/build -DCMAKE_PREFIX_PATH='%s' -DCMAKE_CXX_COMPILER='%s' && "
                    "cmake --build my_law/build --target my_law" % (prefix, compiler))
        for begin, instead in SHORTER.items():
            line = line.replace(begin, instead)
        type_in(line)
        typed += 1

    # The comparison: "`dai`: 3e-19 m" beside `asperity conformance ...` is what that prints, to as many digits.
    compared = 0
    for row in re.findall(r"^\|.*\|$", readme, re.MULTILINE):
        command = re.search(r"`(asperity conformance [^`]*)`", row)
        if not command:
            continue
        printed = {line.split()[0]: line.split()[-2:] for line in type_in(command[1]).strip().split("\n")[1:]}
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        for model, number, unit in re.findall(r"`(\w+)`: (\S+) (\w+)", cells[2]) + (
                [("lugre",) + tuple(cells[1].split())] if "--model lugre" in command[1] else []):
            scale = {"m": 1, "mm": 1e-3}[unit]
            digits = max(1, len(re.sub(r"e.*|\D|^0+", "", number)))
            value = float(printed[model][0])
            assert printed[model][1] == "m", printed
            assert float(number) * scale == 0 == value or math.isclose(
                float("%.*g" % (digits, value)), float(number) * scale, rel_tol=1e-9), (row, printed)
            compared += 1
    assert compared >= 3, compared

    if module:
        for block in blocks("python"):
            print(run(["/usr/bin/python3", "-c", block], cwd=folder, env=dict(environment, PYTHONPATH=module[0])), end="")

    programs = blocks("cpp")
    assert len(programs) == 2
    for i, program in enumerate(programs):
        os.mkdir(os.path.join(folder, "program%d" % i))
        with open(os.path.join(folder, "program%d/main.cpp" % i), "w", encoding="utf-8") as stream:
            stream.write(program)

    def compare(program, printed):
        said = re.search(r"// ([^/]* N)\n}", program)[1].strip()
        assert printed.strip() == said, (printed, said)

    run([compiler, "-std=c++20", "-O1", "-Wall", "-Werror", "-I", source, "main.cpp", "-o", "main"],
        cwd=os.path.join(folder, "program0"))
    compare(programs[0], run([os.path.join(folder, "program0/main")]))
    if prefix:
        [lines_of_cmake] = blocks("cmake")
        with open(os.path.join(folder, "program1/CMakeLists.txt"), "w", encoding="utf-8") as stream:
            stream.write("cmake_minimum_required(VERSION 3.25)\nproject(readme LANGUAGES CXX)\n"
                         "add_executable(your_program main.cpp)\n" + lines_of_cmake)
        type_in("cmake -S program1 -B program1/build -DCMAKE_PREFIX_PATH='%s' -DCMAKE_CXX_COMPILER='%s' && "
                "cmake --build program1/build" % (prefix, compiler))
        compare(programs[1], run([os.path.join(folder, "program1/build/your_program")]))
    print("README.md: %d blocks and %d lines of commands, %d figures, Python and C++ do what they say" % (
        len(commands), typed, compared))

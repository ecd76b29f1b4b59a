# SPDX-License-Identifier: Apache-2.0
"""Every block of code in docs/*.md, whatever its language, is run here, is run by a test that is named here, or has a
reason why it is not run. A block that is not listed fails, and so does an entry without a block. So are the commands
that stand indented between the text: those of a page are typed one after another in one folder. What a page shows of
the output of commands must be in it, with ... for what is left out; conformance.md shows numbers of models in tables,
which are those that the tool measures.

blocks.py SOURCE TOOL COMPILER [MODULE]: the folder of the sources, the tool, a C++ compiler, and the folder of the
Python package where it was built."""

import glob
import json
import math
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
#   ("after block", n)    behind block n of that page in its language it is a scenario, which is run
#   ("read by", command)  that command of the tool reads it
#   ("same as", file)     it is in this file, which other tests compile and run
#   ("compiles",)         the compiler takes it
#   ("program", command)  a C program, which compiles and runs beside the files that the command writes
#   ("output",)           lines of the output of commands that the page shows, typed before
#   ("syntax",)           the shell can read it
#   ("other test", name)  that test does the same
#   ("not run", why)
BLOCKS = {
    ("c.md", "sh", 1): ("other test", "install.tool types it where the library is installed"),
    ("command-line.md", "c", 1): ("program", "asperity export dai --lang c"),
    ("command-line.md", "toml", 1): ("same as", "experiments/drincic_2012/fig_1_8.toml"),
    ("conformance.md", "sh", 1): ("not run", "takes minutes; the tables of the page are compared here, card by card"),
    ("conformance.md", "json", 1): ("read by", "conformance --only-measured --measured"),
    ("cpp.md", "cpp", 1): ("same as", "examples/scenario.cpp"),
    ("cpp.md", "cpp", 2): ("same as", "examples/own_system.cpp"),
    ("design.md", "toml", 1): ("scenario", BALL, "\n[initial]\nx = 0.01" + SHORT),
    ("fmi.md", "toml", 1): ("scenario", "", "\n" + MASS + SHORT),
    ("fmi.md", "sh", 1): ("not run", "compiles the library; cli_fmu.SourcesGiveTheBinary does the same where asked to"),
    ("gpu.md", "cpp", 1): ("not run", "needs nvcc; tests/compilers/device_batch.cu makes the same calls"),
    ("gpu.md", "cpp", 2): ("not run", "needs nvcc; tests/compilers/device_batch.cu makes the same calls"),
    ("hysteresis.md", "sh", 1): ("run",),
    ("hysteresis.md", "sh", 2): ("run",),
    ("hysteresis.md", "sh", 3): ("run",),
    ("hysteresis.md", "sh", 4): ("run",),
    ("identification.md", "toml", 1): ("scenario", "", ""),
    ("inclusions.md", "toml", 1): ("scenario", "", ""),
    ("inclusions.md", "toml", 2): ("after block", 1),
    ("inclusions.md", "cpp", 1): ("same as", "examples/inclusion.cpp"),
    ("lab.md", "sh", 1): ("not run", "needs emscripten and node; ./dev web --test does it"),
    ("measured-data.md", "toml", 1): ("scenario", MASS, SHORT),
    ("measured-data.md", "text", 1): ("output",),
    ("mujoco.md", "cpp", 1): ("not run", "needs MuJoCo; adapters/mujoco/joint_friction_test.cpp makes the same calls"),
    ("planar.md", "sh", 1): ("run",),
    ("planar.md", "toml", 1): ("read by", "limit-surface"),
    ("plugins.md", "sh", 1): ("other test", "cli_plugin"),
    ("plugins.md", "sh", 2): ("other test", "cli_plugin"),
    ("plugins.md", "c", 1): ("other test", "c_interface"),
    ("plugins.md", "cmake", 1): ("other test", "cli_plugin builds plug-ins by these lines"),
    ("plugins.md", "text", 1): ("other test", "cli_plugin.ACheckNamesTheLawThatAModelBreaks"),
    ("plugins.md", "python", 1): ("other test", "python: the tests of plug-ins"),
    ("python.md", "python", 1): ("run",),
    ("python.md", "python", 2): ("run",),
    ("python.md", "python", 3): ("run",),
    ("python.md", "sh", 1): ("not run", "installs; ./dev python does it"),
    ("scenario-files.md", "toml", 1): ("scenario", "", ""),
    ("scenario-files.md", "toml", 2): ("scenario", "", ""),
    ("scenario-files.md", "toml", 3): ("scenario", MASS, SHORT),
    ("speed.md", "cpp", 1): ("compiles",),
    ("speed.md", "cpp", 2): ("compiles",),
    ("sweeps.md", "bash", 1): ("syntax",),
}
# Commands of a page that are not typed, by how they begin.
#   ("shorter", a, b)     typed with b in place of a
#   ("other test", name), ("not run", why)   as above
COMMANDS = {
    ("command-line.md", "asperity reproduce"): ("other test", "cli_reproduce"),
    ("command-line.md", "asperity mutants"): ("other test", "cli_mutants"),
    ("command-line.md", "asperity site --out"): ("shorter", "site --out", "site --no-plots --out"),
    ("command-line.md", "asperity site --source"): ("other test", "cli_site"),
    ("gpu.md", "asperity sweep"): ("other test", "cli_device"),
    ("gpu.md", "asperity fit"): ("other test", "cli_device"),
    ("identification.md", "asperity fit"): ("not run", "takes a rig's record; cli_fit and examples/python/from_a_record.py make one"),
    ("lammps.md", ""): ("other test", "./dev lammps"),
    ("servos.md", "asperity fit"): ("not run", "takes records that are not part of the repository; cli_fit has others"),
    ("report.md", ""): ("other test", "cli_reproduce"),
}
# What the commands of a page read, beside the examples: written before them.
SWING = "t,v\n0,0\n0.5,0.01\n1,-0.01\n"
RIG = "t_s,position_m,friction_N,normal_N,position [mm]\n" + "".join(
    "%g,%g,%g,12.5,%g\n" % (0.01 * i, 1e-4 * math.sin(0.3 * i), -1 if math.cos(0.3 * i) > 0 else 1, 0.1 * math.sin(0.3 * i))
    for i in range(200))
FILES = {
    "command-line.md": {"motion.csv": SWING, "twist.csv": "t,v_x,v_y,omega\n0,0.1,0,0\n1,0.1,0,2\n"},
    "measured-data.md": {"rig.csv": RIG, "rig.run/series.csv": "t,x,f\n0,0,0\n1,1e-4,1\n2,0,-1\n3,1e-4,1\n4,0,-1\n",
                         "rig.toml": "force = 2\n" + MASS + "[run]\nduration = 1\n"},
    "inclusions.md": {"block.toml": ("toml", 1)},
    "scenario-files.md": {"scenario.toml": ("toml", 1), "stick_slip.toml": ("toml", 1, "sigma_0", "sigma_o")},
}
# Indented lines that show what the command before them prints: page and first word.
OUTPUTS = {("sweeps.md", "attractor(v)"), ("sweeps.md", "measure")}
# Indented messages, by how they begin, and the command that prints each; or the test that compares it.
MESSAGES = {
    ("scenario-files.md", "asperity: error: stick_slip.toml"): "asperity run stick_slip.toml",
    ("systems.md", "asperity: error: audit"): "cli_plugin.ACheckNamesTheLawThatAModelBreaks",
    ("fmi.md", "fmi2"): "cli_fmu.WhatIsWrongIsAnErrorWithASentence",
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


def indented(text):
    """Indented lines outside of fences, each with those that it goes on with; an empty one where a block ends."""
    fence, held = None, ""
    for line in text.split("\n"):
        mark = re.match(r"^`{3,}", line)
        if mark:
            fence = None if fence == mark[0] else fence or mark[0]
        elif fence is None and line.startswith("    ") and line.strip():
            held += line.strip()
            if held.endswith("\\"):
                held = held[:-1]
                continue
            yield held
            held = ""
        elif line.strip():
            yield ""


def is_synopsis(command):
    """Shows what may be given: [--json], a|b, ..., FILE."""
    bare = re.sub(r"\"[^\"]*\"|'[^']*'|  #.*", "", command)
    return re.search(r"\[[-A-Z]|[a-zA-Z]\|[a-zA-Z]|[a-zA-Z] \| |\.\.\.", bare) is not None


def try_commands(name, text, folder, environment):
    """Types the commands of a page; returns how many, and what went wrong."""
    typed, problems, printed, all_printed = 0, [], "", ""
    fenced = list(blocks(text))
    for path, content in FILES.get(name, {}).items():
        if isinstance(content, tuple):
            language, which, *change = content
            content = [body for each, body in fenced if each == language][which - 1]
            content = content.replace(*change) if change else content
        os.makedirs(os.path.dirname(os.path.join(folder, path)), exist_ok=True)
        with open(os.path.join(folder, path), "w", encoding="utf-8") as stream:
            stream.write(content)
    os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
    shown = False
    for line in indented(text):
        if not line:
            shown = False
        elif re.match(r"(asperity [a-z-]|cc |source <|build/|mpirun|\./dev|apt-get)", line) and "error:" not in line:
            shown = False
            if is_synopsis(line):
                continue
            how = next((h for (page, begin), h in COMMANDS.items() if page == name and line.startswith(begin)), ("run",))
            used.update(key for key in COMMANDS if key[0] == name and line.startswith(key[1]))
            if how[0] in ("not run", "other test"):
                continue
            if how[0] == "shorter":
                assert how[1] in line, line
                line = line.replace(how[1], how[2])
            done = subprocess.run(["bash", "-euc", line], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                  stderr=subprocess.STDOUT, text=True)
            typed, printed = typed + 1, done.stdout
            all_printed += printed
            if done.returncode != 0:
                problems.append("docs/%s: %s\nfails with %d:\n%s" % (name, line, done.returncode, printed[-2000:]))
        elif any(page == name and line.startswith(begin) for page, begin in MESSAGES):
            [key] = [key for key in MESSAGES if key[0] == name and line.startswith(key[1])]
            messages.add(key)
            if MESSAGES[key].startswith("asperity "):
                done = subprocess.run(["bash", "-uc", MESSAGES[key]], cwd=folder, env=environment, stdout=subprocess.PIPE,
                                      stderr=subprocess.STDOUT, text=True)
                typed += 1
                problems += compared(name, line, done.stdout)
        elif shown or (name, line.split()[0]) in OUTPUTS:
            shown = True
            outputs.add((name, line.split()[0]))
            problems += compared(name, line, printed)
    for i, (language, body) in enumerate(fenced):
        number = sum(1 for each, _ in fenced[: i + 1] if each == language)
        if BLOCKS.get((name, language, number)) == ("output",):
            for line in body.strip().split("\n"):
                problems += compared(name, line, all_printed)
    return typed, problems


def compared(name, line, printed):
    """Whether a line that a page shows was printed: blanks apart, and with ... for anything."""
    wanted = re.compile("^" + ".*".join(re.escape(part) for part in " ".join(line.split()).split("...")) + "$")
    if any(wanted.match(" ".join(each.split())) for each in printed.split("\n")):
        return []
    return ["docs/%s shows '%s', which is not printed:\n%s" % (name, line, printed[-2000:])]


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        raise RuntimeError("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout[-3000:]))


def has_packages(text):
    """Those that a block of Python imports, and matplotlib, which it may draw with; they are optional."""
    wanted = [name for name in ("matplotlib", "h5py", "pandas") if name in text or name == "matplotlib"]
    return subprocess.run(["/usr/bin/python3", "-c", "import " + ", ".join(wanted)], stderr=subprocess.DEVNULL).returncode == 0


class Skipped(Exception):
    """What a block needs is not there."""


def try_block(how, language, text, folder, environment, page):
    os.symlink(os.path.join(source, "examples"), os.path.join(folder, "examples"))
    if how[0] == "same as":
        with open(os.path.join(source, how[1]), encoding="utf-8") as stream:
            assert text.strip() in stream.read(), how[1] + " has other text"
    elif how[0] == "compiles":
        with open(os.path.join(folder, "one.cpp"), "w", encoding="utf-8") as stream:
            stream.write(text)
        run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Werror", "-I", source, "one.cpp"], cwd=folder)
    elif how[0] == "read by":
        file = "one." + language
        with open(os.path.join(folder, file), "w", encoding="utf-8") as stream:
            stream.write(text)
        run([tool, *how[1].split(), file, "--quiet", "--out", "one"], cwd=folder, env=environment)
    elif how[0] == "program":
        with open(os.path.join(folder, "main.c"), "w", encoding="utf-8") as stream:
            stream.write(text)
        run(["bash", "-euc", how[1] + " && cc -std=c99 -Wall -Wextra -Werror main.c -lm -o main && ./main >printed"],
            cwd=folder, env=environment)
        with open(os.path.join(folder, "printed"), encoding="utf-8") as stream:
            printed = stream.read().strip()
        said = re.search(r"/\* prints (.*?) \*/", text)
        assert said is None or said[1] == printed, (said[1], printed)
    elif how[0] == "syntax":
        run(["bash", "-nc", text], cwd=folder)
    elif how[0] in ("scenario", "after block"):
        if how[0] == "after block":
            how = ("", [body for kind, body in page if kind == language][how[1] - 1], "")
        with open(os.path.join(folder, "rig.csv"), "w", encoding="utf-8") as stream:
            stream.write("t_ms,drive [kN]\n0,0\n500,1e-4\n1000,0\n")
        with open(os.path.join(folder, "one.toml"), "w", encoding="utf-8") as stream:
            stream.write(how[1] + text + how[2])
        run([tool, "run", "one.toml", "--plot", "none", "--quiet", "--out", "one"], cwd=folder, env=environment)
    elif language == "python":
        if not module or not has_packages(text):
            raise Skipped("Python, or a package that it imports, is missing")
        run(["/usr/bin/python3", "-c", text], cwd=folder, env=dict(environment, PYTHONPATH=module, MPLBACKEND="Agg"))
    else:
        run(["bash", "-euc", text], cwd=folder, env=environment)


def verdicts_of(page):
    """(model, card): what the tables of conformance.md show for models of ours."""
    cards = []
    for line in page.split("\n"):
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if line.startswith("| |"):
            cards = cells[1:]
        elif not line.startswith("|"):
            cards = []
        for name in cells[0].split(", ") if cards else []:
            yield from (((name, card), cell.replace("**", "")) for card, cell in zip(cards, cells[1:]))


def compare_conformance(page):
    """Verdicts and numbers of the tables are those of the tool, as many digits as are shown; for all models on the cards
    that take seconds, and for four on the others."""
    found, few = {}, ["coulomb", "dai", "lugre", "stiction"]
    for names, models in ((QUICK_CARDS, []), (SLOW_CARDS, few)):
        words = [tool, "conformance", "--json", *names] + [word for model in models for word in ("--model", model)]
        told = json.loads(subprocess.run(words, stdout=subprocess.PIPE, check=True, text=True).stdout)
        for each in told["results"]:
            found.update(((each["name"], card), result) for card, result in each["cards"].items())
    problems, count = [], 0
    for key, shown in verdicts_of(page):
        said = re.match(r"(met|not met) (.*)", shown)
        if key not in found or said is None:
            continue
        count += 1
        result = found[key]
        numbers = [float(word) for word in re.findall(r"-?\d[\d.]*(?:e[+-]?\d+)?", said[2])]
        measured = [value for value in result.get("values", {}).values() if value is not None]
        is_right = result["verdict"] == said[1].replace(" ", "_") and len(numbers) >= len(measured) and all(
            abs(a - b) < 1e-11 or math.isclose(a, b, rel_tol=0.02) for a, b in zip(numbers, measured))
        if not is_right:
            problems.append("docs/conformance.md: %s on %s is '%s', and the tool has %s" % (*key, shown, result))
    assert count > 100, count
    return count, problems


QUICK_CARDS = ["angular_momentum", "break_away", "grazing_impact", "presliding_memory", "restitution_against_speed",
               "slide_and_spin", "stick_slip_cycle", "stribeck_and_lag", "touchdown"]
SLOW_CARDS = ["drift_under_vibration", "hold_for_an_hour", "two_brakes"]

failures, tried, seen, used, outputs, messages, typed = [], 0, set(), set(), set(), set(), 0
with tempfile.TemporaryDirectory() as work:
    os.mkdir(os.path.join(work, "bin"))
    os.symlink(tool, os.path.join(work, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(work, "bin") + ":" + os.environ["PATH"])
    for page in sorted(glob.glob(os.path.join(source, "docs", "*.md"))):
        name, counts = os.path.basename(page), {}
        with open(page, encoding="utf-8") as stream:
            of_page = list(blocks(stream.read()))
            for language, text in of_page:
                # Pictures are drawn by `asperity site`; formulas have no language.
                is_formula = language == "" and not re.match(r"\./|asperity ", text)
                if language == "toml plot" or is_formula or name in WHOLE_PAGES:
                    continue
                counts[language] = counts.get(language, 0) + 1
                key = (name, language, counts[language])
                seen.add(key)
                if key not in BLOCKS:
                    failures.append("docs/%s: block %d in %s is in no list: say in tests/site/blocks.py how it is run" % (
                        name, counts[language], language))
                    continue
                how = BLOCKS[key]
                if how[0] in ("not run", "other test", "output"):
                    continue
                with tempfile.TemporaryDirectory() as folder:
                    try:
                        try_block(how, language, text, folder, environment, of_page)
                        tried += 1
                    except Skipped as why:
                        print("docs/%s: block %d in %s is skipped: %s" % (name, counts[language], language, why))
                    except (AssertionError, RuntimeError) as problem:
                        failures.append("docs/%s: block %d in %s: %s" % (name, counts[language], language, problem))
        if name not in WHOLE_PAGES:
            with open(page, encoding="utf-8") as stream, tempfile.TemporaryDirectory() as folder:
                count, problems = try_commands(name, stream.read(), folder, environment)
                typed += count
                failures += problems
    with open(os.path.join(source, "docs/conformance.md"), encoding="utf-8") as stream:
        cells, problems = compare_conformance(stream.read())
        failures += problems
    for key in sorted(set(COMMANDS) - used) + sorted(OUTPUTS - outputs) + sorted(set(MESSAGES) - messages):
        failures.append("tests/site/blocks.py lists %s, which is not there" % (key,))
    for key in sorted(set(BLOCKS) - seen):
        failures.append("tests/site/blocks.py lists %s, which is not there" % (key,))
for each in failures:
    print(each)
print("docs: %d blocks were run, %d have a reason or a test of their own; %d commands were typed; %d cells of the "
      "conformance tables are those of the tool" % (tried, len(seen) - tried, typed, cells))
sys.exit(1 if failures else 0)

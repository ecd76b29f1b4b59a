# SPDX-License-Identifier: Apache-2.0
"""The code on the pages of models and systems works: C++ compiles, Python runs, commands can be typed, scenarios run.

snippets.py SOURCE TOOL COMPILER [MODULE]: the folder of the sources, the tool, which writes the site, a C++ compiler,
and the folder of the Python package where it was built."""

import glob
import html
import os
import re
import subprocess
import sys
import tempfile

source, tool, compiler = sys.argv[1:4]
module = sys.argv[4] if len(sys.argv) > 4 else ""


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    # A slow machine may not get to the end of a run; what is tried is that it begins.
    if done.returncode != 0 and ": time limit reached at t = " not in done.stdout:
        sys.exit("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout[-3000:]))
    return done.stdout


def code_of_pages(site):
    """Code by model and language."""
    code = {}
    for page in sorted(glob.glob(os.path.join(site, "models", "*.html"))):
        key = os.path.basename(page)[: -len(".html")]
        with open(page, encoding="utf-8") as stream:
            found = re.findall(r'<code class="language-(\w+)">(.*?)</code>', stream.read(), re.DOTALL)
        code[key] = {language: html.unescape(text) for language, text in found}
        assert {"cpp", "python", "sh", "toml"} <= set(code[key]), (key, list(code[key]))
    assert len(code) > 50, len(code)
    return code


with tempfile.TemporaryDirectory() as folder:
    # The scenario of a page is that of its plots.
    run([tool, "site", "--quiet", "--out", os.path.join(folder, "site")])
    code = code_of_pages(os.path.join(folder, "site"))
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(tool, os.path.join(folder, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    # A folder for each page: two of them may write a file of one name, which is not replaced.
    for key, blocks in code.items():
        os.mkdir(os.path.join(folder, key))
        with open(os.path.join(folder, key, key + ".toml"), "w", encoding="utf-8") as stream:
            stream.write(blocks["toml"])

    # All programs as functions of one, so that every header is read once.
    includes, functions = [], []
    for key, blocks in code.items():
        head, body = blocks["cpp"].split("int main() {", 1)
        includes += [line for line in head.split("\n") if line and line not in includes]
        functions.append("void use_%s() {%s" % (key, body))
    with open(os.path.join(folder, "all.cpp"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(includes) + "\n\n" + "\n".join(functions) + "\nint main() {}\n")
    run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", source, "-isystem", "/usr/include/eigen3", "all.cpp"], cwd=folder)

    # One run each is enough; the plots of the site were made by these scenarios.
    for key, blocks in code.items():
        short = blocks["sh"].replace(".toml", ".toml --plot none --time-limit 20s --force --quiet", 1)
        run(["bash", "-euc", short], cwd=os.path.join(folder, key), env=environment)

    if module:
        # Each beside its scenario.
        program = "import os\n" + "\n".join("def use_%s():\n%s\nos.chdir(%r)\nuse_%s()" % (
            key, "\n".join("    " + line for line in blocks["python"].split("\n")), os.path.join(folder, key), key)
            for key, blocks in code.items())
        run(["/usr/bin/python3", "-c", program], cwd=folder, env=dict(environment, PYTHONPATH=module))
print("%d pages: their code works%s" % (len(code), "" if module else ", but for Python, which was not built"))

# SPDX-License-Identifier: Apache-2.0
"""The code on the pages of models and systems works: C++ compiles, Python runs, commands can be typed, scenarios run.

snippets.py SITE SOURCE TOOL COMPILER [MODULE]: a folder that `asperity site` wrote, the folder of the sources, the
tool, a C++ compiler, and the folder of the Python package where it was built."""

import glob
import html
import os
import re
import subprocess
import sys
import tempfile

site, source, tool, compiler = sys.argv[1:5]
module = sys.argv[5] if len(sys.argv) > 5 else ""

code = {}
for page in sorted(glob.glob(os.path.join(site, "models", "*.html"))):
    key = os.path.basename(page)[: -len(".html")]
    with open(page, encoding="utf-8") as stream:
        found = re.findall(r'<code class="language-(\w+)">(.*?)</code>', stream.read(), re.DOTALL)
    code[key] = {language: html.unescape(text) for language, text in found}
    assert {"cpp", "python", "sh", "toml"} <= set(code[key]), (key, list(code[key]))
assert len(code) > 70, len(code)


def run(words, **more):
    done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, **more)
    if done.returncode != 0:
        sys.exit("%s\nfails with %d:\n%s" % (words, done.returncode, done.stdout[-3000:]))
    return done.stdout


with tempfile.TemporaryDirectory() as folder:
    os.mkdir(os.path.join(folder, "bin"))
    os.symlink(tool, os.path.join(folder, "bin", "asperity"))
    environment = dict(os.environ, PATH=os.path.join(folder, "bin") + ":" + os.environ["PATH"])
    for key, blocks in code.items():
        with open(os.path.join(folder, key + ".toml"), "w", encoding="utf-8") as stream:
            stream.write(blocks["toml"])

    # All programs as functions of one, so that every header is read once.
    includes, functions = [], []
    for key, blocks in code.items():
        head, body = blocks["cpp"].split("int main() {", 1)
        includes += [line for line in head.split("\n") if line and line not in includes]
        functions.append("void use_%s() {%s" % (key, body))
    with open(os.path.join(folder, "all.cpp"), "w", encoding="utf-8") as stream:
        stream.write("\n".join(includes) + "\n\n" + "\n".join(functions) + "\nint main() {}\n")
    run([compiler, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I", source, "all.cpp"], cwd=folder)

    # One run each is enough; the plots of the site were made by these scenarios.
    for key, blocks in code.items():
        short = blocks["sh"].replace(".toml", ".toml --plot none --time-limit 20s --force --quiet", 1)
        run(["bash", "-euc", short], cwd=folder, env=environment)

    if module:
        program = "\n".join("def use_%s():\n%s\nuse_%s()" % (
            key, "\n".join("    " + line for line in blocks["python"].split("\n")), key) for key, blocks in code.items())
        run(["/usr/bin/python3", "-c", program], cwd=folder, env=dict(environment, PYTHONPATH=module))
print("%d pages: their code works%s" % (len(code), "" if module else ", but for Python, which was not built"))

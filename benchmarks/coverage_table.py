#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rows of the table in docs/identification.md from outputs of identify_coverage.

    coverage_table.py [--rows 1000] FILE.csv ...

Files of one model are added up: several processes may share its records (--first). A file whose name
has `_3_elements` in it is of so many elements.
"""
import collections
import csv
import re
import sys


def main(files, rows):
    models = collections.OrderedDict()
    for name in files:
        elements = re.search(r"_(\d+)_elements", name)
        with open(name, newline="", encoding="utf-8") as text:
            for row in csv.DictReader(text):
                key = (row["model"], elements.group(1) if elements else "")
                of_model = models.setdefault(key, {"records": {}, "parameters": {}, "problem": ""})
                if not row["records"]:
                    of_model["problem"] = row["parameter"]
                    continue
                of_model["records"][name] = int(row["records"])
                sums = of_model["parameters"].setdefault(
                    row["parameter"], [0, 0, collections.Counter()])
                sums[0] += int(row["told"])
                sums[1] += int(row["inside"])
                for each in row["not_told"].split(";"):
                    count, _, words = each.strip().partition(" ")
                    if words:
                        sums[2][words] += int(count)
    for (model, elements), found in sorted(models.items()):
        count = sum(found["records"].values())
        cells = [cell(name, *sums, count) for name, sums in found["parameters"].items()]
        if found["problem"]:
            cells.append(found["problem"])
        of = f", {elements} elements" if elements else ""
        print(f"| `{model}`{of} | {count} of {rows} | {', '.join(cells)} |")


def cell(name, told, inside, others, count):
    if told == 0:
        words = "; ".join(f"{n} {what}" for what, n in others.most_common())
        return f"{name} never reported ({words})"
    if told < 20:
        return f"{name} {inside} of {told}"
    share = 100 * inside / told
    text = f"{name} {share:.3g} %"
    if share < 89:
        text = f"**{text}**"
    return text + (f" ({told})" if told < count else "")


if __name__ == "__main__":
    arguments = sys.argv[1:]
    of = "1000"
    if arguments[:1] == ["--rows"]:
        of, arguments = arguments[1], arguments[2:]
    main(arguments, of)

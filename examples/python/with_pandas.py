# SPDX-License-Identifier: Apache-2.0
"""Our files in pandas: series of a run in HDF5, results of a sweep in SQLite and in HDF5.

A run is written by `asperity run --format h5`, a sweep by `asperity sweep`; nothing of ours is needed to read them.
Reading them here through pandas and through the package must give the same numbers.
"""

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile

import numpy as np

import asperity

try:
    import h5py
    import pandas
except ImportError as missing:
    print(f"skipped: {missing.name} is not installed")
    sys.exit(77)
tool = os.environ.get("ASPERITY_TOOL") or shutil.which("asperity")
if not tool:
    print("skipped: the command-line tool is not installed")
    sys.exit(77)


def frame_of(group):
    """The columns of an HDF5 group as a frame, with their units as `frame.attrs["units"]`."""
    columns = {name: each for name, each in group.items() if isinstance(each, h5py.Dataset) and each.ndim == 1}
    length = max(each.shape[0] for each in columns.values())
    frame = pandas.DataFrame({name: each[:] for name, each in columns.items() if each.shape[0] == length})
    units = {name: each.attrs["unit"] for name, each in columns.items() if "unit" in each.attrs}
    frame.attrs["units"] = {name: u.decode() if isinstance(u, bytes) else u for name, u in units.items()}
    return frame


scenario = """
[system]
kind = "pulled_mass"
mass = 1
stiffness = 2
speed = 0.1
[friction]
model = "lugre"
[run]
duration = 20
"""

with tempfile.TemporaryDirectory() as folder:
    path = os.path.join(folder, "pulled.toml")
    with open(path, "w", encoding="utf-8") as file:
        file.write(scenario)

    # ---- a run, in HDF5
    subprocess.run([tool, "run", path, "--format", "h5", "--plot", "none", "--quiet", "--out", "one"], cwd=folder, check=True)
    with h5py.File(os.path.join(folder, "one", "series.h5"), "r") as file:
        series = frame_of(file).set_index("t")
    print(series.describe().loc[["min", "max"], ["x", "v", "f"]])
    ours = asperity.run(scenario)
    np.testing.assert_array_equal(series["x"].to_numpy(), ours["x"])
    assert series.attrs["units"]["v"] == "m/s"

    # ---- a sweep, in SQLite
    subprocess.run(
        [tool, "sweep", path, "--over", "friction.F_s=1.2,1.8", "--over", "system.speed=0.05,0.1,0.2", "--measure",
         "maximum(f), span(v)", "--plot", "none", "--quiet", "--out", "map.sqlite", "--export", "map.h5"],
        cwd=folder, check=True,
    )
    with sqlite3.connect(os.path.join(folder, "map.sqlite")) as file:
        results = pandas.read_sql("SELECT * FROM results ORDER BY point", file, index_col="point")
        units = pandas.read_sql("SELECT name, unit FROM measures", file, index_col="name")["unit"]
    print(results.pivot(index="friction.F_s", columns="system.speed", values="span(v)"), units["span(v)"])
    assert len(results) == 6 and (results["outcome"] == "completed").all()

    # ---- the same sweep, in HDF5
    with h5py.File(os.path.join(folder, "map.h5"), "r") as file:
        exported = frame_of(file)
    np.testing.assert_array_equal(exported["span(v)"], results["span(v)"])
    for _, row in results.iloc[[0, -1]].iterrows():
        changes = {name: row[name] for name in ("friction.F_s", "system.speed")}
        assert abs(asperity.run(scenario, set=changes).measure("span(v)") / row["span(v)"] - 1) < 1e-6

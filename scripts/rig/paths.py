# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Where things are. Constants and small helpers, used by the whole rig."""

import os
import pathlib
import subprocess

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = TOP / "build"
TOOLS = BUILD / "tools"
RESULTS = BUILD / "vm"
SCENARIOS = TOP / "tests" / "vm"


def cache():
    """The folder that outlives a checkout (same rule as scripts/lib.sh)."""
    base = os.environ.get("IB_CEP_CACHE")
    if not base:
        home = os.environ.get("HOME", "/root")
        base = os.path.join(
            os.environ.get("XDG_CACHE_HOME") or os.path.join(home, ".cache"), "ib_cep"
        )
    path = pathlib.Path(base)
    path.mkdir(parents=True, exist_ok=True)
    return path


_kernels = {}


def kernel(series, what="image"):
    """What scripts/kernel prints for this series."""
    key = (series, what)
    if key not in _kernels:
        done = subprocess.run(
            [TOP / "scripts" / "kernel", series, what],
            stdout=subprocess.PIPE,
            text=True,
            check=True,
        )
        _kernels[key] = done.stdout.strip()
    return _kernels[key]


def build_tools():
    """Configure and build tools/ into build/tools; quick when up to date."""
    log = BUILD / "tools.log"
    BUILD.mkdir(exist_ok=True)
    with open(log, "w", encoding="utf-8") as out:
        for command in (
            ["cmake", "-S", TOP / "tools", "-B", TOOLS],
            ["cmake", "--build", TOOLS, "-j", str(os.cpu_count())],
        ):
            if subprocess.run(command, stdout=out, stderr=out, check=False).returncode:
                raise SystemExit(f"building tools/ failed, see {log}")


def time_scale():
    """Factor for every time-out, for machines slower than usual."""
    return float(os.environ.get("CEP_TIME_SCALE", "1"))

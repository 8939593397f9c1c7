# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Scenarios: functions in tests/vm/*.py with the decorator @scenario, and what
is found of them. A scenario's full name is FILE.FUNCTION:TOPOLOGY."""

import dataclasses
import fnmatch
import importlib.util
import sys

from . import paths

_registered = []


@dataclasses.dataclass(frozen=True)
class Scenario:
    """One function on one topology."""

    module: str
    function: object
    topology: object
    own_boot: bool  # leaves the hosts in no state for others
    bare: bool  # hosts come up without RDMA
    check: bool  # part of make check
    timeout: int
    must_fail: str  # a test of the rig itself: how it has to fail

    @property
    def name(self):
        return f"{self.module}.{self.function.__name__}:{self.topology.name}"

    @property
    def has_ours(self):
        return any(host.ours for host in self.topology.hosts.values())

    def matches(self, pattern):
        short = self.name.split(":")[0]
        names = (self.name, short, short.split(".")[1], self.module)
        topology = self.name.split(":")[1]
        names += (f"{short.split('.')[1]}:{topology}", f"{self.module}:{topology}")
        return any(fnmatch.fnmatchcase(n, pattern) for n in names)


def scenario(*topologies, own_boot=False, bare=False, check=True, timeout=120, must_fail=None):
    """Run the function on each of these topologies, with a run.Run as argument.

    timeout is for the whole function, in seconds; it is scaled like all others.
    check=False: only when asked for by name. must_fail: a regular expression for
    the failure that makes this one a pass.
    """

    def register(function):
        module = function.__module__
        for topology in topologies:
            _registered.append(
                Scenario(
                    module, function, topology, own_boot, bare, check, timeout, must_fail
                )
            )
        return function

    return register


def load_all():
    """Import every file of tests/vm; the scenarios in order of file and line."""
    if not _registered:
        sys.path.insert(0, str(paths.SCENARIOS))
        for file in sorted(paths.SCENARIOS.glob("*.py")):
            spec = importlib.util.spec_from_file_location(file.stem, file)
            module = importlib.util.module_from_spec(spec)
            sys.modules[file.stem] = module
            spec.loader.exec_module(module)
    return list(_registered)


def select(patterns):
    """Those that match; a pattern without a match is an error. "all" or nothing is
    what make check runs: a host without our CM on it needs no check."""
    everything = load_all()
    if not patterns or patterns == ["all"]:
        return [s for s in everything if s.check and s.has_ours]
    chosen = []
    for pattern in patterns:
        found = [s for s in everything if s.matches(pattern)]
        if not found:
            raise SystemExit(f"no scenario matches '{pattern}' (see scripts/vm list)")
        chosen += [s for s in found if s not in chosen]
    return chosen


def under(scenarios, kernel):
    """The same scenarios with another kernel on the hosts of ours."""
    return [
        dataclasses.replace(s, topology=s.topology.under(kernel)) for s in scenarios if s.has_ours
    ]

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Runs scenarios: those with equal topologies on one boot, one after the other.
Prints a verdict line for each, and one for what tshark thinks of each boot's
capture. A crash or hang fails the scenario and boots anew for the rest."""

import re
import shutil
import signal
import threading
import traceback

from . import paths
from .guest import CommandFailed, GuestFailed
from .run import Failed, Run, Stopwatch, results_folder
from .wire import WireError


class TimedOut(BaseException):
    """Not an Exception: no scenario shall swallow it."""


class Runner:
    """report is called with each line for people."""

    def __init__(self, report=print):
        self.passed = 0
        self.failed = 0
        self._print = report
        self._boots = {}
        self._watch = Stopwatch()
        paths.RESULTS.mkdir(parents=True, exist_ok=True)
        self._file = open(paths.RESULTS / "results.txt", "w", encoding="utf-8")

    def _report(self, line):
        """To people, and with the time since the start to build/vm/results.txt."""
        self._print(line)
        self._file.write(f"{self._watch.seconds:7.1f} {line}\n")
        self._file.flush()

    def verdict(self, good, name, detail):
        if good:
            self.passed += 1
            self._report(f"ok - {name} ({detail})")
        else:
            self.failed += 1
            self._report(f"not ok - {name}: {detail}")

    def summary(self):
        self._report(f"{self.passed} passed, {self.failed} failed")
        return 1 if self.failed or not self.passed else 0

    def run(self, scenarios):
        for group in self._groups(scenarios):
            rest = list(group)
            while rest:
                rest = self._boot_and_run(rest)

    @staticmethod
    def _groups(scenarios):
        groups = {}
        for number, item in enumerate(scenarios):
            key = (item.topology, item.bare, number if item.own_boot else None)
            groups.setdefault(key, []).append(item)
        return groups.values()

    def _boot_and_run(self, rest):
        """Run until one spoils the boot; those still to be run."""
        first = rest[0]
        name = f"boot-{first.topology.name}" + ("-bare" if first.bare else "")
        number = self._boots[name] = self._boots.get(name, 0) + 1
        if number > 1:
            name += f"-{number}"
        watch = Stopwatch()
        run = Run(first.topology, paths.RESULTS / name, first.bare)
        try:
            run.__enter__()
        except (GuestFailed, CommandFailed, WireError, Failed, OSError) as error:
            run.__exit__()
            for item in rest:
                self.verdict(False, item.name, f"no boot: {error}")
            return []
        self._report(f"# {name}: {', '.join(map(str, run.guests))}, up in {watch.seconds:.1f} s")
        try:
            while rest:
                item = rest.pop(0)
                if not self._run_one(run, item):
                    break
            else:
                self._judge_leaks(run, name)
        finally:
            run.__exit__()
        self._judge_wire(run, name)
        return rest

    def _judge_leaks(self, run, name):
        if not any(guest.spec.checked for guest in run.guests):
            return
        try:
            run.check_leaks()
            self.verdict(True, f"leaks.{name}", "none")
        except Exception as error:  # pylint: disable=broad-except
            self.verdict(False, f"leaks.{name}", str(error))

    def _judge_wire(self, run, name):
        try:
            frames = run.check_wire()
            if not frames:
                return  # nothing to judge: no verdict
            self.verdict(True, f"wire.{name}", f"{frames} CM messages, none malformed")
        except Exception as error:  # pylint: disable=broad-except
            self.verdict(False, f"wire.{name}", str(error))

    def _run_one(self, run, item):
        """True if the boot can be used for the next one."""
        folder = results_folder(item.name)
        shutil.rmtree(folder, ignore_errors=True)
        folder.mkdir(parents=True)
        for guest in run.guests:
            guest.set_log(folder / "commands.log")
        run.notes.clear()
        run.wire.reset()
        start = run.offsets()
        watch = Stopwatch()
        error = self._call(run, item)
        usable = not isinstance(error, (GuestFailed, TimedOut))
        if usable:
            try:
                run.settle()
            except Exception as after:  # pylint: disable=broad-except
                error = error or Failed(f"afterwards: {after}")
                usable = False
        run.save(folder, start)
        if item.must_fail:
            error = self._judge_failure(item, error)
        detail = f"{watch.seconds:.1f} s" + "".join(f", {n}" for n in run.notes)
        if error:
            detail = str(error) or type(error).__name__
            (folder / "error.txt").write_text(
                "".join(traceback.format_exception(error)), encoding="utf-8"
            )
            detail += f"\n  see {folder.relative_to(paths.TOP)}"
        self.verdict(not error, item.name, detail)
        return usable

    @staticmethod
    def _judge_failure(item, error):
        if not error:
            return Failed("it passed, but had to fail")
        if not re.search(item.must_fail, str(error)):
            return Failed(f"it failed in another way than '{item.must_fail}': {error}")
        return None

    @staticmethod
    def _call(run, item):
        limit = item.timeout * paths.time_scale()
        main = threading.current_thread() is threading.main_thread()

        def on_alarm(*_):
            raise TimedOut(f"not over after {limit:.0f} s")

        if main:
            signal.signal(signal.SIGALRM, on_alarm)
            signal.setitimer(signal.ITIMER_REAL, limit)
        try:
            item.function(run)
            run.check()
            return None
        except (Exception, TimedOut) as error:  # pylint: disable=broad-except
            # A guest's death explains whatever followed from it.
            try:
                run.check()
            except GuestFailed as cause:
                return cause
            return error
        finally:
            if main:
                signal.setitimer(signal.ITIMER_REAL, 0)

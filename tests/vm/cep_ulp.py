# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""cep_test.ko in a guest as an object. Commands and the names of values are
described in tests/vm/modules/cep_test; keyword arguments become key=value."""

import collections

from rig.run import Failed

FOLDER = "/sys/kernel/debug/cep_test"


def words(options):
    return "".join(f" {key}={int(v) if isinstance(v, bool) else v}" for key, v in options.items())


def unload_cm(guest):
    """Everything from rdma_ucm down to ib_cep."""
    guest.run("modprobe -r rdma_ucm")
    for module in ("rdma_cm", "ib_cm", "ib_cep"):
        guest.run(f"! grep -q '^{module} ' /proc/modules || rmmod {module}", 20)


class Ulp:
    """Use as a context manager: the module is loaded, and unloaded in whatever
    state its CEPs are; a fault that it has seen fails the scenario."""

    def __init__(self, guest):
        self.guest = guest
        self._started = []

    def __enter__(self):
        self.guest.insmod("cep_test")
        return self

    def __exit__(self, kind, *_):
        if kind:
            # A scenario that has failed leaves anything behind; unloading takes it away.
            self.unload(check=False)
            return
        faults = self.guest.get(f"{FOLDER}/faults").strip()
        shown = self.status() if faults != "0" else ""
        self.unload()
        if faults != "0":
            raise Failed(f"host {self.guest.name}: {faults} faults: {shown}")

    def unload(self, check=True):
        # A command that still runs holds the module.
        for process in self._started:
            process.kill()
        self._started.clear()
        self.guest.run("rmmod cep_test", 60, check)

    def line(self, verb, set=0, **options):
        return f"echo '{verb} set={set}{words(options)}' >{FOLDER}/command"

    def do(self, verb, set=0, timeout=60, **options):
        """One command; an error raises."""
        self.guest.run(self.line(verb, set, **options), timeout)

    def start(self, verb, set=0, **options):
        """One command in the background."""
        process = self.guest.start(self.line(verb, set, **options))
        self._started.append(process)
        return process

    def fails(self, verb, text, set=0, **options):
        """The command must fail with this text of an error number."""
        # busybox, because dash's echo calls every error an I/O error.
        line = f"busybox {self.line(verb, set, **options)} && echo succeeded"
        output = self.guest.run(line, check=False)
        if text not in output:
            raise Failed(f"{verb}{words(options)}: {output.strip()}, not '{text}'")

    def wait(self, *conditions, set=0, timeout=20):
        """Wait until all hold, such as "REP_RECEIVED>=5", "state.TIMEWAIT==5"."""
        line = " ".join(("wait", f"set={set}", f"timeout_ms={timeout * 1000}") + conditions)
        status = self.guest.status(f"echo '{line}' >{FOLDER}/command", timeout + 10)
        if status:
            raise Failed(f"host {self.guest.name}: no {conditions}: {self.status()}")

    def status(self):
        return self.guest.get(f"{FOLDER}/status").strip()

    def values(self, set=0):
        """All of a set's; what has not happened is 0."""
        for line in self.status().splitlines():
            found = dict(word.split("=") for word in line.split())
            if found["set"] == str(set):
                return collections.Counter({key: int(value) for key, value in found.items()})
        return collections.Counter()

    def expect(self, set=0, **wanted):
        """Exact values, now; a dot in a name is written as two underlines."""
        values = self.values(set)
        for key, value in wanted.items():
            name = key.replace("__", ".")
            if values[name] != value:
                raise Failed(
                    f"host {self.guest.name}: {name} is {values[name]}, not {value}: "
                    + self.status()
                )

    def listen(self, set=0, **options):
        self.do("listen", set, **options)

    def connect(self, peer, set=0, timeout=60, **options):
        self.do("connect", set, timeout, address=peer.ip, **options)

    def act(self, what, set=0, **options):
        self.do("act", set, do=what, **options)

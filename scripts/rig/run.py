# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""One boot of a topology: hosts a and b, the wire between them, results folder.
Given to every scenario as its only argument."""

import concurrent.futures
import shutil
import tempfile
import time

from . import capture, paths
from .guest import Guest
from .image import Image
from .wire import Wire


class Failed(Exception):
    """A scenario's own judgement that something is wrong."""


class Run:
    """Use as a context manager: what it started is gone at the end."""

    def __init__(self, topology, folder, bare=False):
        self.topology = topology
        self.folder = folder
        self.bare = bare
        self.wire = None
        self.guests = []
        self.notes = []
        self._sockets = None

    @property
    def a(self):
        return self.guests[0]

    @property
    def b(self):
        return self.guests[1]

    def __enter__(self):
        try:
            self._boot()
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        for guest in self.guests:
            guest.stop()
        if self.wire:
            self.wire.stop()
        if self._sockets:
            shutil.rmtree(self._sockets, ignore_errors=True)

    def _boot(self):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        images = {
            name: Image(host.kernel, host.ours, host.modules)
            for name, host in self.topology.hosts.items()
        }
        # Socket paths are limited to 107 bytes, a checkout's path is not.
        self._sockets = tempfile.mkdtemp(prefix="cep-vm-")
        self.wire = Wire(self.folder, self._sockets)
        for name, host in self.topology.hosts.items():
            self.guests.append(Guest(name, host, images[name], self.folder, self._sockets))
        for guest in self.guests:
            guest.wait_boot()
        if self.bare:
            return
        with concurrent.futures.ThreadPoolExecutor() as pool:
            list(pool.map(Guest.rdma_up, self.guests))
        for guest in self.guests:
            self._check_cm(guest)

    def _check_cm(self, guest):
        """Nobody shall test the wrong CM by accident."""
        loaded = guest.run("lsmod").split()
        if guest.ours != ("ib_cep" in loaded):
            raise Failed(f"host {guest}: the wrong CM is loaded")

    def check(self):
        for guest in self.guests:
            guest.check()

    def expect(self, condition, text):
        if not condition:
            raise Failed(text)

    def note(self, text):
        """For the verdict line."""
        self.notes.append(text)

    # Cleanliness between scenarios that share a boot.

    def settle(self):
        """Bring the hosts back to idle; raise if they do not come to rest."""
        for guest in self.guests:
            guest.kill_all()
        self.wire.reset()
        for guest in self.guests:
            guest.console.forbid_again()
            # rdma_cm's ids of killed programs go in a work item.
            guest.wait_until("! rdma res show cm_id 2>/dev/null | grep -q lqpn.*comm", 30)
        self.check()

    def offsets(self):
        """Where logs and captures are now, to cut out a scenario's part later."""
        return {
            "pcap": (self.folder / "cm.pcap").stat().st_size,
            **{g.name: g.console.size() for g in self.guests},
        }

    def save(self, folder, start):
        """Copy what has come since to a scenario's own folder."""
        end = self.offsets()
        capture.slice_pcap(self.folder / "cm.pcap", start["pcap"], end["pcap"], folder / "cm.pcap")
        for guest in self.guests:
            (folder / f"console-{guest.name}.log").write_bytes(
                guest.console.since(start[guest.name])
            )

    def check_leaks(self):
        """Ask kmemleak where there is one; raises if memory of ours is lost."""
        for guest in self.guests:
            leaks = guest.leaks()
            if leaks:
                (self.folder / f"leaks-{guest.name}.txt").write_text("\n\n".join(leaks))
                raise Failed(f"host {guest}: {len(leaks)} leaks\n{leaks[0]}")

    def check_wire(self):
        """How many CM messages the hosts have sent; raises if one is malformed."""
        return capture.check(self.folder / "cm.pcap", self.folder / "cm.txt")


def results_folder(name):
    return paths.RESULTS / name.replace(":", "@")


class Stopwatch:
    def __init__(self):
        self._start = time.monotonic()

    @property
    def seconds(self):
        return time.monotonic() - self._start

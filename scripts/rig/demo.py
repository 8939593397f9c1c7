# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What make demo shows, once everything is built: two hosts that connect, one
with our modules below the distribution's rdma_cm, one with the kernel's own CM;
then two hosts of ours with the sample ULP. Called by scripts/vm."""

import sys
import time

from . import capture, ladder, paths, scenario, topology
from .guest import CommandFailed, GuestFailed
from .run import Failed, Run
from .wire import WireError

# Soft-RoCE's data path hangs now and then, with the kernel's own CM as well.
SEND_BW_TRIES = 2


class Demo:
    """Steps, each with a line when it starts and when it ends."""

    def __init__(self):
        self.worked = []
        self.broken = []
        self._start = time.monotonic()

    def say(self, text):
        print(f"[{time.monotonic() - self._start:5.1f} s] {text}", flush=True)

    def step(self, name, function, *args, tries=1):
        """Run one step; what it returned, or None if it failed."""
        for attempt in range(1, tries + 1):
            self.say(f"{name} ...")
            start = time.monotonic()
            try:
                result = function(*args)
            except (CommandFailed, Failed, WireError, capture.CaptureError) as error:
                self.say(f"{name}: FAILED: {error}")
                if attempt < tries:
                    self.say(f"{name}: one more try")
                    continue
                self.broken.append(name)
                return None
            self.say(f"{name}: ok ({time.monotonic() - start:.1f} s)")
            self.worked.append(name)
            return result if result is not None else True
        return None


def indent(text):
    for line in text.strip().splitlines():
        print(f"    {line}", flush=True)


def show_ladder(run, demo):
    groups = ladder.connections(ladder.read(run.folder / "cm.pcap"))
    names = {g.ip: f"host {g.name} ({'ib_cep' if g.ours else 'stock'})" for g in run.guests}
    for group in groups:
        if {m.name for m in group} >= {"REQ", "REP", "RTU", "DREQ", "DREP"}:
            demo.say(f"an rping's messages, of {len(groups)} so far, as tshark reads them:")
            print("\n".join(ladder.draw(group, names)), flush=True)
            return
    raise Failed("the capture has no whole handshake")


def who_is_below(run):
    """Proof that rdma_cm is the distribution's and what it runs on."""
    for guest in run.guests:
        used_by = guest.run("grep -E '^(ib_cep|ib_cm|rdma_cm) ' /proc/modules | cut -d' ' -f1,4")
        file = guest.run("modinfo -n rdma_cm ib_cm")
        indent(f"host {guest.name}: {guest.release}\n{file.strip()}\n{used_by.strip()}")


def first_pair(demo, programs):
    """Ours against stock."""
    demo.say("booting host a (ib_cep below the distribution's rdma_cm) and host b (stock)")
    with Run(topology.OURS_STOCK, paths.RESULTS / "demo-ours-stock") as run:
        demo.say("both hosts are up with Soft-RoCE")
        who_is_below(run)
        pairs = ((run.b, run.a), (run.a, run.b))
        for server, client in pairs:
            demo.step(
                f"rping {client.name} to {server.name}",
                programs.rping_once, server, client, server.ip,
            )  # fmt: skip
        demo.step("ladder", show_ladder, run, demo)
        for server, client in pairs:
            table = demo.step(
                f"ib_send_bw -R {client.name} to {server.name}",
                programs.send_bw_once, server, client, tries=SEND_BW_TRIES,
            )  # fmt: skip
            if table:
                lines = [line for line in table.splitlines() if "#bytes" in line or "4096 " in line]
                indent("\n".join(lines))
        for server, client in pairs:
            table = demo.step(
                f"cmtime -c 500 {client.name} to {server.name}",
                programs.cmtime_once, server, client, 500,
            )  # fmt: skip
            if table:
                indent(table)
        run.check()
    demo.step("no malformed CM message", run.check_wire)


def second_pair(demo, sample):
    """Ours against ours, without rdma_cm."""
    demo.say("booting hosts a and b, both with ib_cep")
    with Run(topology.OURS_OURS, paths.RESULTS / "demo-ours-ours") as run:
        demo.say("both hosts are up with Soft-RoCE")

        def play():
            sample.pingpong(run, run.b, run.a, 8, 50)

        demo.step("cep_pingpong (sample ULP) a to b", play)
        run.check()
    demo.step("no malformed CM message, ours to ours", run.check_wire)


def main():
    demo = Demo()
    scenario.load_all()
    programs, sample = sys.modules["programs"], sys.modules["cep_pingpong"]
    paths.build_tools()
    for part, argument in ((first_pair, programs), (second_pair, sample)):
        try:
            part(demo, argument)
        except (GuestFailed, CommandFailed, Failed, WireError, OSError) as error:
            demo.say(f"FAILED: {error}")
            demo.broken.append(f"the rest of {part.__name__.replace('_', ' ')}")
    demo.say(f"consoles, logs and captures are in {paths.RESULTS.relative_to(paths.TOP)}/demo-*")
    if demo.broken:
        print(
            f"demo: FAILED: {', '.join(demo.broken)}; worked: {', '.join(demo.worked) or 'nothing'}"
        )
        return 1
    print(f"demo: all of it worked: {', '.join(demo.worked)}")
    return 0

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Many connections at once, and one bad neighbour among good ones."""

import itertools
import time

import cmtest
import hostile
import mad
from rig.scenario import scenario
from rig.topology import OURS, OURS_STOCK, STOCK, STOCK_STOCK

MANY = 20000


@scenario(STOCK.with_hosts(memory="3G"), OURS.with_hosts(memory="3G"), timeout=300)
def twenty_thousand(run):
    """20,000 live connections on one device: 40,000 ends, more than Soft-RoCE has
    address handles"""
    guest = run.a
    serve = cmtest.Server(guest, f"--count {MANY} --quiet")
    start = time.monotonic()
    active = cmtest.client(
        guest, guest, f"--count {MANY} --outstanding 64 --disconnect --hold --quiet"
    )
    active.wait_line(f"^holding connected={MANY}$", 200)
    up = time.monotonic()
    run.note(f"{MANY / (up - start):.0f} connections/s")
    active.write("\n")
    for counts in (cmtest.summary(active.wait(200, check=False)), serve.result(200)):
        cmtest.expect_counts(run, counts, connected=MANY, disconnected=MANY)


@scenario(STOCK_STOCK, OURS_STOCK)
def source_without_neighbour(run):
    """REQs whose source answers no ARP; others connect meanwhile as ever"""
    # The kernel's CM takes about a second for each of them, one by one.
    serve = cmtest.Server(run.a, "--count 20")
    comm_ids = itertools.count(0x0DEAD001)
    for last in range(100, 130):
        peer = mad.Peer(
            run, run.a, f"10.0.0.{last}", f"52:54:00:0c:e1:{last:02x}", resolves=False
        )
        peer.send(mad.REQ, hostile.request(run.a, peer, next(comm_ids), service=hostile.SERVICE))
    start = time.monotonic()
    active = cmtest.client(run.b, run.a, "--count 20 --disconnect", port=hostile.PORT)
    counts = cmtest.summary(active.wait(90))
    seconds = time.monotonic() - start
    run.note(f"20 connections took {seconds:.2f} s")
    cmtest.expect_counts(run, counts, connected=20, disconnected=20)
    if run.a.ours:
        run.expect(seconds < 4, f"20 connections took {seconds:.1f} s")
    serve.process.kill()

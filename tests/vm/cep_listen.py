# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Listeners: destroyed and cancelled under load, backlog, concurrency; crowds from
both sides; callbacks that sleep; sources that cannot be resolved."""

import time

import cmtest
import mad
from cep_ulp import Ulp
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK

SERVICE = 0x1000000000000CE
LISTENERS = 12


@scenario(OURS_OURS)
def destroyed_under_load(run):
    """A listener destroyed and made anew while requests pour in; no callback after it"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, sleep_ms=3)
        load = a.start(
            "connect", 1, address=run.b.ip, count=1000000, outstanding=64, end="return",
            timeout_ms=500, retries=5,
        )  # fmt: skip
        for number in range(LISTENERS):
            seen = b.values(1)["REQ_RECEIVED"]
            b.wait(f"REQ_RECEIVED>={seen + 20}", set=1)
            run.expect(load.status is None, "the load has ended")
            if number % 2:
                b.do("cancel", 1)
            b.do("unlisten", 1)
            b.expect(1, overlap=0, late=0)
            b.listen(1, sleep_ms=3)
        load.kill()
        a.wait("connecting==0", set=1, timeout=30)
        values = a.values(1)
        answered = values["REP_RECEIVED"] + values["REJ_RECEIVED"]
        run.expect(values["rej.8"] > 0, f"nothing was rejected: {values}")
        run.expect(answered == values["started"], f"not all were answered: {values}")
        run.note(f"{LISTENERS} listeners, {values['rej.8']} of {values['started']} rejected")


@scenario(OURS_OURS)
def destroyed_while_callback_sleeps(run):
    """Destroy of a listener waits for its REQ callbacks and for nothing else"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        # Only REQ_RECEIVED (bit 1) sleeps.
        b.listen(1, sleep_ms=1500, sleep_on=2)
        a.connect(run.b, 1, count=4, timeout_ms=10000)
        b.wait("running==4", set=1)
        b.do("unlisten", 1)
        b.expect(1, running=0, REQ_RECEIVED=4, overlap=0)
        # Those delivered stay valid.
        b.wait("RTU_RECEIVED==4", set=1)


@scenario(OURS_OURS)
def concurrency(run):
    """REQ callbacks run at once: all, or as many as the listener allows"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for number, limit, most in ((1, 0, 20), (2, 2, 2), (3, 1, 1)):
            b.listen(number, sid=number, concurrency=limit, sleep_ms=150, sleep_on=2)
            a.connect(run.b, number, sid=number, count=20, timeout_ms=10000)
            b.wait("RTU_RECEIVED==20", set=number)
            b.expect(number, most=most, REQ_RECEIVED=20)


@scenario(OURS_OURS)
def backlog(run):
    """A backlog of 8: what is beyond it is dropped, not rejected, and comes again"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, backlog=8, on_req="hold")
        a.connect(run.b, 1, count=20, timeout_ms=400, retries=15)
        b.wait("REQ_RECEIVED==8", set=1)
        # Duplicates of the eight use none of it, and the other twelve stay out.
        run.wire.wait("REQ", "a", 60)
        b.expect(1, REQ_RECEIVED=8)
        a.expect(1, REJ_RECEIVED=0)
        b.act("rep", 1, state="REQ_RCVD")
        b.wait("REQ_RECEIVED==16", set=1)
        b.act("rep", 1, state="REQ_RCVD")
        b.wait("REQ_RECEIVED==20", set=1)
        b.act("rep", 1, state="REQ_RCVD")
        b.wait("RTU_RECEIVED==20", set=1)
        a.expect(1, REP_RECEIVED=20, REJ_RECEIVED=0, REQ_ERROR=0)


@scenario(OURS_OURS)
def crowd_to_one_listener(run):
    """1,024 requests at once to a listener with a backlog of 1,024: none rejected"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, backlog=1024)
        a.connect(run.b, 1, count=1024, timeout_ms=4000)
        b.wait("RTU_RECEIVED==1024", set=1, timeout=60)
        a.expect(1, REP_RECEIVED=1024, REJ_RECEIVED=0, REQ_ERROR=0)
        again = run.wire.seen("REQ", "a") - 1024
        a.act("dreq", 1)
        a.wait("DREP_RECEIVED==1024", set=1, timeout=60)
        run.note(f"{again} REQs sent again")


@scenario(OURS_OURS)
def crowds_meet(run):
    """Two hosts start 2,000 connects to each other at once: all 4,000 form"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for ulp in (a, b):
            ulp.listen(1)
        work = [
            ulp.start("connect", 2, address=peer.ip, count=2000, timeout_ms=8000)
            for ulp, peer in ((a, run.b), (b, run.a))
        ]
        for process in work:
            process.wait(60)
        for ulp in (a, b):
            ulp.wait("REP_RECEIVED==2000", set=2, timeout=90)
            ulp.wait("RTU_RECEIVED==2000", set=1, timeout=90)
            ulp.expect(2, REQ_ERROR=0, REJ_RECEIVED=0)


@scenario(OURS_OURS)
def sleeper_delays_nobody(run):
    """A callback that sleeps for 5 s; connect and disconnect of others are not late"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, sid=1, sleep_ms=5000)
        b.listen(2, sid=2)
        a.connect(run.b, 1, sid=1, timeout_ms=20000)
        b.wait("running==1", set=1)
        start = time.monotonic()
        a.connect(run.b, 2, sid=2, count=10)
        b.wait("RTU_RECEIVED==10", set=2)
        a.act("dreq", 2)
        a.wait("DREP_RECEIVED==10", set=2)
        b.expect(1, running=1)
        run.note(f"{1000 * (time.monotonic() - start):.0f} ms for ten, commands included")


def foreign_req(run, guest, number, service=SERVICE):
    """A REQ of a host that answers no ARP."""
    ip, mac = f"10.0.0.{100 + number}", f"52:54:00:0c:ee:{number:02x}"
    peer = mad.Peer(run, guest, ip, mac, resolves=False)
    body = mad.req_body(0x66000000 + number, service, ip, guest.ip, qpn=0x500000 + number,
                        guid=0xF00 + number)  # fmt: skip
    for _ in range(3):
        peer.send(mad.REQ, body)


@scenario(OURS_STOCK)
def source_without_neighbour(run):
    """REQs whose sources have no neighbour, while others connect: nobody waits"""
    with Ulp(run.a) as a:
        a.listen(1, tcp=7471)
        # The first connection makes the path known; the others must not wait behind ARP.
        first = cmtest.client(run.b, run.a, "--count 1 --disconnect")
        cmtest.expect_counts(run, cmtest.summary(first.wait(30)), connected=1)
        quiet = elapsed(run, 30)
        for number in range(40):
            foreign_req(run, run.a, number)
        busy = elapsed(run, 30)
        a.wait("RTU_RECEIVED==61", set=1)
        run.note(f"30 connections in {quiet:.2f} s before, {busy:.2f} s meanwhile")
        # One source takes a second or more to fail, one after the other 40 s.
        run.expect(busy < quiet + 2, f"{busy:.2f} s for 30 connections, {quiet:.2f} s before")


def elapsed(run, count):
    """Seconds for that many connections of a program on the other host."""
    start = time.monotonic()
    work = cmtest.client(run.b, run.a, f"--count {count} --outstanding 4 --disconnect --quiet")
    cmtest.expect_counts(run, cmtest.summary(work.wait(60)), connected=count)
    return time.monotonic() - start


@scenario(OURS_OURS)
def dead_destination(run):
    """256 requests to a host that does not answer; a live one is not late"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        dead = mad.Peer(run, run.a, "10.0.0.77", "52:54:00:0c:e0:4d")
        b.listen(1)
        a.connect(run.b, 1)
        b.wait("RTU_RECEIVED==1", set=1)
        a.do("connect", 2, address=dead.ip, count=256, timeout_ms=2000, retries=2)
        start = time.monotonic()
        a.connect(run.b, 1, count=10)
        a.wait("REP_RECEIVED==11", set=1)
        run.note(f"{1000 * (time.monotonic() - start):.0f} ms for ten, commands included")
        a.expect(2, REQ_ERROR=0)
        a.wait("REQ_ERROR==256", set=2, timeout=30)
        a.expect(2, cause__TIMEOUT=256)

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Messages lost on the wire, twice delivered, late. rdma_cm's response timeout is
4.3 s, so the losses of one scenario happen side by side."""

import cmtest
from connect import both_ways
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK, STOCK_STOCK

PAIRS = (STOCK_STOCK, OURS_STOCK, OURS_OURS)
# Which side sends each message of a connection that the client ends.
BY_CLIENT = ("REQ", "RTU", "DREQ")
BY_SERVER = ("REP", "DREP")


def start(server, client, count):
    serve = cmtest.Server(server, f"--count {count}")
    options = f"--count {count} --outstanding {count} --disconnect --hold"
    return serve, cmtest.client(client, server, options)


def finish(run, pairs, count):
    """Disconnect once all are up; both programs must end well."""
    for serve, active in pairs:
        active.wait_line(f"^holding connected={count}$", 60)
    for serve, active in pairs:
        active.write("\n")
    for serve, active in pairs:
        check_end(run, serve, active, count)


def check_end(run, serve, active, count):
    for counts in (serve.result(60), cmtest.summary(active.wait(60))):
        cmtest.expect_counts(run, counts, connected=count, disconnected=count)


@scenario(*PAIRS)
def each_once(run):
    """REQ, REP, RTU, DREQ and DREP each lost once, in both directions"""
    count = 5
    for name in BY_CLIENT + BY_SERVER:
        run.wire.drop(name, "a")
        run.wire.drop(name, "b")
    finish(run, [start(server, client, count) for server, client in both_ways(run)], count)
    for name in BY_CLIENT + BY_SERVER:
        for side in "ab":
            seen, lost = run.wire.seen(name, side), run.wire.dropped(name, side)
            run.expect(lost == 1, f"{lost} {name} from {side} lost")
            run.expect(seen > count, f"{seen} {name} from {side}: none was sent again")


@scenario(*PAIRS)
def each_twice_delivered(run):
    """Every message delivered twice: no second event anywhere"""
    count = 10
    run.wire.dup("any", count="always")
    finish(run, [start(server, client, count) for server, client in both_ways(run)], count)


def connect_with_late_rep(run, server, client):
    """Keep REPs from the client until it has sent its REQ again. Then how the
    REP gets through is the caller's business: (server program, client program)."""
    serve = cmtest.Server(server, "--count 1")
    active = cmtest.client(client, server, "--count 1 --disconnect")
    run.wire.wait("REQ", client.name, 2)
    return serve, active


@scenario(STOCK_STOCK, OURS_STOCK)
def late_rep(run):
    """REPs that arrive after the REQ was sent again: one is accepted, one event"""
    run.wire.hold("REP", "b", count="always")
    serve, active = connect_with_late_rep(run, server=run.b, client=run.a)
    run.wire.clear()
    run.wire.release()
    check_end(run, serve, active, 1)


@scenario(STOCK_STOCK, OURS_STOCK)
def repeated_rep_is_equal(run):
    """A duplicate REQ is answered with the same REP, byte for byte, by no REJ"""
    before = run.wire.sequence()
    run.wire.drop("REP", "a", count="always")
    serve, active = connect_with_late_rep(run, server=run.a, client=run.b)
    run.wire.clear()
    check_end(run, serve, active, 1)
    frames = run.wire.frames(before)
    for name in ("REQ", "REP"):
        mads = [f.mad for f in frames if f.name == name]
        run.expect(len(mads) >= 2, f"only {len(mads)} {name}")
        run.expect(len(set(mads)) == 1, f"a {name} was sent again with other bytes")
    second = [f.sequence for f in frames if f.name == "REQ"][1]
    answers = [f for f in frames if f.sequence > second and f.side == "a"]
    run.expect(answers and answers[0].name == "REP", f"the second REQ got {answers[:1]}")
    run.expect(not [f for f in frames if f.name == "REJ"], f"a REJ was sent: {frames}")

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Connect, refuse, disconnect from both sides; many at once; private data of full
length checked at both ends throughout."""

import cmtest
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK, STOCK_STOCK

PAIRS = (STOCK_STOCK, OURS_STOCK, OURS_OURS)


def both_ways(run):
    return ((run.b, run.a), (run.a, run.b))


def connect(run, server, client, count, server_options="", client_options="", timeout=60):
    """Both programs to their ends; their counts."""
    serve = cmtest.Server(server, f"--count {count} {server_options}")
    active = cmtest.client(client, server, f"--count {count} {client_options}")
    return (
        serve.result(timeout),
        cmtest.summary(active.wait(timeout)),
    )


@scenario(*PAIRS)
def client_disconnects(run):
    """20 connections that the active side ends, until timewait is over"""
    for server, client in both_ways(run):
        for counts in connect(
            run, server, client, 20, "--timewait", "--outstanding 5 --disconnect --timewait"
        ):
            cmtest.expect_counts(run, counts, connected=20, disconnected=20, timewait=20)


@scenario(*PAIRS)
def server_disconnects(run):
    """20 connections that the passive side ends, until timewait is over"""
    for server, client in both_ways(run):
        for counts in connect(
            run, server, client, 20, "--disconnect --timewait", "--outstanding 5 --timewait"
        ):
            cmtest.expect_counts(run, counts, connected=20, disconnected=20, timewait=20)


@scenario(*PAIRS)
def refuse(run):
    """20 requests that the server refuses with private data"""
    for server, client in both_ways(run):
        for counts in connect(run, server, client, 20, "--refuse", "--outstanding 5 --refused"):
            cmtest.expect_counts(run, counts, connected=0, rejected=20)


@scenario(*PAIRS)
def no_listener(run):
    """A connect to a port where nobody listens is rejected at once"""
    for server, client in both_ways(run):
        active = cmtest.client(client, server, "--count 3", port=9)
        cmtest.expect_counts(run, cmtest.summary(active.wait(20)), rejected=3)


@scenario(*PAIRS)
def both_disconnect(run):
    """Both sides send DREQ at the same time"""
    for server, client in both_ways(run):
        serve = cmtest.Server(server, "--count 10 --disconnect --hold")
        active = cmtest.client(client, server, "--count 10 --outstanding 10 --disconnect --hold")
        active.wait_line("^holding connected=10$", 30)
        serve.process.wait_line("^holding connected=10$", 30)
        # Each DREQ waits on the wire for the other side's.
        run.wire.reset()
        run.wire.hold("DREQ", count="always")
        active.write("\n")
        serve.process.write("\n")
        run.wire.wait("DREQ", "a", 10)
        run.wire.wait("DREQ", "b", 10)
        run.wire.clear()
        run.wire.release()
        for counts in (serve.result(), cmtest.summary(active.wait(30))):
            cmtest.expect_counts(run, counts, connected=10, disconnected=10)


@scenario(*PAIRS)
def crowd(run):
    """500 connections with 100 requests outstanding, held, then closed at once"""
    for server, client in both_ways(run):
        serve = cmtest.Server(server, "--count 500 --quiet")
        active = cmtest.client(
            client, server, "--count 500 --outstanding 100 --disconnect --hold --quiet"
        )
        active.wait_line("^holding connected=500$", 60)
        active.write("\n")
        for counts in (serve.result(60), cmtest.summary(active.wait(60))):
            cmtest.expect_counts(run, counts, connected=500, disconnected=500)

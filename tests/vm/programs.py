# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Programs that people use, unmodified, between two hosts in both directions."""

from rig.guest import CommandFailed
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK, STOCK_STOCK, parse

PAIRS = (STOCK_STOCK, OURS_STOCK, OURS_OURS, parse("ours-stock-6.12"), parse("ours-stock-6.1-6.12"))


def listening(guest, count=1):
    """Wait for a listener of rdma_cm."""
    guest.wait_until(f"[ $(rdma res show cm_id | grep -c 'state LISTEN') -ge {count} ]", 20)


def both_ways(run):
    """(server, client) for each direction."""
    return ((run.b, run.a), (run.a, run.b))


def rping_once(server, client, address):
    """rping with ten messages, checked by itself (-V)."""
    serve = server.start(f"rping -s -a {address} -C 10 -v -V")
    listening(server)
    client.run(f"rping -c -a {address} -C 10 -v -V", timeout=30)
    # The server's status is not asked: it reports the disconnection as one.
    serve.wait(timeout=30, check=False)


def send_bw_once(server, client):
    """ib_send_bw over rdma_cm; the table that it prints."""
    serve = server.start("ib_send_bw -R -F -d rxe0 -s 4096 -n 100")
    listening(server)
    try:
        return client.run(f"ib_send_bw -R -F -d rxe0 -s 4096 -n 100 {server.ip}", timeout=25)
    finally:
        serve.kill()


def cmtime_once(server, client, connections, timeout=60):
    """cmtime's table, as the client prints it."""
    # The server never ends.
    serve = server.start(f"cmtime -b {server.ip}")
    listening(server)
    try:
        return client.run(f"cmtime -s {server.ip} -c {connections}", timeout=timeout)
    finally:
        serve.kill()


@scenario(*PAIRS)
def rping(run):
    """rping over IPv4, each host as client"""
    for server, client in both_ways(run):
        rping_once(server, client, server.ip)


@scenario(STOCK_STOCK, OURS_STOCK)
def rping_ipv6(run):
    """rping over IPv6, each host as client"""
    for server, client in both_ways(run):
        rping_once(server, client, server.ip6)


@scenario(STOCK_STOCK, OURS_STOCK, OURS_OURS)
def send_bw(run):
    """ib_send_bw -R with data over the connection, each host as client"""
    for server, client in both_ways(run):
        # Two of 26 runs hang in Soft-RoCE's data path with the kernel's own CM.
        try:
            send_bw_once(server, client)
        except CommandFailed as error:
            run.note(f"first try failed ({str(error).splitlines()[0]}), tried again")
            send_bw_once(server, client)


@scenario(*PAIRS)
def cmtime(run):
    """cmtime with 500 connections, each host as client"""
    for server, client in both_ways(run):
        table = cmtime_once(server, client, 500)
        run.expect("disconnect" in table, f"cmtime printed no table:\n{table}")
        run.expect(
            "timed out" not in table and "fail" not in table.lower(), f"cmtime failed:\n{table}"
        )

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Programs that people use, unmodified, between two hosts in both directions."""

from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK, STOCK_STOCK

PAIRS = (STOCK_STOCK, OURS_STOCK, OURS_OURS)


def listening(guest):
    """Wait for a listener of rdma_cm."""
    guest.wait_until("rdma res show cm_id | grep -q 'state LISTEN'", 20)


def rping_once(server, client, address):
    """rping with ten messages, checked by itself (-V)."""
    serve = server.start(f"rping -s -a {address} -C 10 -v -V")
    listening(server)
    client.run(f"rping -c -a {address} -C 10 -v -V", timeout=30)
    # The server's status is not asked: it reports the disconnection as one.
    serve.wait(timeout=30, check=False)


@scenario(*PAIRS)
def rping(run):
    """rping over IPv4, each host as client"""
    for server, client in ((run.b, run.a), (run.a, run.b)):
        rping_once(server, client, server.ip)

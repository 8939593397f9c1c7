# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The sample ULP between two hosts of ours, with real QPs and data."""

import re

from rig.scenario import scenario
from rig.topology import OURS_OURS, parse

RESULT = "/sys/kernel/debug/cep_pingpong/result"


def verdict(guest, timeout=60):
    return guest.run(f"cat {RESULT}", timeout).strip()


def pingpong(run, server, client, connections, messages, options=""):
    """From loading to unloading."""
    server.insmod("cep_pingpong", f"server=1 connections={connections}")
    client.insmod(
        "cep_pingpong",
        f"address={server.ip} connections={connections} messages={messages} {options}",
    )
    for guest in (client, server):
        text = verdict(guest)
        wanted = rf"PASS: \w+, {connections} connections, 0 failed, {connections * messages} messages"
        run.expect(re.match(wanted, text), f"host {guest.name}: {text}")
    client.rmmod("cep_pingpong")
    server.rmmod("cep_pingpong")


@scenario(parse("ours-ours-6.1-6.12"), check=False)
@scenario(OURS_OURS)
def sample(run):
    """cep_pingpong: 24 connections with 50 checked messages each way, both directions"""
    for server, client in ((run.b, run.a), (run.a, run.b)):
        pingpong(run, server, client, 24, 50, "parallel=8")


@scenario(OURS_OURS)
def sample_sizes(run):
    """cep_pingpong with one byte, and with messages of many packets"""
    pingpong(run, run.b, run.a, 2, 20, "size=1")
    pingpong(run, run.b, run.a, 2, 20, "size=65536")


@scenario(OURS_OURS)
def sample_refused(run):
    """cep_pingpong without a server: an honest FAIL, and it unloads"""
    run.a.insmod("cep_pingpong", f"address={run.b.ip} connections=3")
    text = verdict(run.a)
    run.expect("FAIL: client, 0 connections, 3 failed" in text, text)
    run.a.rmmod("cep_pingpong")


@scenario(OURS_OURS)
def sample_unloaded(run):
    """cep_pingpong unloaded while it works, client first and server first"""
    for first, second in ((run.a, run.b), (run.b, run.a)):
        run.b.insmod("cep_pingpong", "server=1")
        run.a.insmod("cep_pingpong", f"address={run.b.ip} connections=1000 messages=100")
        run.wire.reset()
        run.wire.wait("RTU", "a", 20)
        first.rmmod("cep_pingpong")
        second.rmmod("cep_pingpong")


@scenario(OURS_OURS)
def sample_device_removed(run):
    """The device goes while cep_pingpong works on it, and comes back"""
    run.b.insmod("cep_pingpong", "server=1")
    run.a.insmod("cep_pingpong", f"address={run.b.ip} connections=1000 messages=100")
    run.wire.wait("RTU", "a", 20)
    run.a.run("rdma link delete rxe0")
    text = verdict(run.a)
    run.expect("FAIL" in text, text)
    run.a.rmmod("cep_pingpong")
    run.a.add_rxe()
    run.b.rmmod("cep_pingpong")
    pingpong(run, run.b, run.a, 4, 10)

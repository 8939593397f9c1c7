# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Crafted frames from a host that is only played: what comes back, and that the
guest lives and goes on connecting. Input from the wire is hostile until checked."""

import itertools
import struct

import cmtest
import mad
from rig.scenario import scenario
from rig.topology import OURS_STOCK, STOCK_STOCK

PAIRS = (STOCK_STOCK, OURS_STOCK)
PORT = 7471
SERVICE = mad.RDMA_PS_TCP | PORT
_comm_ids = itertools.count(0x5EED0001)
_qpns = itertools.count(0x600001)


def private_data(guest, peer, qpn, index=0):
    """What cep-cmtest wants to see in a REQ."""
    payload = bytearray(struct.pack("<II", index, qpn))
    payload += bytes((index * 31 + qpn + at * 7) & 0xFF for at in range(8, 56))
    return mad.rdma_cm_header(peer.ip, guest.ip) + bytes(payload)


def request(guest, peer, comm_id, service=SERVICE, qpn=None, **fields):
    qpn = next(_qpns) if qpn is None else qpn
    private = private_data(guest, peer, qpn)
    return mad.req_body(comm_id, service, peer.ip, guest.ip, qpn, private=private, **fields)


def connected(run, peer, guest, comm_id, **fields):
    """REQ, REP, RTU by hand; the REP and the REQ."""
    sent = peer.send(mad.REQ, request(guest, peer, comm_id, **fields))
    rep = peer.expect("REP")
    run.expect(rep.tid == sent[8:16], "the REP's TID is not the REQ's")
    run.expect(rep.remote_comm_id == comm_id, "the REP is for another comm ID")
    peer.send(mad.RTU, mad.ids_body(comm_id, rep.local_comm_id), tid=rep.tid)
    return rep, sent


def still_connects(run, guest):
    """Two connections in each direction with the other, real host."""
    other = run.b if guest is run.a else run.a
    for server, client in ((guest, other), (other, guest)):
        serve = cmtest.Server(server, "--count 2", port=PORT + 1)
        active = cmtest.client(client, server, "--count 2 --disconnect", port=PORT + 1)
        for counts in (serve.result(), cmtest.summary(active.wait(30))):
            cmtest.expect_counts(run, counts, connected=2, disconnected=2)


def fence(run, peer, guest):
    """Make sure that the guest has handled all that was sent before: it answers a
    DREQ for nothing, and QP1 keeps the order."""
    sent = peer.send(mad.DREQ, mad.dreq_body(next(_comm_ids), 0xFFFFFF00, 1))
    peer.expect("DREP", tid=sent[8:16])


def rx_count(guest, message):
    """The kernel's counter of received messages of one kind."""
    return int(guest.get(f"/sys/class/infiniband/rxe0/ports/1/cm_rx_msgs/{message}"))


@scenario(*PAIRS)
def played_peer_connects(run):
    """A handshake by hand succeeds, so what the others send is otherwise right"""
    serve = cmtest.Server(run.a, "--count 1", PORT)
    peer = mad.Peer(run, run.a)
    comm_id = next(_comm_ids)
    rep, _ = connected(run, peer, run.a, comm_id)
    serve.process.wait_line("ESTABLISHED", 20)
    qpn = rep.field(12, 3)
    sent = peer.send(mad.DREQ, mad.dreq_body(comm_id, rep.local_comm_id, qpn))
    drep = peer.expect("DREP")
    run.expect(drep.tid == sent[8:16], "the DREP's TID is not the DREQ's")
    cmtest.expect_counts(run, serve.result(), connected=1, disconnected=1)


@scenario(*PAIRS)
def unknown_service(run):
    """A REQ for a service that nobody offers is rejected with reason 8"""
    peer = mad.Peer(run, run.a)
    before = rx_count(run.a, "req")
    comm_id = next(_comm_ids)
    sent = peer.send(mad.REQ, request(run.a, peer, comm_id, service=0x1234567890ABCDEF))
    rej = peer.expect("REJ")
    run.expect(rej.tid == sent[8:16], "the REJ's TID is not the REQ's")
    run.expect(rej.remote_comm_id == comm_id, "the REJ is for another comm ID")
    reason, rejected = rej.field(10, 2), rej.field(8, 1) >> 6
    run.expect(reason == mad.REJ_INVALID_SERVICE_ID, f"reason {reason} instead of 8")
    run.expect(rejected == 0, f"message rejected is {rejected} instead of 0 (REQ)")
    run.expect(rx_count(run.a, "req") == before + 1, "the REQ was not counted")


@scenario(*PAIRS)
def unknown_disconnect(run):
    """DREQ for no connection: DREP with its TID and mirrored comm IDs"""
    peer = mad.Peer(run, run.a)
    before = rx_count(run.a, "dreq")
    local, remote = next(_comm_ids), 0x0BADBAD0
    sent = peer.send(mad.DREQ, mad.dreq_body(local, remote, 0x77))
    drep = peer.expect("DREP")
    run.expect(drep.tid == sent[8:16], "the DREP's TID is not the DREQ's")
    got = (drep.local_comm_id, drep.remote_comm_id)
    run.expect(got == (remote, local), f"comm IDs {got} are not mirrored")
    run.expect(rx_count(run.a, "dreq") == before + 1, "the DREQ was not counted")


@scenario(*PAIRS)
def unknown_comm_id(run):
    """Every message for a comm ID that does not exist; the guest shrugs"""
    peer = mad.Peer(run, run.a)
    for attribute in (mad.MRA, mad.REJ, mad.REP, mad.RTU, mad.DREP, mad.LAP, mad.APR, mad.SIDR_REP):
        for remote in (0, 1, 0x0BADBAD0, 0xFFFFFFFF):
            peer.send(attribute, mad.ids_body(next(_comm_ids), remote))
    fence(run, peer, run.a)
    still_connects(run, run.a)


@scenario(*PAIRS)
def unknown_attribute(run):
    """Attributes that are none of the CM's, and every method with each"""
    peer = mad.Peer(run, run.a)
    for attribute in (0x00, 0x02, 0x0F, 0x1B, 0x1F, 0x7FFF, 0xFFFF):
        for method in (0x01, 0x02, 0x03, 0x05, 0x06, 0x81, 0x86, 0x7F, 0xFF):
            peer.send(attribute, b"\x5a" * mad.BODY, method=method)
    # The CM's own with methods that they do not have.
    for attribute in mad.ALL:
        for method in (0x01, 0x02, 0x81, 0xFF):
            peer.send(attribute, b"\x5a" * mad.BODY, method=method)
    fence(run, peer, run.a)
    still_connects(run, run.a)


@scenario(*PAIRS)
def wrong_version(run):
    """Other base and class versions are not taken for ours"""
    peer = mad.Peer(run, run.a)
    for base, version in ((0, 2), (2, 2), (255, 2), (1, 0), (1, 1), (1, 3), (1, 255)):
        for attribute in mad.ALL:
            body = request(run.a, peer, next(_comm_ids), service=0x1234567890ABCDEF)
            peer.send(attribute, body, base=base, version=version)
    fence(run, peer, run.a)
    answers = [f for f in peer.received() if f.name in ("REJ", "REP", "MRA")]
    run.expect(not answers, f"answered: {answers}")
    still_connects(run, run.a)


@scenario(*PAIRS)
def all_ones(run):
    """Every message with a body of ones, and of zeroes"""
    peer = mad.Peer(run, run.a)
    for fill in (b"\xff", b"\0"):
        for attribute in mad.ALL:
            peer.send(attribute, fill * mad.BODY)
            peer.send(attribute, fill * mad.BODY, tid=fill * 8)
    fence(run, peer, run.a)
    still_connects(run, run.a)


@scenario(*PAIRS)
def extreme_numbers(run):
    """QPNs and PSNs at and beyond their ends: connected or refused, and no harm"""
    peer = mad.Peer(run, run.a)
    serve = run.a.start(f"cep-cmtest server --port {PORT} --count 1000")
    serve.wait_line("^listening$", 20)
    for qpn, psn in itertools.product((0, 1, 2, 0xFFFFFE, 0xFFFFFF), (0, 0xFFFFFF)):
        comm_id = next(_comm_ids)
        guid = 0xABC000 + comm_id  # not the same connection as before
        body = request(run.a, peer, comm_id, qpn=qpn, psn=psn, guid=guid)
        sent = peer.send(mad.REQ, body)
        if run.a.ours and qpn in (0, 1, 0xFFFFFF):
            # Nobody's QP can have these: dropped or rejected.
            fence(run, peer, run.a)
            rep = [f for f in peer.received() if f.name == "REP" and f.tid == sent[8:16]]
            run.expect(not rep, f"a REQ with QPN {qpn:#x} was accepted")
            continue
        rep = peer.expect("REP", tid=sent[8:16])
        peer.send(mad.RTU, mad.ids_body(comm_id, rep.local_comm_id), tid=rep.tid)
        # A DREQ with another QPN is for another connection.
        peer.send(mad.DREQ, mad.dreq_body(comm_id, rep.local_comm_id, 0xFFFFFF))
        end = peer.send(mad.DREQ, mad.dreq_body(comm_id, rep.local_comm_id, rep.field(12, 3)))
        peer.expect("DREP", tid=end[8:16])
    fence(run, peer, run.a)
    still_connects(run, run.a)


@scenario(*PAIRS)
def reject_info_too_long(run):
    """A REJ whose ARI length goes beyond its field, to a REQ and to a REP"""
    guest = run.a
    for length in (72, 73, 127):
        peer = mad.Peer(run, guest)
        active = cmtest.client(guest, peer.ip, "--count 1", port=PORT)
        req = peer.expect("REQ")
        body = mad.rej_body(next(_comm_ids), req.local_comm_id, 0, length, 7, b"\xee" * 220)
        peer.send(mad.REJ, body, tid=req.tid)
        # Taken for a reject or dropped: either way there is no harm. A dropped
        # one leaves the client waiting.
        if length <= 72 or not guest.ours:
            counts = cmtest.summary(active.wait(20, check=False))
            cmtest.expect_counts(run, counts, rejected=1, errors=counts["errors"])
        else:
            fence(run, peer, guest)
            good = mad.rej_body(next(_comm_ids), req.local_comm_id, 0, 0, 7)
            peer.send(mad.REJ, good, tid=req.tid)
            active.wait(20, check=False)
    still_connects(run, guest)


@scenario(*PAIRS)
def wrong_keys(run):
    """A right REQ with a wrong Q_Key, P_Key or QPN in the transport headers"""
    peer = mad.Peer(run, run.a)
    before = rx_count(run.a, "req")
    for options in ({"qkey": 0x11111111}, {"pkey": 0x1234}, {"dqpn": 0x42}, {"dqpn": 0}):
        peer.send(
            mad.REQ, request(run.a, peer, next(_comm_ids), service=0x1234567890ABCDEF),
            options=options,
        )  # fmt: skip
    fence(run, peer, run.a)
    run.expect(rx_count(run.a, "req") == before, "a REQ with a wrong key got through")
    still_connects(run, run.a)


@scenario(*PAIRS)
def every_truncation(run):
    """MADs cut at many lengths; none is taken for a message"""
    peer = mad.Peer(run, run.a)
    before = rx_count(run.a, "req")
    body = request(run.a, peer, next(_comm_ids), service=0x1234567890ABCDEF)
    whole = mad.mad(mad.REQ, body)
    for length in range(4, 256, 12):
        peer.send_raw(whole[:length])
    fence(run, peer, run.a)
    if run.a.ours:
        run.expect(rx_count(run.a, "req") == before, "a cut REQ was taken for one")
    still_connects(run, run.a)

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Stale connections: a peer's QP comes again while its old connection lives here."""

from cep_ulp import Ulp, unload_cm
from rig.scenario import scenario
from rig.topology import OURS_OURS

QPN = 0x7777


@scenario(OURS_OURS)
def qp_comes_again(run):
    """A REQ with the QPN of a live connection: REJ 10 and DREQ; the next one gets in"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1)
        a.connect(run.b, 1, qpn=QPN)
        b.wait("RTU_RECEIVED==1", set=1)
        a.connect(run.b, 2, qpn=QPN)
        a.wait("rej.10==1", "state.IDLE==1", set=2)
        # The old connection's consumers are told, once, and then timewait ends.
        b.wait("cause.STALE==1", set=1)
        a.wait("DREQ_RECEIVED==1", set=1)
        for ulp in (a, b):
            ulp.wait("TIMEWAIT_EXIT==1", set=1)
        b.expect(1, REQ_RECEIVED=1, DREQ_ERROR=1, DREP_RECEIVED=0)
        a.connect(run.b, 2, qpn=QPN, again=1)
        b.wait("RTU_RECEIVED==2", set=1)
        b.expect(1, state__ESTABLISHED=1, state__IDLE=1)


@scenario(OURS_OURS)
def peer_lost_power(run):
    """The peer's CM goes without a word and comes again with the same QPN"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1)
        a.connect(run.b, 1, qpn=QPN, timeout_ms=500, retries=3)
        b.wait("RTU_RECEIVED==1", set=1)
        old = [f.local_comm_id for f in run.wire.frames(0) if f.name == "REQ"][-1]
        run.wire.drop("any", "a", "always")
        a.unload()
        unload_cm(run.a)
        run.wire.reset()
        run.a.modprobe("rdma_ucm")
        run.a.insmod("cep_test")
        b.expect(1, state__ESTABLISHED=1)

        a.connect(run.b, 1, qpn=QPN, timeout_ms=500, retries=3)
        a.wait("rej.10==1", set=1)
        # The DREQ on the old connection finds nobody there, and is answered.
        b.wait("TIMEWAIT_EXIT==1", "cause.STALE==1", set=1)
        run.expect(run.wire.seen("DREP", "a") == 1, "a DREQ for nothing got no DREP")
        a.connect(run.b, 1, qpn=QPN, again=1)
        b.wait("RTU_RECEIVED==2", set=1)
        new = [f.local_comm_id for f in run.wire.frames(0) if f.name == "REQ"][-1]
        run.expect(old != new, "the comm ID of before the reload was used again")

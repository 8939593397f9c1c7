# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Messages lost on the wire between two modules of ours with short time-outs:
exactly how many copies go out, and which events come."""

from cep_ulp import Ulp
from rig.scenario import scenario
from rig.topology import OURS_OURS

RETRIES = 3
COPIES = RETRIES + 1
# 4.096 us x 2^15 = 134 ms: the passive side's wait for the RTU, twice that and
# the packet life time with it.
SHORT = {"timeout_ms": 300, "retries": RETRIES, "local_exp": 15, "remote_exp": 15}
# The active side shall have no reason to repeat anything.
PATIENT = {"timeout_ms": 30000, "retries": RETRIES, "local_exp": 15, "remote_exp": 15}


def copies(run, name, side, wanted):
    seen = run.wire.seen(name, side)
    run.expect(seen == wanted, f"{seen} {name} from {side}, not {wanted}")


def established(run, a, b, number, **options):
    b.listen(number, sid=number)
    a.connect(run.b, number, sid=number, **options)
    b.wait("RTU_RECEIVED==1", set=number)


@scenario(OURS_OURS)
def req_always(run):
    """Every REQ lost: 1 + retries copies, then one error"""
    with Ulp(run.a) as a:
        run.wire.drop("REQ", "a", "always")
        a.connect(run.b, 1, **SHORT)
        a.wait("REQ_ERROR==1", set=1)
        copies(run, "REQ", "a", COPIES)
        a.expect(1, cause__TIMEOUT=1, state__IDLE=1)
        # The CEP can be used again.
        run.wire.reset()
        a.connect(run.b, 1, again=1, **SHORT)
        a.wait("rej.8==1", set=1)


@scenario(OURS_OURS)
def req_all_but_last(run):
    """14 of 16 REQs lost: connects"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        run.wire.drop("REQ", "a", 14)
        b.listen(1)
        a.connect(run.b, 1, timeout_ms=50, retries=15)
        b.wait("RTU_RECEIVED==1", set=1)
        a.expect(1, REP_RECEIVED=1, REQ_ERROR=0)
        b.expect(1, REQ_RECEIVED=1)


@scenario(OURS_OURS)
def rep_always(run):
    """Every REP lost: 1 + retries copies, one error, and a REJ that tells the peer"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        run.wire.drop("REP", "b", "always")
        b.listen(1)
        a.connect(run.b, 1, **PATIENT)
        b.wait("REP_ERROR==1", set=1)
        copies(run, "REP", "b", COPIES)
        copies(run, "REQ", "a", 1)
        b.expect(1, REQ_RECEIVED=1, cause__TIMEOUT=1, RTU_RECEIVED=0)
        a.wait("rej.4==1", "state.IDLE==1", set=1)
        # An impatient active side: each duplicate is answered, with no second event.
        run.wire.reset()
        run.wire.drop("REP", "b", "always")
        b.do("reset", 1)
        a.connect(run.b, 2, **{**SHORT, "local_exp": 20})
        a.wait("REQ_ERROR==1", set=2)
        copies(run, "REQ", "a", COPIES)
        run.expect(run.wire.seen("REP", "b") >= COPIES, "duplicates were not answered")
        b.expect(1, REQ_RECEIVED=1)


@scenario(OURS_OURS)
def rtu_always(run):
    """Every RTU lost: one for each copy of the REP, without an event; then a REJ"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        run.wire.drop("RTU", "a", "always")
        b.listen(1)
        a.connect(run.b, 1, **PATIENT)
        b.wait("REP_ERROR==1", set=1)
        copies(run, "REP", "b", COPIES)
        run.wire.wait("RTU", "a", COPIES)
        b.expect(1, RTU_RECEIVED=0, cause__TIMEOUT=1)
        # The passive side gives up and says so; the connection was up on the active side.
        a.wait("TIMEWAIT_EXIT==1", set=1)
        a.expect(1, REP_RECEIVED=1, REJ_RECEIVED=1, rej__4=1)


@scenario(OURS_OURS)
def dreq_always(run):
    """Every DREQ lost: 1 + retries copies, one error, one timewait; from each side"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for number, ulp, side in ((1, a, "a"), (2, b, "b")):
            established(run, a, b, number, **SHORT)
            run.wire.reset()
            run.wire.drop("DREQ", side, "always")
            ulp.act("dreq", number)
            ulp.wait("TIMEWAIT_EXIT==1", set=number)
            copies(run, "DREQ", side, COPIES)
            ulp.expect(number, DREQ_ERROR=1, cause__TIMEOUT=1, DREP_RECEIVED=0)
            run.wire.reset()


@scenario(OURS_OURS)
def drep_always(run):
    """Every DREP lost: one for each DREQ, one event; both sides reach the end"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for number, first, second, one, two in ((1, a, b, "a", "b"), (2, b, a, "b", "a")):
            established(run, a, b, number, **SHORT)
            run.wire.reset()
            run.wire.drop("DREP", two, "always")
            first.act("dreq", number)
            for ulp in (first, second):
                ulp.wait("TIMEWAIT_EXIT==1", set=number)
            copies(run, "DREQ", one, COPIES)
            copies(run, "DREP", two, COPIES)
            first.expect(number, DREQ_ERROR=1, cause__TIMEOUT=1, DREP_RECEIVED=0)
            second.expect(number, DREQ_RECEIVED=1)
            run.wire.reset()


@scenario(OURS_OURS)
def each_once(run):
    """REQ, REP, RTU, DREQ, DREP each lost once: one copy more, all events once"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for number, (name, side) in enumerate(
            (("REQ", "a"), ("REP", "b"), ("RTU", "a"), ("DREQ", "a"), ("DREP", "b")), 1
        ):
            run.wire.reset()
            run.wire.drop(name, side)
            # Time enough for the other side's own repetition to come first.
            established(run, a, b, number, **{**SHORT, "timeout_ms": 1500})
            a.act("dreq", number)
            for ulp in (a, b):
                ulp.wait("TIMEWAIT_EXIT==1", set=number)
            for ulp in (a, b):
                ulp.expect(number, failed=0, REQ_ERROR=0, REP_ERROR=0, DREQ_ERROR=0)
            a.expect(number, REP_RECEIVED=1, DREP_RECEIVED=1)
            b.expect(number, REQ_RECEIVED=1, RTU_RECEIVED=1, DREQ_RECEIVED=1)
            copies(run, name, side, 2)


@scenario(OURS_OURS)
def each_twice(run):
    """Every message delivered twice: every event once"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        run.wire.dup("any", count="always")
        b.listen(1)
        a.connect(run.b, 1, count=20, timeout_ms=2000)
        b.wait("RTU_RECEIVED==20", set=1)
        a.act("dreq", 1)
        for ulp in (a, b):
            ulp.wait("TIMEWAIT_EXIT==20", set=1)
        a.expect(1, REP_RECEIVED=20, DREP_RECEIVED=20, REJ_RECEIVED=0, failed=0)
        b.expect(1, REQ_RECEIVED=20, RTU_RECEIVED=20, DREQ_RECEIVED=20, REJ_RECEIVED=0, failed=0)

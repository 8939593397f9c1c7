# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The CM-only interface against the kernel's CM and against itself: connect,
refuse, disconnect from both sides, with private data checked at both ends."""

import cmtest
from cep_ulp import Ulp
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK

PORT = 7471
COUNT = 20
# Private data in every message, checked by the receiver.
DATA = {"data": 56, "check": 1}


@scenario(OURS_STOCK)
def active_to_stock(run):
    """Our active side, a server behind the kernel's CM; each side disconnects once"""
    with Ulp(run.a) as ulp:
        serve = cmtest.Server(run.b, f"--count {COUNT} --timewait")
        ulp.connect(run.b, 1, count=COUNT, tcp=PORT, outstanding=5)
        ulp.wait(f"REP_RECEIVED=={COUNT}", set=1)
        ulp.act("dreq", 1)
        ulp.wait(f"TIMEWAIT_EXIT=={COUNT}", set=1)
        ulp.expect(1, DREP_RECEIVED=COUNT, failed=0, REJ_RECEIVED=0, state__IDLE=COUNT)
        cmtest.expect_counts(run, serve.result(), connected=COUNT, disconnected=COUNT)

        serve = cmtest.Server(run.b, f"--count {COUNT} --disconnect --timewait")
        ulp.connect(run.b, 2, count=COUNT, tcp=PORT, outstanding=5)
        ulp.wait(f"TIMEWAIT_EXIT=={COUNT}", set=2)
        ulp.expect(2, REP_RECEIVED=COUNT, DREQ_RECEIVED=COUNT, failed=0)
        cmtest.expect_counts(run, serve.result(), connected=COUNT, disconnected=COUNT)


@scenario(OURS_STOCK)
def passive_to_stock(run):
    """Our passive side, a client behind the kernel's CM; each side disconnects once"""
    with Ulp(run.a) as ulp:
        ulp.listen(1, tcp=PORT)
        active = cmtest.client(run.b, run.a, f"--count {COUNT} --outstanding 5 --disconnect")
        ulp.wait(f"TIMEWAIT_EXIT=={COUNT}", set=1, timeout=40)
        ulp.expect(1, REQ_RECEIVED=COUNT, RTU_RECEIVED=COUNT, DREQ_RECEIVED=COUNT, failed=0)
        counts = cmtest.summary(active.wait(30))
        cmtest.expect_counts(run, counts, connected=COUNT, disconnected=COUNT)
        ulp.do("destroy", 1)
        ulp.do("reset", 1)

        active = cmtest.client(run.b, run.a, f"--count {COUNT} --outstanding 5")
        ulp.wait(f"RTU_RECEIVED=={COUNT}", set=1, timeout=40)
        ulp.act("dreq", 1)
        ulp.wait(f"TIMEWAIT_EXIT=={COUNT}", set=1, timeout=40)
        ulp.expect(1, DREP_RECEIVED=COUNT, failed=0)
        counts = cmtest.summary(active.wait(30))
        cmtest.expect_counts(run, counts, connected=COUNT, disconnected=COUNT)


@scenario(OURS_STOCK)
def refused_by_stock(run):
    """REJ with private data from the kernel's CM, and nobody listening there"""
    with Ulp(run.a) as ulp:
        serve = cmtest.Server(run.b, f"--count {COUNT} --refuse")
        ulp.connect(run.b, 1, count=COUNT, tcp=PORT, outstanding=5)
        ulp.wait(f"REJ_RECEIVED=={COUNT}", set=1)
        ulp.expect(1, rej__28=COUNT, state__IDLE=COUNT)
        cmtest.expect_counts(run, serve.result(), rejected=COUNT)
        ulp.connect(run.b, 2, count=3, tcp=9)
        ulp.wait("rej.8==3", set=2)


@scenario(OURS_STOCK)
def refuses_stock(run):
    """REJ with private data from us, and nobody listening here"""
    with Ulp(run.a) as ulp:
        ulp.listen(1, tcp=PORT, on_req="reject", end="return")
        active = cmtest.client(run.b, run.a, f"--count {COUNT} --outstanding 5")
        cmtest.expect_counts(run, cmtest.summary(active.wait(30)), rejected=COUNT)
        ulp.wait(f"released=={COUNT}", set=1)
        active = cmtest.client(run.b, run.a, "--count 3", port=9)
        cmtest.expect_counts(run, cmtest.summary(active.wait(30)), rejected=3)


@scenario(OURS_OURS)
def both_ours(run):
    """Connect and disconnect from both sides, each host as active side"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for active, passive, peer in ((a, b, run.b), (b, a, run.a)):
            passive.listen(1, **DATA)
            for ender, other in ((active, passive), (passive, active)):
                active.connect(peer, 1, count=COUNT, outstanding=8, **DATA)
                passive.wait(f"RTU_RECEIVED=={COUNT}", set=1)
                ender.act("dreq", 1, data=56)
                for ulp in (active, passive):
                    ulp.wait(f"TIMEWAIT_EXIT=={COUNT}", set=1)
                ender.expect(1, DREP_RECEIVED=COUNT, failed=0)
                other.expect(1, DREQ_RECEIVED=COUNT, failed=0)
                for ulp in (active, passive):
                    ulp.do("destroy", 1)
                    ulp.do("reset", 1)
            passive.do("unlisten", 1)


@scenario(OURS_OURS)
def private_data(run):
    """Every message with no, one and all bytes of private data"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        number = 0
        # The least of all messages' rooms is the REQ's.
        for size in (0, 1, 91, 92):
            for on_req, event in (("accept", "REP_RECEIVED"), ("reject", "REJ_RECEIVED")):
                number += 1
                options = {"data": size, "check": 1}
                b.listen(number, on_req=on_req, sid=number, **options)
                a.connect(run.b, number, sid=number, **options)
                a.wait(f"{event}==1", set=number)
                if on_req == "accept":
                    b.wait("RTU_RECEIVED==1", set=number)
                    a.act("dreq", number, data=size)
                    a.wait("DREP_RECEIVED==1", set=number)
                b.do("unlisten", number)


@scenario(OURS_OURS)
def refuse_ours(run):
    """All ways to refuse; a dropped request is asked again and then served"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, on_req="refuse", sid=1)
        a.connect(run.b, 1, sid=1)
        a.wait("rej.28==1", set=1)
        b.listen(2, on_req="reject", reason=5, sid=2)
        a.connect(run.b, 2, sid=2)
        a.wait("rej.5==1", set=2)
        a.connect(run.b, 3, sid=3)
        a.wait("rej.8==1", set=3)
        # -ENOMEM says nothing: fresh events until the retries are spent.
        b.listen(4, on_req="drop", sid=4)
        a.connect(run.b, 4, sid=4, timeout_ms=100, retries=3)
        a.wait("REQ_ERROR==1", set=4)
        b.wait("REQ_RECEIVED==4", set=4)
        a.expect(4, REJ_RECEIVED=0, cause__TIMEOUT=1)
        # The active side may ask again with the same CEP.
        b.do("unlisten", 2)
        b.listen(2, sid=2)
        a.connect(run.b, 2, sid=2, again=1)
        b.wait("RTU_RECEIVED==1", set=2)
        # The active side refuses the REP.
        b.listen(5, sid=5)
        a.connect(run.b, 5, sid=5, on_rep="rej", reason=28)
        b.wait("rej.28==1", set=5)


@scenario(OURS_OURS)
def pull(run):
    """Requests that wait for get_request: taken one by one, the rest rejected"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, pull=1)
        a.connect(run.b, 1, count=10)
        a.wait("REP_RECEIVED==10", set=1)
        b.wait("RTU_RECEIVED==10", set=1)
        b.do("unlisten", 1)
        # Held by the listener until somebody pulls.
        b.listen(2, pull=1, on_req="hold")
        a.connect(run.b, 2, count=10)
        b.wait("REQ_WAITING>=1", set=2)
        b.do("wait", 2)
        run.wire.wait("REQ", "a", 20)
        b.do("pull", 2, count=4)
        a.wait("REP_RECEIVED==4", set=2)
        b.do("unlisten", 2)
        a.wait("rej.8==6", set=2)
        b.wait("RTU_RECEIVED==4", set=2)


@scenario(OURS_OURS)
def mra(run):
    """MRA to REQ and to REP, at once and only for duplicates"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, on_req="mra", mra_exp=22, sid=1, **DATA)
        a.connect(run.b, 1, sid=1, timeout_ms=200, retries=2, on_rep="mra", mra_exp=22, **DATA)
        a.wait("MRA_RECEIVED==1", "state.MRA_REQ_RCVD==1", set=1)
        b.act("rep", 1, state="MRA_REQ_SENT")
        b.wait("MRA_RECEIVED==1", "state.MRA_REP_RCVD==1", set=1)
        a.act("rtu", 1, state="MRA_REP_SENT", data=56)
        b.wait("RTU_RECEIVED==1", set=1)
        a.act("dreq", 1, data=56)
        b.wait("TIMEWAIT_EXIT==1", set=1)
        run.expect(run.wire.seen("REQ", "a") == 1, "a REQ was sent again in spite of the MRA")
        # Armed: nothing until a duplicate comes, then one for each.
        run.wire.reset()
        b.listen(2, on_req="mra", mra_exp=20, mra_delayed=1, sid=2)
        a.connect(run.b, 2, sid=2, timeout_ms=300, retries=5)
        run.wire.wait("MRA", "b", 1)
        run.expect(run.wire.seen("REQ", "a") == 2, "the MRA came without a duplicate")
        a.wait("MRA_RECEIVED==1", set=2)
        b.act("rep", 2)
        b.wait("RTU_RECEIVED==1", set=2)


@scenario(OURS_OURS)
def selective_listeners(run):
    """Service mask, private-data compare and port choose the listener"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, sid=0x1200, mask=0xFFFFFFFFFFFFFF00)
        a.connect(run.b, 1, sid=0x12AB, count=3)
        a.wait("REP_RECEIVED==3", set=1)
        a.connect(run.b, 2, sid=0x13AB)
        a.wait("rej.8==1", set=2)
        # The pattern of cep_test's REQ begins with 1, 4, 7, 10.
        b.listen(3, sid=0x3000, compare="1:0407")
        b.listen(4, sid=0x3000, compare="1:0507")
        a.connect(run.b, 3, sid=0x3000, data=10)
        a.wait("REP_RECEIVED==1", set=3)
        b.expect(3, REQ_RECEIVED=1)
        b.expect(4, REQ_RECEIVED=0)
        a.connect(run.b, 4, sid=0x3000)
        a.wait("rej.8==1", set=4)
        b.listen(5, sid=0x5000, port=1, device="rxe0")
        a.connect(run.b, 5, sid=0x5000)
        a.wait("REP_RECEIVED==1", set=5)
        b.fails("listen", "busy", 6, sid=0x5000, port=1, device="rxe0")
        b.fails("listen", "busy", 6, sid=0x1234)


@scenario(OURS_OURS)
def handler_ends_it(run):
    """A callback ends its own CEP, by its return value and by destroy"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for number, how in ((1, "return"), (2, "destroy")):
            b.listen(number, sid=number, end=how)
            a.connect(run.b, number, sid=number, count=10, end=how)
            b.wait("RTU_RECEIVED==10", set=number)
            a.act("dreq", number)
            a.wait("released==10", set=number)
            b.wait("released==10", set=number)
            # Refused: the last event is the REJ.
            a.connect(run.b, number, sid=99, count=5, end=how)
            a.wait("released==15", set=number)

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""CEPs in every state that a connection has, and what then goes: the CEPs, the
ULP's module, the CM's module, the device. Also calls that a state forbids."""

import cmtest
from cep_ulp import FOLDER, Ulp, unload_cm
from rig.scenario import scenario
from rig.topology import OURS_OURS, OURS_STOCK

# Nothing may change by itself: a minute for each answer and for timewait.
SLOW = {"timeout_ms": 60000, "remote_exp": 24, "local_exp": 24, "life_exp": 23}
COUNT = 3

# (set, active state, passive state); the passive host listens in set N on service N.
STATES = (
    (1, "IDLE", None),
    (2, "REQ_SENT", "REQ_RCVD"),
    (3, "MRA_REQ_RCVD", "MRA_REQ_SENT"),
    (4, "REP_RCVD", "REP_SENT"),
    (5, "MRA_REP_SENT", "MRA_REP_RCVD"),
    (6, "ESTABLISHED", "ESTABLISHED"),
    (7, "DREQ_SENT", "DREQ_RCVD"),
    (8, "TIMEWAIT", "TIMEWAIT"),
)


def every_state(run, a, b, count=COUNT):
    """Make COUNT connections in each of STATES, a active, b passive."""
    plans = {
        2: ({}, {"on_req": "hold"}),
        3: ({}, {"on_req": "mra", "mra_exp": 24}),
        4: ({"on_rep": "hold"}, {}),
        5: ({"on_rep": "mra", "mra_exp": 24}, {}),
        6: ({}, {}),
        7: ({}, {"on_dreq": "hold"}),
        8: ({}, {}),
    }
    a.connect(run.b, 1, count=count, format_only=1, sid=6, **SLOW)
    for number, (active, passive) in plans.items():
        b.listen(number, sid=number, **passive)
        a.connect(run.b, number, count=count, sid=number, **active, **SLOW)
    for number in (7, 8):
        b.wait(f"state.ESTABLISHED=={count}", set=number)
    for number in (7, 8):
        a.act("dreq", number)
    for number, active, passive in STATES:
        a.wait(f"state.{active}=={count}", set=number)
        if passive:
            b.wait(f"state.{passive}=={count}", set=number)


def still_connects(run, server, client):
    """By programs, so through the drop-in too."""
    serve = cmtest.Server(server, "--count 2")
    active = cmtest.client(client, server, "--count 2 --disconnect")
    for counts in (serve.result(), cmtest.summary(active.wait(30))):
        cmtest.expect_counts(run, counts, connected=2, disconnected=2)


@scenario(OURS_OURS)
def destroyed(run):
    """CEPs destroyed in every state by the active side; the peers hear of it"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        every_state(run, a, b)
        for number, _, _ in STATES:
            a.do("destroy", number, timeout=5)
            a.expect(number, created=COUNT, released=COUNT)
        # REQ withdrawn, REP refused, the connection ended.
        for number in (2, 3, 4, 5):
            b.wait(f"REJ_RECEIVED=={COUNT}", set=number)
        b.wait(f"DREQ_RECEIVED=={COUNT}", set=6)
        run.expect(run.wire.seen("REJ", "b") == 0, "a REJ was answered by a REJ")


@scenario(OURS_OURS)
def destroyed_passive(run):
    """The same by the passive side"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        every_state(run, a, b)
        for number, _, passive in STATES:
            if passive:
                b.do("unlisten", number, timeout=5)
                b.do("destroy", number, timeout=5)
        for number in (2, 3, 4, 5):
            a.wait(f"REJ_RECEIVED=={COUNT}", set=number)
        a.wait(f"DREQ_RECEIVED=={COUNT}", set=6)
        # Destroying a CEP in DREQ_RCVD answers the DREQ.
        a.wait(f"DREP_RECEIVED=={COUNT}", set=7)


@scenario(OURS_OURS)
def ulp_unloaded(run):
    """The ULPs' modules go with connections in every state, each side first once"""
    for first, second in ((0, 1), (1, 0)):
        a, b = Ulp(run.a), Ulp(run.b)
        with a, b:
            every_state(run, a, b)
            (a, b)[first].unload()
            (a, b)[first].guest.insmod("cep_test")
            (a, b)[second].unload()
            (a, b)[second].guest.insmod("cep_test")
    still_connects(run, run.b, run.a)


@scenario(OURS_OURS)
def cm_unloaded(run):
    """ib_cep goes right after a ULP with connections in every state, and comes back"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        every_state(run, a, b)
        a.unload()
        unload_cm(run.a)
        run.a.modprobe("rdma_ucm")
        run.a.insmod("cep_test")
        # The peers' old connections do not disturb new ones.
        still_connects(run, run.b, run.a)
    still_connects(run, run.a, run.b)


@scenario(OURS_OURS)
def cm_unloaded_in_timewait(run):
    """1,000 connections in timewait, and the module goes at once"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1, end="return")
        a.connect(run.b, 1, count=1000, outstanding=64, life_exp=22)
        b.wait("RTU_RECEIVED==1000", set=1, timeout=60)
        a.act("dreq", 1)
        a.wait("DREP_RECEIVED==1000", "state.TIMEWAIT==1000", set=1, timeout=60)
        a.unload()
        unload_cm(run.a)
        b.unload()
        unload_cm(run.b)
        for guest in (run.a, run.b):
            guest.modprobe("rdma_ucm")
            guest.insmod("cep_test")
    still_connects(run, run.b, run.a)


@scenario(OURS_OURS)
def device_removed(run):
    """rdma link delete with CEPs in every state, formatted unsent requests among them"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for remover, other in ((a, b), (b, a)):
            every_state(run, a, b)
            remover.guest.run("rdma link delete rxe0", 30)
            remover.wait(f"DEVICE_REMOVED=={COUNT}", set=6)
            for number in (2, 3, 4, 5, 7, 8):
                remover.wait(f"DEVICE_REMOVED=={COUNT}", set=number)
            if remover is a:
                a.wait(f"DEVICE_REMOVED=={COUNT}", set=1)
                # The device is gone: an honest error, and nothing moves.
                a.fails("act", "No such device", 1, do="send")
            remover.guest.add_rxe()
            for number, _, passive in STATES:
                for ulp in (remover, other):
                    ulp.do("destroy", number, timeout=10)
                    ulp.do("reset", number)
                if passive:
                    b.do("unlisten", number, timeout=10)
            still_connects(run, remover.guest, other.guest)


@scenario(OURS_OURS)
def device_removed_and_unloaded(run):
    """Device and ULP go at the same time, in both orders"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        for commands in (("rdma link delete rxe0", "rmmod cep_test"),
                         ("rmmod cep_test", "rdma link delete rxe0")):  # fmt: skip
            every_state(run, a, b)
            both = [run.a.start(command) for command in commands]
            for process in both:
                process.wait(30)
            run.a.add_rxe()
            run.a.insmod("cep_test")
            for number, _, passive in STATES:
                b.do("destroy", number)
                if passive:
                    b.do("unlisten", number)
    still_connects(run, run.b, run.a)


@scenario(OURS_STOCK)
def device_removed_under_load(run):
    """rdma link delete while connections come and go against the kernel's CM"""
    serve = cmtest.Server(run.b, "--count 100000 --quiet")
    with Ulp(run.a) as a:
        for _ in range(3):
            work = a.start(
                "connect", 1, address=run.b.ip, count=3000, tcp=7471, outstanding=32, end="return"
            )
            a.wait("REP_RECEIVED>=40", set=1)
            try:
                run.a.run("rdma link delete rxe0", 60)
                # CEPs that exist hear of it, and new ones find no device.
                work.wait(60, check=False)
                a.do("destroy", 1, timeout=30)
                a.do("reset", 1)
            finally:
                # What comes after in this boot needs the device, whatever happened here.
                run.a.add_rxe()
    serve.process.kill()
    still_connects(run, run.b, run.a)


# Calls that a state allows, and so are not tried there. Active, then passive.
ALLOWED = {
    "IDLE": "send_req format_req send_formatted_req listen attr_init",
    "REQ_SENT": "attr_init send_rej",
    "MRA_REQ_RCVD": "attr_init send_rej",
    "REP_RCVD": "attr_init attr_rtr attr_rts send_rtu send_mra send_rej",
    "MRA_REP_SENT": "attr_init attr_rtr attr_rts send_rtu send_rej",
    "ESTABLISHED": "attr_init attr_rtr attr_rts send_dreq enter_timewait established",
    "DREQ_SENT": "attr_init attr_rtr attr_rts enter_timewait",
    "TIMEWAIT": "attr_init attr_rtr attr_rts",
    "REQ_RCVD": "attr_init attr_rtr attr_rts send_rep format_rep send_formatted_rep send_mra "
    "send_rej",
    "MRA_REQ_SENT": "attr_init attr_rtr attr_rts send_rep format_rep send_formatted_rep send_rej "
    "send_mra",
    "REP_SENT": "attr_init attr_rtr attr_rts send_rej established",
    "MRA_REP_RCVD": "attr_init attr_rtr attr_rts send_rej established",
    "DREQ_RCVD": "attr_init attr_rtr attr_rts send_drep enter_timewait",
}
CALLS = (
    "send_req format_req send_formatted_req send_rep format_rep send_formatted_rep send_rtu "
    "send_mra send_rej send_dreq send_drep enter_timewait established listen cancel_listen "
    "get_request unbind_qp bind_null attr_init attr_rtr attr_rts attr_sqd"
).split()
# Private data one byte too long, where the call is allowed.
TOO_LONG = {
    "send_req": 93, "format_req": 93, "send_rep": 197, "format_rep": 197, "send_rtu": 225,
    "send_mra": 223, "send_rej": 149, "send_dreq": 221, "send_drep": 225,
}  # fmt: skip
EINVAL, EISCONN = 22, 106


def tries(number, state, peer):
    """Lines for cep_test: whatever is not allowed in a state answers -EINVAL."""
    allowed = ALLOWED[state].split()
    for call in CALLS:
        if call not in allowed:
            yield f"try set={number} call={call} expect={EINVAL} address={peer.ip}"
        elif call in TOO_LONG:
            yield f"try set={number} call={call} len={TOO_LONG[call]} expect={EINVAL} " + (
                f"address={peer.ip}"
            )
    if "send_rej" in allowed:
        yield f"try set={number} call=send_rej ari_len=73 expect={EINVAL}"
    if "send_mra" in allowed:
        yield f"try set={number} call=send_mra_exp expect={EINVAL}"
    if "send_rep" in allowed:
        yield f"try set={number} call=send_rep qpn=0x1000000 expect={EINVAL}"
        yield f"try set={number} call=send_rep psn=0x1000000 expect={EINVAL}"
    if state == "ESTABLISHED":
        yield f"try set={number} call=established expect={EISCONN}"


def run_tries(run, guest, lines):
    script = f"while read -r line; do echo \"$line\" >{FOLDER}/command || echo \"bad: $line\"; done"
    output = guest.run(script, 120, input="\n".join(lines) + "\n")
    bad = [line for line in output.splitlines() if line.startswith("bad:")]
    run.expect(not bad, f"host {guest.name}: " + "; ".join(bad))
    return len(lines)


@scenario(OURS_OURS)
def wrong_calls(run):
    """Every call in every state that does not allow it: an error, and no change"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        every_state(run, a, b, 1)
        before = run.wire.sequence()
        active = [t for n, s, _ in STATES[1:] for t in tries(n, s, run.b)]
        passive = [t for n, _, s in STATES[1:] for t in tries(n, s, run.a)]
        fresh = [
            f"try set=9 fresh=1 call={call} expect={EINVAL} address={run.b.ip}"
            for call in CALLS
            if call not in ("send_req", "format_req", "listen")
        ]
        fresh += [
            f"try set=9 fresh=1 call={call} {bad} expect={EINVAL} address={run.b.ip}"
            for call in ("send_req", "format_req")
            for bad in ("len=93", "psn=0x1000000", "qpn=0x1000000", "retries=16", "remote_exp=32",
                        "local_exp=32")
        ]  # fmt: skip
        fresh.append(f"try set=9 fresh=1 no_device=1 call=send_req expect={EINVAL} "
                     f"address={run.b.ip}")  # fmt: skip
        # Can a try fail at all? This call would succeed.
        a.fails("try", "Invalid or incomplete", 6, call="attr_rts", expect=EINVAL)
        done = run_tries(run, run.a, active + fresh) + run_tries(run, run.b, passive)
        run.expect(run.wire.sequence() == before, f"sent: {run.wire.frames(before)}")
        for number, state, peer_state in STATES[1:]:
            a.wait(f"state.{state}==1", set=number, timeout=1)
            b.wait(f"state.{peer_state}==1", set=number, timeout=1)
        run.note(f"{done} calls")


@scenario(OURS_OURS)
def qp_binding(run):
    """The rules of binding QPs, and a race of binding, unbinding and destroying"""
    with Ulp(run.a) as a:
        a.do("qp", device="rxe0")
        a.do("qp", device="rxe0", race=5000, timeout=60)
        a.do("flush")

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Modules, devices and listeners that come and go under load, and what happens
when another CM is there already."""

import cmtest
from connect import both_ways
from rig.scenario import scenario
from rig.topology import OURS, OURS_STOCK, STOCK_STOCK

PAIRS = (STOCK_STOCK, OURS_STOCK)
PORTS = range(7500, 7510)


def unload(guest):
    """Take rdma_cm and the CM out, as soon as their users let go of them."""
    guest.run("modprobe -r rdma_ucm", timeout=60)
    loaded = guest.run("lsmod")
    names = [n for n in ("rdma_cm", "iw_cm", "ib_cm", "ib_cep") if f"\n{n} " in f"\n{loaded}"]
    # modprobe -r has perhaps taken some of them with it.
    for name in names:
        guest.run(f"grep -q '^{name} ' /proc/modules && rmmod {name} || true", timeout=60)
    loaded = guest.run("lsmod")
    for name in names:
        if f"\n{name} " in loaded:
            raise AssertionError(f"{name} is still loaded:\n{loaded}")


def load(guest):
    guest.modprobe("-a rdma_ucm")


def in_many_states(run, guest, other):
    """Leave rdma_cm's ids on guest in as many states as the wire can bring about:
    established, in timewait, REQ, REP and DREQ sent and not answered. Returns
    with all programs of the guest killed."""
    # In timewait.
    for server, client in ((other, guest), (guest, other)):
        serve = cmtest.Server(server, "--count 20")
        active = cmtest.client(client, server, "--count 20 --outstanding 20 --disconnect")
        serve.result(30)
        active.wait(30)
    # Established, from both sides.
    serve = cmtest.Server(other, "--count 20", port=PORTS[0])
    active = cmtest.client(guest, other, "--count 20 --outstanding 20 --hold", port=PORTS[0])
    passive = cmtest.Server(guest, "--count 20 --hold", port=PORTS[1])
    cmtest.client(other, guest, "--count 20 --outstanding 20", port=PORTS[1])
    active.wait_line("^holding connected=20$", 30)
    passive.process.wait_line("^holding connected=20$", 30)
    # DREQ sent: the wire keeps all of them from now on.
    run.wire.hold("DREQ", count="always")
    run.wire.hold("DREP", count="always")
    closing = cmtest.Server(other, "--count 20", port=PORTS[2])
    leaving = cmtest.client(
        guest, other, "--count 20 --outstanding 20 --disconnect", port=PORTS[2]
    )
    closing.process.wait_line("ESTABLISHED", 30, count=20)
    # REQ received and no answer given; REQ sent.
    silent = cmtest.Server(guest, "--count 20 --ignore", port=PORTS[3])
    cmtest.client(other, guest, "--count 20 --outstanding 20", port=PORTS[3])
    silent.process.wait_line("CONNECT_REQUEST", 30, count=20)
    ignoring = cmtest.Server(other, "--count 20 --ignore", port=PORTS[4])
    cmtest.client(guest, other, "--count 20 --outstanding 20", port=PORTS[4])
    ignoring.process.wait_line("CONNECT_REQUEST", 30, count=20)
    # REP sent, and no RTU comes.
    run.wire.hold("RTU", other.name, count="always")
    reps = run.wire.seen("REP", guest.name)
    cmtest.Server(guest, "--count 20", port=PORTS[5])
    cmtest.client(other, guest, "--count 20 --outstanding 20", port=PORTS[5])
    run.wire.wait("REP", guest.name, reps + 20)
    run.expect(leaving.status is None, "the client got a DREP that the wire holds")
    guest.kill_all()


def connects(run):
    for server, client in both_ways(run):
        serve = cmtest.Server(server, "--count 5")
        active = cmtest.client(client, server, "--count 5 --disconnect")
        for counts in (serve.result(30), cmtest.summary(active.wait(30))):
            cmtest.expect_counts(run, counts, connected=5, disconnected=5)


@scenario(*PAIRS, timeout=180)
def unload_in_many_states(run):
    """The CM is unloaded with connections in every state, loaded, and connects"""
    in_many_states(run, run.a, run.b)
    unload(run.a)
    run.b.kill_all()
    run.wire.reset()
    load(run.a)
    connects(run)


@scenario(*PAIRS, timeout=180)
def device_removed_in_many_states(run):
    """The device goes with connections in every state; a new one connects"""
    in_many_states(run, run.a, run.b)
    run.a.run("rdma link delete rxe0", timeout=60)
    run.b.kill_all()
    run.wire.reset()
    run.a.add_rxe()
    connects(run)


@scenario(*PAIRS, timeout=240)
def device_removed_under_load(run):
    """rdma link delete while hundreds connect, in both directions, three times"""
    for _ in range(3):
        loads = {}
        for number, (server, client) in enumerate(both_ways(run)):
            port = PORTS[number]
            cmtest.Server(server, "--count 100000 --quiet", port=port)
            loads[client.name] = cmtest.client(
                client, server, "--count 100000 --outstanding 200 --disconnect --quiet", port=port
            )
        run.wire.wait("RTU", "a", 100)
        run.wire.wait("RTU", "b", 100)
        # The verbs layer waits until programs have closed the device, so this
        # ends only after they are dead; the CM has to let go before that.
        delete = run.a.start("rdma link delete rxe0")
        loads["a"].wait_line("device removed", 60)
        run.a.kill_all(keep=[delete])
        delete.wait(60)
        run.b.kill_all()
        run.wire.reset()
        run.a.add_rxe()
        connects(run)
        run.wire.reset()


@scenario(*PAIRS, timeout=180)
def listener_destroyed_under_load(run):
    """A server dies while 300 requests are on their way; five times"""
    for _ in range(5):
        run.wire.reset()
        serve = cmtest.Server(run.a, "--count 100000 --quiet")
        active = cmtest.client(run.b, run.a, "--count 300 --outstanding 100 --quiet")
        run.wire.wait("REP", "a", 50)
        serve.process.kill()
        # What was connected is disconnected by the server's end, what was not
        # is rejected; nothing is left without an answer.
        counts = cmtest.summary(active.wait(60, check=False))
        run.expect(
            counts["connected"] + counts["rejected"] + counts["errors"] >= 300,
            f"not every request was answered: {counts}",
        )
        run.expect(counts["rejected"] > 0, f"the server died too late for this test: {counts}")
        run.expect(counts["errors"] == 0, f"errors: {counts}")
    connects(run)


@scenario(OURS, bare=True, own_boot=True)
def other_cm_is_loaded(run):
    """insmod where the kernel's ib_cm serves: a clear message, and no harm"""
    guest = run.a
    core = f"/lib/modules/{guest.release}/kernel/drivers/infiniband/core"
    guest.modprobe("-a rdma_rxe ib_umad ib_uverbs iw_cm configfs")
    guest.run(f"insmod {core}/ib_cm.ko")
    guest.add_rxe()
    guest.run(f"insmod /lib/modules/{guest.release}/updates/ib_cep.ko", check=False)
    said = [line for line in guest.run("dmesg").splitlines() if "ib_cep" in line]
    run.expect(
        any("ib_cm" in line for line in said), "no message names ib_cm:\n" + "\n".join(said)
    )
    guest.run(f"insmod {core}/rdma_cm.ko && insmod {core}/rdma_ucm.ko")
    serve = cmtest.Server(guest, "--count 5")
    active = cmtest.client(guest, guest, "--count 5 --disconnect")
    for counts in (serve.result(30), cmtest.summary(active.wait(30))):
        cmtest.expect_counts(run, counts, connected=5, disconnected=5)
    guest.run("! grep -q '^ib_cep ' /proc/modules || rmmod ib_cep")


@scenario(OURS_STOCK)
def counters_have_the_kernels_names(run):
    """The port's message counters: same files on both hosts, and they count"""
    listing = "cd /sys/class/infiniband/rxe0/ports/1 && ls cm_*"
    run.expect(run.a.run(listing) == run.b.run(listing), "the counters differ in name")
    base = "/sys/class/infiniband/rxe0/ports/1"

    def read(name):
        return int(run.a.get(f"{base}/{name}"))

    names = ("cm_tx_msgs/req", "cm_rx_msgs/rep", "cm_tx_msgs/rtu", "cm_rx_msgs/req")
    before = {name: read(name) for name in names}
    connects(run)
    for name in names:
        run.expect(read(name) - before[name] >= 5, f"{name} did not count")

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The rig's own promises: a crash, a warning, a hang, an early end, a malformed
frame are failures. Each scenario here passes only if it fails that way."""

import mad
from rig.scenario import scenario
from rig.topology import STOCK


def rig_test(must_fail, timeout=60):
    return scenario(STOCK, own_boot=True, bare=True, timeout=timeout, must_fail=must_fail)


@rig_test("console: .*(sysrq: Trigger a crash|Kernel panic|NULL pointer)")
def panic(run):
    """A panic of the guest"""
    run.a.run("echo c >/proc/sysrq-trigger")


@rig_test("QEMU ended by itself")
def early_end(run):
    """A guest that powers off in the middle"""
    run.a.run("poweroff -f")


@rig_test("no end after 3 s")
def command_hangs(run):
    """A command that does not end"""
    run.a.run("sleep 1000", timeout=3)


@rig_test("not over after 5 s", timeout=5)
def scenario_hangs(run):
    """A scenario that waits longer than it may"""
    run.a.run("sleep 1000", timeout=100)


@rig_test("status 3: exit 3")
def command_fails(run):
    """A command with a bad exit status"""
    run.a.run("exit 3")


@rig_test("console: .*(WARNING|BUG|cut here)")
def warning(run):
    """A line on the console that the kernel prints for a warning"""
    run.a.run("echo '------------[ cut here ]------------' >/dev/kmsg")
    run.a.run("sleep 1000", timeout=20)


@scenario(STOCK)
def malformed_frame_is_found(run):
    """tshark calls a cut CM message malformed, and the check says so"""
    # Injected frames are not in the capture that counts, so read the other one.
    from rig import capture  # pylint: disable=import-outside-toplevel

    peer = mad.Peer(run, run.a)
    peer.send_raw(mad.mad(mad.REQ, b"\xff" * mad.BODY)[:120])
    try:
        capture.check(run.folder / "injected.pcap")
    except capture.CaptureError as error:
        run.note(str(error).split(" of ")[0])
        return
    run.expect(False, "the cut message passed for a good one")

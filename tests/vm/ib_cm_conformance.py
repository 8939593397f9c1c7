# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""A ULP on <rdma/ib_cm.h> checks what ULPs rely on: the same module on the
kernel's own ib_cm (host b) and on the drop-in (host a)."""

from rig.scenario import scenario
from rig.topology import OURS_STOCK, parse

PARAMETERS = "/sys/module/ib_cm_test/parameters"


def conformance(guest, options):
    """(passed, failed, QP attributes as text, findings) of one host."""
    guest.run("dmesg -c >/dev/null")
    guest.insmod("ib_cm_test", f"address={guest.ip} {options}")
    values = [guest.get(f"{PARAMETERS}/{name}").strip() for name in ("passed", "failed", "attrs")]
    findings = guest.run("dmesg | grep ib_cm_test: | grep -v ' ok - '", check=False)
    guest.rmmod("ib_cm_test")
    return int(values[0]), int(values[1]), values[2], findings


def both(run, options=""):
    """First the kernel's CM: what it does not do cannot be asked for."""
    shown = {}
    for guest in (run.b, run.a):
        passed, failed, attrs, findings = conformance(guest, options)
        shown[guest.name] = attrs
        run.note(f"host {guest.name}: {passed} cases passed, {failed} failed")
        run.expect(passed > 0 and failed == 0, f"host {guest.name}:\n{findings}")
    run.expect(
        shown["a"] == shown["b"], f"ours:\n{shown['a']}\nthe kernel's:\n{shown['b']}"
    )


@scenario(OURS_STOCK, parse("ours-stock-6.12"), timeout=240)
def ulp_view(run):
    """ib_cm_test on each host: no case fails, and QP attributes are equal"""
    both(run)


@scenario(OURS_STOCK)
def ulp_view_xrc(run):
    """the same for XRC connections"""
    both(run, "xrc=1")

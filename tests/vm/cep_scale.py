# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""More live connections on one device than Soft-RoCE has address handles for one
each at both ends (32,767)."""

import time

from cep_ulp import Ulp
from rig.scenario import scenario
from rig.topology import OURS_OURS

LIVE = 20000


@scenario(OURS_OURS, timeout=300)
def live_20000(run):
    """20,000 connections alive at once between two hosts, then all disconnected"""
    with Ulp(run.a) as a, Ulp(run.b) as b:
        b.listen(1)
        start = time.monotonic()
        a.connect(run.b, 1, count=LIVE, outstanding=256, timeout_ms=8000, timeout=200)
        b.wait(f"RTU_RECEIVED=={LIVE}", set=1, timeout=60)
        up = time.monotonic()
        a.expect(1, state__ESTABLISHED=LIVE, REQ_ERROR=0, REJ_RECEIVED=0)
        b.expect(1, state__ESTABLISHED=LIVE)
        half = LIVE // 2
        a.act("dreq", 1, count=half, timeout=100)
        # Those of b's that are left.
        b.wait(f"DREQ_RECEIVED=={half}", set=1, timeout=60)
        b.act("dreq", 1, state="ESTABLISHED", timeout=100)
        for ulp in (a, b):
            ulp.wait(f"TIMEWAIT_EXIT=={LIVE}", set=1, timeout=100)
            ulp.expect(1, DREQ_ERROR=0, state__IDLE=LIVE)
        down = time.monotonic()
        run.note(f"up in {up - start:.1f} s, down in {down - up:.1f} s")
        again = run.wire.seen("REQ", "a") - LIVE
        run.note(f"{again} REQs sent again")
        for ulp in (a, b):
            ulp.do("destroy", 1, timeout=60)

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Shows the CM messages of a capture as a ladder, decoded by tshark. A message
that this tshark has no decoder for (MRA, LAP, APR, SIDR) is shown by name."""

import dataclasses
import subprocess

NAMES = {
    0x10: "REQ", 0x11: "MRA", 0x12: "REJ", 0x13: "REP", 0x14: "RTU", 0x15: "DREQ", 0x16: "DREP",
    0x17: "SIDR_REQ", 0x18: "SIDR_REP", 0x19: "LAP", 0x1A: "APR", 0x01: "ClassPortInfo",
}  # fmt: skip

REASONS = {
    1: "no QP", 2: "no EEC", 3: "no resources", 4: "time-out", 5: "unsupported request",
    6: "invalid communication ID", 7: "invalid communication instance", 8: "invalid service ID",
    9: "invalid transport service type", 10: "stale connection", 11: "RDC does not exist",
    12: "primary remote GID rejected", 13: "primary remote LID rejected", 14: "invalid primary SL",
    15: "invalid traffic class", 16: "invalid hop limit", 17: "invalid packet rate",
    18: "alternate GID rejected", 24: "port and CM redirection", 25: "port redirection",
    26: "invalid path MTU", 27: "insufficient responder resources", 28: "consumer reject",
    29: "RNR retry count reject", 30: "duplicate local communication ID",
    31: "invalid class version", 32: "invalid flow label", 35: "vendor option not supported",
}  # fmt: skip
REJECTED = {0: "REQ", 1: "REP", 2: "other"}

_P = "infiniband.cm."
# For each message: own comm ID, the other's, then what else to show.
FIELDS = {
    "REQ": (_P + "req", None, {
        "QPN": _P + "req.localqpn", "PSN": _P + "req.startpsn",
        "service": _P + "req.serviceid", "timeout": _P + "req.remoteresptout",
        "retries": _P + "req.maxcmretr",
    }),
    "REP": (_P + "rep", _P + "rep.remotecommid", {
        "QPN": _P + "rep.localqpn", "PSN": _P + "rep.startpsn",
    }),
    "RTU": (_P + "rtu.localcommid", _P + "rtu.remotecommid", {}),
    "REJ": (_P + "rej.localcommid", _P + "rej.remotecommid", {
        "of": _P + "rej.msgrej", "reason": _P + "rej.reason",
    }),
    "DREQ": (_P + "dreq.localcommid", _P + "dreq.remotecommid", {
        "QPN": _P + "req.remoteqpneecn",
    }),
    "DREP": (_P + "drsp.localcommid", _P + "drsp.remotecommid", {}),
}  # fmt: skip
_COMMON = (
    "frame.number", "frame.time_relative", "ip.src", "ip.dst", "ipv6.src", "ipv6.dst",
    "infiniband.mad.attributeid", "infiniband.mad.transactionid", "infiniband.mad.data",
)  # fmt: skip


@dataclasses.dataclass
class Message:
    number: int
    seconds: float
    source: str
    destination: str
    name: str
    tid: str
    own: int
    other: int
    details: dict

    def text(self):
        words = [f"{self.name:8}", f"id {self.own:08x}"]
        words.append(f"for {self.other:08x}" if self.other else " " * 12)
        for key, value in self.details.items():
            if key == "reason":
                value = f"{value} ({REASONS.get(value, 'unknown')})"
            elif key == "of":
                value = REJECTED.get(value, value)
            elif key in ("QPN", "PSN", "service"):
                value = f"{value:#x}"
            words.append(f"{key} {value}")
        return " ".join(words).rstrip()


def _number(text):
    return int(text.split(",")[0], 0) if text else 0


def _parse(columns, line):
    cell = dict(zip(columns, line.split("\t")))
    code = _number(cell["infiniband.mad.attributeid"])
    name = NAMES.get(code, f"0x{code:x}")
    details = {}
    if name in FIELDS:
        own_field, other_field, more = FIELDS[name]
        own = _number(cell[own_field])
        other = _number(cell[other_field]) if other_field else 0
        details = {k: _number(cell[f]) for k, f in more.items() if cell[f]}
    else:
        raw = bytes.fromhex(cell["infiniband.mad.data"].replace(":", "") or "00" * 8)
        own, other = int.from_bytes(raw[0:4], "big"), int.from_bytes(raw[4:8], "big")
    return Message(
        int(cell["frame.number"]), float(cell["frame.time_relative"]),
        cell["ip.src"] or cell["ipv6.src"], cell["ip.dst"] or cell["ipv6.dst"],
        name, cell["infiniband.mad.transactionid"], own, other, details,
    )  # fmt: skip


def read(pcap):
    """All CM messages of a capture, in order."""
    columns = list(_COMMON)
    for own, other, more in FIELDS.values():
        columns += [own] + ([other] if other else []) + list(more.values())
    columns = list(dict.fromkeys(columns))
    command = ["tshark", "-n", "-r", str(pcap), "-Y", "infiniband.mad.mgmtclass == 7"]
    command += ["-T", "fields"]
    for column in columns:
        command += ["-e", column]
    done = subprocess.run(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"tshark: {done.stderr.strip()}")
    return [_parse(columns, line) for line in done.stdout.splitlines()]


def connections(messages):
    """The messages of each connection, in order of its first. Messages belong
    together if one names the comm ID of the other."""
    groups = []
    by_id = {}
    for message in messages:
        keys = [(message.source, message.own)]
        if message.other:
            keys.append((message.destination, message.other))
        group = next((by_id[k] for k in keys if k in by_id), None)
        if group is None or (message.name == "REQ" and group[-1].name in ("DREP", "REJ")):
            group = []
            groups.append(group)
        group.append(message)
        for key in keys:
            by_id[key] = group
    return groups


def draw(group, labels=None):
    """The lines of one connection's ladder."""
    left = group[0].source
    right = group[0].destination
    labels = labels or {}
    lines = [f"{'':10} {labels.get(left, left):16}{'':60}{labels.get(right, right):>16}"]
    start = group[0].seconds
    for message in group:
        text = f" {message.text()} "
        arrow = f"{text:-^90}>" if message.source == left else f"<{text:-^90}"
        lines.append(f"{(message.seconds - start) * 1000:8.1f} ms {arrow}")
    return lines

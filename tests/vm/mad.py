# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""CM MADs built by hand, and a played peer that sends them and reads what comes
back. Offsets are those of the tables in IBA 12.6. No scenarios in here."""

import ipaddress
import itertools
import struct

REQ, MRA, REJ, REP, RTU, DREQ, DREP = range(0x10, 0x17)
SIDR_REQ, SIDR_REP, LAP, APR = range(0x17, 0x1B)
ALL = range(REQ, APR + 1)
BODY = 232
# rdma_cm's service IDs for RDMA_PS_TCP are this and the port.
RDMA_PS_TCP = 0x0000000001060000
REJ_INVALID_SERVICE_ID = 8

_tids = itertools.count(0x7E570000)


def mad(attribute, body=b"", tid=None, method=0x03, base=1, version=2, cls=0x07):
    """A whole MAD; tid: 8 bytes."""
    tid = tid if tid is not None else struct.pack(">Q", next(_tids))
    header = struct.pack(">BBBBHH", base, cls, version, method, 0, 0)
    header += tid + struct.pack(">HHI", attribute, 0, 0)
    return header + body.ljust(BODY, b"\0")[:BODY]


def gid(ip):
    """The RoCE GID of an IPv4 address."""
    return b"\0" * 10 + b"\xff\xff" + ipaddress.ip_address(ip).packed


def rdma_cm_header(source, destination, port=0x8000):
    """What rdma_cm puts before its users' private data in a REQ."""
    packed = [b"\0" * 12 + ipaddress.ip_address(ip).packed for ip in (source, destination)]
    return struct.pack(">BBH", 0, 0x40, port) + packed[0] + packed[1]


def put(body, at, value, length):
    body[at : at + length] = value.to_bytes(length, "big")


def req_body(comm_id, service_id, source, destination, qpn=0x123456, psn=0x234567, guid=0x0EED,
             private=b"", responder_resources=1, initiator_depth=1):  # fmt: skip
    """Table 106, for RC over RoCE, as rdma_cm fills it."""
    body = bytearray(BODY)
    put(body, 0, comm_id, 4)
    put(body, 8, service_id, 8)
    put(body, 16, guid, 8)
    put(body, 32, qpn, 3)
    body[35] = responder_resources
    body[39] = initiator_depth
    body[43] = 20 << 3  # remote CM response timeout, RC
    put(body, 44, psn, 3)
    body[47] = 20 << 3 | 7  # local CM response timeout, retry count
    put(body, 48, 0xFFFF, 2)
    body[50] = 3 << 4 | 7  # path MTU 1024, RNR retry count
    body[51] = 15 << 4  # CM retries
    put(body, 52, 0xFFFF, 2)
    put(body, 54, 0xFFFF, 2)
    body[56:72] = gid(source)
    body[72:88] = gid(destination)
    put(body, 88, 3, 4)  # packet rate 10 Gb/s
    body[93] = 64
    body[95] = 19 << 3
    body[140 : 140 + len(private)] = private
    return bytes(body)


def ids_body(local, remote, rest=b""):
    """MRA, RTU, DREP, and what begins like them."""
    return struct.pack(">II", local, remote) + rest


def dreq_body(local, remote, qpn, private=b""):
    return struct.pack(">III", local, remote, qpn << 8) + private


def rej_body(local, remote, rejected, info_length, reason, rest=b""):
    """rejected: 0 REQ, 1 REP, 2 other. info_length counts in seven bits."""
    return struct.pack(">IIBBH", local, remote, rejected << 6, info_length << 1, reason) + rest


def rep_body(local, remote, qpn, psn=0x345678, guid=0x0EED, private=b""):
    body = bytearray(BODY)
    put(body, 0, local, 4)
    put(body, 4, remote, 4)
    put(body, 12, qpn, 3)
    put(body, 20, psn, 3)
    body[24] = body[25] = 1
    body[27] = 7 << 5
    put(body, 28, guid, 8)
    body[36 : 36 + len(private)] = private
    return bytes(body)


class Peer:
    """A host that does not exist, on the network of a real one."""

    def __init__(self, run, guest, ip="10.0.0.99", mac="52:54:00:0c:e0:63", resolves=True):
        self.run = run
        self.guest = guest
        self.ip = ip
        self._address = (mac, ip)
        self._seen = run.wire.sequence()
        self._inbox = []
        # A host that answers no ARP is one without a neighbour entry.
        if resolves:
            run.wire.play_host(ip, mac)

    def send(self, attribute, body=b"", options=None, **header):
        """Send a MAD; it."""
        data = mad(attribute, body, **header)
        self.send_raw(data, **(options or {}))
        return data

    def send_raw(self, data, **options):
        self.run.wire.roce(
            self.guest.name, self._address, (self.guest.mac, self.guest.ip), data, **options
        )

    def received(self):
        """What the guest has sent to this peer and nobody has taken yet."""
        frames = self.run.wire.frames(self._seen)
        if frames:
            self._seen = frames[-1].sequence
        self._inbox += [f for f in frames if f.action != "inject" and f.destination == self.ip]
        return list(self._inbox)

    def take(self, wanted, timeout=15):
        """Wait for the first message for which wanted(frame); it."""
        side = self.guest.name
        while True:
            counters = self.run.wire.counters()[side]
            count = sum(counter["seen"] for counter in counters.values())
            for frame in self.received():
                if wanted(frame):
                    self._inbox.remove(frame)
                    return frame
            self.run.wire.wait("any", side, count + 1, timeout)

    def expect(self, name, tid=None, timeout=15):
        """Wait for such a message to this peer, with that TID if one is given."""
        return self.take(lambda f: f.name == name and tid in (None, f.tid), timeout)

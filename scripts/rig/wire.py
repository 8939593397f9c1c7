# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""The host program cep-wire as an object: rules, counters, waits, crafted frames.
Its commands are described in tools/wire/control.hh."""

import json
import socket
import subprocess
import threading

from . import paths


class WireError(Exception):
    """The wire refused a command, or what was waited for did not come."""


class Frame:
    """A CM message that the wire has seen."""

    def __init__(self, line):
        words = line.split()
        self.sequence = int(words[0])
        self.side, self.name, self.action, self.source, self.destination = words[1:6]
        self.mad = bytes.fromhex(words[6])

    @property
    def tid(self):
        return self.mad[8:16]

    @property
    def body(self):
        """Behind the MAD header: byte 0 of IBA 12.6's tables."""
        return self.mad[24:]

    def field(self, byte, length):
        return int.from_bytes(self.body[byte : byte + length], "big")

    @property
    def local_comm_id(self):
        return self.field(0, 4)

    @property
    def remote_comm_id(self):
        return self.field(4, 4)

    def __repr__(self):
        return (
            f"<{self.sequence} {self.side} {self.name} {self.action} "
            f"{self.local_comm_id:08x} {self.remote_comm_id:08x}>"
        )


class Wire:
    """Safe to use from several threads; a wait holds the others up."""

    def __init__(self, folder, sockets):
        self._log = open(folder / "wire.log", "w", encoding="utf-8")
        self._process = subprocess.Popen(
            [paths.TOOLS / "cep-wire", "--sockets", sockets, "--captures", folder],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
        )
        if self._process.stdout.readline().strip() != "ready":
            raise WireError(f"cep-wire did not start, see {folder}/wire.log")
        self.folder = folder
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(f"{sockets}/control")
        self._lines = self._socket.makefile("r")
        self._lock = threading.Lock()

    def _exchange(self, command):
        self._socket.sendall(command.encode() + b"\n")
        answer = self._lines.readline().rstrip("\n")
        self._log.write(f"{command[:200]} -> {answer[:300]}\n")
        self._log.flush()
        if not answer.startswith("ok"):
            raise WireError(f"{command[:200]}: {answer or 'cep-wire has gone'}")
        return answer[3:]

    def command(self, command):
        with self._lock:
            return self._exchange(command)

    def drop(self, name, side="any", count=1, skip=0):
        self.command(f"drop {name} from {side} count {count} skip {skip}")

    def dup(self, name, side="any", count=1, skip=0):
        self.command(f"dup {name} from {side} count {count} skip {skip}")

    def delay(self, name, milliseconds, side="any", count=1, skip=0):
        self.command(f"delay {name} from {side} ms {milliseconds} count {count} skip {skip}")

    def hold(self, name, side="any", count=1, skip=0):
        self.command(f"hold {name} from {side} count {count} skip {skip}")

    def release(self):
        return int(self.command("release"))

    def mask(self, mask, count):
        self.command(f"mask {mask:x} count {count}")

    def clear(self):
        self.command("clear")

    def reset(self):
        """As new: no rules, nothing held, counters at zero."""
        self.clear()
        self.release()
        self.command("zero")

    def counters(self):
        return json.loads(self.command("counters"))

    def seen(self, name, side):
        return self.counters()[side].get(name, {}).get("seen", 0)

    def dropped(self, name, side):
        return self.counters()[side].get(name, {}).get("dropped", 0)

    def wait(self, name, side="any", count=1, timeout=30):
        """Wait until that many were sent since the last reset."""
        milliseconds = int(timeout * 1000 * paths.time_scale())
        self.command(f"wait {name} from {side} count {count} timeout {milliseconds}")

    def frames(self, since=0):
        """The CM messages after that sequence number."""
        with self._lock:
            lines, _ = self._exchange(f"frames {since}").split()
            return [Frame(self._lines.readline()) for _ in range(int(lines))]

    def sequence(self):
        """The number of the last CM message."""
        with self._lock:
            lines, last = self._exchange(f"frames {2**62}").split()
            assert lines == "0"
            return int(last)

    def play_host(self, ip, mac):
        self.command(f"host {ip} {mac}")

    def inject(self, side, frame):
        self.command(f"inject {side} {frame.hex()}")

    def roce(self, side, source, destination, mad, **options):
        """source, destination: (MAC, IP). Options as in control.hh."""
        words = "".join(f" {key}={value}" for key, value in options.items())
        self.command(
            f"roce {side} {source[0]} {source[1]} {destination[0]} {destination[1]} "
            f"{mad.hex()}{words}"
        )

    def stop(self):
        self._socket.close()
        self._process.stdin.close()
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()

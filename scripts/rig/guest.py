# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""One virtual machine: QEMU, its console and the agent in it that runs commands.

The agent's channel is a virtio-serial port; this side listens, QEMU connects. A
reader thread takes the agent's lines; whoever waits does so on one condition
variable and learns at once of a dead guest.
"""

import base64
import re
import shlex
import socket
import subprocess
import threading
import time

from . import paths
from .console import Console

MACS = {"a": "52:54:00:0c:e0:0a", "b": "52:54:00:0c:e0:0b"}
IP4 = {"a": "10.0.0.1", "b": "10.0.0.2"}
IP6 = {"a": "fd00:ce::1", "b": "fd00:ce::2"}
BOOT_TIMEOUT = 90


class GuestFailed(Exception):
    """The guest crashed, hung or ended."""


class CommandFailed(Exception):
    """A command in the guest ended with an error or took too long."""


class Process:
    """A command that runs in a guest."""

    def __init__(self, guest, number, command):
        self.guest = guest
        self.number = number
        self.command = command
        self.pid = None
        self.status = None
        self._data = b""

    @property
    def output(self):
        return self._data.decode(errors="replace").replace("\r\n", "\n")

    def take(self):
        """Raw output since the last take (for terminals)."""
        data, self._data = self._data, b""
        return data

    def wait(self, timeout=60, check=True):
        """Wait for the end; its output. A failure status raises."""
        if not self.guest.wait_for(lambda: self.status is not None, timeout):
            self.kill()
            raise CommandFailed(
                f"{self.guest.name}: no end after {timeout} s: {self.command}\n{self.tail()}"
            )
        if check and self.status != 0:
            raise CommandFailed(
                f"{self.guest.name}: status {self.status}: {self.command}\n{self.tail()}"
            )
        return self.output

    def wait_line(self, regex, timeout=60, count=1):
        """Wait until the output has that many matches; the first."""
        pattern = re.compile(regex, re.M)
        found = []

        def look():
            found[:] = pattern.finditer(self.output)
            return len(found) >= count or self.status is not None

        self.guest.wait_for(look, timeout)
        if len(found) < count:
            raise CommandFailed(
                f"{self.guest.name}: {len(found)} of {count} '{regex}' within {timeout} s "
                f"from: {self.command}\n{self.tail()}"
            )
        return found[0]

    def write(self, text):
        data = text if isinstance(text, bytes) else text.encode()
        for at in range(0, len(data), 16384):
            piece = base64.b64encode(data[at : at + 16384]).decode()
            self.guest.send(f"write {self.number} {piece}")

    def close_input(self):
        self.guest.send(f"eof {self.number}")

    def signal(self, number):
        self.guest.send(f"signal {self.number} {number}")

    def kill(self, timeout=10):
        """Kill the process group and wait for its end."""
        if self.status is None:
            self.signal(9)
            self.guest.wait_for(lambda: self.status is not None, timeout)

    def tail(self, lines=15):
        return "\n".join("    " + line for line in self.output.splitlines()[-lines:])


class Guest:
    """spec: a topology.Host. folder: results. sockets: short folder for sockets."""

    def __init__(self, name, spec, image, folder, sockets, wire=True):
        self.name = name
        self.spec = spec
        self.image = image
        self.ours = spec.ours
        self.release = image.release
        self.ip = IP4[name]
        self.ip6 = IP6[name]
        self.mac = MACS[name]
        self.failure = None
        self._condition = threading.Condition()
        self._processes = {}
        self._count = 0
        self._ready = False
        self._ended = False
        self._log = None
        self._send_lock = threading.Lock()
        self.set_log(folder / "commands.log")
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(f"{sockets}/{name}.agent")
        self._listener.listen(1)
        self._stderr = open(folder / f"qemu-{name}.log", "wb")
        self._qemu = subprocess.Popen(
            self._command(sockets, wire),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=self._stderr,
            start_new_session=True,
        )
        self.console = Console(self._qemu.stdout, folder / f"console-{name}.log", self._on_bad)
        threading.Thread(target=self._watch, daemon=True).start()
        threading.Thread(target=self._read, daemon=True).start()

    def _command(self, sockets, wire):
        line = (
            "console=ttyS0 quiet rdinit=/init panic=-1 panic_on_warn=1 oops=panic "
            "softlockup_panic=1 hung_task_panic=1 hardlockup_panic=1 mitigations=off "
            "random.trust_cpu=on tsc=reliable no_timer_check "
            f"cep.host={self.name}"
        )
        if wire:
            line += f" cep.ip4={self.ip}/24 cep.ip6={self.ip6}/64"
        if self.spec.checked:
            # Every allocation takes a stack trace there: interpreting AML takes minutes.
            line += " acpi=off"
        line += "".join(f" {word}" for word in self.spec.cmdline)
        command = [
            "qemu-system-x86_64", "-accel", self.spec.accel, "-cpu", "max",
            "-smp", str(self.spec.cpus), "-m", self.spec.ram,
            "-nodefaults", "-display", "none", "-no-reboot", "-serial", "stdio",
            "-kernel", self.image.vmlinuz, "-initrd", self.image.initrd, "-append", line,
            "-device", "virtio-serial-pci",
            "-chardev", f"socket,id=agent,path={sockets}/{self.name}.agent",
            "-device", "virtserialport,chardev=agent,name=cep.agent",
            "-device", "virtio-rng-pci",
        ]  # fmt: skip
        command += self.spec.qemu
        if wire:
            command += [
                "-netdev",
                f"stream,id=n0,server=off,addr.type=unix,addr.path={sockets}/{self.name}.net",
                "-device", f"virtio-net-pci,netdev=n0,mac={self.mac},romfile=",
            ]  # fmt: skip
        return command

    # Events from the threads.

    def _on_bad(self, line):
        self._fail(f"console: {line}")

    def _fail(self, reason):
        with self._condition:
            if not self.failure and not self._ended:
                self.failure = reason
            self._condition.notify_all()

    def _watch(self):
        status = self._qemu.wait()
        self.console.join()
        self._fail(f"QEMU ended by itself (status {status})")

    def _read(self):
        self._channel, _ = self._listener.accept()
        with self._channel.makefile("rb") as lines:
            for raw in lines:
                self._on_line(raw.decode().split())

    def _on_line(self, words):
        with self._condition:
            if words[0] == "ready":
                self._ready = True
            else:
                process = self._processes.get(int(words[1]))
                if words[0] == "started":
                    process.pid = int(words[2])
                elif words[0] == "output":
                    process._data += base64.b64decode(words[2])
                elif words[0] == "exit":
                    process.status = int(words[2])
            self._condition.notify_all()
        if words[0] == "exit":
            self.log(f"[{words[1]}] status {words[2]}\n{process.output}")

    # For scenarios.

    def check(self):
        """Raise if the guest has failed."""
        if self.failure:
            # The rest of the trace is worth having in the file.
            deadline = time.monotonic() + 5
            while self._qemu.poll() is None and time.monotonic() < deadline:
                time.sleep(0.1)
            raise GuestFailed(f"host {self.name}: {self.failure}")

    def wait_for(self, condition, timeout):
        """Wait until condition() is true; False after the time-out."""
        deadline = time.monotonic() + timeout * paths.time_scale()
        with self._condition:
            while not self.failure:
                if condition():
                    return True
                left = deadline - time.monotonic()
                if left <= 0:
                    return False
                self._condition.wait(left)
        self.check()
        return False

    def wait_boot(self):
        if not self.wait_for(lambda: self._ready, BOOT_TIMEOUT):
            raise GuestFailed(f"host {self.name}: no boot within {BOOT_TIMEOUT} s")

    def set_log(self, path):
        path.parent.mkdir(parents=True, exist_ok=True)
        old, self._log = self._log, open(path, "a", encoding="utf-8")
        if old:
            old.close()

    def log(self, text):
        self._log.write(f"{time.strftime('%H:%M:%S')} {self.name} {text.rstrip()}\n")
        self._log.flush()

    def send(self, line):
        with self._send_lock:
            try:
                self._channel.sendall(line.encode() + b"\n")
            except OSError:
                self.check()
                raise

    def start(self, command, pty=False):
        """Start a shell command in the background."""
        self.check()
        with self._condition:
            self._count += 1
            process = Process(self, self._count, command)
            self._processes[self._count] = process
        self.log(f"[{process.number}] $ {command}")
        kind = "pty" if pty else "pipe"
        text = base64.b64encode(command.encode()).decode()
        self.send(f"start {process.number} {kind} {text}")
        if not self.wait_for(lambda: process.pid is not None, 30):
            raise GuestFailed(f"host {self.name}: the agent does not answer")
        return process

    def run(self, command, timeout=60, check=True, input=None):
        """Run a shell command; its output (standard output and error)."""
        process = self.start(command)
        if input is not None:
            process.write(input)
        process.close_input()
        return process.wait(timeout, check)

    def status(self, command, timeout=60):
        """Run a shell command; its exit status."""
        process = self.start(command)
        process.close_input()
        process.wait(timeout, check=False)
        return process.status

    def wait_until(self, command, timeout=30):
        """Wait until a shell command succeeds (where nothing announces it)."""
        loop = f"until {command}; do usleep 50000 || sleep 1; done"
        try:
            self.run(loop + " >/dev/null 2>&1", timeout)
        except CommandFailed:
            shown = self.run(command, check=False)
            raise CommandFailed(
                f"{self.name}: still not true after {timeout} s: {command}\n{shown}"
            ) from None

    def modprobe(self, *words):
        self.run("modprobe " + " ".join(words))

    def insmod(self, name, *parameters):
        """Load a module of ours by name, without what it depends on."""
        folder = f"/lib/modules/{self.release}/updates"
        self.run(f"insmod {folder}/{name}.ko " + " ".join(parameters))

    def rmmod(self, name, timeout=60):
        self.run(f"rmmod {name}", timeout)

    def put(self, path, data, mode="644"):
        self.run(f"cat > {shlex.quote(path)} && chmod {mode} {shlex.quote(path)}", input=data)

    def get(self, path):
        return self.run(f"cat {shlex.quote(path)}")

    def add_rxe(self, netdev="eth0", name="rxe0", timeout=30):
        """Make a Soft-RoCE device and wait for its IPv4 GID, if it has one."""
        self.run(f"rdma link add {name} type rxe netdev {netdev}")
        gids = f"/sys/class/infiniband/{name}/ports/1/gids"
        self.wait_until(f"grep -q 0000:0000:0000:0000:0000:ffff {gids}/1 {gids}/2 {gids}/3", timeout)

    def rdma_up(self):
        """Modules and device for programs that use librdmacm."""
        self.modprobe("-a rdma_rxe rdma_ucm ib_umad")
        self.add_rxe()

    def leaks(self):
        """What kmemleak says about memory that ib_cep or a module on it allocated.
        Two scans: it reports nothing younger than 5 s."""
        file = "/sys/kernel/debug/kmemleak"
        if self.status(f"test -e {file}") != 0:
            return []
        self.run(f"echo scan >{file}; sleep 6; echo scan >{file}", timeout=180)
        found = self.run(f"cat {file}", timeout=60)
        each = re.split(r"(?m)^(?=unreferenced object)", found)
        return [text for text in each if re.search(r"\[(ib_cep|ib_cm|cep_\w+)\]", text)]

    def running(self):
        return [p for p in self._processes.values() if p.status is None]

    def kill_all(self, keep=()):
        """Kill what runs, all at once, and wait for the ends."""
        doomed = [p for p in self.running() if p not in keep]
        for process in doomed:
            process.signal(9)
        self.wait_for(lambda: all(p.status is not None for p in doomed), 30)

    def stop(self):
        """The end of the guest, whatever state it is in."""
        with self._condition:
            self._ended = True
        if self._qemu.poll() is None:
            self._qemu.kill()
        self._qemu.wait()
        self.console.join()
        self._stderr.close()
        self._listener.close()

    @property
    def qemu_pid(self):
        return self._qemu.pid

    def __str__(self):
        return f"{self.name} ({'ours' if self.ours else 'stock'}, {self.release})"



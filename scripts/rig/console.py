# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Reads a guest's console as it comes, writes it to a file with the host's time,
and knows the lines after which no run is a pass. One thread for each guest."""

import re
import threading
import time

BAD = re.compile(
    r"Kernel panic|BUG:|WARNING: CPU|WARNING: possible|WARNING: inconsistent|WARNING: suspicious"
    r"|WARNING: lock held|Oops|general protection fault|kernel NULL pointer|unable to handle"
    r"|soft lockup|hard LOCKUP|INFO: task .* blocked|rcu.*detected stall|self-detected stall"
    r"|scheduling while atomic|sleeping function called|KASAN|UBSAN|list_(add|del) corruption"
    r"|refcount_t:|DEBUG_LOCKS_WARN|possible circular locking|Call Trace:|cut here"
    r"|unregister_netdevice: waiting"
)


class Console:
    """on_bad is called once, with the line, from the reader's thread."""

    def __init__(self, stream, path, on_bad):
        self._stream = stream
        self._file = open(path, "wb", buffering=0)
        self._on_bad = on_bad
        self._start = time.monotonic()
        self.path = path
        self.bad = None
        self._allowed = []
        self._thread = threading.Thread(target=self._read, daemon=True)
        self._thread.start()

    def allow(self, pattern):
        """A line that this scenario provokes on purpose."""
        self._allowed.append(re.compile(pattern))

    def forbid_again(self):
        self._allowed.clear()

    def _read(self):
        for raw in self._stream:
            self._file.write(b"%8.3f " % (time.monotonic() - self._start) + raw)
            line = raw.decode(errors="replace").rstrip()
            if self.bad or not BAD.search(line):
                continue
            if any(allowed.search(line) for allowed in self._allowed):
                continue
            self.bad = line
            self._on_bad(line)

    def join(self, timeout=5):
        self._thread.join(timeout)

    def size(self):
        return self.path.stat().st_size

    def since(self, offset):
        with open(self.path, "rb") as file:
            file.seek(offset)
            return file.read()

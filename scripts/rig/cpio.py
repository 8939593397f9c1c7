# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Writes a cpio archive ("newc", the format of an initramfs) without root or
help from other programs. Used by image.py."""

import stat


class Cpio:
    """Entries are added, parents first; add_* make missing folders."""

    def __init__(self):
        self._parts = []
        self._size = 0
        self._inode = 0
        self._names = set()

    def _pad(self):
        fill = -self._size % 4
        self._append(b"\0" * fill)

    def _append(self, data):
        self._parts.append(data)
        self._size += len(data)

    def _entry(self, name, mode, data, device=(0, 0)):
        self._inode += 1
        raw = name.encode() + b"\0"
        fields = [
            self._inode, mode, 0, 0, 1, 0, len(data), 0, 0, device[0], device[1], len(raw), 0,
        ]  # fmt: skip
        self._append(b"070701" + b"".join(b"%08X" % f for f in fields) + raw)
        self._pad()
        self._append(data)
        self._pad()

    def _parents(self, name):
        parts = name.split("/")[:-1]
        for i in range(1, len(parts) + 1):
            self.add_folder("/".join(parts[:i]))

    def __contains__(self, name):
        return name.strip("/") in self._names

    def _new(self, name):
        name = name.strip("/")
        if name in self._names:
            return None
        self._parents(name)
        self._names.add(name)
        return name

    def add_folder(self, name, mode=0o755):
        name = name.strip("/")
        if name and name not in self._names:
            self._names.add(name)
            self._entry(name, stat.S_IFDIR | mode, b"")

    def add_file(self, name, data, mode=0o644):
        """The first file of a name wins."""
        name = self._new(name)
        if name:
            self._entry(name, stat.S_IFREG | mode, data)

    def add_link(self, name, target):
        name = self._new(name)
        if name:
            self._entry(name, stat.S_IFLNK | 0o777, target.encode())

    def add_device(self, name, major, minor):
        name = self._new(name)
        if name:
            self._entry(name, stat.S_IFCHR | 0o600, b"", (major, minor))

    def data(self):
        self._entry("TRAILER!!!", 0, b"")
        return b"".join(self._parts)

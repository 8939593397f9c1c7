# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""A person's terminal on a guest: raw bytes both ways until the shell ends or
Ctrl-] is typed."""

import os
import select
import sys
import termios
import tty


def attach(guest):
    """Ctrl-] returns True (another host, please), the shell's end False."""
    terminal = sys.stdin.isatty()
    rows, columns = (24, 80)
    if terminal:
        columns, rows = os.get_terminal_size()
    process = guest.start(
        f"stty rows {rows} cols {columns}; PS1='{guest.name}# ' exec sh -i", pty=True
    )
    saved = termios.tcgetattr(sys.stdin) if terminal else None
    try:
        if terminal:
            tty.setraw(sys.stdin)
        while process.status is None:
            guest.check()
            sys.stdout.buffer.write(process.take())
            sys.stdout.buffer.flush()
            if not select.select([sys.stdin], [], [], 0.02)[0]:
                continue
            data = os.read(sys.stdin.fileno(), 4096)
            if b"\x1d" in data:
                return True
            # A pipe's end is typed into the shell as its own end of file.
            process.write(data or b"\x04")
            if not data:
                process.wait(check=False)
        sys.stdout.buffer.write(process.take())
        sys.stdout.buffer.flush()
        return False
    finally:
        if saved:
            termios.tcsetattr(sys.stdin, termios.TCSADRAIN, saved)
        process.kill()

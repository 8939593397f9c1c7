# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""How scenarios use the guests' program cep-cmtest. No scenarios in here."""

import re


class Server:
    """cep-cmtest server in a guest, listening when this returns."""

    def __init__(self, guest, options="", port=7471):
        self.guest = guest
        self.port = port
        self.process = guest.start(f"cep-cmtest server --port {port} {options}")
        self.process.wait_line("^listening$", 20)

    def result(self, timeout=60, check=True):
        return summary(self.process.wait(timeout, check))


def client(guest, to, options="", port=7471):
    """Start cep-cmtest client in a guest."""
    address = to if isinstance(to, str) else to.ip
    return guest.start(f"cep-cmtest client --to {address} --port {port} {options}")


def summary(output):
    """The counts of the last line, as a dictionary."""
    found = re.findall(r"^connected=.*$", output, re.M)
    if not found:
        raise AssertionError(f"cep-cmtest printed no summary:\n{output[-500:]}")
    return {k: int(v) for k, v in (word.split("=") for word in found[-1].split())}


def expect_counts(run, got, **wanted):
    """Compare some counts; errors must be 0 unless said otherwise."""
    wanted.setdefault("errors", 0)
    for key, value in wanted.items():
        run.expect(got[key] == value, f"{key}={got[key]} instead of {value} ({got})")

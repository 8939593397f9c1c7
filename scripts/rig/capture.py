# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What tshark says about a capture: an opinion on the wire that nobody of this
project wrote."""

import subprocess

# Reading the whole text of 100,000 frames helps nobody and takes minutes.
TEXT_FRAMES = 400


class CaptureError(Exception):
    """The capture has something in it that must not be there."""


def _tshark(*words):
    done = subprocess.run(
        # Soft-RoCE sends no UDP checksum over IPv6 either: the ICRC covers it.
        ["tshark", "-n", "-o", "udp.ignore_ipv6_zero_checksum:TRUE", *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        raise CaptureError(f"tshark failed: {done.stderr.strip()[-300:]}")
    return done.stdout


def count(pcap):
    """Frames in a capture."""
    return sum(1 for line in _tshark("-r", pcap, "-T", "fields", "-e", "frame.number").split())


def check(pcap, text=None):
    """Raise if tshark calls a frame malformed or finds an error in it; else how
    many frames there are. text: a file for tshark's view of the first of them."""
    if text:
        with open(text, "w", encoding="utf-8") as out:
            out.write(_tshark("-r", pcap, "-c", str(TEXT_FRAMES), "-V", "-O", "infiniband"))
    lines = _tshark(
        "-r", pcap, "-T", "fields", "-e", "frame.number", "-e", "infiniband.mad.attributeid",
        "-e", "_ws.malformed", "-e", "_ws.expert.severity", "-e", "_ws.expert.message",
    ).splitlines()  # fmt: skip
    for line in lines:
        number, attribute, malformed, severity, message = (line.split("\t") + [""] * 5)[:5]
        severities = [int(s, 0) for s in severity.split(",") if s]
        if malformed or any(s >= 0x800000 for s in severities):
            raise CaptureError(
                f"frame {number} of {pcap} (attribute {attribute}) is malformed: "
                f"{malformed} {message}"
            )
        if not attribute:
            raise CaptureError(f"frame {number} of {pcap} was not decoded as a MAD")
    return len(lines)


def slice_pcap(source, start, end, target):
    """Copy the packets between two offsets of a growing capture file. start 0
    means the first packet."""
    header = 24
    with open(source, "rb") as file, open(target, "wb") as out:
        out.write(file.read(header))
        file.seek(max(start, header))
        out.write(file.read(max(0, end - max(start, header))))

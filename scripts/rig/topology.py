# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""What to boot: one or two hosts, whose CM each runs, which kernel. Plain values;
equal topologies can share one boot."""

import dataclasses

SERIES = ("6.1", "6.12", "debug", "kcsan")
# Built with the kernel's own checkers: much slower, and they need memory.
CHECKED = ("debug", "kcsan")


@dataclasses.dataclass(frozen=True)
class Host:
    """One guest."""

    cm: str = "stock"  # "ours" or "stock"
    kernel: str = "6.1"
    memory: str = "1G"
    cpus: int = 2
    accel: str = "tcg,thread=multi"
    modules: tuple = ()  # further distribution modules
    cmdline: tuple = ()
    qemu: tuple = ()

    @property
    def ours(self):
        return self.cm == "ours"

    @property
    def checked(self):
        return self.kernel in CHECKED

    @property
    def ram(self):
        """What QEMU is told."""
        return "3G" if self.checked else self.memory


@dataclasses.dataclass(frozen=True)
class Topology:
    """Host b is None in a topology of one host."""

    a: Host
    b: Host = None

    @property
    def name(self):
        """ours-stock, ours-stock-6.12, ours-ours-6.1-6.12: what differs from 6.1
        is said."""
        hosts = [h for h in (self.a, self.b) if h]
        words = [h.cm for h in hosts]
        kernels = list(dict.fromkeys(h.kernel for h in hosts))
        if kernels != ["6.1"]:
            words += kernels
        return "-".join(words)

    @property
    def hosts(self):
        return {n: h for n, h in (("a", self.a), ("b", self.b)) if h}

    def with_hosts(self, **changes):
        """The same with some attribute of each host changed."""
        return Topology(
            dataclasses.replace(self.a, **changes),
            dataclasses.replace(self.b, **changes) if self.b else None,
        )

    def under(self, kernel):
        """The same with another kernel where ib_cep runs."""
        return Topology(
            *(dataclasses.replace(h, kernel=kernel) if h.ours else h for h in self.hosts.values())
        )


def parse(text):
    """A topology from its name: CM[-CM][-KERNEL[-KERNEL]]."""
    words = text.split("-")
    cms = [w for w in words if w in ("ours", "stock")]
    kernels = [w for w in words if w in SERIES]
    if not 1 <= len(cms) <= 2 or len(cms) + len(kernels) != len(words) or len(kernels) > 2:
        raise ValueError(f"'{text}' is no topology such as ours-stock or stock-6.12")
    kernels = kernels or ["6.1"]
    hosts = [Host(cm=cm, kernel=kernels[min(i, len(kernels) - 1)]) for i, cm in enumerate(cms)]
    return Topology(*hosts)


STOCK = Topology(Host("stock"))
OURS = Topology(Host("ours"))
STOCK_STOCK = Topology(Host("stock"), Host("stock"))
OURS_STOCK = Topology(Host("ours"), Host("stock"))
STOCK_OURS = Topology(Host("stock"), Host("ours"))
OURS_OURS = Topology(Host("ours"), Host("ours"))

# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""Builds a guest's initramfs out of the host's programs and an unpacked
distribution kernel, optionally with this project's modules in updates/. Kept in
the cache under the hash of all that went in."""

import hashlib
import lzma
import os
import pathlib
import re
import shutil
import subprocess
import tempfile

from . import cpio, paths

PROGRAMS = """
    /bin/dash /bin/kmod /bin/ip /usr/bin/rdma /usr/sbin/tc
    rping ucmatose udaddy cmtime rdma_server rdma_client rdma_xserver rdma_xclient
    rstream riostream udpong mckey
    ib_send_bw ib_send_lat ib_write_bw ib_write_lat ib_read_bw ib_read_lat
    ibv_devices ibv_devinfo ibv_rc_pingpong ibv_uc_pingpong ibv_ud_pingpong
""".split()
# Read with dlopen, so ldd does not see them. Without libgcc_s pthread_exit
# aborts.
LIBRARIES = """
    /usr/lib/x86_64-linux-gnu/libibverbs/librxe-rdmav34.so
    /usr/lib/x86_64-linux-gnu/libgcc_s.so.1
    /lib/x86_64-linux-gnu/libgcc_s.so.1
""".split()
MODULES = """
    virtio_pci virtio_net virtio_console rdma_rxe rdma_ucm ib_umad veth
    crc32_generic crc32_pclmul crc32c_generic dummy
""".split()
# Modules of ours that only a host of ours has.
OUR_CM = ("ib_cep", "ib_cm")
KEPT_IMAGES = 12


def _which(name):
    found = name if name.startswith("/") else shutil.which(name)
    if not found or not os.path.exists(found):
        alternatives = [found] if found else []
        for folder in ("/usr/bin", "/usr/sbin", "/bin", "/sbin"):
            candidate = os.path.join(folder, os.path.basename(name))
            if os.path.exists(candidate):
                return candidate
        raise SystemExit(f"program {name} is missing ({alternatives}): run scripts/setup")
    return found


def _libraries(program):
    done = subprocess.run(
        ["ldd", program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, check=False
    )
    return re.findall(r"(/\S+) \(0x", done.stdout)


def _module_files(root, release, names):
    """The files of these modules and of what they depend on; a name that this
    kernel has built in or does not have gives none."""
    files = []
    for name in names:
        done = subprocess.run(
            ["modprobe", "-d", root, "-S", release, "--show-depends", name],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
        for line in done.stdout.splitlines():
            word = line.split()
            if word[:1] == ["insmod"] and word[1] not in files:
                files.append(word[1])
    return files


def built_modules(release):
    """Our modules built for that kernel, by name; the shallowest file counts."""
    folder = paths.BUILD / release
    found = {}
    for file in sorted(folder.rglob("*.ko"), key=lambda f: (len(f.parts), str(f))):
        found.setdefault(file.stem.replace("-", "_"), file)
    return found


class Image:
    """vmlinuz and initrd of one kind of host."""

    def __init__(self, series, ours, extra_modules=()):
        self.root = paths.kernel(series)
        self.release = paths.kernel(series, "version")
        self.ours = ours
        self.vmlinuz = f"{self.root}/boot/vmlinuz-{self.release}"
        self._extra = tuple(extra_modules)
        self.updates = self._updates()
        self.initrd = self._cached()

    def _updates(self):
        modules = built_modules(self.release)
        if not self.ours:
            return {k: v for k, v in modules.items() if k not in OUR_CM}
        missing = [name for name in OUR_CM if name not in modules]
        if missing:
            raise FileNotFoundError(
                f"{missing[0]}.ko for {self.release} is not below build/{self.release}: "
                f"run make first"
            )
        return modules

    def _sources(self):
        """(path in the guest, path on the host, mode) of all plain files."""
        programs = [_which(p) for p in PROGRAMS]
        ours = [str(paths.TOOLS / p) for p in ("cep-agent", "cep-cmtest")]
        files = {}
        for program in programs + ours + [_which("busybox")]:
            name = os.path.basename(program)
            where = {"busybox": "bin", "dash": "bin", "kmod": "bin"}.get(name, "usr/bin")
            files[f"{where}/{name}"] = (program, 0o755)
        libraries = [lib for lib in LIBRARIES if os.path.exists(lib)]
        for program in programs + ours + libraries:
            for lib in _libraries(program):
                files[lib.lstrip("/")] = (lib, 0o755)
        for lib in libraries:
            files[lib.lstrip("/")] = (lib, 0o755)
        files["etc/libibverbs.d/rxe.driver"] = ("/etc/libibverbs.d/rxe.driver", 0o644)
        files["init"] = (str(paths.TOP / "scripts/rig/init"), 0o755)
        return files

    def _cached(self):
        files = self._sources()
        modules = _module_files(self.root, self.release, MODULES + list(self._extra))
        digest = hashlib.sha256()
        digest.update(pathlib.Path(__file__).read_bytes())
        digest.update(self.release.encode())
        for name, (source, mode) in sorted(files.items()):
            digest.update(f"{name} {mode} ".encode())
            digest.update(pathlib.Path(source).read_bytes())
        for module in modules:
            digest.update(module.encode())
        for name, file in sorted(self.updates.items()):
            digest.update(name.encode())
            digest.update(file.read_bytes())
        folder = paths.cache() / "images"
        folder.mkdir(exist_ok=True)
        path = folder / f"{self.release}-{digest.hexdigest()[:20]}.cpio"
        if not path.exists():
            data = self._build(files, modules)
            temporary = path.with_suffix(f".{os.getpid()}")
            temporary.write_bytes(data)
            temporary.rename(path)
            self._prune(folder)
        os.utime(path)
        return str(path)

    @staticmethod
    def _prune(folder):
        images = sorted(folder.glob("*.cpio"), key=lambda p: p.stat().st_mtime)
        for old in images[:-KEPT_IMAGES]:
            old.unlink(missing_ok=True)

    def _build(self, files, modules):
        archive = cpio.Cpio()
        for folder in "dev proc sys run tmp root etc var/run usr/sbin sbin".split():
            archive.add_folder(folder)
        archive.add_device("dev/console", 5, 1)
        archive.add_device("dev/null", 1, 3)
        for name, (source, mode) in files.items():
            archive.add_file(name, pathlib.Path(source).read_bytes(), mode)
        archive.add_link("bin/sh", "dash")
        for tool in "modprobe insmod rmmod lsmod depmod modinfo".split():
            archive.add_link(f"sbin/{tool}", "/bin/kmod")
        applets = subprocess.run(
            [_which("busybox"), "--list"], stdout=subprocess.PIPE, text=True, check=True
        )
        # Real programs first: only what nothing else provides.
        for applet in applets.stdout.split():
            taken = [f"{d}/{applet}" for d in ("bin", "sbin", "usr/bin", "usr/sbin")]
            if not any(t in archive for t in taken):
                archive.add_link(f"bin/{applet}", "busybox")
        archive.add_file("etc/passwd", b"root:x:0:0:root:/root:/bin/sh\n")
        archive.add_file("etc/group", b"root:x:0:\n")
        archive.add_file("etc/nsswitch.conf", b"passwd: files\nhosts: files\n")
        archive.add_file("etc/hosts", b"127.0.0.1 localhost\n10.0.0.1 a\n10.0.0.2 b\n")
        self._add_modules(archive, modules)
        return archive.data()

    def _add_modules(self, archive, modules):
        base = f"lib/modules/{self.release}"
        with tempfile.TemporaryDirectory() as stage:
            target = pathlib.Path(stage) / base
            for module in modules:
                relative = module[module.index(base) + len(base) + 1 :]
                data = pathlib.Path(module).read_bytes()
                if relative.endswith(".xz"):
                    relative = relative[:-3]
                    data = lzma.decompress(data)
                (target / relative).parent.mkdir(parents=True, exist_ok=True)
                (target / relative).write_bytes(data)
            for name, file in self.updates.items():
                (target / "updates").mkdir(exist_ok=True)
                shutil.copyfile(file, target / "updates" / f"{name}.ko")
            for name in ("modules.order", "modules.builtin", "modules.builtin.modinfo"):
                source = pathlib.Path(self.root) / base / name
                if source.exists():
                    shutil.copyfile(source, target / name)
            # No warnings wanted: ours may use symbols of a CM that is not there.
            subprocess.run(
                ["depmod", "-b", stage, self.release], check=True, stderr=subprocess.DEVNULL
            )
            for file in sorted(target.rglob("*")):
                if file.is_file():
                    archive.add_file(f"{base}/{file.relative_to(target)}", file.read_bytes())

# SPDX-License-Identifier: Apache-2.0
"""Several hosts on one machine: network namespaces on a bridge, between which Open MPI uses real TCP. Needs root and iproute2."""

import os
import pathlib
import shutil
import stat
import subprocess
import tempfile

AGENT = """#!/bin/sh
# Called by mpirun in place of ssh: ADDRESS COMMAND-LINE
host=${1##*.}
shift
exec ip netns exec NAME$host unshare --uts sh -c 'hostname "$0"; exec sh -c "$1"' NAME$host "$*"
"""
MPIRUN = """#!/bin/sh
exec ip netns exec NAME1 unshare --uts sh -c 'hostname "$0"; exec "$@"' NAME1 MPIEXEC --bind-to none --map-by node \\
  --mca plm_rsh_agent AGENT --mca btl tcp,self --mca btl_tcp_if_include eth0 --mca oob_tcp_if_include eth0 --host HOSTS "$@"
"""

ATTEMPTS = 20


def _ip(*words):
    done = subprocess.run(["ip", *map(str, words)], capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise OSError(f"ip {' '.join(map(str, words))}: {done.stderr.strip()}")


class Hosts:
    """As a context: makes `count` hosts, and removes them. OSError if this machine does not permit it."""

    def __init__(self, count, mpiexec):
        self.count, self.mpiexec = count, mpiexec
        self.made = []

    def _make_bridge(self):
        """Other tests may have hosts at the same time, and killed ones leave theirs behind."""
        for attempt in range(ATTEMPTS):
            number = (os.getpid() + attempt) % 200 + 20
            self.name, self.net, self.bridge = f"mrd{number}n", f"10.79.{number}", f"mrdb{number}"
            try:
                return _ip("link", "add", self.bridge, "type", "bridge")
            except OSError as error:
                if "exists" not in str(error) or attempt + 1 == ATTEMPTS:
                    self.bridge = ""
                    raise

    def __enter__(self):
        if os.geteuid() != 0 or shutil.which("ip") is None:
            raise OSError("network namespaces need root and ip")
        try:
            self._make_bridge()
            _ip("link", "set", self.bridge, "up")
            for i in range(1, self.count + 1):
                host, link = f"{self.name}{i}", f"{self.bridge}v{i}"
                _ip("netns", "add", host)
                self.made.append(host)
                _ip("link", "add", link, "type", "veth", "peer", "name", "eth0", "netns", host)
                _ip("link", "set", link, "master", self.bridge, "up")
                _ip("-n", host, "addr", "add", f"{self.net}.{i}/24", "dev", "eth0")
                _ip("-n", host, "link", "set", "eth0", "up")
                _ip("-n", host, "link", "set", "lo", "up")
            self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hosts-"))
            agent = self._script("agent", AGENT)
            names = ",".join(f"{self.net}.{i}:64" for i in range(1, self.count + 1))
            text = MPIRUN.replace("MPIEXEC", str(self.mpiexec)).replace("AGENT", str(agent)).replace("HOSTS", names)
            self.mpirun = self._script("mpirun", text)
        except OSError:
            self.__exit__()
            raise
        return self

    def _script(self, name, text):
        path = self.folder / name
        path.write_text(text.replace("NAME", self.name))
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path

    def __exit__(self, *_):
        for host in self.made:
            pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=False).stdout.split()
            if pids:  # what a killed mpirun left behind there
                subprocess.run(["kill", "-9", *pids], check=False, capture_output=True)
            subprocess.run(["ip", "netns", "del", host], check=False, capture_output=True)
        if self.bridge:
            subprocess.run(["ip", "link", "del", self.bridge], check=False, capture_output=True)
        if hasattr(self, "folder"):
            shutil.rmtree(self.folder, ignore_errors=True)

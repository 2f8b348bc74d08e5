# SPDX-License-Identifier: Apache-2.0
"""A Slurm of one node for a test: munge, slurmctld and slurmd, with their files in a temporary directory and ports of
their own. Nothing of a Slurm that the machine may have is used or changed."""

import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

START_S = 60
PROCESSORS = 8  # tasks may be more than this machine has processors

CONFIGURATION = """
ClusterName=meridian
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={controller_port}
SlurmdPort={node_port}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge/socket
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd.pid
SlurmctldLogFile={folder}/slurmctld.log
SlurmdLogFile={folder}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
SchedulerParameters=sched_interval=1
ReturnToService=2
KillWait=2
NodeName={host} NodeAddr=127.0.0.1 CPUs={processors} State=UNKNOWN
PartitionName=test Nodes={host} Default=YES MaxTime=INFINITE State=UP
"""
PROGRAMS = ("munged", "slurmctld", "slurmd", "srun", "sbatch", "scancel", "scontrol", "squeue", "sinfo")


class Unavailable(Exception):
    """Slurm cannot be had here; the reason."""


def find(program):
    return shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def free_ports(count):
    """Ports that no other process has now."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


class Slurm:
    """`with Slurm() as slurm:` starts it; leaving the block cancels all jobs and ends it."""

    def __init__(self):
        missing = [program for program in PROGRAMS if find(program) is None]
        if missing:
            raise Unavailable(f"not installed: {', '.join(missing)}; scripts/install-packages slurm")
        if os.geteuid() != 0:
            raise Unavailable("slurmd runs as root only")
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="meridian-slurm-"))
        self.environment = {
            key: value for key, value in os.environ.items() if not key.startswith(("SLURM", "PMI", "OMPI_", "MERIDIAN_"))
        }
        # As on a cluster, but for root, more ranks than processors, and containers.
        self.environment |= {
            "SLURM_CONF": str(self.folder / "slurm.conf"),
            "OMPI_MCA_mpi_yield_when_idle": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none",
        }

    def __enter__(self):
        try:
            self.start()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def start(self):
        munge = self.folder / "munge"
        for name in ("state", "spool", "munge"):
            (self.folder / name).mkdir(mode=0o700)
        key = munge / "key"
        key.write_bytes(os.urandom(64))
        key.chmod(0o600)
        controller_port, node_port = free_ports(2)
        (self.folder / "slurm.conf").write_text(
            CONFIGURATION.format(host=socket.gethostname().split(".")[0], folder=self.folder, processors=PROCESSORS,
                                 controller_port=controller_port, node_port=node_port))
        files = [f"--{name}-file={munge / name}" for name in ("key", "pid", "log", "seed")]
        self.daemon("munged", "--force", f"--socket={munge / 'socket'}", *files)
        self.daemon("slurmctld")
        self.daemon("slurmd")
        deadline = time.monotonic() + START_S
        while (state := self.run("sinfo", "--noheader", "--format=%t").stdout.strip()) != "idle":
            if time.monotonic() > deadline:
                raise Unavailable(f"the node is '{state}' after {START_S} s, not idle\n{self.logs()}")
            time.sleep(0.2)

    def daemon(self, program, *words):
        """They put themselves into the background."""
        with open(self.folder / f"{program}.out", "wb") as output:
            code = subprocess.run([find(program), *words], env=self.environment, stdin=subprocess.DEVNULL, stdout=output,
                                  stderr=output, timeout=START_S, check=False).returncode
        if code != 0:
            raise Unavailable(f"{program} ends with {code}\n{self.logs()}")

    def logs(self):
        texts = [path.read_text(errors="replace")[-2000:] for pattern in ("*.log", "*.out") for path in self.folder.glob(pattern)]
        return "\n".join(texts)

    def run(self, program, *words, folder=None, timeout=100, **extra):
        """A command of Slurm, to its end."""
        return subprocess.run([find(program), *(str(word) for word in words)], cwd=folder or self.folder,
                              env=self.environment | {key: str(value) for key, value in extra.items()},
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout, check=False)

    def submit(self, folder, script, *options, **extra):
        """The id of a batch job that runs `script` in `folder`."""
        path = pathlib.Path(folder) / "job.sh"
        path.write_text("#!/bin/sh\n" + script)
        done = self.run("sbatch", "--parsable", *options, path, folder=folder, **extra)
        if done.returncode != 0:
            sys.exit(f"sbatch ended with {done.returncode}: {done.stderr}")
        return done.stdout.strip()

    def state(self, job):
        """"RUNNING", "TIMEOUT", ...; several, separated by blanks, of an array."""
        shown = self.run("scontrol", "--oneliner", "show", "job", job).stdout
        return " ".join(word[9:] for word in shown.split() if word.startswith("JobState="))

    def wait(self, job, *states, seconds):
        """Waits until the job is in one of the states; the state that it is in."""
        deadline = time.monotonic() + seconds
        while (state := self.state(job)) not in states and time.monotonic() < deadline:
            time.sleep(0.2)
        return state

    def stop(self):
        if (self.folder / "slurmd.pid").exists():
            self.run("scancel", "--user=root", "--signal=KILL")
            self.run("scancel", "--user=root")
        for name in ("slurmd.pid", "slurmctld.pid", "munge/pid"):
            end(self.folder / name)
        shutil.rmtree(self.folder, ignore_errors=True)


def end(pid_file):
    """Ends the daemon that has written this file, and waits for it."""
    try:
        pid = int(pid_file.read_text())
        os.kill(pid, 15)
    except (OSError, ValueError):
        return
    deadline = time.monotonic() + 10
    while pathlib.Path(f"/proc/{pid}").exists():
        if time.monotonic() > deadline:
            os.kill(pid, 9)
            return
        time.sleep(0.05)

# SPDX-License-Identifier: Apache-2.0
"""Starts MPI programs for tests, traced and untraced, on any machine: as root, with more ranks than cores."""

import argparse
import atexit
import functools
import json
import os
import pathlib
import random
import shutil
import signal
import subprocess
import tempfile

TIMEOUT_S = 240
SEED_VARIABLE = "TEST_SEED"


def parser(*required):
    """Arguments of every check with programs of an MPI library, and paths that it requires besides."""
    options = argparse.ArgumentParser()
    options.add_argument("--meridian", required=True)
    options.add_argument("--mpiexec", required=True)
    for name in required:
        options.add_argument(f"--{name}", required=True)
    options.add_argument("--ranks", type=int, required=True)
    return options


@functools.cache
def launcher_directory():
    """Open MPI's session directory. One for each test: launchers that begin and end at the same time remove
    each other's. Its sockets are in there, and the path of a socket is short."""
    path = tempfile.mkdtemp(prefix="m", dir="/tmp")
    atexit.register(shutil.rmtree, path, ignore_errors=True)
    return path


@functools.cache
def seed():
    """The seed of everything that a test draws, printed once."""
    value = int(os.environ.get(SEED_VARIABLE) or 1)
    print(f"{SEED_VARIABLE}={value}", flush=True)
    return value


def generator(salt=0):
    """A random generator of this test run; other draws of the same test have another salt."""
    return random.Random(seed() * 1_000_003 + salt)


@functools.lru_cache(maxsize=1)
def prte_mapping():
    """The variable that lets the launcher of Open MPI 5 start more ranks than there are processors; that of 6 has another name."""
    launcher = shutil.which("mpirun.openmpi") or shutil.which("mpirun")
    version = subprocess.run([launcher, "--version"], capture_output=True, text=True, check=False).stdout if launcher else ""
    return "PRTE_MCA_rmaps_default_mapping_policy" if "Open MPI) 5." in version else "PRTE_MCA_mapby"


def environment(**extra):
    """The caller's environment without settings of Meridian, plus what lets Open MPI start here, plus `extra`."""
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    env.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",  # more ranks than cores
        OMPI_MCA_mpi_yield_when_idle="1",
        OMPI_MCA_btl_vader_single_copy_mechanism="none",  # containers forbid process_vm_readv and Open MPI says so
        OMPI_MCA_plm_rsh_agent="false",  # one machine: no ssh to look for
        OMPI_MCA_orte_tmpdir_base=extra.get("TMPDIR") or launcher_directory(),
        OMPI_MCA_btl_tcp_if_include="lo",  # one machine: Open MPI 5 complains about interfaces without a route to themselves
        # The same for the launcher of Open MPI 5 and later.
        **{prte_mapping(): ":oversubscribe"},
        PRTE_MCA_plm_ssh_agent="false",
        PRTE_MCA_prte_tmpdir_base=extra.get("TMPDIR") or launcher_directory(),
        HYDRA_LAUNCHER="fork",
        MERIDIAN_QUIET="yes",  # tests of other things expect no words of ours
        MERIDIAN_TEST_ENERGY="none",  # nor the energy of this machine
    )
    env.update({key: str(value) for key, value in extra.items()})
    return env


def run(command, **extra_env):
    """Runs to the end. Returns subprocess.CompletedProcess with text output; never raises on an exit code."""
    return subprocess.run(
        [str(word) for word in command],
        env=environment(**extra_env),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=TIMEOUT_S,
        check=False,
    )


def mpirun(mpiexec, ranks, command, **extra_env):
    """`command` on `ranks` ranks."""
    return run([mpiexec, "-n", ranks, *command], **extra_env)


def traced(mpiexec, ranks, meridian, command, trace, scratch, **extra_env):
    """`command` under `meridian run`; the trace goes to the directory `trace`."""
    pathlib.Path(scratch).mkdir(parents=True, exist_ok=True)
    return mpirun(
        mpiexec, ranks, [meridian, "run", *command], MERIDIAN_DIR=trace, MERIDIAN_SCRATCH=scratch, **extra_env
    )


def merge(meridian, trace, *options):
    """Merges a trace. Returns (process, summary); the summary is None when the output is not JSON."""
    process = run([meridian, "merge", "--json", *options, trace])
    try:
        return process, json.loads(process.stdout)
    except json.JSONDecodeError:
        return process, None


def started(mpiexec, ranks, meridian, command, trace, scratch, **extra_env):
    """`command` under `meridian run`, which goes on until it is killed: subprocess.Popen, whose output is read line by line."""
    pathlib.Path(scratch).mkdir(parents=True, exist_ok=True)
    return subprocess.Popen(
        [str(mpiexec), "-n", str(ranks), str(meridian), "run", *map(str, command)],
        env=environment(MERIDIAN_DIR=trace, MERIDIAN_SCRATCH=scratch, **extra_env),
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def kill_ranks(program, trace):
    """Kills the processes of `program` that are traced into `trace`."""
    own = os.fsencode(f"MERIDIAN_DIR={trace}")
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            is_rank = (process / "cmdline").read_bytes().split(b"\0")[0] == os.fsencode(program)
            if is_rank and own in (process / "environ").read_bytes().split(b"\0"):
                os.kill(int(process.name), signal.SIGKILL)
        except OSError:  # it has ended
            continue


def recorded(summary):
    """Everything that was recorded: MPI calls, thread calls, user events."""
    return sum(summary["run"][kind] for kind in ("calls", "thread_calls", "user_events"))


class Checks:
    """Collects every difference, so that one run of a test shows all of them."""

    def __init__(self):
        self.differences = []

    def equal(self, what, actual, expected):
        if actual != expected:
            self.differences.append(f"{what}: expected {expected!r}, got {actual!r}")

    def true(self, what, claim):
        if not claim:
            self.differences.append(what)

    def finish(self, *context):
        """Prints what differs and what may explain it; the exit code of the test."""
        for difference in self.differences:
            print(difference)
        if self.differences:
            for process in context:
                print(f"--- {' '.join(process.args)}\nexit code {process.returncode}")
                print(f"{process.stdout}{process.stderr}")
        return 1 if self.differences else 0

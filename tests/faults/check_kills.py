# SPDX-License-Identifier: Apache-2.0
"""Programs that are killed, or end themselves, at random moments: every call that had returned is in the trace.

check_kills.py --meridian M --mpiexec X --ranks N --times T [--spool SIZE] program victim...

A victim is one of VICTIMS. The program counts the calls that have returned in shared memory; the rank files, read with
h5py only, must hold each of them, and at most one more in a thread: the one that returned when the program did not get to
counting it. With --spool, the moments are chosen while records are being compressed.
"""

import os
import pathlib
import signal
import struct
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

UNFINISHED = 2
END_S = 60
FROM_OUTSIDE = ("rank", "ranks", "launcher", "launcher_term", "writer", "writers", "everything", "init", "finalize")
BY_ITSELF = ("segv", "abort", "exit", "_exit", "mpi_abort", "throw", "sigterm")
VICTIMS = FROM_OUTSIDE + BY_ITSELF


def completed_calls(path):
    """The completed MPI calls in one rank file, of its main thread and of all other threads together."""
    with h5py.File(path) as file:
        names = file["calls/name"][()]
        is_mpi = numpy.array([name.startswith(b"MPI_") for name in names])
        losses = {key: int(value) for key, value in file.attrs.items() if key.startswith("lost_") and value}
        if "events" not in file:
            return int(file.attrs["rank"]), 0, 0, losses
        calls, flags = file["events/call"][()], file["events/flags"][()]
        done = is_mpi[calls] & (flags & UNFINISHED == 0)
        is_init = numpy.array([name.startswith(b"MPI_Init") for name in names])[calls]
        per_thread, main, first = {}, None, 0
        for segment in file["segments"][()]:
            last = first + int(segment["events"])
            thread = int(segment["thread"])
            per_thread[thread] = per_thread.get(thread, 0) + int(done[first:last].sum())
            if is_init[first:last].any():
                main = thread
            first = last
        return int(file.attrs["rank"]), per_thread.pop(main, 0), sum(per_thread.values()), losses


def kill(pid, how=signal.SIGKILL):
    try:
        os.kill(pid, how)
    except ProcessLookupError:
        pass


def command_lines():
    for entry in pathlib.Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                yield int(entry.name), (entry / "cmdline").read_bytes().split(b"\0")
            except OSError:
                pass


def processes(work):
    """(pid, command line) of every process that names the directory of this run, the launcher too."""
    return [(pid, line) for pid, line in command_lines() if any(str(work).encode() in word for word in line)]


def pids(work, *, of):
    """`of`: how a file name of theirs begins. Writers are found by the ring that they drain."""
    found = []
    for pid, line in processes(work):
        if pathlib.Path(line[0].decode(errors="replace")).name.startswith(of):
            found.append(pid)
    return found


def counts_in(directory):
    """rank -> (pid, calls of the main thread, of the other, is it in MPI_Finalize), as the program has counted"""
    result = {}
    for path in directory.glob("rank-*"):
        data = path.read_bytes()
        if len(data) >= 32:
            result[int(path.name[5:])] = struct.unpack("4q", data[:32])
    return result


class Run:
    """One run of the program and its outcome."""

    def __init__(self, options, victim, chance, work, pause_us=0):
        self.options, self.victim, self.chance = options, victim, chance
        self.work = pathlib.Path(work)
        self.spool = getattr(options, "spool", None)
        self.was_compressed = False
        self.has_hung = False
        self.shared, self.trace, self.scratch = self.work / "shared", self.work / "trace", self.work / "scratch"
        for path in (self.shared, self.scratch):
            path.mkdir()
        how = victim if victim in BY_ITSELF else "rich" if self.spool else "run"
        number = chance.randrange(1, 1000) if victim in BY_ITSELF else 2000 if self.spool else pause_us
        program = [options.program, str(self.shared), how, str(number)]
        words = [options.mpiexec, "-n", str(options.ranks), options.meridian, "run", *program]
        self.process = subprocess.Popen(
            words,
            env=launch.environment(MERIDIAN_DIR=self.trace, MERIDIAN_SCRATCH=self.scratch, **({"MERIDIAN_SPOOL": self.spool} if self.spool else {})),
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
        )  # fmt: skip

    def counts(self):
        return counts_in(self.shared)

    def wait_until(self, what):
        deadline = time.monotonic() + END_S
        while not what() and time.monotonic() < deadline and self.process.poll() is None:
            time.sleep(0.002)

    def all_in_their_loops(self):
        if self.spool:
            self.was_compressed = len(list(self.trace.glob("rank-*.state"))) == self.options.ranks
            if not self.was_compressed:
                return False
        counts = self.counts()
        return len(counts) == self.options.ranks and all(count[1] > 20 for count in counts.values())

    def strike(self):
        victim, chance = self.victim, self.chance
        if victim in BY_ITSELF:
            return
        if victim == "init":
            self.wait_until(lambda: len(self.counts()) == self.options.ranks)
            time.sleep(chance.uniform(0, 0.3))
        else:
            self.wait_until(self.all_in_their_loops)
            time.sleep(chance.uniform(0, 0.3))
        ranks = [count[0] for count in self.counts().values()]
        if victim == "finalize":
            (self.shared / "stop").touch()
            self.wait_until(lambda: any(count[3] for count in self.counts().values()))
            time.sleep(chance.uniform(0, 0.03))
        if victim == "rank":
            kill(chance.choice(ranks))
        elif victim in ("ranks", "init", "finalize"):
            for pid in ranks:
                kill(pid)
        elif victim == "launcher":
            kill(self.process.pid)
        elif victim == "launcher_term":
            kill(self.process.pid, signal.SIGTERM)
        elif victim in ("writer", "writers"):
            writers = pids(self.scratch, of="meridian-writer")
            for pid in writers if victim == "writers" else writers[:1]:
                kill(pid)
            time.sleep(chance.uniform(0, 0.3))
            (self.shared / "stop").touch()
        elif victim == "everything":
            for pid, _ in processes(self.work):
                kill(pid)

    def settle(self):
        """Until the launcher has ended and no process of the run is left; those that hang are killed."""
        try:
            self.process.wait(timeout=END_S)
        except subprocess.TimeoutExpired:
            self.has_hung = True
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()
        deadline = time.monotonic() + END_S
        while processes(self.work) and time.monotonic() < deadline:
            time.sleep(0.01)
        left = [line for _, line in processes(self.work)]
        for pid, _ in processes(self.work):
            kill(pid)
        return left

    def check(self, check, what):
        left = self.settle()
        counts = self.counts()
        check.equal(f"{what}: processes that do not end", left, [])
        if self.victim in BY_ITSELF:
            check.equal(f"{what}: the job goes on", self.has_hung, False)
        merged, summary = launch.merge(self.options.meridian, self.trace)
        initialized = [rank for rank, count in counts.items() if count[1] > 0]
        if not initialized and summary is None:
            return merged  # killed before there was anything to record
        check.true(f"{what}: merge takes it: {merged.returncode} {merged.stderr}", merged.returncode in (0, 2) and summary is not None)
        held = {}
        for path in sorted(self.trace.glob("rank-*.h5")):
            rank, main, other, losses = completed_calls(path)
            held[rank] = (main, other)
            check.equal(f"{what}: losses of rank {rank}", losses, {})
        for rank, (_, main, other, _) in counts.items():
            if rank not in held:
                check.equal(f"{what}: calls of rank {rank}, which has no rank file", main, 0)
                continue
            check.true(f"{what}: rank {rank}: main thread: {main} calls returned, {held[rank][0]} recorded", 0 <= held[rank][0] - main <= 1)
            check.true(f"{what}: rank {rank}: other thread: {other} calls returned, {held[rank][1]} recorded", 0 <= held[rank][1] - other <= 1)
        if self.spool:
            check.true(f"{what}: what was recorded was compressed meanwhile", self.was_compressed)
        if self.victim in ("writer", "writers"):
            check.equal(f"{what}: exit code of the program", self.process.returncode, 0)
        if summary is not None:
            check.equal(f"{what}: received before sent", summary["reversed_after"], 0)
        self.calls = sum(count[1] + count[2] for count in counts.values())
        return merged


def main():
    parser = launch.parser()
    parser.add_argument("--times", type=int, default=1, help="of each victim")
    parser.add_argument("--spool", help="MERIDIAN_SPOOL; only for victims that die in the program's loop or its end")
    parser.add_argument("program")
    parser.add_argument("victims", nargs="*", metavar="victim", help=f"of {', '.join(VICTIMS)}; all when none is named")
    options = parser.parse_args()
    chance = launch.generator()  # of the moments
    check, calls, merged = launch.Checks(), 0, []
    for victim in options.victims or VICTIMS:
        for time_ in range(options.times):
            with tempfile.TemporaryDirectory(prefix="meridian-kills-") as work:
                run = Run(options, victim, chance, work)
                run.strike()
                merged.append(run.check(check, f"{victim} {time_}"))
                calls += getattr(run, "calls", 0)
    print(f"{len(merged)} runs, {calls} calls that had returned")
    return check.finish(*(merged if check.differences else []))


if __name__ == "__main__":
    sys.exit(main())

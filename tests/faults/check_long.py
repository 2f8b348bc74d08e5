# SPDX-License-Identifier: Apache-2.0
"""Runs of any length: records are compressed while the program runs, so that neither memory nor what lies on
disk uncompressed grows with the run, and MPI_Finalize has little to do.

check_long.py --meridian M --mpiexec X --ranks N program [--calls C] [--times T] [--spool S] [--directory D]

Runs C calls and T times as many and compares; prints what it measured. `--calls 100000000 --times 1 --spool 256M` is one
long run, without a comparison.
"""

import pathlib
import subprocess
import sys
import tempfile
import time

import check_kills
import h5py
import numpy
from check_kills import launch

KINDS = {b"MPI_Irecv": 1, b"MPI_Isend": 1, b"MPI_Waitall": 1, b"MPI_Comm_rank": 3, b"MPI_Iprobe": 1, b"MPI_Wtime": 1}
RING_KIB, MOST_KIB = 2 << 10, 48 << 10  # the default of MERIDIAN_BUFFER; for a rank with one thread
SLACK = 1 << 20  # bytes of a spool beyond its bound: bytes that are drained at once


def high_water(pid):
    try:
        for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1])
    except OSError:
        pass
    return 0


def bytes_of(paths):
    total = 0
    for path in paths:
        try:
            total += path.stat().st_size
        except OSError:
            pass  # it has been removed
    return total


def size(text):
    unit = {"K": 1 << 10, "M": 1 << 20, "G": 1 << 30}.get(text[-1])
    return int(text[:-1]) * unit if unit else int(text)


class LongRun:
    def __init__(self, options, calls, work):
        trace, scratch, go = work / "trace", work / "scratch", work / "go"
        scratch.mkdir()
        words = [options.mpiexec, "-n", options.ranks, options.meridian, "run", options.program, calls, go]
        process = subprocess.Popen(
            [str(word) for word in words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True,
            env=launch.environment(MERIDIAN_DIR=trace, MERIDIAN_SCRATCH=scratch, MERIDIAN_SPOOL=options.spool, MERIDIAN_FINALIZE_TIMEOUT="3600"),
        )  # fmt: skip
        self.trace, self.writer_kib, self.spool, self.disk, self.checkpoints = trace, 0, 0, 0, 0
        writers, idle, last = [], 0, -1
        while process.poll() is None:
            writers = writers or check_kills.pids(scratch, of="meridian-writer")
            if len(writers) < options.ranks:
                writers = []
            self.writer_kib = max([self.writer_kib, *map(high_water, writers)])
            spools = bytes_of(trace.glob("rank-*.spool*"))
            self.spool, self.disk = max(self.spool, spools), max(self.disk, bytes_of(trace.glob("rank-*")))
            self.checkpoints = max(self.checkpoints, len(list(trace.glob("rank-*.state"))))
            stored = bytes_of(path for path in trace.glob("rank-*") if path.suffix != ".samples")  # these grow while a thread sleeps
            idle, last = (idle + 1 if writers and stored == last else 0), stored
            if idle >= 20 and not go.exists():  # all calls are made and drained
                go.touch()
            time.sleep(0.05)
        self.returncode = process.returncode
        lines = [line.split() for line in process.communicate()[0].splitlines()]
        self.ranks = len(lines)
        self.made = sum(int(line[1]) for line in lines)
        self.ns_per_call = max((float(line[2]) for line in lines), default=0)
        self.program_kib = max((int(line[3]) for line in lines), default=0)
        self.finalize_s = max((float(line[4]) for line in lines), default=0)
        deadline = time.monotonic() + check_kills.END_S
        while [*trace.glob("rank-*.ring"), *trace.glob("rank-*.done")] and time.monotonic() < deadline:
            time.sleep(0.05)
        self.files = sorted(trace.glob("rank-*"))
        self.bytes = bytes_of(self.files)

    def __str__(self):
        return (
            f"{self.made} calls: {self.ns_per_call} ns a call, memory of the program {self.program_kib} KiB, of the writer "
            f"{self.writer_kib} KiB, spools {self.spool} B, disk {self.disk} B, rank files {self.bytes} B, "
            f"MPI_Finalize {self.finalize_s} s"
        )


def check_file(check, path, calls):
    """Every call is there, in order: their kinds, tags and times."""
    with h5py.File(path) as file:
        names = file["calls/name"][()]
        numbers = file["events/call"][()]
        for name, times in KINDS.items():
            number = numpy.flatnonzero(names == name)
            check.equal(f"{path.name}: kinds of {name}", len(number), 1)
            if len(number) == 1:
                found = int((numbers == number[0]).sum())
                least = calls // 8 * times
                check.true(f"{path.name}: {name.decode()}: {found} of {least}", least <= found <= least + 2)
        tags = file["p2p/tag"][()]
        rounds = calls // 8
        expected = numpy.repeat(numpy.arange(rounds) % 100, 2)
        check.true(f"{path.name}: tags", len(tags) == len(expected) and bool((tags == expected).all()))
        polls, poll_tags = file["polls/calls"][()], file["polls/tag"][()]
        check.true(f"{path.name}: polls", len(polls) == rounds and bool((polls == 1).all() and (poll_tags == 101).all()))
        gaps, durations = file["events/gap"][()], file["events/duration"][()]
        check.true(f"{path.name}: times go on", len(gaps) > 0 and int(gaps.min()) >= 0 and int(durations.max()) < 1 << 40)
        losses = {key: int(value) for key, value in file.attrs.items() if key.startswith("lost_") and value}
        check.equal(f"{path.name}: losses", losses, {})


def main():
    parser = launch.parser()
    parser.add_argument("--calls", type=int, default=320_000, help="of each rank, in the short run")
    parser.add_argument("--times", type=int, default=20, help="as many in the long run; 1: one run alone")
    parser.add_argument("--spool", default="4M")
    parser.add_argument("--directory", help="for the trace; default: a passing one")
    parser.add_argument("--contents", type=int, default=1, help="0: do not read the rank files")
    parser.add_argument("program")
    options = parser.parse_args()
    check, runs = launch.Checks(), []
    for calls in sorted({options.calls, options.calls * options.times}):
        with tempfile.TemporaryDirectory(prefix="meridian-long-", dir=options.directory) as work:
            run = LongRun(options, calls, pathlib.Path(work))
            runs.append(run)
            print(run, flush=True)
            check.equal("exit code", run.returncode, 0)
            check.equal("ranks", run.ranks, options.ranks)
            check.equal("what is left", [path.name for path in run.files], [f"rank-{i:05}.h5" for i in range(options.ranks)])
            if options.contents:
                for path in run.files:
                    if path.suffix == ".h5":
                        check_file(check, path, calls)
    bound = size(options.spool)
    if bound != 0:
        check.true(f"checkpoints of {runs[-1].checkpoints} ranks", runs[-1].checkpoints == options.ranks)
        check.true(f"spools of {runs[-1].spool} B", runs[-1].spool <= options.ranks * (bound + SLACK))
    if len(runs) == 2:
        short, long = runs
        # A writer that waits for a core has more to do at once, in runs of any length; memory that grew with the run would be
        # many times as much.
        check.true(f"memory of the writer: {short.writer_kib} and {long.writer_kib} KiB", 0 < long.writer_kib < 2 * short.writer_kib)
        check.true(f"memory of a ring and its writer: {long.writer_kib + RING_KIB} KiB", long.writer_kib + RING_KIB <= MOST_KIB)
        check.true(f"memory of the program: {short.program_kib} and {long.program_kib} KiB", 0 < long.program_kib < 1.2 * short.program_kib)
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Runs a program untraced, then traced and counted at once."""

import dataclasses
import os
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE / "counter")]
import counts  # noqa: E402
import launch  # noqa: E402
import rank_trace  # noqa: E402

SETTLE_S = 30
TIMEOUT_S = 100


def parser():
    """Arguments of every check that counts calls: `tracer` is libmeridian.so of this MPI."""
    return launch.parser("tracer", "counter")


@dataclasses.dataclass
class Runs:
    untraced: subprocess.CompletedProcess
    traced: subprocess.CompletedProcess
    counted: dict  # rank -> Counter of calls
    traces: dict  # rank -> RankTrace
    folder: pathlib.Path  # of the trace
    scratch: pathlib.Path


def wait_for_writers(scratch, folder, ranks):
    """After a program that did not end properly, its writers have to notice: until no ring is left and all files are there."""
    deadline = time.monotonic() + SETTLE_S
    while time.monotonic() < deadline:
        rings = list(scratch.rglob("*.ring"))
        unfinished = [*folder.glob("*.part"), *folder.glob("*.done")]
        if not rings and len(list(folder.glob("rank-*.h5"))) == ranks and not unfinished:
            return
        time.sleep(0.05)


def run(options, command, work, cwd=None, stdin=None, both=None, untraced=None, **extra):
    """`command` on options.ranks ranks, both ways. `cwd`: (untraced, traced) working directories; `stdin`: a file's path;
    `both`: environment of both runs, `extra`: of the traced one; `untraced`: what run() returned of the same command before."""
    work = pathlib.Path(work)
    folder, scratch, counting = work / "trace", work / "scratch", work / "counts"
    for path in (scratch, counting):
        path.mkdir(parents=True)
    # The counter stands in front, so what passes it passes the tracer as well.
    preload = f"LD_PRELOAD={options.counter}:{options.tracer}"
    launcher = [options.mpiexec, "-n", options.ranks]
    shared = {"OMP_NUM_THREADS": 1, **(both or {})}  # more would fight for the cores that the ranks have
    untraced = untraced.untraced if untraced else launch_in(cwd and cwd[0], [*launcher, *command], stdin, **shared)
    traced = launch_in(
        cwd and cwd[1],
        [*launcher, options.meridian, "run", "/usr/bin/env", preload, *command],
        stdin, **shared, MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, COUNT_CALLS_DIR=counting, **extra,
    )  # fmt: skip
    wait_for_writers(scratch, folder, options.ranks)
    traces = {}
    for path in sorted(folder.glob("rank-*.h5")):
        trace = rank_trace.RankTrace(path)
        traces[trace.rank] = trace
    return Runs(untraced, traced, counts.read(counting), traces, folder, scratch)


def start_in(cwd, command, stdin=None, **extra):
    """The running process; see end()."""
    with open(stdin or os.devnull) as source:
        return subprocess.Popen(
            [str(word) for word in command], env=launch.environment(**extra), cwd=cwd, stdin=source,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
        )  # fmt: skip


def end(process):
    """Waits. A launcher that hangs is asked to end, so that it takes its ranks, which spin, along."""
    try:
        output, errors = process.communicate(timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        process.terminate()
        output, errors = process.communicate(timeout=10)
        errors += f"\nended after {TIMEOUT_S} s\n"
    return subprocess.CompletedProcess(process.args, process.returncode, output, errors)


def launch_in(cwd, command, stdin=None, **extra):
    return end(start_in(cwd, command, stdin, **extra))


def check_same_result(check, runs, clean=lambda text: text):
    check.equal("exit code traced", runs.traced.returncode, runs.untraced.returncode)
    check.equal("output traced", clean(runs.traced.stdout), clean(runs.untraced.stdout))


def check_counts(check, runs, ranks, unrecorded=None):
    """Calls by rank and function in the rank files are those that the counter saw, but for `unrecorded` ones."""
    check.equal("ranks that were counted", sorted(runs.counted), list(range(ranks)))
    check.equal("ranks that were traced", sorted(runs.traces), list(range(ranks)))
    for rank, counted in runs.counted.items():
        recorded = runs.traces[rank].counts() if rank in runs.traces else {}
        for name in sorted(set(counted) | set(recorded)):
            missing = (unrecorded or {}).get(name, 0)
            expected = 0 if missing is None else counted.get(name, 0) - missing
            check.equal(f"{name} of rank {rank}", recorded.get(name, 0), expected)
        if rank in runs.traces:
            check.equal(f"losses of rank {rank}", runs.traces[rank].losses, {})


def check_nothing_left(check, runs):
    """The writer of a program that was ended removes its files after the program's end: it may take a moment."""
    for _ in range(100):
        left = [str(path.relative_to(runs.scratch)) for path in runs.scratch.rglob("*") if not path.is_dir()]
        inside = runs.folder.iterdir() if runs.folder.is_dir() else []
        strange = [path.name for path in inside if not path.name.endswith(".h5")]
        if not left and not strange:
            break
        time.sleep(0.1)
    check.equal("files left in the scratch directory", left, [])
    check.equal("files beside the rank files", strange, [])


def check_merge(check, options, runs, findings=frozenset(), exit_code=0):
    """Merges; checks what holds for every good trace; returns (process, summary or None)."""
    merged, summary = launch.merge(options.meridian, runs.folder)
    check.equal("exit code of merge", merged.returncode, exit_code)
    if summary is None:
        check.true("the summary is JSON", False)
        return merged, None
    unexpected = [f"{f['name']} ({f['severity']}): {f['count']}" for f in summary["findings"] if f["name"] not in findings]
    check.equal("findings", unexpected, [])
    check.equal("reversed before", summary["reversed_before"], 0)
    check.equal("reversed after", summary["reversed_after"], 0)
    merged_calls = {f["name"]: f["count"] for f in summary["functions"] if f["name"].startswith("MPI_")}
    recorded = sum((trace.counts() for trace in runs.traces.values()), start=type(next(iter(runs.traces.values())).counts())())
    check.equal("calls by function in the summary", merged_calls, dict(recorded))
    return merged, summary

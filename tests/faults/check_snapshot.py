# SPDX-License-Identifier: Apache-2.0
"""Snapshots of a program that runs hold every call that had returned when they were asked for, `top` counts no call that
was not made, and neither disturbs it.

check_snapshot.py --meridian M --mpiexec X --ranks N [--spool SIZE] program
"""

import json
import os
import pathlib
import signal
import sys
import tempfile
import time

import check_kills
from check_kills import launch

SNAPSHOTS = 4
PATIENCE_S = 60


def writers_of(options, run):
    """Process of each rank's writer."""
    report = json.loads(launch.run([options.meridian, "where", "--json", run.trace]).stdout)
    return {rank["rank"]: rank["writer_pid"] for rank in report["ranks"]}


def files_in(folder):
    """{name: which file it is}: a file that takes its place is another one."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns) for path in folder.glob("rank-*.h5")}


def check_signals(check, options, run):
    """A signal to the writers makes the rank files in snapshot/, a second one makes them anew; other signals do nothing."""
    writers, folder = writers_of(options, run), run.trace / "snapshot"
    check.equal("ranks with a writer", sorted(writers), list(range(options.ranks)))
    files = {}
    for i in range(2):
        before, old = run.counts(), files
        for pid in writers.values():
            for number in (signal.SIGUSR2, signal.SIGTERM, signal.SIGUSR1):
                os.kill(pid, number)
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            files = files_in(folder)
            if len(files) == options.ranks and all(files[name] != old.get(name) for name in files):
                break
            time.sleep(0.05)
        after = run.counts()
        check.equal(f"rank files after signal {i}", len(files), options.ranks)
        check.true(f"signal {i} makes new files", all(files[name] != old.get(name) for name in files))
        for path in folder.glob("rank-*.h5"):
            rank, *calls, losses = check_kills.completed_calls(path)
            check.equal(f"losses of rank {rank}", losses, {})
            for thread in (0, 1):
                least, most = before[rank][1 + thread], after[rank][1 + thread] + 1
                check.true(f"signal {i}: rank {rank}: {least} <= {calls[thread]} <= {most}", least <= calls[thread] <= most)
    check.equal("writers after the signals", writers_of(options, run), writers)


def main():
    parser = launch.parser()
    parser.add_argument("--spool", help="MERIDIAN_SPOOL")
    parser.add_argument("program")
    options = parser.parse_args()
    check, chance = launch.Checks(), launch.generator()
    with tempfile.TemporaryDirectory(prefix="meridian-snapshot-") as work:
        run = check_kills.Run(options, "run", chance, work, pause_us=500)
        run.wait_until(run.all_in_their_loops)
        for i in range(SNAPSHOTS):
            time.sleep(chance.uniform(0, 0.3))
            output = pathlib.Path(work) / f"snapshot {i}"
            before = run.counts()
            taken = launch.run([options.meridian, "snapshot", run.trace, "-o", output])
            after = run.counts()
            check.equal(f"exit code of snapshot {i}: {taken.stderr}", taken.returncode, 0)
            held = {}
            for path in sorted(output.glob("rank-*.h5")):
                rank, main_calls, other_calls, losses = check_kills.completed_calls(path)
                held[rank] = (main_calls, other_calls)
                check.equal(f"losses of rank {rank}", losses, {})
            check.equal(f"ranks of snapshot {i}", sorted(held), list(range(options.ranks)))
            for rank, calls in held.items():
                for thread in (0, 1):
                    least, most = before[rank][1 + thread], after[rank][1 + thread] + 1
                    check.true(f"snapshot {i}: rank {rank}: {least} <= {calls[thread]} <= {most}", least <= calls[thread] <= most)
        default = launch.run([options.meridian, "snapshot", run.trace])
        check.equal("exit code of a snapshot in its own place", default.returncode, 0)
        check.equal("directories in the trace", len([p for p in run.trace.iterdir() if p.name.startswith("snapshot-")]), 1)
        check_signals(check, options, run)
        shown = launch.run([options.meridian, "where", "--json", run.trace])
        check.true(f"exit code of where: {shown.returncode} {shown.stderr}", shown.returncode in (0, 2))
        check.equal("ranks that where shows", shown.stdout.count('"rank"') >= options.ranks, True)
        if options.spool:
            check.true("what was recorded was compressed meanwhile", run.was_compressed)
            early = launch.run([options.meridian, "merge", run.trace])
            check.equal(f"exit code of merge while the program runs: {early.stderr}", early.returncode, 1)
        before, begin = run.counts(), time.monotonic()
        watched = launch.run([options.meridian, "top", "--json", "--count", "1", "--interval", "1", run.trace])
        after, time_s = run.counts(), time.monotonic() - begin
        for rank in json.loads(watched.stdout)["ranks"] if watched.returncode == 0 else [{"rank": 0, "calls_per_s": -1, "window_s": 1}]:
            made = sum(after[rank["rank"]][1:3]) - sum(before[rank["rank"]][1:3])
            seen = rank["calls_per_s"] * rank["window_s"]
            check.true(f"{seen} calls of {made} in {rank['window_s']} s of {time_s} s", 0 < seen <= made + 2)
        (run.shared / "stop").touch()
        merged = run.check(check, "after the snapshots")
        check.equal("exit code of the program", run.process.returncode, 0)
        for folder in [*(pathlib.Path(work) / f"snapshot {i}" for i in range(SNAPSHOTS)), run.trace / "snapshot"]:
            merged, summary = launch.merge(options.meridian, folder)
            check.equal("exit code of merge", merged.returncode, 0)
            check.equal("received before sent", summary and summary["reversed_after"], 0)
            findings = {finding["name"] for finding in summary["findings"]} if summary else set()
            check.equal("findings", findings - {"rank.unfinished", "call.unfinished", "call.cut_off", "message.open_receive"}, set())
        late = launch.run([options.meridian, "snapshot", run.trace])
        check.equal("exit code of a snapshot of nothing", late.returncode, 1)
        check.true(f"what it says: {late.stderr}", "no rank of a running program" in late.stderr)
        return check.finish(merged)


if __name__ == "__main__":
    sys.exit(main())

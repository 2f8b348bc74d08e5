"""Snapshots of a program that runs hold every call that had returned when they were asked for, `top` counts no call that
was not made, and neither disturbs it.

check_snapshot.py --meridian M --mpiexec X --ranks N program
"""

import argparse
import json
import os
import pathlib
import random
import sys
import tempfile
import time

import check_kills
from check_kills import launch

SNAPSHOTS = 4


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    check, chance = launch.Checks(), random.Random(os.getpid())
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
        for i in range(SNAPSHOTS):
            merged, summary = launch.merge(options.meridian, pathlib.Path(work) / f"snapshot {i}")
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

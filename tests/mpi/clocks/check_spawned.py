# SPDX-License-Identifier: Apache-2.0
"""A program and the processes that it starts (spawning.c), all with clocks of their own, bent by known amounts: there are
no round trips between the two, so only their messages can put them on one clock.

check_spawned.py --meridian M --mpiexec X --ranks N --program P HOW...
"""

import dataclasses
import json
import sys
import tempfile
import time
from pathlib import Path

import clock_truth
from clock_truth import launch

MILLISECONDS = 600
CHILDREN = 2
REALTIME_NS = 300_000_000  # how far CLOCK_REALTIME of a child's host is off; messages are much quicker
PARENTS = [(0, 0, 0), (3_000_000_000, 15_000, 0)]  # offset, drift in ppb, realtime
CHILDS = [(20_000_000_000, 40_000, -REALTIME_NS), (7_000_000_000, -25_000, REALTIME_NS)]


@dataclasses.dataclass
class Bends:
    """Like clock_truth.Bend, by the rank in the merged file."""

    bends: list

    def raw(self, rank, ticks):
        offset, drift, _ = self.bends[rank]
        return (int(ticks) - offset) * 10**9 // (10**9 + drift)

    def local(self, rank, raw):
        offset, drift, _ = self.bends[rank]
        return raw + offset + raw * drift // 10**9


def words(bends):
    return ",".join(f"{rank}:{offset}:{drift}:{realtime}" for rank, (offset, drift, realtime) in enumerate(bends))


class Spawned:
    """A traced run; ranks of the merged file are the parents, then the children."""

    def __init__(self, options, how, work):
        self.ranks, self.folder, scratch = options.ranks, work / "trace", work / "scratch"
        scratch.mkdir(parents=True)
        parents = PARENTS[: self.ranks]
        self.bend, self.files = Bends(parents + CHILDS), range(self.ranks + CHILDREN)
        self.process = launch.run(
            [options.mpiexec, "-n", self.ranks, options.meridian, "run", options.program, how, MILLISECONDS, words(CHILDS)],
            MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=scratch, MERIDIAN_TEST_CLOCK=words(parents))  # fmt: skip
        deadline = time.monotonic() + clock_truth.SETTLE_S
        while time.monotonic() < deadline and (
            list(scratch.rglob("*.ring")) or not all(self.path(rank).exists() for rank in self.files)
        ):
            time.sleep(0.05)

    def path(self, rank):
        if rank < self.ranks:
            return self.folder / f"rank-{rank:05d}.h5"
        return self.folder / "world-2" / f"rank-{rank - self.ranks:05d}.h5"


def check_one(check, options, how, work):
    run = Spawned(options, how, work)
    merged, summary = launch.merge(options.meridian, run.folder)
    check.equal(f"{how}: the program", (run.process.returncode, run.process.stdout), (0, "done\n"))
    if summary is None:
        check.true(f"{how}: merge gives a summary", False)
        return [run.process, merged]
    is_apart = how == "apart"
    findings = {finding["name"]: finding["count"] for finding in summary["findings"]}
    children = range(options.ranks, options.ranks + CHILDREN)
    rows = {rank: row for row in summary["clocks"] for rank in row["ranks"]}
    check.equal(f"{how}: clocks", len(summary["clocks"]), options.ranks + CHILDREN)
    check.equal(f"{how}: hosts at their realtime clocks", findings.get("clock.unsynchronised", 0), CHILDREN if is_apart else 0)
    check.equal(f"{how}: models of the children", [rows[rank]["model"] for rank in children],
                ["realtime", "linear"] if is_apart else ["meridian", "meridian"])  # fmt: skip
    check.equal(f"{how}: reversed after", summary["reversed_after"], 0)
    check.equal(f"{how}: exit code of merge", merged.returncode, 2 if is_apart else 0)
    farthest = {}
    bound, count, _ = clock_truth.check_bounds(check, run, summary, how, farthest)
    print(f"{how}: {bound} of {count} times are certified; off by {json.dumps(farthest)} ns at most; {findings}")
    for rank in children:
        is_near = farthest.get(rank, 0) < REALTIME_NS / 3
        check.equal(f"{how}: rank {rank} is near, which is off by {farthest.get(rank)} ns", is_near, not is_apart)
        if is_apart or how == "oneway":  # nothing bounds them on both sides
            check.equal(f"{how}: half-width of the bounds of rank {rank}", rows[rank]["t1_s"], -1)
    return [run.process, merged]


def main():
    parser = launch.parser()
    parser.add_argument("--program", required=True)
    parser.add_argument("how", nargs="+")
    options = parser.parse_args()
    check, context = launch.Checks(), []
    for how in options.how:
        with tempfile.TemporaryDirectory(prefix="spawned-") as work:
            context = check_one(check, options, how, Path(work))
        if check.differences:
            break
    return check.finish(*context)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Other tools between the program and MPI do what they do untraced, and what they keep from the tracer is reported.

check_tools.py --meridian M --tracer L --mpiexec X --ranks 2 --tool T [--fortran TOOL PROGRAM]
               plain linked linked-with-tracer inside inside-with-init
"""

import collections
import pathlib
import sys
import tempfile

import tracing
from tracing import launch, rank_trace

ROUNDS = 20
HIDDEN = "MPI_Send MPI_Recv MPI_Finalize"


class Jobs:
    def __init__(self, options, work):
        self.options, self.work, self.check, self.ran = options, pathlib.Path(work), launch.Checks(), []
        self.launcher = [options.mpiexec, "-n", options.ranks]

    def start(self, what, untraced, traced):
        """Both ways; returns (calls by rank, findings, lines of ours)."""
        plain = tracing.launch_in(None, [*self.launcher, *untraced])
        folder, scratch = self.work / what.replace(" ", "-"), self.work / "scratch"
        scratch.mkdir(exist_ok=True)
        done = tracing.launch_in(None, [*self.launcher, *traced], MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch)
        self.ran += [plain, done]
        self.check.equal(f"{what}: exit codes", (done.returncode, plain.returncode), (0, 0))
        self.check.equal(f"{what}: output", sorted(done.stdout.splitlines()), sorted(plain.stdout.splitlines()))
        self.check.true(f"{what}: the other tool speaks", "other tool: " in plain.stdout)
        lines = [line for line in done.stderr.splitlines() if line.startswith("meridian: ")]
        tracing.wait_for_writers(scratch, folder, self.options.ranks if not lines or HIDDEN in lines[0] else 0)
        calls = {trace.rank: trace.counts() for trace in map(rank_trace.RankTrace, sorted(folder.glob("rank-*.h5")))}
        if not calls:
            return calls, [], lines
        merged, summary = launch.merge(self.options.meridian, folder)
        self.ran.append(merged)
        self.check.equal(f"{what}: reversed messages", summary["reversed_after"], 0)
        return calls, summary["findings"], lines


def check_stacked(jobs):
    options = jobs.options
    run = [options.meridian, "run"]
    preloaded = ["/usr/bin/env", f"LD_PRELOAD={options.tool}"]
    ways = {
        "linked": ([options.linked], [*run, options.linked]),
        "preloaded": ([*preloaded, options.plain], [*preloaded, *run, options.plain]),
        "linked with the tracer": ([options.linked], [options.linked_with_tracer]),
    }
    for what, (untraced, traced) in ways.items():
        calls, findings, lines = jobs.start(what, untraced, traced)
        expected = collections.Counter(MPI_Init=1, MPI_Comm_rank=1, MPI_Comm_size=1, MPI_Pcontrol=1, MPI_Send=ROUNDS, MPI_Recv=ROUNDS, MPI_Finalize=1)  # fmt: skip
        jobs.check.equal(f"{what}: calls", calls, dict.fromkeys(range(options.ranks), expected))
        jobs.check.equal(f"{what}: findings", findings, [])
        jobs.check.equal(f"{what}: lines", lines, [])


def check_hidden(jobs):
    """What cannot be stacked: the tool is in front of the tracer and calls PMPI."""
    options = jobs.options
    run = [options.meridian, "run", "/usr/bin/env"]
    ways = {
        "in the program": ([options.inside], [*run, options.inside], "the program has"),
        "preloaded in front": (
            ["/usr/bin/env", f"LD_PRELOAD={options.tool}", options.plain],
            [*run, f"LD_PRELOAD={options.tool}:{options.tracer}", options.plain],
            f"'{options.tool}' has",
        ),
    }
    for what, (untraced, traced, owner) in ways.items():
        calls, findings, lines = jobs.start(what, untraced, traced)
        rest = collections.Counter(MPI_Init=1, MPI_Comm_rank=1, MPI_Comm_size=1)
        jobs.check.equal(f"{what}: ranks", sorted(calls), list(range(options.ranks)))
        for rank, counted in calls.items():
            jobs.check.equal(f"{what}: calls of rank {rank}", counted & rest, rest)
            jobs.check.equal(f"{what}: hidden calls of rank {rank}", set(counted) & set(HIDDEN.split()), set())
        found = {finding["name"]: finding for finding in findings if finding["severity"] != "info"}
        jobs.check.equal(f"{what}: findings", list(found), ["call.unseen"])
        jobs.check.true(f"{what}: names in {found}", HIDDEN in str(found))
        jobs.check.equal(f"{what}: lines", len(lines), 1)
        jobs.check.true(f"{what}: {lines}", all(part in lines[0] for part in ("not recorded, because " + owner, HIDDEN)))
    calls, _, lines = jobs.start("all in the program", [options.inside_with_init], [*run, options.inside_with_init])
    jobs.check.equal("all in the program: ranks", calls, {})
    jobs.check.equal("all in the program: lines", len(lines), 1)
    for part in ("nothing was recorded: ", f"'{options.inside_with_init}' has an MPI_Init of its own"):
        jobs.check.true(f"all in the program: {part}: {lines}", part in "".join(lines))


def check_fortran(jobs):
    options = jobs.options
    if not options.fortran:
        return
    tool, program = options.fortran
    preloaded = ["/usr/bin/env", f"LD_PRELOAD={tool}"]
    calls, findings, lines = jobs.start(
        "Fortran", [*preloaded, program], [*preloaded, options.meridian, "run", program]
    )
    jobs.check.equal("Fortran: sends and receives", [(calls[rank]["MPI_Send"], calls[rank]["MPI_Recv"]) for rank in sorted(calls)], [(1, 0), (0, 1)])
    jobs.check.equal("Fortran: findings and lines", (findings, lines), ([], []))


def main():
    parser = launch.parser("tracer", "tool")
    parser.add_argument("--fortran", nargs=2)
    for name in ("plain", "linked", "linked_with_tracer", "inside", "inside_with_init"):
        parser.add_argument(name)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        jobs = Jobs(options, work)
        check_stacked(jobs)
        check_hidden(jobs)
        check_fortran(jobs)
        return jobs.check.finish(*jobs.ran)


if __name__ == "__main__":
    sys.exit(main())

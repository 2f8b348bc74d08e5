# SPDX-License-Identifier: Apache-2.0
"""A job of which some ranks are traced runs as untraced, the ranks that are traced are recorded, and nothing of it is an error.

check_some_ranks.py --meridian M --tracer L --counter C --mpiexec X --ranks N started|listed program [argument...]

    started   the launcher starts some ranks with the tracer, and others without it
    listed    all ranks have the tracer; MERIDIAN_RANKS names those to trace
"""

import pathlib
import sys
import tempfile

import tracing
from tracing import counts, launch, rank_trace

# Consecutive ranks that are traced, of four; and the same as MERIDIAN_RANKS has them.
CHOICES = [((0,), "1/16"), ((1, 2), "1-2"), ((3,), "3%4"), ((0, 2), "0,2")]


def pieces(ranks, traced):
    """(first rank, number of ranks, whether they are traced) of each run of ranks that are alike."""
    found = []
    for rank in range(ranks):
        if found and found[-1][2] == (rank in traced):
            found[-1][1] += 1
        else:
            found.append([rank, 1, rank in traced])
    return found


def command_of(options, way, traced, command):
    ours = [options.meridian, "run", "/usr/bin/env", f"LD_PRELOAD={options.counter}:{options.tracer}", *command]
    if way == "listed":
        return [options.mpiexec, "-n", options.ranks, *ours]
    plain = ["/usr/bin/env", f"LD_PRELOAD={options.counter}", *command]
    words = []
    for _, count, is_traced in pieces(options.ranks, traced):
        words += [":"] if words else []
        words += ["-n", count, *(ours if is_traced else plain)]
    return [options.mpiexec, *words]


def check_choice(check, options, traced, text, work):
    untraced = tracing.launch_in(None, [options.mpiexec, "-n", options.ranks, *options.command])
    folder, counting = work / "trace", work / "counts"
    counting.mkdir(parents=True)
    extra = {"MERIDIAN_VERBOSE": "yes", **({"MERIDIAN_RANKS": text} if options.way == "listed" else {})}
    done = tracing.launch_in(None, command_of(options, options.way, traced, options.command),
                             MERIDIAN_DIR=folder, COUNT_CALLS_DIR=counting, **extra)  # fmt: skip
    what = f"ranks {text}"
    check.equal(f"{what}: exit code", done.returncode, untraced.returncode)
    check.equal(f"{what}: output", done.stdout, untraced.stdout)
    check.equal(f"{what}: lines that say where the trace is", done.stderr.count("the trace is in"), 1)
    traces = {trace.rank: trace for trace in map(rank_trace.RankTrace, sorted(folder.glob("rank-*.h5")))}
    check.equal(f"{what}: rank files", sorted(traces), sorted(traced))
    counted = counts.read(counting)
    for rank, trace in traces.items():
        check.equal(f"{what}: calls of rank {rank}", dict(trace.counts()), dict(counted[rank]))
    merged, summary = launch.merge(options.meridian, folder)
    check.equal(f"{what}: exit code of merge", merged.returncode, 0)
    findings = {finding["name"]: finding for finding in summary["findings"]}
    check.equal(f"{what}: ranks without a trace", findings["rank.untraced"]["count"], options.ranks - len(traced))
    check.equal(f"{what}: errors and losses", [name for name, one in findings.items() if one["severity"] != "info"], [])
    return done, merged


def main():
    parser = tracing.parser()
    parser.add_argument("way", choices=("started", "listed"))
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    check = launch.Checks()
    outputs = []
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        for number, (traced, text) in enumerate(CHOICES):
            outputs += check_choice(check, options, traced, text, pathlib.Path(work) / str(number))
    return check.finish(*outputs)


if __name__ == "__main__":
    sys.exit(main())

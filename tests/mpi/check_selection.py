# SPDX-License-Identifier: Apache-2.0
"""Selection of single calls: the program's results stay the same, exactly the filtered calls are missing, each of them is
counted, and no message or collective of the others lacks a side.

check_selection.py --meridian M --tracer L --counter C --mpiexec X --ranks N program
"""

import sys
import tempfile

import h5py
import tracing
from tracing import launch

SHORT, EACH, PERSISTENT = 5, 10, 3  # choosing.c
MESSAGES = 2 * EACH + PERSISTENT + 1  # a rank
ANY = object()


def passed(path):
    """{function: calls that were not recorded}, read with h5py only."""
    with h5py.File(path) as file:
        names = [name.decode() for name in file["calls/name"][()]]
        return {names[row["call"]]: int(row["count"]) for row in (file["passed"][()] if "passed" in file else ())}


def choices(ranks):
    """(variables, {function: calls of a rank that are not recorded}, messages of a rank, collectives, finding of gaps)."""
    spare = {"MPI_Test": 20, "MPI_Iprobe": 20, "MPI_Comm_rank": 1, "MPI_Comm_size": 1, "MPI_Get_count": EACH}
    everything = None
    own = 4 * ranks + 4
    return (
        ({"MERIDIAN_MESSAGE": "1K:"}, {"MPI_Isend": 2 * SHORT, "MPI_Recv": SHORT, "MPI_Send": 1}, 2 * SHORT, own, True),
        ({"MERIDIAN_MESSAGE": ":1K"}, {"MPI_Isend": 2 * SHORT, "MPI_Recv": SHORT}, 2 * SHORT + PERSISTENT + 1, own, True),
        ({"MERIDIAN_COMM": "2:"}, {"MPI_Allreduce": 4} if ranks > 1 else ANY, MESSAGES if ranks > 1 else 0, 4 if ranks > 1 else 0, False),
        ({"MERIDIAN_MIN_DURATION": 1000000000}, spare, MESSAGES, own, False),
        ({"MERIDIAN_WINDOW": "0:1000"}, {}, MESSAGES, own, False),
        ({"MERIDIAN_WINDOW": "1000:"}, everything, 0, 0, False),
        ({"MERIDIAN_MAX_CALLS": 7, "MERIDIAN_QUIET": "no"}, ANY, ANY, ANY, True),
        ({"MERIDIAN_LEVELS": "all,-MPI_Isend"}, {"MPI_Isend": 2 * EACH}, 0, own, True),
        ({"MERIDIAN_LEVELS": "all,-request"}, ANY, ANY, own, True),
        ({"MERIDIAN_LEVELS": "all,-coll"}, {"MPI_Allreduce": 7, "MPI_Barrier": 1}, MESSAGES, 0, False),
    )  # fmt: skip


def check_choice(check, options, choice, work, before):
    variables, left_out, messages, collectives, _ = choice
    name = " ".join(f"{key}={value}" for key, value in variables.items())
    runs = tracing.run(options, [options.program], work, untraced=before, **variables)
    check.equal(f"{name}: exit code", runs.traced.returncode, 0)
    check.equal(f"{name}: output", runs.traced.stdout, runs.untraced.stdout)
    is_named = "Calls beyond MERIDIAN_MAX_CALLS were only counted" in runs.traced.stderr
    check.equal(f"{name}: whether the limit is named", is_named, "MERIDIAN_MAX_CALLS" in variables)
    for rank, counted in runs.counted.items():
        recorded, missing = runs.traces[rank].counts(), passed(runs.folder / f"rank-{rank:05}.h5")
        for function, count in counted.items():
            both = recorded.get(function, 0) + missing.get(function, 0)
            check.equal(f"{name}: {function} of rank {rank}, recorded and counted", both, count)
        if left_out is None:
            check.equal(f"{name}: recorded of rank {rank}", dict(recorded), {"MPI_Init": 1})
        elif left_out is not ANY:
            check.equal(f"{name}: left out of rank {rank}", missing, left_out)
    merged, summary = launch.merge(options.meridian, runs.folder)
    check.equal(f"{name}: exit code of merge", merged.returncode, 0)
    shown = {(row["rank"], row["name"]): row["count"] for row in summary["passed"]}
    stored = {(rank, f): n for rank in runs.counted for f, n in passed(runs.folder / f"rank-{rank:05}.h5").items()}
    check.equal(f"{name}: what the summary says was not recorded", shown, stored)
    if messages is not ANY:
        check.equal(f"{name}: messages", summary["messages"]["matched"], messages * options.ranks)
    if collectives is not ANY:
        check.equal(f"{name}: collectives", summary["collectives"]["count"], collectives)
    check.equal(f"{name}: out of order", (summary["reversed_before"], summary["reversed_after"]), (0, 0))
    allowed = {"call.switched_off", "filter.throttled"}
    errors = [finding["name"] for finding in summary["findings"] if finding["name"] not in allowed]
    check.equal(f"{name}: findings", errors, [])
    return runs, merged


def main():
    parser = tracing.parser()
    parser.add_argument("program", help="choosing")
    options = parser.parse_args()
    check = launch.Checks()
    runs = None
    for choice in choices(options.ranks):
        with tempfile.TemporaryDirectory(prefix="meridian-choosing-") as work:
            runs, merged = check_choice(check, options, choice, work, runs)
    return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())

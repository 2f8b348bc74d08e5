# SPDX-License-Identifier: Apache-2.0
"""One program of programs/: same result traced, rank files with exactly its calls, messages, bytes and
completions, and a merge that matches all of them.

check_subject.py --meridian M --tracer L --counter C --mpiexec X --ranks N --mpi-version V program subject
"""

import sys
import tempfile

import expectations
import tracing
from tracing import launch, rank_trace


def check_rank_files(check, runs, expected, ranks):
    tallies = [rank_trace.tally(trace) for trace in runs.traces.values()]

    def total(name):
        return sum(getattr(tally, name) for tally in tallies)

    for name, value in (
        ("sends", expected.messages), ("bytes_sent", expected.bytes), ("receives", expected.messages),
        ("bytes_received", None if expected.truncated else expected.bytes), ("completed", expected.completed),
        ("cancelled", expected.cancelled), ("failed", expected.failed), ("collectives", expected.collective_calls),
    ):  # fmt: skip
        if value is not None:
            check.equal(f"{name} in the rank files", total(name), value)
    if expected.collective_bytes is not None:
        moved = [call.collective[2:4] for trace in runs.traces.values() for call in trace.calls if call.collective]
        check.equal("bytes of collectives", tuple(map(sum, zip(*moved))), expected.collective_bytes)
    for rank, trace in runs.traces.items():
        check.equal(f"rank {rank} is finalized", int(trace.attributes["finalized"]), 1)
        check.equal(f"size in rank {rank}", int(trace.attributes["size"]), ranks)
        check.equal(f"threads of rank {rank}", len(trace.threads), expected.threads)
        check.true(f"calls of rank {rank} leave after they enter", all(c.leave >= c.enter for c in trace.calls))
        last = {}
        for call in trace.calls:
            check.true(f"{call.name} of rank {rank} follows its predecessor", call.enter >= last.get(call.thread, 0))
            last[call.thread] = call.leave


def check_nested(check, runs, summary, expected):
    """Calls from callbacks are in the time of the calls around them, and no threads of their own."""
    for row in summary["ranks"]:
        calls = runs.traces[row["rank"]].calls
        check.equal(f"threads in MPI of rank {row['rank']}", row["threads"], expected.threads - expected.nested)
        check.equal(f"calls of rank {row['rank']}", row["calls"], sum(call.count for call in calls))
        if not expected.nested:
            continue
        outer = [call for call in calls if call.thread == 0]
        ends = sum(call.leave - call.enter for call in outer if call.name.startswith(("MPI_Init", "MPI_Finalize")))
        span = max(call.leave for call in calls) - min(call.enter for call in calls)
        share = (sum(call.inside for call in outer) - ends) / (span - ends)
        check.true(f"{row['mpi_share']} is the share of outer calls, {share}", abs(row["mpi_share"] - share) < 1e-3)
        for call in calls:
            is_inside = any(around.enter <= call.enter and call.leave <= around.leave for around in outer)
            check.true(f"{call.name} of thread {call.thread} is in a call of the program", is_inside)


def check_summary(check, summary, expected):
    for table, name, value in (
        ("messages", "matched", expected.messages), ("messages", "bytes", expected.bytes),
        ("messages", "unmatched_sends", 0), ("messages", "unmatched_receives", 0),
        ("collectives", "count", expected.instances), ("collectives", "calls", expected.collective_calls if expected.collective_parts is None else expected.collective_parts),
    ):  # fmt: skip
        check.equal(f"{table}.{name} in the summary", summary[table][name], value)
    for table, rows in expected.objects.items():
        check.equal(f"rows of {table} in the summary", len(summary[table]), len(rows))
        for row in rows:
            known = [{name: found[name] for name in row} for found in summary[table]]
            check.true(f"{row} is among {known} in {table}", row in known)
    truncated = [finding["count"] for finding in summary["findings"] if finding["name"] == "message.truncated"]
    check.equal("truncated messages", sum(truncated), expected.truncated)


def main():
    parser = tracing.parser()
    parser.add_argument("--mpi-version", type=int, required=True)
    parser.add_argument("program")
    parser.add_argument("subject")
    options = parser.parse_args()
    expected = expectations.SUBJECTS[options.subject](options.ranks, mpi_version=options.mpi_version)
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        runs = tracing.run(options, [options.program], work, both=expected.environment)
        check.equal("exit code untraced", runs.untraced.returncode, 0)
        tracing.check_same_result(check, runs)
        check.equal("errors traced", runs.traced.stderr, runs.untraced.stderr)
        tracing.check_counts(check, runs, options.ranks, expected.unrecorded)
        tracing.check_nothing_left(check, runs)
        check_rank_files(check, runs, expected, options.ranks)
        exit_code = 2 if expected.truncated else 0
        merged, summary = tracing.check_merge(check, options, runs, expected.findings, exit_code)
        if summary is not None:
            check_summary(check, summary, expected)
            check_nested(check, runs, summary, expected)
        return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Another project's program, unmodified: its results are those of the untraced run, every call that the independent
counter saw is in the rank files, and merging finds nothing wrong.

check_app.py --meridian M --tracer L --counter C --mpiexec X --ranks N --flavor F program
"""

import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "mpi"))
import programs  # noqa: E402
import tracing  # noqa: E402
from tracing import launch, rank_trace  # noqa: E402

SKIPPED = 77


def check_messages(check, runs, summary):
    """The merger's totals are those of a slow count over the rank files."""
    tallies = [rank_trace.tally(trace) for trace in runs.traces.values()]
    sent = (sum(t.sends for t in tallies), sum(t.bytes_sent for t in tallies))
    received = (sum(t.receives for t in tallies), sum(t.bytes_received for t in tallies))
    messages = summary["messages"]
    check.equal("messages received", received, sent)
    check.equal("matched messages and their bytes", (messages["matched"], messages["bytes"]), sent)
    unmatched = (messages["unmatched_sends"], messages["unmatched_receives"])
    check.equal("unmatched sends and receives", unmatched, (0, 0))


def main():
    parser = tracing.parser()
    parser.add_argument("--flavor", required=True)
    parser.add_argument("program", choices=sorted(programs.PROGRAMS))
    options = parser.parse_args()
    program = programs.PROGRAMS[options.program](options.flavor)
    if program.missing():
        print(f"skipped: {program.missing()}")
        return SKIPPED
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-apps-") as work:
        folders = [pathlib.Path(work, name) for name in ("untraced", "traced")]
        for folder in folders:
            folder.mkdir()
            program.prepare(folder, options.ranks)
        runs = tracing.run(options, program.command, work, cwd=folders, stdin=program.stdin)
        check.equal("exit code untraced", runs.untraced.returncode, 0)
        check.equal("exit code traced", runs.traced.returncode, 0)
        if not check.differences:
            before = program.result(folders[0], runs.untraced.stdout)
            check.equal("result", program.result(folders[1], runs.traced.stdout), before)
        tracing.check_counts(check, runs, options.ranks, program.unrecorded)
        tracing.check_nothing_left(check, runs)
        merged, summary = tracing.check_merge(check, options, runs, program.findings)
        if summary is not None:
            check_messages(check, runs, summary)
        calls = sum(counted.total() for counted in runs.counted.values())
        print(f"{options.program}: {calls} calls on {options.ranks} ranks")
        return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())

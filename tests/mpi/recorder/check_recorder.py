# SPDX-License-Identifier: Apache-2.0
"""Flight recorders on runs whose calls are known: MERIDIAN_MODE=recorder.

check_recorder.py --meridian M --mpiexec X --ranks N finished|killed|short|timed|looked_at PROGRAM
"""

import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import launch  # noqa: E402

ROUNDS = 500_000  # some 5 MiB of records a rank
KEEP = "1M"
CALLS_KEPT = 50_000  # a rank at least, in 1 MiB


def record(options, work, rounds, **extra):
    run = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, rounds], work / "trace", work / "scratch",
                        MERIDIAN_MODE="recorder", MERIDIAN_THROTTLE="no", **{"MERIDIAN_KEEP": KEEP, **extra})
    assert run.returncode == 0, run.stderr
    return work / "trace"


def counts(summary):
    return {row["name"]: row["count"] for row in summary["functions"]}


def check_last_part(options, trace):
    """The merged last part. All calls of each rank are there from some call on, and what they exchange is matched."""
    summary, calls, begins, first_end = last_calls(options, trace)
    if any(finding["name"] == "recording.recorder_early" for finding in summary["findings"]):
        assert first_end > max(begins.values()) - 1e-6, (first_end, begins)  # the parts begin at one moment
    if any(len(functions) < CALLS_KEPT for functions in calls.values()):
        summary, calls, _, _ = last_calls(options, trace, "--early-calls")
    assert all(len(functions) >= CALLS_KEPT for functions in calls.values()), {rank: len(functions) for rank, functions in calls.items()}
    return summary, calls


def last_calls(options, trace, *how):
    """(summary, functions by rank, begins by rank, end of the call that ended first)"""
    merged, summary = launch.merge(options.meridian, trace, *how)
    assert merged.returncode in (0, 2), merged.stderr
    names = {finding["name"] for finding in summary["findings"]}
    assert "recording.recorder" in names, names
    assert not names & {"message.unmatched_send", "message.unmatched_receive", "collective.incomplete", "request.unknown"}, names
    rows = launch.run([options.meridian, "query", trace, "--json",
                       "SELECT rank, function, start_s, end_s FROM events WHERE function LIKE 'MPI@_%' ESCAPE '@' ORDER BY rank, start_s"])
    calls = {rank: [] for rank in range(options.ranks)}
    begins, first_end = {}, float("inf")
    for row in json.loads(rows.stdout)["rows"]:
        calls[row["rank"]].append(row["function"])
        begins.setdefault(row["rank"], row["start_s"])
        first_end = min(first_end, row["end_s"])
    for rank, functions in calls.items():
        loop = [name for name in functions if name in ("MPI_Comm_rank", "MPI_Sendrecv")]
        assert all(one != next_one for one, next_one in zip(loop, loop[1:])), rank  # none is missing in between
        sums = [at for at, name in enumerate(functions) if name == "MPI_Allreduce"]
        assert {next_at - at for at, next_at in zip(sums, sums[1:])} <= {201}, rank
    return summary, calls, begins, first_end


def check_whole(options, trace, rounds, is_exact=True):
    merged, summary = launch.merge(options.meridian, trace / "whole")
    assert merged.returncode in (0, 2), merged.stderr
    found = counts(summary)
    for name, each in {"MPI_Sendrecv": rounds, "MPI_Allreduce": rounds // 100, "MPI_Comm_rank": rounds + 1, "MPI_Comm_size": 1}.items():
        assert found[name] == each * options.ranks or (found[name] > each * options.ranks and not is_exact), (name, found)
    assert any(finding["name"] == "recording.profile" for finding in summary["findings"])
    return summary


def finished(options, work):
    trace = record(options, work, ROUNDS)
    summary, calls = check_last_part(options, trace)
    assert all(functions[-1] == "MPI_Finalize" and "MPI_Init" not in functions for functions in calls.values())
    assert all(len(functions) < 2 * ROUNDS for functions in calls.values())
    assert summary["waits"] or options.ranks == 1
    check_whole(options, trace, ROUNDS)
    text = launch.run([options.meridian, "stats", trace]).stdout
    assert "This is the end of the run" in text, text
    for command in (["stats", trace, "--all"], ["report", trace], ["compare", trace, trace], ["check", trace], ["where", trace], ["info", trace],
                    ["cut", trace, "--from", "1ms", "-o", work / "part"], ["export", "--format", "otf2", trace, "-o", work / "otf2"]):
        ran = launch.run([options.meridian, *command])
        assert ran.returncode == 0, (command, ran.returncode, ran.stdout[-500:], ran.stderr)
    both = work / "both"
    two = launch.run([options.mpiexec, "-n", 2, options.meridian, "merge", "--force", "--json", "-o", both, trace])
    assert two.returncode == 0, two.stderr
    assert counts(json.loads(two.stdout)) == counts(summary)


def killed(options, work):
    """While it runs, the disk holds a few times what is kept; the last calls before the kill are there."""
    trace = work / "trace"
    program = launch.started(options.mpiexec, options.ranks, options.meridian, [options.program, 1, "until killed"], trace, work / "scratch",
                             MERIDIAN_MODE="recorder", MERIDIAN_KEEP=KEEP, MERIDIAN_THROTTLE="no")
    done, most = 0, 0
    for line in program.stdout:
        done = int(line)
        if done % 50_000 == 0:
            sizes = [path.stat().st_size for path in trace.glob("rank-*.spool")]
            most = max([most, *sizes])
        if done >= 3 * ROUNDS:
            break
    launch.kill_ranks(options.program, trace)
    program.communicate(timeout=launch.TIMEOUT_S)
    assert 0 < most <= 5 << 20, most
    summary, calls = check_last_part(options, trace)
    assert "MPI_Finalize" not in counts(summary)
    check_whole(options, trace, done, is_exact=False)


def short(options, work):
    trace = record(options, work, 1000)
    merged, summary = launch.merge(options.meridian, trace)
    assert merged.returncode == 0, merged.stderr
    assert counts(summary)["MPI_Sendrecv"] == 1000 * options.ranks and counts(summary)["MPI_Init"] == options.ranks
    assert summary["messages"]["matched"] == 1000 * options.ranks
    assert not (trace / "whole").exists()
    assert not any(finding["name"].startswith("recording.") for finding in summary["findings"])
    for keep in ("100K", "never"):
        refused = launch.run([options.mpiexec, "-n", 1, options.meridian, "run", options.program, 10], MERIDIAN_DIR=work / keep,
                             MERIDIAN_MODE="recorder", MERIDIAN_KEEP=keep)
        assert "MERIDIAN_KEEP" in refused.stderr, refused.stderr


def timed(options, work):
    """Calls of the last second are kept, however many they are."""
    trace = work / "trace"
    program = launch.started(options.mpiexec, options.ranks, options.meridian, [options.program, 1, "until killed"], trace, work / "scratch",
                             MERIDIAN_MODE="recorder", MERIDIAN_KEEP="1s", MERIDIAN_THROTTLE="no")
    began = time.monotonic()
    for _ in program.stdout:
        if time.monotonic() - began > 6 and (trace / "rank-00000.state").exists() or time.monotonic() - began > 60:
            break
    launch.kill_ranks(options.program, trace)
    program.communicate(timeout=launch.TIMEOUT_S)
    merged, summary = launch.merge(options.meridian, trace)
    assert merged.returncode in (0, 2), merged.stderr
    assert any(finding["name"] == "recording.recorder" for finding in summary["findings"])
    assert 0.9 < summary["run"]["time_s"] < 10, summary["run"]


def looked_at(options, work):
    """A snapshot of a run that goes on has the last calls until then, and `where` the present one."""
    trace = work / "trace"
    program = launch.started(options.mpiexec, options.ranks, options.meridian, [options.program, 1, "until killed"], trace, work / "scratch",
                             MERIDIAN_MODE="recorder", MERIDIAN_KEEP=KEEP, MERIDIAN_THROTTLE="no")
    for line in program.stdout:
        if int(line) >= ROUNDS:
            break
    where = launch.run([options.meridian, "where", "--json", trace])
    snapshot = launch.run([options.meridian, "snapshot", trace, "-o", work / "now"])
    launch.kill_ranks(options.program, trace)
    program.communicate(timeout=launch.TIMEOUT_S)
    assert where.returncode in (0, 2) and len(json.loads(where.stdout)["ranks"]) == options.ranks, where
    assert snapshot.returncode == 0, snapshot.stderr
    check_last_part(options, work / "now")


def main():
    options = launch.parser()
    options.add_argument("how", choices=("finished", "killed", "short", "timed", "looked_at"))
    options.add_argument("program")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        globals()[options.how](options, pathlib.Path(work))


if __name__ == "__main__":
    main()

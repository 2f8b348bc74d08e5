# SPDX-License-Identifier: Apache-2.0
"""Profiles of runs whose calls are known, as users make them: MERIDIAN_MODE=profile.

check_profile.py --meridian M --mpiexec X --ranks N whole|spooled|killed|commands|short PROGRAM
"""

import json
import pathlib
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import launch  # noqa: E402

ROUNDS = 20_000


def counts(summary):
    return {row["name"]: row["count"] for row in summary["functions"]}


def check_counts(summary, ranks, rounds):
    expected = {"MPI_Sendrecv": rounds, "MPI_Allreduce": rounds // 100, "MPI_Comm_rank": rounds + 1, "MPI_Comm_size": 1}
    found = counts(summary)
    for name, each in expected.items():
        assert found[name] == each * ranks, (name, found)
    assert summary["messages"]["matched"] == rounds * ranks
    assert summary["messages"]["bytes"] == 8 * rounds * ranks
    assert summary["collectives"]["count"] == rounds // 100
    pairs = {(row["source"], row["dest"]): row["messages"] for row in summary["pairs"]}
    assert pairs == {(rank, (rank + 1) % ranks): rounds for rank in range(ranks)}, pairs


def record(options, work, rounds, **extra):
    trace = work / "trace"
    run = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, rounds], trace, work / "scratch",
                        MERIDIAN_MODE="profile", **extra)
    assert run.returncode == 0, run.stderr
    return trace


def whole(options, work):
    trace = record(options, work, ROUNDS)
    few = {path.name: path.stat().st_size for path in trace.glob("rank-*.h5")}
    merged, summary = launch.merge(options.meridian, trace)
    assert merged.returncode == 0, merged.stderr
    check_counts(summary, options.ranks, ROUNDS)
    text = launch.run([options.meridian, "stats", trace]).stdout
    assert "This is a profile" in text and "communication" in text and "serialisation" not in text, text
    assert all(problem["problem"] == "time in MPI" for problem in summary["problems"]), summary["problems"]
    more = record(options, work / "longer", 5 * ROUNDS)
    for path in more.glob("rank-*.h5"):  # the size does not depend on the number of calls
        assert path.stat().st_size < 1.1 * few[path.name] + 4096, (path.stat().st_size, few)


def spooled(options, work):
    """Many times during the run, what was recorded is added to the sums."""
    rounds = 15 * ROUNDS
    trace = record(options, work, rounds, MERIDIAN_SPOOL="1M")
    merged, summary = launch.merge(options.meridian, trace)
    assert merged.returncode == 0, merged.stderr
    check_counts(summary, options.ranks, rounds)


def killed(options, work):
    trace = work / "trace"
    program = launch.started(options.mpiexec, options.ranks, options.meridian, [options.program, 1, "until killed"], trace,
                             work / "scratch", MERIDIAN_MODE="profile", MERIDIAN_SPOOL="1M")
    done = 0
    began = time.monotonic()
    for line in program.stdout:
        done = int(line)
        if done >= 4 * ROUNDS and time.monotonic() - began > 2:
            break
    launch.kill_ranks(options.program, trace)
    program.communicate(timeout=launch.TIMEOUT_S)
    merged, summary = launch.merge(options.meridian, trace)
    assert merged.returncode in (0, 2), merged.stderr
    found = counts(summary)
    assert found["MPI_Sendrecv"] >= done * options.ranks, (found, done)
    assert found["MPI_Comm_rank"] >= done * options.ranks, (found, done)
    assert any(finding["name"] == "rank.unfinished" for finding in summary["findings"])


def commands(options, work):
    """Each command says what a profile cannot know, and fails for nothing."""
    trace = record(options, work, ROUNDS)
    meridian = options.meridian
    assert launch.run([meridian, "merge", "--quiet", trace]).returncode == 0
    for command in (["stats", trace], ["stats", trace, "--all"], ["report", trace], ["compare", trace, trace], ["check", trace],
                    ["where", trace], ["query", trace, "SELECT count(*) FROM events"], ["info", trace],
                    ["stats", trace, "--fail-if", "load_balance < 0.1%"]):
        ran = launch.run([meridian, *command])
        assert ran.returncode == 0, (command, ran.returncode, ran.stdout[-500:], ran.stderr)
    for command in (["export", "--format", "csv", trace, "-o", work / "calls"], ["cut", trace, "--to", "1s", "-o", work / "part"]):
        ran = launch.run([meridian, *command])
        assert ran.returncode == 1 and "it is a profile" in ran.stderr, (command, ran.stderr)
        assert not pathlib.Path(command[-1]).exists()
    other = work / "other"
    assert launch.traced(options.mpiexec, options.ranks, meridian, [options.program, ROUNDS], other, work / "scratch").returncode == 0
    assert launch.run([meridian, "merge", "--quiet", other]).returncode == 0
    for pair in ((other, trace), (trace, other)):
        compared = launch.run([meridian, "compare", *pair])
        assert compared.returncode == 0 and "Some runs are profiles" in compared.stdout, compared.stdout
        assert "PROBLEMS" not in compared.stdout and "FUNCTIONS" in compared.stdout, compared.stdout
    page = (trace / "report.html").read_text()
    assert "profile" in page
    assert launch.run([meridian, "pack", trace]).returncode == 0
    both = work / "both"
    two = launch.run([options.mpiexec, "-n", 2, meridian, "merge", "--force", "--json", "-o", both, trace])
    assert two.returncode == 0, two.stderr
    check_counts(json.loads(two.stdout), options.ranks, ROUNDS)


def short(options, work):
    """Of a trace, a place with very many short calls has sums; no call is missing in the functions."""
    for throttle, limit in (("2", 200), ("no", ROUNDS + 1)):
        trace, scratch = work / throttle, work / "scratch"
        run = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, ROUNDS], trace, scratch,
                            MERIDIAN_THROTTLE=throttle, MERIDIAN_SPOOL="1M")
        assert run.returncode == 0, run.stderr
        merged, summary = launch.merge(options.meridian, trace)
        assert merged.returncode == 0, merged.stderr
        check_counts(summary, options.ranks, ROUNDS)
        found = [finding for finding in summary["findings"] if finding["name"] == "recording.short_calls"]
        assert len(found) == (1 if throttle == "2" else 0), found
        asked = launch.run([options.meridian, "query", trace, "--json",
                            "SELECT count(*) AS calls FROM events WHERE function = 'MPI_Comm_rank'"])
        (row,) = json.loads(asked.stdout)["rows"]
        # Its two places: before the loop and in it.
        assert row["calls"] <= options.ranks * (limit + 1), (row, limit)
        assert row["calls"] >= options.ranks * min(limit, ROUNDS), (row, limit)
        assert summary["waits"] or options.ranks == 1
        doctor = launch.run([options.meridian, "doctor"], MERIDIAN_THROTTLE=throttle).stdout
        assert ("MERIDIAN_THROTTLE" in doctor.split("limits:")[1]) == (throttle == "2"), doctor


def main():
    options = launch.parser()
    options.add_argument("how", choices=("whole", "spooled", "killed", "commands", "short"))
    options.add_argument("program")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        globals()[options.how](options, pathlib.Path(work))


if __name__ == "__main__":
    main()

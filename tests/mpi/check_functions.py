# SPDX-License-Identifier: Apache-2.0
"""Functions of a program that was compiled with -finstrument-functions are regions: names, numbers, filter, and what is left out.

check_functions.py --meridian M --mpiexec X --ranks N program
"""

import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import launch  # noqa: E402

TINY = 200_000
# Of each rank, those before MPI_Init included.
COUNTS = {"assemble<int>": 4, "assemble<double>": 4, "app::Solver::solve": 12, "fails": 3, "jumps": 1, "in_a_thread": 2, "main": 1, "work": 1 + 4 + 4 + 12 + 2}


def trace(work, name, *arguments, **settings):
    folder = work / name
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, *arguments], folder, work / f"scratch-{name}", **settings)
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, folder)
    assert summary is not None, (merged.stdout, merged.stderr)
    return done, summary, merged


def regions_of(summary):
    return {row["name"]: row for row in summary["regions"]}


def count_of(regions, name):
    """Names are as in the source code: with parameters where C++ has them."""
    return sum(row["count"] for known, row in regions.items() if known == name or known.startswith(name + "(") or f" app::{name}(" in known)


def findings(summary, name):
    return [row for row in summary["findings"] if row["name"] == name]


parser = launch.parser()
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    plain = launch.mpirun(options.mpiexec, options.ranks, [options.program])
    done, summary, _ = trace(work, "all")
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines()) != [], (done.stdout, plain.stdout)
    regions = regions_of(summary)
    for name, count in COUNTS.items():
        assert count_of(regions, name) == count * options.ranks, (name, count, sorted((known, row["count"]) for known, row in regions.items()))
    # A short function is recorded until that is known, and not more; the finding names it.
    tiny = count_of(regions, "tiny")
    assert 10_000 * options.ranks <= tiny < TINY * options.ranks, tiny  # and those before the rate of the clock was known
    (throttled,) = findings(summary, "user.function_throttled")
    assert throttled["count"] == 2 * options.ranks and "tiny" in str(throttled) and "nested" in str(throttled), throttled
    # Each begin has its end, but for main(), which returns after MPI_Finalize, and what longjmp() left.
    sql = "SELECT function, sum(flags & 64 != 0) AS begins, sum(flags & 128 != 0) AS ends FROM events WHERE function_group = 'user' GROUP BY function"
    pairs = json.loads(launch.run([options.meridian, "query", "--json", work / "all", sql]).stdout)["rows"]
    assert len(pairs) >= 10 and {row["function"] for row in pairs if row["begins"] != row["ends"]} <= {"main", "jumps()"}, pairs
    assert not findings(summary, "user.region_end_alone"), findings(summary, "user.region_end_alone")
    # The recursion counts its time once; the callers include what they call.
    solve = next(row for name, row in regions.items() if name.startswith("app::Solver::solve"))
    work_s, main_s = regions["work(int)"]["total_s"], regions["main"]["total_s"]
    assert 0 < solve["exclusive_s"] < solve["total_s"] < work_s + solve["exclusive_s"] < main_s, (solve, work_s, main_s)
    # longjmp() left one of them; main(), which returns after MPI_Finalize, is none of these.
    (left,) = findings(summary, "user.region_open")
    assert left["count"] == options.ranks and "jumps()" in left["detail"] and "main" not in left["detail"], left

    _, summary, _ = trace(work, "whole", MERIDIAN_THROTTLE=0)
    assert count_of(regions_of(summary), "tiny") == TINY * options.ranks, regions_of(summary)
    assert not findings(summary, "user.function_throttled")

    _, summary, _ = trace(work, "none", MERIDIAN_LEVELS="all,-user:function")
    assert not summary["regions"], summary["regions"]
    _, summary, _ = trace(work, "some", MERIDIAN_LEVELS="all,-user:function.*tiny*")
    assert count_of(regions_of(summary), "tiny") == 0 and count_of(regions_of(summary), "fails") == 3 * options.ranks

    # Ranks that are not traced run as they would.
    done, summary, _ = trace(work, "first", MERIDIAN_RANKS=0)
    assert sorted(done.stdout.splitlines()) == sorted(plain.stdout.splitlines()), done.stdout
    assert count_of(regions_of(summary), "app::Solver::solve") == 12, regions_of(summary)

    _, summary, _ = trace(work, "deep", "deep")
    (left,) = findings(summary, "user.function_left_out")
    assert left["count"] == options.ranks and "inside of 256 others" in str(left), left
    assert 200 * options.ranks <= count_of(regions_of(summary), "deep") <= 256 * options.ranks, summary["regions"]

# SPDX-License-Identifier: Apache-2.0
"""Memory over time of programs that know what they allocate.

check_memory.py --meridian M --mpiexec X --ranks N HOW RATE PROGRAM
"""

import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "python")]
import launch  # noqa: E402

try:
    import meridian
except ImportError:  # there is no pandas
    meridian = None

ITERATIONS, MIB = 100, 1 << 20


def is_near(value, expected, share=0.1):
    return abs(value - expected) <= share * expected


def query(command, trace, sql):
    asked = launch.run([command, "query", trace / "merged.h5", "--json", sql])
    assert asked.returncode == 0, asked.stderr
    return [list(row.values()) for row in json.loads(asked.stdout)["rows"]]


def check_readings(readings, ranks, how):
    assert sorted({row[0] for row in readings}) == list(range(ranks))
    for rank in range(ranks):
        rows = [row[1:] for row in readings if row[0] == rank]
        times, resident, peaks, faults = zip(*rows)
        for rising in (times, peaks, faults):
            assert list(rising) == sorted(rising), rows
        assert all(now <= most for now, most in zip(resident, peaks)), rows
        if how in ("regions", "grow"):
            assert len(rows) >= 5, rows
            assert is_near(max(resident) - resident[0], ITERATIONS * MIB), rows
        elif how == "once":
            assert max(resident) >= ITERATIONS * MIB, rows
        elif how == "freed":
            assert max(resident) - min(resident) < ITERATIONS * MIB / 2, rows


def check_summary(summary, ranks, how):
    table = summary["rank_memory"]
    found = [finding for finding in summary["findings"] if finding["name"] == "memory.growth"]
    assert [row["rank"] for row in table] == list(range(ranks))
    if how not in ("regions", "grow"):
        assert not found and all(row["growth_bytes"] == 0 for row in table), table
        return
    assert len(found) == 1 and found[0]["count"] == ranks, found
    for row in table:
        assert row["iteration"] == ("iteration" if how == "regions" else "MPI_Barrier"), row
        assert row["region"] == ("iteration" if how == "regions" else ""), row
        assert ITERATIONS / 4 <= row["iterations"] <= ITERATIONS, row
        assert is_near(row["iteration_bytes"], MIB), row
        assert is_near(row["iteration_bytes"] * row["iterations"], row["growth_bytes"], 1e-6), row


def main():
    options = launch.parser()
    options.add_argument("how")
    options.add_argument("rate")
    options.add_argument("program")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        trace = pathlib.Path(work) / "trace"
        run = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, options.how], trace,
                            pathlib.Path(work) / "scratch", MERIDIAN_SAMPLES=options.rate)
        assert run.returncode == 0, run.stderr
        merged, summary = launch.merge(options.meridian, trace)
        assert merged.returncode == 0, merged.stderr
        check_summary(summary, options.ranks, options.how)
        readings = query(options.meridian, trace, "SELECT rank, time_s, resident_bytes, peak_bytes, minor_faults FROM memory")
        check_readings(readings, options.ranks, options.how)
        if meridian is None:
            return
        with meridian.Trace(trace) as opened:
            table = opened.memory
            names = ["rank", "resident_bytes", "peak_bytes", "minor_faults"]
            assert table[names].values.tolist() == [[row[0], *row[2:]] for row in readings]
            assert (table["swapped_bytes"] >= 0).all() and table["time_ns"].notna().all()


if __name__ == "__main__":
    main()

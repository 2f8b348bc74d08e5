# SPDX-License-Identifier: Apache-2.0
"""The profile of a run has the sums of the trace of the same run: rank files of a trace are made into those of a profile, both are
merged, and the tables compared.

check_same_sums.py --meridian M --mpiexec X --ranks N --make-profile P PROGRAM...
"""

import math
import pathlib
import shutil
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import launch  # noqa: E402

# table -> columns that name a row, and those with sums
SAME = {
    "functions": (["name"], ["count", "total_s", "min_s", "max_s", "sd_s", "bytes_sent", "bytes_received"]),
    "sites": (["function", "file", "line", "column", "module", "offset"],
              ["count", "ranks", "total_s", "min_s", "max_s", "bytes_sent", "bytes_received"]),
    "function_times": (["function"], ["count", "mean_s"]),
    "communicators": (["name", "kind", "ranks"], ["p2p_calls", "p2p_s", "collective_calls", "collective_s", "bytes_sent",
                                                  "bytes_received"]),
    "pairs": (["source", "dest"], ["messages", "bytes"]),
    "communication_sizes": (["group", "at_least_bytes"], ["count", "bytes"]),
    "files": (["name", "interface"], ["opens", "reads", "read_bytes", "read_s", "writes", "write_bytes", "write_s", "other_s"]),
    "windows": (["name", "comm"], ["puts", "put_bytes", "gets", "get_bytes", "exchanges", "exchange_bytes", "syncs"]),
    "ranks": (["rank"], ["calls", "thread_calls", "mpi_s", "ends_s", "time_s", "messages_sent", "bytes_sent",
                         "messages_received", "bytes_received", "other_bytes_sent", "other_bytes_received"]),
}
NS = 1e-9


def is_same(value, other):
    if isinstance(value, int):
        return value == other
    # A sum of ticks becomes seconds at once; of a trace, each call is rounded to whole nanoseconds.
    return math.isclose(value, other, rel_tol=1e-4, abs_tol=2000 * NS)


def compare(trace, profile, table):
    names, sums = SAME[table]
    key = lambda row: tuple(str(row[name]) for name in names)  # noqa: E731
    of_trace = {key(row): row for row in trace[table] if row.get("group") != "user"}
    of_profile = {key(row): row for row in profile[table]}
    assert of_trace.keys() == of_profile.keys(), (table, of_trace.keys() ^ of_profile.keys())
    for name, row in of_trace.items():
        for column in sums:
            assert is_same(row[column], of_profile[name][column]), (table, name, column, row[column], of_profile[name][column])
    return len(of_trace)


def main():
    options = launch.parser("make-profile")
    options.add_argument("program", nargs="+")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        trace, copy = pathlib.Path(work) / "trace", pathlib.Path(work) / "profile"
        copy.mkdir()
        run = launch.traced(options.mpiexec, options.ranks, options.meridian, options.program, trace,
                            pathlib.Path(work) / "scratch", MERIDIAN_SAMPLES=0,
                            OMPI_MCA_osc="pt2pt")  # the one kind of window that works without process_vm_readv
        assert run.returncode == 0, run.stderr
        for path in sorted(trace.glob("rank-*.h5")):
            made = launch.run([options.make_profile, path, copy / path.name])
            assert made.returncode == 0, made.stderr
        merged, of_trace = launch.merge(options.meridian, trace)
        assert merged.returncode in (0, 2), merged.stderr
        merged, of_profile = launch.merge(options.meridian, copy)
        assert merged.returncode in (0, 2), merged.stderr
        rows = {table: compare(of_trace, of_profile, table) for table in SAME}
        assert of_trace["messages"]["matched"] == of_profile["messages"]["matched"]
        assert of_trace["collectives"] == of_profile["collectives"]
        assert [finding["name"] for finding in of_profile["findings"]].count("recording.profile") == 1
        errors = [f["name"] for f in of_profile["findings"] if f["severity"] == "error"]
        assert not errors, errors
        for table in ("waits", "delays", "critical_path", "iterations", "states"):
            assert of_profile[table] == [], table
        (run,) = of_profile["efficiencies"]
        assert run["serialisation"] is None and run["transfer"] is None and 0 < run["parallel"] <= 1, run
        shutil.rmtree(copy)
    print(f"the same sums: {rows}")


if __name__ == "__main__":
    main()

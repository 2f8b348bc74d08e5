# SPDX-License-Identifier: Apache-2.0
"""Reads summaries with Python's json and csv and with h5py. Usage: check_outputs.py WRITE_SAMPLE CHECK"""

import csv
import json
import math
import pathlib
import subprocess
import sys
import tempfile

WRITE_SAMPLE = sys.argv[1]
MORE = ("worlds", "communicators", "windows", "window_locks", "files", "context", "usage", "rank_memory", "environment", "counters", "function_counters",
        "metrics", "region_counters", "region_metrics", "lock_names")  # left out when empty, but in JSON
SAMPLES = ("empty_run", "one_rank", "four_ranks", "counted", "ten_thousand_ranks", "hostile")


def output(sample, form):
    return subprocess.run([WRITE_SAMPLE, sample, form], check=True, capture_output=True).stdout.decode("utf-8")


def json_of(sample):
    def refuse(name):
        raise ValueError(f"{name} is not JSON")

    return json.loads(output(sample, "json"), parse_constant=refuse)


def csv_of(sample):
    """{section: [row as dict, ...]}; every table's rows are as long as its header."""
    tables = {}
    for block in output(sample, "csv").split("\n\n"):
        header, *rows = list(csv.reader(block.strip("\n").split("\n"), strict=True))
        assert header[0] == "section", header
        section = rows[0][0] if rows else None
        for row in rows:
            assert len(row) == len(header) and row[0] == section, row
        tables[tuple(header)] = rows
    return {rows[0][0]: [dict(zip(header, row)) for row in rows] for header, rows in tables.items() if rows}


def h5_tables(sample):
    """{table: {column: list}} of /summary, and the attributes of the group and of the columns."""
    import h5py

    with tempfile.TemporaryDirectory() as directory:
        path = pathlib.Path(directory, "summary.h5")
        subprocess.run([WRITE_SAMPLE, sample, "h5", path], check=True)
        with h5py.File(path, "r") as file:
            group = file["summary"]
            tables = {name: {column: data[:].tolist() for column, data in table.items()} for name, table in group.items()}
            units = {
                f"{name}/{column}": str(data.attrs["unit"].decode() if isinstance(data.attrs["unit"], bytes) else data.attrs["unit"])
                for name, table in group.items()
                for column, data in table.items()
                if "unit" in data.attrs
            }
            return tables, dict(group.attrs), units


def check_json_has_the_documented_members():
    """Names and values of four_ranks(), written down here a second time."""
    summary = json_of("four_ranks")
    assert list(summary) == [
        "schema", "version", "run", "ranks", "functions", "function_times", "sites", "messages", "collectives", "pairs", "clocks",
        "clock_models", "reversed_before", "reversed_after", "regions", "user_events", "user_messages", "passed", "overhead", "worlds",
        "paths", "path_frames", "communicators", "windows", "window_locks", "files", "context", "usage", "rank_memory", "environment", "counters",
        "function_counters", "metrics", "region_counters", "region_metrics", "lock_names", "locks", "threads", "communication_sizes", "send_protocols", "links",
        "comm_pairs", "collective_arrivals", "waits", "wait_pairs", "delays", "late_functions", "states", "ready_times", "efficiencies", "what_if", "critical_path",
        "critical_imbalance", "critical_segments", "critical_line", "active_paths", "phases", "iterations", "iteration_findings",
        "openmp_regions", "program_functions", "path_functions", "rank_functions", "region_functions", "thread_functions", "called_functions", "energy", "energy_regions", "energy_phases", "problems", "problem_functions", "findings", "clock_verdict",
    ]  # fmt: skip
    assert summary["schema"] == "meridian-summary" and summary["version"] == 1
    assert summary["run"] == {
        "executable": "/home/user/halo2d",
        "mpi_library": "Open MPI 4.1.4",
        "ranks_expected": 4,
        "ranks_present": 4,
        "threads": 5,
        "all_threads": 0,
        "hosts": 2,
        "begin_realtime_ns": 1736942400123456789,
        "begin": "2025-01-15 12:00:00 UTC",
        "time_s": 10.0,
        "calls": 400040,
        "thread_calls": 12,
        "user_events": 60,
        "trace_bytes": 2000200,
        "mpi_s": 26.0,
        "ends_s": 0.0,
        "mpi_share": 0.52,
    }
    assert summary["ranks"][3] == {
        "rank": 3,
        "host": "node02",
        "threads": 1,
        "all_threads": 1,
        "calls": 100010,
        "thread_calls": 3,
        "user_events": 15,
        "time_s": 10.0,
        "thread_s": 10.0,
        "mpi_s": 2.0,
        "ends_s": 0.0,
        "mpi_share": 0.2,
        "waits_s": 0.0,
        "sleep_s": 0.0,
        "messages_sent": 50000,
        "bytes_sent": 409600000,
        "messages_received": 50000,
        "bytes_received": 409600000,
        "other_bytes_sent": 0,
        "other_bytes_received": 0,
        "end": "MPI_Finalize",
        "end_s": -1.0,
        "end_call": "",
        "end_call_s": 0.0,
        "unrecorded_s": 0.0,
        "recorded_from_s": -1.0,
        "recorded_to_s": -1.0,
    }
    assert summary["functions"][1] == {
        "name": "MPI_Allreduce",
        "group": "coll",
        "count": 4000,
        "total_s": 4000 * 1.5e-3,
        "mean_s": 1.5e-3,
        "min_s": 1.5e-3 / 8,
        "max_s": 6e-3,
        "sd_s": 0.75e-3,
        "bytes_sent": 32000,
        "bytes_received": 32000,
    }
    assert len(summary["sites"]) == 3
    assert summary["sites"][0] == {
        "function": "MPI_Waitall",
        "caller": "exchange",
        "outer": "main",
        "file": "/home/user/src/halo2d.c",
        "line": 89,
        "column": 3,
        "module": "/home/user/halo2d",
        "offset": 0x1234,
        "count": 100000,
        "ranks": 4,
        "total_s": 20.0,
        "mean_s": 2e-4,
        "min_s": 1e-6,
        "max_s": 3e-3,
        "sd_s": 1e-4,
        "share": 20 / 26,
        "bytes_sent": 0,
        "bytes_received": 1638400000,
    }
    assert summary["messages"] == {"matched": 200000, "bytes": 1638400000, "unmatched_sends": 1, "unmatched_receives": 0}
    assert summary["collectives"] == {"count": 1000, "calls": 4000, "bytes_sent": 32000, "bytes_received": 32000}
    assert summary["pairs"][0] == {"source": 0, "dest": 1, "messages": 25000, "bytes": 204800000}
    assert len(summary["pairs"]) == 8
    assert summary["clocks"][1] == {
        "host": "node02",
        "domain": 1,
        "leader": 2,
        "ranks": [2, 3],
        "clock": "tsc",
        "model": "linear",
        "frequency_hz": 2.6e9,
        "offset_s": -12.345678901,
        "drift_ppm": 3.25,
        "residual_s": 4.2e-7,
        "offset_error_s": 5e-8,
        "drift_error_ppm": 0.005,
        "rtt_min_s": 2.4e-6,
        "rtt_median_s": 3.1e-6,
        "exchanges": 60,
        "exchanges_dropped": 2,
        "t1_s": -1,
        "t2_s": -1,
        "t1_most_s": -1,
        "unbound_share": -1,
    }
    assert summary["reversed_before"] == 17 and summary["reversed_after"] == 0
    assert summary["overhead"][1] == {"name": "start", "count": 4, "total_s": 0.04, "share": 0.001, "unit_s": 0.0}
    assert summary["findings"][0]["name"] == "message.unmatched_send"
    assert summary["findings"][0]["severity"] == "error" and summary["findings"][0]["count"] == 1
    assert summary["findings"][0]["text"].startswith("Messages were sent that nobody received")
    assert summary["findings"][0]["remedy"] == "Look for a receive with another tag, source or communicator."
    assert summary["findings"][0]["detail"] == "rank 2 to rank 1, tag 7, 8192 bytes"
    assert summary["findings"][1]["severity"] == "info"


def check_json_has_counters_and_context():
    """Values of counted(), written down here a second time."""
    summary = json_of("counted")
    context = {"rank": 1, "host": "laptop", "cpu_model": "Processor 9000", "cpus": "4-7", "command": "./solve --all"}
    assert summary["context"][1] == context
    assert summary["usage"][0] == {
        "rank": 0, "thread": -1, "user_s": 1.5, "system_s": 0.25, "minor_faults": 1000, "major_faults": 2,
        "voluntary_switches": 30, "involuntary_switches": 4, "high_water_bytes": 32 << 20, "ready_s": 0.5,
    }  # fmt: skip
    assert summary["environment"][2] == {"name": "SLURM_PROCID", "value": "1", "first_rank": 1, "ranks": 1}
    counter = {"rank": 0, "name": "sde:::QUEUE::LENGTH", "unit": "1", "mpi": -3, "compute": 3}
    assert summary["counters"][3] == counter
    assert summary["function_counters"][2] == {"function": "MPI_Sendrecv", "counter": "PAPI_TOT_INS", "total": 1500000}
    assert summary["metrics"][0] == {"rank": -1, "part": "compute", "name": "instructions per cycle", "value": 2.0}
    for table in MORE:
        assert json_of("one_rank")[table] == [], table


def check_json_of_every_sample_is_valid():
    for sample in SAMPLES:
        assert json_of(sample)["version"] == 1, sample


def check_json_has_null_for_what_is_no_number():
    summary = json_of("hostile")
    assert summary["run"]["time_s"] is None
    assert summary["functions"][0]["max_s"] is None
    assert summary["functions"][0]["total_s"] == 1e300
    assert summary["run"]["calls"] == 2**64 - 1


def check_json_keeps_control_characters_as_escapes():
    text = output("hostile", "json")
    assert "\x1b" not in text and "\x07" not in text
    assert json_of("hostile")["run"]["executable"] == "/tmp/\x1b[2Jevil\nline\x7f"


def check_csv_has_the_same_numbers_as_json():
    for sample in ("one_rank", "four_ranks", "counted", "ten_thousand_ranks"):
        tables, summary = csv_of(sample), json_of(sample)
        sections = ("run", "ranks", "functions", "sites", "messages", "collectives", "pairs", "clocks", "reversed", "regions",
                    "user_events", "user_messages", "passed", "overhead", "paths", "path_frames", "findings")  # fmt: skip
        if sample != "counted":
            assert list(tables) == [section for section in sections if summary.get(section) != []], sample
        for section in ("ranks", "functions", "sites", "pairs", "clocks", "regions", "user_events", "passed", "overhead", "paths", "path_frames",
                        "findings", *MORE):
            rows = tables.get(section, [])
            assert len(rows) == len(summary[section]), section
            for row, expected in zip(rows, summary[section]):
                for key, value in expected.items():
                    if section == "clocks" and key == "ranks":
                        assert [int(rank) for rank in row[key].split()] == value
                    elif isinstance(value, str):
                        assert row[key] == value
                    else:
                        assert float(row[key]) == float(value), (section, key, row[key], value)
        for key in ("messages", "collectives", "run", "user_messages"):
            for name, value in tables[key][0].items():
                if name != "section":
                    assert str(value) == str(summary[key][name]) or float(value) == float(summary[key][name]), (key, name)
        assert int(tables["reversed"][0]["before"]) == summary["reversed_before"]


def check_csv_of_hostile_names_stays_a_table():
    tables = csv_of("hostile")
    assert tables["functions"][0]["name"] == 'MPI_"Send",\\x09=1+1\\x0d'
    assert tables["functions"][0]["max_s"] == ""
    assert tables["run"][0]["executable"] == "/tmp/\\x1b[2Jevil\\x0aline\\x7f"


def check_h5py_reads_every_column():
    """Each table of /summary against the JSON of the same sample."""
    for sample in ("one_rank", "four_ranks", "counted", "ten_thousand_ranks"):
        tables, attributes, _ = h5_tables(sample)
        summary = json_of(sample)
        schema = attributes["schema"]
        assert (schema.decode() if isinstance(schema, bytes) else schema) == "meridian-summary"
        assert attributes["version"] == 1
        text = lambda value: value.decode() if isinstance(value, bytes) else value
        more = [table for table in MORE if summary[table]]
        assert [table for table in MORE if table in tables] == more
        for table in ("ranks", "functions", "sites", "pairs", "regions", "user_events", "passed", "overhead", *more):
            for column, values in tables[table].items():
                assert [text(value) for value in values] == [row[column] for row in summary[table]], (table, column)
        for column, values in tables["run"].items():
            assert [text(value) for value in values] == [summary["run"][column]], column
        for column, values in tables["clocks"].items():
            assert [text(value) for value in values] == [row[column] for row in summary["clocks"]], column
        ranks = [[] for _ in summary["clocks"]]
        for clock, rank in zip(tables["clock_ranks"]["clock"], tables["clock_ranks"]["rank"]):
            ranks[clock].append(rank)
        assert ranks == [row["ranks"] for row in summary["clocks"]]
        assert tables["reversed"] == {"before": [summary["reversed_before"]], "after": [0]}
        names = ["info", "data_loss", "error"]
        assert [names[value] for value in tables["findings"]["severity"]] == [row["severity"] for row in summary["findings"]]
        assert tables["messages"]["matched"] == [summary["messages"]["matched"]]
        assert tables["messages"]["collective_calls"] == [summary["collectives"]["calls"]]


def check_h5py_sees_units():
    _, _, units = h5_tables("four_ranks")
    assert units["functions/mean_s"] == "s" and units["clocks/drift_ppm"] == "ppm" and units["run/begin_realtime_ns"] == "ns"
    assert "functions/count" not in units


def check_h5py_reads_an_empty_run():
    tables, _, _ = h5_tables("empty_run")
    assert tables["functions"]["name"] == [] and tables["functions"]["count"] == []
    assert tables["run"]["calls"] == [0]


def check_h5py_reads_numbers_that_are_none():
    tables, _, _ = h5_tables("hostile")
    assert math.isnan(tables["run"]["time_s"][0]) and tables["functions"]["max_s"][0] == math.inf
    assert tables["run"]["begin_realtime_ns"] == [-(2**63)] and tables["run"]["calls"] == [2**64 - 1]


globals()["check_" + sys.argv[2]]()

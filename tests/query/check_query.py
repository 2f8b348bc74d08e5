# SPDX-License-Identifier: Apache-2.0
"""Hostile and mistaken queries, endless ones, damaged files. Usage: check_query.py MERIDIAN CLOCK_TRACES HAS_SQLITE CHECK"""

import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy as np

MERIDIAN, CLOCK_TRACES, HAS_SQLITE = sys.argv[1:4]
HAS_SQLITE = HAS_SQLITE == "ON"
ROOT = pathlib.Path(__file__).resolve().parents[2]
BLOCK = 65536
ENV = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")} | {"COLUMNS": "80"}


def run(*words, codes=(0,), **options):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=ENV, timeout=100, **options)
    assert done.returncode in codes, (words, done.returncode, done.stdout[-500:], done.stderr)
    return done


def make_trace(directory, scenario="star+ring", seconds=2):
    run(CLOCK_TRACES, "write", directory, scenario, 1, 4, seconds)
    run(MERIDIAN, "merge", directory, "--quiet", codes=(0, 2))
    return pathlib.Path(directory)


def query(trace, sql, *words, codes=(0,), **options):
    return run(MERIDIAN, "query", *words, trace, sql, codes=codes, **options)


def needs_sqlite(check):
    """Skips a check in a build without SQLite."""

    def checked():
        if not HAS_SQLITE:
            print("this build has no SQLite")
            sys.exit(77)
        with tempfile.TemporaryDirectory() as work:
            check(pathlib.Path(work))

    return checked


@needs_sqlite
def check_what_does_not_only_read_is_refused(work):
    trace = make_trace(work / "trace")
    before = (trace / "merged.h5").read_bytes()
    other = work / "other.db"
    for sql, what in (
        (f"ATTACH '{other}' AS o", "ATTACH is not allowed"), ("DETACH main", "ATTACH is not allowed"), (f"VACUUM INTO '{other}'", "is not allowed"),
        ("VACUUM", "a statement that changes something is not allowed"), ("PRAGMA temp_store_directory = '/tmp'", "PRAGMA temp_store_directory is not allowed"),
        ("PRAGMA journal_mode = DELETE", "PRAGMA journal_mode is not allowed"), ("SELECT * FROM pragma_database_list", "PRAGMA database_list is not allowed"),
        ("CREATE TABLE t (a)", "a statement that changes something is not allowed"), ("CREATE TEMP VIEW v AS SELECT 1", "is not allowed"),
        ("DROP TABLE events", "is not allowed"), ("DELETE FROM events", "is not allowed"), ("UPDATE events SET rank = 1", "is not allowed"),
        ("INSERT INTO events (rank) VALUES (1)", "is not allowed"), ("BEGIN", "is not allowed"), ("UPDATE sqlite_master SET sql = ''", "is not allowed"), ("REINDEX", "is not allowed"), ("ANALYZE", "is not allowed"),
        ("SELECT load_extension('/tmp/x.so')", "load_extension() is not allowed"), ("SELECT Load_Extension('/tmp/x.so', 'f')", "load_extension() is not allowed"),
        ("CREATE VIRTUAL TABLE v USING fts5(a)", "is not allowed"), ("SELECT 1; SELECT 2", "more than one statement is not allowed"),
        ("SELECT 1; DROP TABLE events", "more than one statement is not allowed"), ("SELECT writefile('/tmp/x', 'y')", "no such function: writefile"),
        ("SELECT readfile('/etc/passwd')", "no such function: readfile"), ("WITH x AS (SELECT 1) DELETE FROM events", "is not allowed"),
    ):  # fmt: skip
        done = query(trace, sql, codes=(1,))
        lines = done.stderr.splitlines()
        assert done.stdout == "" and lines[0].startswith("meridian: cannot run the query: ") and what in lines[0] and len(lines) <= 2, (sql, done)
    assert not other.exists() and (trace / "merged.h5").read_bytes() == before
    assert sorted(path.name for path in work.iterdir()) == ["trace"]


@needs_sqlite
def check_mistakes_get_an_error_that_says_what_to_do(work):
    trace = make_trace(work / "trace")
    for words, error, hint in (
        (["SELECT * FROM evnts"], "no such table: evnts", "did you mean 'events'?"), (["SELECT durations_s FROM events"], "no such column: durations_s", "did you mean 'duration_s'?"),
        (["SELECT e.rnk FROM events AS e"], "no such column: e.rnk", "did you mean 'rank'?"), (["SELECT group FROM functions"], 'near "group": syntax error', 'quoted: "group"'),
        (['SELECT "late sender" FROM waits'], "late sender", "text has single quotes: 'late sender'. Else `meridian query --tables`"), (["SELEKT 1"], 'near "SELEKT": syntax error', "--tables"),
        (["SELECT * FROM no_table_like_it"], "no such table: no_table_like_it", "--tables"), ([" -- nothing"], "there is no query", "SELECT"), ([";;"], "there is no query", "SELECT"),
        (["SELECT count(*) FROM events WHERE"], "incomplete input", "--tables"), (["SELECT abs(-9223372036854775808)"], "integer overflow", "--tables"),
    ):  # fmt: skip
        done = run(MERIDIAN, "query", trace, *words, codes=(1,))
        assert error in done.stderr and hint in done.stderr and done.stdout == "", (words, done)
    for words, error in (
        ([], "no query given"), ([trace], "no query given"), ([work / "gone", "SELECT 1"], "there is no '"), ([work, "SELECT 1"], "holds no trace"),
        (["SELECT 1"], "there is no directory 'latest' here"), ([trace, "SELECT 1", "--csv", "--json"], "--json"), ([trace, "SELECT 1", "more"], "unexpected argument 'more'"),
    ):  # fmt: skip
        done = run(MERIDIAN, "query", *words, codes=(1,), cwd=work)
        assert error in done.stderr and done.stdout == "", (words, done)
    for words, error in (
        (["--follow", "1"], "that names no call, message or collective"), (["--follow", "message:"], "that names no call"), (["--follow", "message:1x"], "that names no call"),
        (["--follow", "message:99999999"], "there is no message 99999999"), (["--follow", "collective:99999999"], "there is no collective 99999999"),
        (["--follow", "0:99999999"], "it has no call 99999999 of thread 0 of rank 0"), (["--follow", "77:0"], "it has no call 0 of thread 0 of rank 77"),
        (["--ranks", "77"], "the trace has no such rank"), (["--functions", "MPI_Sned"], "the trace has no such function"), (["--from", "soon"], "'soon' is not a time"),
        (["--peer", "-1"], "--peer -1: not a number"), (["--thread", "x"], "--thread x: not a number"), (["--limit", "0"], "--limit"), (["--at-least", "long"], "'long' is not a time"),
    ):  # fmt: skip
        done = run(MERIDIAN, "events", *words, trace, codes=(1,))
        assert error in done.stderr and done.stdout == "", (words, done)


@needs_sqlite
def check_an_endless_query_ends_with_the_signal(work):
    trace = make_trace(work / "trace")
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    process = subprocess.Popen([MERIDIAN, "query", trace, endless], env=ENV, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1)
    assert process.poll() is None
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=30)
    assert process.returncode == -signal.SIGINT and out == "" and err == "", (process.returncode, out, err)
    endless = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT i FROM n"
    done = run("/bin/bash", "-o", "pipefail", "-c", f"'{MERIDIAN}' query --csv '{trace}' '{endless}' | head -n 3")
    assert done.stdout == "i\n1\n2\n" and done.stderr == "", done


@needs_sqlite
def check_a_query_cannot_use_up_the_memory(work):
    if "NO_MEMORY_LIMIT" in os.environ:
        print("skipped: a sanitizer's shadow memory is larger than any limit")
        sys.exit(77)
    trace = make_trace(work / "trace")
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 3000000)"
    limit = ["prlimit", f"--as={2 << 30}"] if shutil.which("prlimit") else []
    for sql, error in (
        ("SELECT length(zeroblob(1000000000))", "string or blob too big"), 
        (f"{numbers} SELECT length(group_concat(printf('%064d', i), ',')) FROM n", "too big"),
    ):  # fmt: skip
        done = run(*limit, MERIDIAN, "query", trace, sql, codes=(1,))
        assert error in done.stderr and "cannot run the query" in done.stderr, (sql, done)
    done = run(*limit, MERIDIAN, "query", "--csv", trace, f"{numbers} SELECT count(*) AS n FROM (SELECT DISTINCT i * 7919 % 3000017 FROM n)")
    assert done.stdout == "n\n3000000\n", done


@needs_sqlite
def check_a_window_reads_nothing_else(work):
    """Blocks outside of a window are damaged, and not missed."""
    with h5py.File(make_trace(work / "short", seconds=2) / "merged.h5") as file:
        seconds = 7 * BLOCK // len(file["events/location"]) + 1  # 3.5 blocks
    trace = make_trace(work / "trace", seconds=seconds)
    merged = trace / "merged.h5"
    with h5py.File(merged) as file:
        enter = np.cumsum(file["events/enter_step_ns"][:])
        leave = enter + file["events/duration_ns"][:]
        chunk = file["events/enter_step_ns"].chunks[0]
        places = [file["events/enter_step_ns"].id.get_chunk_info(i) for i in range(file["events/enter_step_ns"].id.get_num_chunks())]
    assert len(enter) > 3 * BLOCK and chunk == BLOCK, (len(enter), chunk)
    begin, end = enter[2 * BLOCK + 1000] / 1e9, enter[2 * BLOCK + 2000] / 1e9
    sql = f"SELECT event, start_s, rank, function FROM events WHERE start_s >= {begin!r} AND start_s < {end!r}"
    wanted = query(trace, sql, "--csv").stdout
    assert len(wanted.splitlines()) == 1001 and wanted.splitlines()[1].startswith(f"{2 * BLOCK + 1000},")
    last = query(trace, "SELECT event FROM events ORDER BY start_s DESC LIMIT 2", "--csv").stdout
    assert last == f"event\n{len(enter) - 1}\n{len(enter) - 2}\n", last
    assert leave[:BLOCK].max() < enter[2 * BLOCK], "block 0 is not behind the window"
    data = bytearray(merged.read_bytes())
    data[places[0].byte_offset : places[0].byte_offset + places[0].size] = b"\xff" * places[0].size
    merged.write_bytes(data)
    assert query(trace, sql, "--csv").stdout == wanted
    assert query(trace, "SELECT event FROM events ORDER BY start_s DESC LIMIT 2", "--csv").stdout == last
    for words in (["query", trace, "SELECT sum(duration_s) FROM events"], ["query", trace, "SELECT * FROM events WHERE event = 5"], ["events", trace], ["events", trace, "--limit", "1"]):
        done = run(MERIDIAN, *words, codes=(1,))
        assert str(merged) in done.stderr and done.stderr.startswith("meridian: ") and len(done.stderr.splitlines()) <= 2, done


@needs_sqlite
def check_a_damaged_merged_file_is_an_error(work):
    trace = make_trace(work / "trace")
    whole = (trace / "merged.h5").read_bytes()
    tables = ("events", "messages", "collectives", "participants", "waits", "regions", "threads", "functions")
    with h5py.File(trace / "merged.h5") as file:
        datasets = []
        file.visititems(lambda name, item: datasets.append(name) if isinstance(item, h5py.Dataset) and not name.startswith("summary") else None)
    refused = 0
    for number, name in enumerate(datasets):
        (trace / "merged.h5").write_bytes(whole)
        with h5py.File(trace / "merged.h5", "r+") as file:
            values = file[name][:]
            del file[name]
            if values.dtype.kind in "iu" and number % 2:
                file[name] = values[: len(values) // 2] if number % 4 == 1 else np.full(len(values), np.iinfo(values.dtype).max, values.dtype)
        for table in (tables[number % len(tables)], "events"):
            done = query(trace, f"SELECT * FROM {table}", "--csv", codes=(0, 1))
            if done.returncode:
                refused += 1
                assert str(trace / "merged.h5") in done.stderr and len(done.stderr.splitlines()) <= 2, (name, table, done.stderr)
    assert refused > len(datasets) // 2, (refused, len(datasets))
    for length in (0, 100, len(whole) // 2):
        (trace / "merged.h5").write_bytes(whole[:length])
        done = query(trace, "SELECT 1", codes=(1,))
        assert str(trace / "merged.h5") in done.stderr, done


@needs_sqlite
def check_texts_and_numbers_are_printed_safely(work):
    trace = make_trace(work / "trace")
    sql = "SELECT 'a' || char(27) || '[31m' AS e, '=1+1' AS f, 'a,\"b' AS q, NULL AS n, 9e999 AS i, x'00ff' AS b, 1 AS e, 0.1 AS d, -5 AS m"
    done = json.loads(query(trace, sql, "--json").stdout)
    assert done["schema"] == "meridian-rows" and done["version"] == 1
    assert done["rows"] == [{"e": "a\x1b[31m", "f": "=1+1", "q": 'a,"b', "n": None, "i": None, "b": "00ff", "e_2": 1, "d": 0.1, "m": -5}], done
    assert query(trace, sql, "--csv").stdout == 'e,f,q,n,i,b,e,d,m\na\\x1b[31m,\'=1+1,"a,""b",,,00ff,1,0.1,-5\n'
    assert "\x1b" not in query(trace, sql).stdout
    assert json.loads(query(trace, "SELECT rank FROM events WHERE rank = 99", "--json").stdout)["rows"] == []
    assert query(trace, "SELECT rank FROM events WHERE rank = 99", "--csv").stdout == "rank\n"
    assert query(trace, "SELECT rank FROM events WHERE rank = 99").stdout == "  rank\n"
    done = run(MERIDIAN, "query", "--csv", trace, "-", input="SELECT 1 AS one\n -- from a file\n;")
    assert done.stdout == "one\n1\n", done
    assert run(MERIDIAN, "query", "--csv", "SELECT count(*) FROM ranks", cwd=make_latest(work, trace)).stdout == query(trace, "SELECT count(*) FROM ranks", "--csv").stdout
    numbers = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n LIMIT 2500) SELECT i FROM n"
    lines = query(trace, numbers).stdout.split()
    assert [line for line in lines if line != "i"] == [str(i) for i in range(1, 2501)] and len(lines) == 2503, len(lines)


def make_latest(work, trace):
    (work / "latest").symlink_to(trace)
    return work


def check_every_table_and_column_is_described():
    text = run(MERIDIAN, "query", "--tables").stdout
    described = {}
    for block in text.split("\n\n"):
        name = block.split(":", 1)[0]
        described[name] = re.findall(r"^  (\w+) ", block, re.M)
    assert {"events", "messages", "collectives", "participants", "waits", "regions", "threads", "ranks", "functions", "findings", "summary_messages"} <= set(described)
    assert all(len(line) <= 80 for line in text.splitlines())
    if not HAS_SQLITE:
        return
    with tempfile.TemporaryDirectory() as work:
        trace = make_trace(pathlib.Path(work) / "trace")
        for table, columns in described.items():
            header = query(trace, f"SELECT * FROM {table} LIMIT 1", "--csv").stdout.splitlines()[0]
            assert header.split(",") == columns, (table, header, columns)
    document = (ROOT / "docs" / "QUERY.md").read_text()
    for table in re.findall(r"summary_\w+", document):
        assert table in described, table


def check_without_sqlite_the_command_reports_that():
    if HAS_SQLITE:
        print("this build has SQLite")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        trace = make_trace(pathlib.Path(work) / "trace")
        done = query(trace, "SELECT 1", codes=(1,))
        assert "this build of Meridian has no SQLite" in done.stderr and "libsqlite3-dev" in done.stderr, done


if __name__ == "__main__":
    globals()["check_" + sys.argv[4]]()

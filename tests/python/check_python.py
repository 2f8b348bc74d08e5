# SPDX-License-Identifier: Apache-2.0
"""The package `meridian` of python/, against CSV exports and `stats --json`. Usage: check_python.py MERIDIAN CLOCK_TRACES HAS_SQLITE CHECK"""

import csv
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

MERIDIAN, CLOCK_TRACES = sys.argv[1:3]
HAS_SQLITE = sys.argv[3] == "ON"
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

try:
    import pandas  # noqa: F401
except ImportError:
    print("there is no pandas here")
    sys.exit(77)
import meridian  # noqa: E402


def run(*words, codes=(0,), cwd=None):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env, cwd=cwd)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def trace(directory, scenario="star+ring"):
    run(CLOCK_TRACES, "write", directory, scenario, 1, 4, 2)
    run(MERIDIAN, "merge", directory, "--quiet", codes=(0, 2))
    return directory


def exported(directory):
    run(MERIDIAN, "export", "--format", "csv", directory)
    tables = {}
    for name in ("events", "messages", "collectives"):
        with open(directory / "csv" / f"{name}.csv", newline="") as file:
            tables[name] = list(csv.DictReader(file))
        assert len(tables[name]) > (100 if name != "collectives" else 4), name
    return tables


def column(rows, name, empty=-1):
    return [int(row[name]) if row[name] else empty for row in rows]


def check_events_are_those_of_the_export():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        wanted = exported(pathlib.Path(work))["events"]
        assert len(got.events) == len(wanted)
        for name in ("enter_ns", "duration_ns", "rank", "thread", "sequence", "flags", "peer", "tag", "bytes_sent", "bytes_received", "calls", "outside_ns"):
            assert got.events[name].tolist() == column(wanted, name), name
        for name, exported_name in (("function", "function"), ("function_group", "function_group"), ("communicator", "communicator")):
            assert got.events[name].astype(str).tolist() == [row[exported_name] for row in wanted], name
        assert (got.events["leave_ns"] - got.events["enter_ns"] == got.events["duration_ns"]).all()


def check_messages_are_those_of_the_export():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        wanted, messages = exported(pathlib.Path(work))["messages"], got.messages
        names = {"source": "send_rank", "dest": "receive_rank", "send_ns": "send_enter_ns", "receive_ns": "receive_leave_ns", "bytes": "bytes", "tag": "tag"}
        for name, exported_name in names.items():
            assert messages[name].tolist() == column(wanted, exported_name), name
        events = got.events
        for end, exported_name in (("send", "send_sequence"), ("post", "post_sequence"), ("completion", "completion_sequence")):
            assert events["sequence"].to_numpy()[messages[end]].tolist() == column(wanted, exported_name), end


def check_participants_of_collectives_are_those_of_the_export():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        wanted = exported(pathlib.Path(work))["collectives"]
        for name in ("instance", "root", "comm_rank", "rank", "enter_ns", "leave_ns"):
            assert got.parts[name].tolist() == column(wanted, name), name
        assert [str(name) for name in got.parts["function"]] == [row["function"] for row in wanted]


def check_tables_are_those_of_the_summary():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work), "ring")) as got:
        wanted = json.loads(run(MERIDIAN, "stats", "--json", work).stdout)
        compared = 0
        for name in got.tables:
            if isinstance(wanted.get(name), list) and name != "clocks":
                table = got.table(name)
                assert len(table) == len(wanted[name]), name
                for column_name in table:
                    if wanted[name] and column_name in wanted[name][0]:
                        values = [row[column_name] for row in wanted[name]]
                        got_values = [type(value)(own) if value is not None else value for own, value in zip(table[column_name].tolist(), values)]
                        assert got_values == values, (name, column_name)
                        compared += 1
        assert compared > 60, compared
        # Completions are known as sums only.
        waits = got.table("waits").query("not pattern.str.endswith('completion')")
        by_kind, wanted = got.waits.groupby("kind")["wait_ns"].sum(), waits.groupby("pattern")["total_s"].sum()
        assert list(by_kind.index) == list(wanted.index) and len(wanted) >= 3
        assert (abs(by_kind * 1e-9 - wanted) < 1e-9 * len(got.waits)).all()


def check_events_for_pipit_are_nested_and_complete():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        frame, events = got.pipit(), got.events
        assert list(frame) == ["Timestamp (ns)", "Event Type", "Name", "Process", "Thread"]
        assert len(frame) == 2 * (events["function_group"] != "user").sum() and frame["Timestamp (ns)"].is_monotonic_increasing
        inside = {}
        for time, kind, name, rank, thread in frame.itertuples(index=False):
            stack = inside.setdefault((rank, thread), [])
            if kind == "Enter":
                stack.append((name, time))
            else:
                assert stack.pop()[0] == name, (rank, thread, time)
        assert not any(inside.values())
        assert meridian.trace._nested([(5, 5, "b"), (0, 9, "a"), (5, 8, "c")]).__class__.__name__ == "generator"
        order = [(time, kind[0], name) for time, kind, name in meridian.trace._nested([(5, 5, "b"), (0, 9, "a"), (6, 9, "c"), (9, 12, "d")])]
        assert order == [(0, "E", "a"), (5, "E", "b"), (5, "L", "b"), (6, "E", "c"), (9, "L", "c"), (9, "L", "a"), (9, "E", "d"), (12, "L", "d")], order


def check_a_trace_that_cannot_be_read_is_said_so():
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        (work / "text").write_text("no trace")
        for path, words in ((work, "there is no merged trace"), (work / "gone", "there is no merged trace"), (work / "text", "cannot be read")):
            try:
                meridian.Trace(path)
                raise SystemExit(f"{path} was opened")
            except meridian.TraceError as problem:
                assert words in str(problem), problem
        import h5py

        with h5py.File(work / "merged.h5", "w") as file:
            file.attrs["schema"], file.attrs["version"] = b"meridian-merged", 99
        try:
            meridian.Trace(work)
            raise SystemExit("a later version was opened")
        except meridian.TraceError as problem:
            assert "has version 99, this package reads version 3" in str(problem), problem


def check_a_query_gives_what_the_tables_hold():
    if not HAS_SQLITE:
        print("this build has no SQLite")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        def ask(sql):
            return got.query(sql, command=MERIDIAN)

        events = ask("SELECT event, start_s, duration_s, rank, function, peer, bytes_sent FROM events")
        assert events["function"].tolist() == got.events["function"].astype(str).tolist()
        for column_name, own, scale in (("start_s", "enter_ns", 1e9), ("duration_s", "duration_ns", 1e9), ("rank", "rank", 1), ("bytes_sent", "bytes_sent", 1)):
            assert (events[column_name] * scale).round().astype("int64").tolist() == got.events[own].tolist(), column_name
        assert {name: str(kind) for name, kind in events.dtypes.items()} == {
            "event": "int64", "start_s": "float64", "duration_s": "float64", "rank": "int64", "function": "object", "peer": "Int64", "bytes_sent": "int64"}  # fmt: skip
        assert events["peer"].fillna(-1).tolist() == got.events["peer"].tolist() and events["peer"].isna().any()
        messages = ask("SELECT source, dest, bytes, send_function, communicator FROM messages")
        for column_name, own in (("source", "source"), ("dest", "dest"), ("bytes", "bytes"), ("send_function", "send_function"), ("communicator", "communicator")):
            assert messages[column_name].tolist() == got.messages[own].tolist(), column_name
        assert ask("SELECT rank FROM events WHERE rank = 99").columns.tolist() == ["rank"]
        assert ask("SELECT 1 AS a, 2 AS a, NULL AS n, 'x' AS t, 1.5 AS f").to_dict("records") == [{"a": 1, "a_2": 2, "n": None, "t": "x", "f": 1.5}]
        for sql, command, words in (("SELECT * FROM evnts", MERIDIAN, "no such table: evnts; did you mean 'events'?"), ("DROP TABLE events", MERIDIAN, "is not allowed"),
                                    ("SELECT 1", "no-such-meridian", "there is no command 'no-such-meridian'")):  # fmt: skip
            try:
                got.query(sql, command=command)
                raise SystemExit(f"{sql} was answered")
            except meridian.TraceError as problem:
                assert words in str(problem), problem


def check_integers_are_wide():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        frames = {name: getattr(got, name) for name in ("events", "messages", "parts", "waits", "regions", "ranks", "threads")}
        frames |= {f"table {name}": got.table(name) for name in got.tables}
        narrow = [(name, at, str(kind)) for name, frame in frames.items() for at, kind in frame.dtypes.items()
                  if getattr(kind, "kind", "O") in "iu" and kind.itemsize < 8]  # fmt: skip
        assert narrow == [] and len(frames) > 20, narrow


def check_a_damaged_file_is_an_error_of_the_package():
    import h5py

    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        whole = trace(work / "trace") / "merged.h5"
        with h5py.File(whole) as file:
            names = [f"{group}/{name}" for group in ("events", "messages", "parts", "collectives", "waits", "threads", "calls", "communicators") for name in file[group]]
        tables = ("events", "messages", "parts", "waits", "regions")
        refused = 0
        for number, name in enumerate(names):
            damaged = work / f"{number}.h5"
            shutil.copy(whole, damaged)
            with h5py.File(damaged, "r+") as file:
                values = file[name][:]
                del file[name]
                if number % 3:
                    file[name] = values[: len(values) // 2] if number % 3 == 1 else values[:0]
            with meridian.Trace(damaged) as got:
                for table in tables:
                    try:
                        getattr(got, table)
                    except meridian.TraceError as problem:
                        assert f"'{damaged}' is damaged" in str(problem), problem
                        refused += 1
            damaged.unlink()
        assert refused > len(names), (refused, len(names))
        with meridian.Trace(whole) as got:
            pass
        try:
            got.events
            raise SystemExit("a closed trace was read")
        except meridian.TraceError as problem:
            assert "is closed" in str(problem) and "closed" in repr(got), problem


def check_a_wheel_is_built_without_network():
    tools = subprocess.run([sys.executable, "-c", "import setuptools, wheel, pip"], capture_output=True)
    if tools.returncode != 0:
        print("there is no pip, setuptools or wheel here")
        sys.exit(77)
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        shutil.copytree(ROOT / "python", work / "python", ignore=shutil.ignore_patterns("__pycache__", "build", "*.egg-info"))
        pip = [sys.executable, "-m", "pip", "--disable-pip-version-check", "--no-input"]
        offline = ["--no-index", "--no-deps"]
        run(*pip, "wheel", *offline, "--no-build-isolation", "-w", work / "wheels", work / "python")
        (wheel,) = (work / "wheels").glob("meridian-*-py3-none-any.whl")
        run(*pip, "install", *offline, "--target", work / "installed", wheel)
        own = {path.name for path in (ROOT / "python" / "meridian").glob("*.py")}
        assert {path.name for path in (work / "installed" / "meridian").glob("*.py")} == own
        code = "import meridian, sys; print(meridian.__file__, len(meridian.Trace(sys.argv[1]).events))"
        os.environ["PYTHONPATH"] = str(work / "installed")
        done = run(sys.executable, "-B", "-c", code, trace(work / "trace"), cwd=work)
        assert done.stdout.startswith(str(work / "installed")) and int(done.stdout.split()[-1]) > 100, done.stdout


def check_a_notebook_shows_what_the_trace_is():
    with tempfile.TemporaryDirectory() as work, meridian.Trace(trace(pathlib.Path(work))) as got:
        text = got._repr_html_()
        assert f"<tr><th>messages</th><td>{len(got.messages)}</td></tr>" in text and "<script" not in text
        assert repr(got).startswith("Trace('") and f": {len(got.ranks)} ranks, {len(got.events)} events" in repr(got)


def check_versions_and_names_are_those_of_the_program():
    version = run(MERIDIAN, "--version").stdout.split()[1]
    assert f'version = "{version}"' in (ROOT / "python" / "pyproject.toml").read_text()
    words = (ROOT / "merged" / "model" / "event_waits.hpp").read_text()
    names = re.search(r"kWaitKindNames\[\] = \{(.*?)\}", words, re.S)[1]
    listed = dict(enumerate(re.findall(r'"(.*?)"', names)))
    # Completions are in sums only: no call has them.
    assert meridian.trace.WAIT_KINDS == {number: name for number, name in listed.items() if "completion" not in name}


def check_the_code_of_its_document_runs():
    text = (ROOT / "docs" / "PYTHON.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", text, re.S)
    assert len(blocks) >= 7 and any(".query(" in block for block in blocks)
    if not HAS_SQLITE:
        blocks = [block for block in blocks if ".query(" not in block]
    with tempfile.TemporaryDirectory() as work:
        trace(pathlib.Path(work), "ring")
        code = "\n".join(blocks).replace('"DIR"', repr(work))
        os.environ["PATH"] = f"{pathlib.Path(MERIDIAN).parent}:{os.environ['PATH']}"
        done = run(sys.executable, "-B", "-c", f"import sys\nsys.path.insert(0, {str(ROOT / 'python')!r})\n{code}")
        assert "Enter" in done.stdout and "late sender" in done.stdout, done.stdout


if __name__ == "__main__":
    globals()["check_" + sys.argv[4]]()

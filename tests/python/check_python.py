# SPDX-License-Identifier: Apache-2.0
"""The package `meridian` of python/, against CSV exports and `stats --json`. Usage: check_python.py MERIDIAN CLOCK_TRACES CHECK"""

import csv
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

MERIDIAN, CLOCK_TRACES = sys.argv[1:3]
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

try:
    import pandas  # noqa: F401
except ImportError:
    print("there is no pandas here")
    sys.exit(77)
import meridian  # noqa: E402


def run(*words, codes=(0,)):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
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
        for name, exported_name in (("call", "call"), ("group", "group"), ("communicator", "communicator")):
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
        assert [str(name) for name in got.parts["call"]] == [row["call"] for row in wanted]


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
        assert len(frame) == 2 * (events["group"] != "user").sum() and frame["Timestamp (ns)"].is_monotonic_increasing
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
    assert len(blocks) >= 6
    with tempfile.TemporaryDirectory() as work:
        trace(pathlib.Path(work), "ring")
        code = "\n".join(blocks).replace('"DIR"', repr(work))
        done = run(sys.executable, "-B", "-c", f"import sys\nsys.path.insert(0, {str(ROOT / 'python')!r})\n{code}")
        assert "Enter" in done.stdout and "late sender" in done.stdout, done.stdout


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()

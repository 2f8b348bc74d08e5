# SPDX-License-Identifier: Apache-2.0
"""Runs a program under the tracer, merges, and compares `meridian query` and `meridian events` with frames of h5py and pandas.

check_whole.py --meridian M --mpiexec X --ranks N program
"""

import csv
import io
import json
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import launch  # noqa: E402

try:
    import pandas as pd
except ImportError:
    print("there is no pandas here")
    sys.exit(77)
import examples  # noqa: E402
import oracle  # noqa: E402

TABLES = ("events", "messages", "collectives", "participants", "waits", "regions", "threads")


def equal(own, wanted):
    if own is None or wanted is None or wanted != wanted:
        return own is None and (wanted is None or wanted != wanted)
    return own == (wanted.item() if hasattr(wanted, "item") else wanted)


def same(own, frame, what, by=None):
    """Rows of JSON against a frame: all columns and values, in order (or sorted by a column)."""
    assert own["columns"] == list(frame.columns) or not len(frame), (what, own["columns"], list(frame.columns))
    rows = own["rows"]
    assert len(rows) == len(frame), (what, len(rows), len(frame))
    wanted = frame.to_dict("records")
    if by:
        rows, wanted = sorted(rows, key=lambda row: row[by]), sorted(wanted, key=lambda row: row[by])
    for at, (row, expected) in enumerate(zip(rows, wanted)):
        for name in frame.columns:
            assert equal(row[name], expected[name]), (what, at, name, row[name], expected[name])
    return len(frame)


class Query:
    def __init__(self, meridian, trace):
        self.meridian, self.trace = meridian, trace

    def command(self, *words):
        return launch.run([self.meridian, *words])

    def json(self, sql):
        done = self.command("query", "--json", self.trace, sql)
        assert done.returncode == 0 and done.stderr == "", (sql, done.returncode, done.stdout[-500:], done.stderr)
        return json.loads(done.stdout)


def check_tables(query, frames):
    for table in TABLES:
        count = same(query.json(f"SELECT * FROM {table}"), getattr(frames, table), table)
        print(f"{table}: {count} rows")


def check_conditions(query, frames):
    """What is pushed down gives what a filter of the whole table gives."""
    times = sorted(frames.events["start_s"])
    early, late = times[len(times) // 3], times[2 * len(times) // 3]
    ranks = sorted(set(frames.events["rank"].tolist()))
    window = frames.events[(frames.events["start_s"] >= early) & (frames.events["start_s"] < late)]
    same(query.json(f"SELECT * FROM events WHERE start_s >= {early!r} AND start_s < {late!r}"), window, "window")
    ended = frames.events[(frames.events["end_s"] > early) & (frames.events["end_s"] <= late)]
    same(query.json(f"SELECT * FROM events WHERE end_s > {early!r} AND {late!r} >= end_s"), ended, "ends in a window")
    exact = frames.events[frames.events["start_s"] == early]
    same(query.json(f"SELECT * FROM events WHERE start_s = {early!r}"), exact, "at a time")
    for condition, chosen in (
        (f"rank = {ranks[-1]}", [ranks[-1]]), ("rank IN (0, 2, 7)", [0, 2, 7]), ("rank > 0", ranks[1:]), ("rank <= 1", [0, 1]),
        ("rank = 1.5", []), ("rank = NULL", []), ("rank = '0'", [0]), ("rank IN (0, NULL)", [0]), ("rank <> 0", ranks[1:]),
    ):  # fmt: skip
        same(query.json(f"SELECT * FROM events WHERE {condition}"), frames.events[frames.events["rank"].isin(chosen)], condition)
    row = len(frames.events) // 2
    for condition, chosen in (
        (f"event = {row}", frames.events["event"] == row), (f"event BETWEEN {row} AND {row + 10}", frames.events["event"].between(row, row + 10)),
        (f"event IN ({row}, 3)", frames.events["event"].isin([3, row])), ("event = -1", frames.events["event"] < 0),
        ("event >= 100000000", frames.events["event"] < 0), ("event < 3.5", frames.events["event"] < 4),
    ):  # fmt: skip
        same(query.json(f"SELECT * FROM events WHERE {condition}"), frames.events[chosen], condition, by="event")
    backwards = query.json("SELECT event FROM events ORDER BY start_s DESC, rank LIMIT 5")["rows"]
    assert len(backwards) == 5
    last = query.json("SELECT event FROM events ORDER BY event DESC LIMIT 5")["rows"]
    assert [row["event"] for row in last] == frames.events["event"].tolist()[:-6:-1]
    same(query.json("SELECT * FROM events ORDER BY start_s DESC LIMIT 7"), frames.events[::-1][:7], "the last ones")
    messages = frames.messages
    if len(messages):
        sent, received = float(messages["send_s"].median()), float(messages["receive_s"].median())
        for condition, chosen in (
            (f"send_s < {sent!r}", messages["send_s"] < sent), (f"receive_s >= {received!r}", messages["receive_s"] >= received),
            ("dest = 0", messages["dest"] == 0), (f"source = 0 AND send_s >= {sent!r}", (messages["source"] == 0) & (messages["send_s"] >= sent)),
            (f"source = 0 AND receive_s < {received!r} AND dest = 0", (messages["source"] == 0) & (messages["receive_s"] < received) & (messages["dest"] == 0)),
            ("message = 1", messages["message"] == 1), ("message = 1e9", messages["message"] < 0), ("send_call = receive_call", messages["send_call"] == messages["receive_call"]),
        ):  # fmt: skip
            same(query.json(f"SELECT * FROM messages WHERE {condition}"), messages[chosen], condition, by="message")
    middle = float(frames.collectives["start_s"].median())
    for table, column in (("collectives", "start_s"), ("participants", "enter_s")):
        frame = getattr(frames, table)
        for sign, chosen in (("<", frame[column] < middle), (">=", frame[column] >= middle)):
            same(query.json(f"SELECT * FROM {table} WHERE {column} {sign} {middle!r}"), frame[chosen], (table, sign))
    end = float(frames.collectives["end_s"].median())
    same(query.json(f"SELECT * FROM collectives WHERE end_s < {end!r}"), frames.collectives[frames.collectives["end_s"] < end], "ended")
    number = int(frames.collectives["collective"].max())
    same(query.json(f"SELECT * FROM collectives WHERE collective = {number}"), frames.collectives[frames.collectives["collective"] == number], "one")
    own = frames.participants[frames.participants["collective"] == number].sort_values("rank_in_communicator")
    same(query.json(f"SELECT * FROM participants WHERE collective = {number}"), own, "participants of one")
    if len(frames.waits):
        event = int(frames.waits["event"].iloc[-1])
        same(query.json(f"SELECT * FROM waits WHERE event = {event}"), frames.waits[frames.waits["event"] == event], "waits of one")
        same(query.json("SELECT * FROM waits WHERE rank = 0"), frames.waits[frames.waits["rank"] == 0], "waits of a rank")
    same(query.json("SELECT * FROM regions WHERE rank = 0"), frames.regions[frames.regions["rank"] == 0], "regions of a rank")
    ended = frames.regions[[end is not None and end < late for end in frames.regions["end_s"]]]
    same(query.json(f"SELECT * FROM regions WHERE end_s < {late!r}"), ended, "regions that ended")


def check_joins(query, frames):
    rows = query.json("SELECT m.message, e.call AS sent, p.call AS received FROM messages AS m JOIN events AS e ON e.event = m.send_event "
                      "JOIN events AS p ON p.event = m.receive_event ORDER BY m.message")["rows"]  # fmt: skip
    wanted = frames.messages
    assert [(row["message"], row["sent"], row["received"]) for row in rows] == list(zip(wanted["message"], wanted["send_call"], wanted["receive_call"]))
    rows = query.json("SELECT c.collective, count(*) AS n FROM collectives AS c JOIN participants AS p USING (collective) GROUP BY 1 ORDER BY 1")["rows"]
    assert [row["n"] for row in rows] == frames.collectives.sort_values("collective")["participants"].tolist()
    left = query.json("SELECT w.event, c.call FROM waits AS w LEFT JOIN events AS c ON c.event = w.causer_event")["rows"]
    assert [(row["event"], row["call"]) for row in left] == list(zip(frames.waits["event"], frames.waits["causer_call"])) if len(frames.waits) else left == []


def check_summary(query, meridian, trace):
    """Tables of the summary are those of `stats --json`."""
    stats = json.loads(launch.run([meridian, "stats", "--json", trace]).stdout)
    compared = 0
    for table, name in (("ranks", "ranks"), ("functions", "functions"), ("sites", "sites"), ("pairs", "pairs"), ("findings", "findings"),
                        ("problems", "problems"), ("summary_regions", "regions"), ("summary_waits", "waits"), ("usage", "usage")):  # fmt: skip
        own = query.json(f"SELECT * FROM {table}")["rows"]
        assert len(own) == len(stats.get(name, [])), (table, len(own))
        for row, wanted in zip(own, stats.get(name, [])):
            for column, value in row.items():
                if column in wanted and not isinstance(wanted[column], list):
                    assert value == wanted[column], (table, column, value, wanted[column])
                    compared += 1
    assert compared > 50, compared
    assert query.json("SELECT calls, mpi_share FROM run")["rows"] == [{name: stats["run"][name] for name in ("calls", "mpi_share")}]
    (messages,) = query.json("SELECT * FROM summary_messages")["rows"]
    assert messages.items() <= stats["messages"].items() and messages["matched"] > 0, (messages, stats["messages"])


def check_events(query, frames):
    """The lists of `meridian events`."""

    def listed(*words):
        done = query.command("events", "--json", *words, query.trace)
        assert done.returncode == 0 and done.stderr == "", (words, done)
        return json.loads(done.stdout)

    events = frames.events
    same(listed(), events, "events")
    times = sorted(events["start_s"])
    early, late = times[len(times) // 3], times[2 * len(times) // 3]
    span = ["--from", f"{round(early * 1e9)}ns", "--to", f"{round(late * 1e9)}ns"]
    in_span = (events["end_s"] >= early) & (events["start_s"] < late)
    is_isend = events["function"].str.upper().str.startswith("MPI_I")
    for words, chosen in (
        (["--ranks", "0"], events["rank"] == 0), (span, in_span), (["--thread", "1"], events["thread"] == 1),
        (["--functions", "mpi_i*", *span], is_isend & in_span), (["--peer", "0"], events["peer"] == 0),
        (["--at-least", "10us"], events["duration_s"] >= 10e-6), (["--ranks", "0-3", "--peer", "0", "--functions", "MPI_Isend"],
         (events["peer"] == 0) & (events["function"] == "MPI_Isend")), (["--limit", "3"], events["event"] < 3),
    ):  # fmt: skip
        same(listed(*words), events[chosen], words)
    if len(frames.waits):
        same(listed("--waits"), frames.waits, "--waits")
        for causer in {rank for rank in frames.waits["causer_rank"] if rank is not None}:
            same(listed("--waits", "--peer", str(causer)), frames.waits[frames.waits["causer_rank"] == causer], "--waits --peer")
        least = sorted(frames.waits["wait_s"])[len(frames.waits) // 2]
        same(listed("--waits", "--at-least", f"{round(least * 1e9)}ns"), frames.waits[frames.waits["wait_s"] >= least], "--waits --at-least")
    lines = query.command("events", query.trace).stdout.splitlines()
    titles = [line for line in lines if line.split()[:1] == ["call"]]
    assert len(titles) == (len(events) + 999) // 1000 and len(lines) == len(events) + len(titles), (len(titles), len(lines))
    assert [line.split()[0] for line in lines if line not in titles] == events["call"].tolist()
    assert all(len(line) <= 80 for line in lines), max(lines, key=len)
    for message in frames.messages.to_dict("records")[:: max(1, len(frames.messages) // 5)]:
        rows = listed("--follow", f"message:{message['message']}")["rows"]
        ends = [("sent", message["send_call"])] + [("posted", message["post_call"])] * (message["post_call"] != message["receive_call"]) + [("received", message["receive_call"])]
        assert [(row["role"], row["call"]) for row in rows] == ends, (message, rows)
        for call in (message["send_call"], message["receive_call"]):
            rows = listed("--follow", call)["rows"]
            assert rows[0]["role"] == "this call" and rows[0]["call"] == call
            assert [(row["role"], row["call"]) for row in rows if row["connection"] == f"message {message['message']}"] == ends, rows
    collective = frames.participants.iloc[len(frames.participants) // 2]
    own = frames.participants[frames.participants["collective"] == collective["collective"]].sort_values("rank_in_communicator")
    members = []
    for part in own.to_dict("records"):
        is_blocking = part["enter_call"] == part["leave_call"]
        members += [("took part" if is_blocking else "entered", part["enter_call"])] + ([] if is_blocking else [("left", part["leave_call"])])
    for what in (f"collective:{collective['collective']}", collective["enter_call"]):
        rows = listed("--follow", what)["rows"]
        assert [(row["role"], row["call"]) for row in rows if row["connection"] == f"collective {collective['collective']}"] == members, (what, rows)
    waiting = frames.waits[[causer is not None for causer in frames.waits["causer_call"]]] if len(frames.waits) else []
    if len(waiting):
        rows = listed("--follow", waiting["call"].iloc[0])["rows"]
        assert ("waited for", waiting["causer_call"].iloc[0]) in [(row["role"], row["call"]) for row in rows]
    call = events["call"].iloc[len(events) // 2]
    assert call in query.command("events", "--follow", call, query.trace).stdout
    done = query.command("order", query.trace, call, events["call"].iloc[0])
    assert done.returncode == 0 or "clock" in done.stderr or "bound" in done.stderr, done


def check_forms(query, frames):
    """CSV and text hold what JSON holds."""
    sql = "SELECT call, start_s, function, peer, communicator FROM events"
    rows = query.json(sql)["rows"]
    table = list(csv.reader(io.StringIO(query.command("query", "--csv", query.trace, sql).stdout)))
    assert table[0] == ["call", "start_s", "function", "peer", "communicator"] and len(table) == len(rows) + 1
    for line, row in zip(table[1:], rows):
        assert line[0] == row["call"] and float(line[1]) == row["start_s"] and line[3] == ("" if row["peer"] is None else str(row["peer"])), (line, row)
    text = query.command("query", query.trace, "SELECT rank, count(*) AS events FROM events GROUP BY rank").stdout.split()
    counts = frames.events.groupby("rank").size()
    assert text == ["rank", "events", *[str(value) for pair in counts.items() for value in pair]], text


def check_python(meridian, trace, frames):
    """The package `meridian` has the same rows."""
    sys.path.insert(0, str(HERE.parents[1] / "python"))
    import meridian as package

    with package.Trace(trace) as got:
        events, messages = got.events, got.messages
        for name, own in (("start_s", "enter_ns"), ("end_s", "leave_ns"), ("duration_s", "duration_ns"), ("outside_s", "outside_ns")):
            assert (events[own] / 1e9).tolist() == frames.events[name].tolist(), name
        for name in ("function", "function_group", "rank", "thread", "bytes_sent", "flags"):
            assert events[name].tolist() == frames.events[name].tolist(), name
        for name in ("source", "dest", "bytes", "tag", "send_function", "receive_function"):
            assert messages[name].tolist() == frames.messages[name].tolist(), name
        for name, own in (("send_s", "send_ns"), ("post_s", "post_ns"), ("receive_s", "receive_ns")):
            assert (messages[own] / 1e9).tolist() == frames.messages[name].tolist(), name
        assert [name or None for name in messages["communicator"].tolist()] == frames.messages["communicator"].tolist()
        assert (got.waits["wait_ns"] / 1e9).tolist() == (frames.waits["wait_s"].tolist() if len(frames.waits) else [])
        assert len(got.regions) == sum(end is not None for end in frames.regions["end_s"])
        answer = got.query("SELECT rank, count(*) AS n FROM events GROUP BY rank ORDER BY rank", command=meridian)
        assert dict(zip(answer["rank"], answer["n"])) == frames.events.groupby("rank").size().to_dict()
        assert len(got.pipit()) == 2 * (int((events["function_group"] != "user").sum()) + len(got.regions))
        assert f"<td>{len(messages)}</td>" in got._repr_html_()


options = launch.parser()
options.add_argument("program")
options = options.parse_args()

with tempfile.TemporaryDirectory() as work:
    trace = pathlib.Path(work) / "trace"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, pathlib.Path(work) / "scratch", MERIDIAN_STACK="8")
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    frames = oracle.Oracle(trace / "merged.h5")
    assert isinstance(frames.events, pd.DataFrame)
    query = Query(options.meridian, trace)
    check_tables(query, frames)
    check_conditions(query, frames)
    check_joins(query, frames)
    check_summary(query, options.meridian, trace)
    check_events(query, frames)
    check_forms(query, frames)
    check_python(options.meridian, trace, frames)
    examples.check(query, frames)

# SPDX-License-Identifier: Apache-2.0
"""The examples of docs/QUERY.md, each answered by pandas, too."""

import math
import pathlib
import re

import pandas as pd

ROOT = pathlib.Path(__file__).resolve().parents[2]


def longest_calls(frames):
    return frames.events.sort_values(["duration_s", "event"], ascending=[False, True]).head(10)[
        ["call", "function", "start_s", "duration_s", "peer", "bytes_sent"]]  # fmt: skip


def mpi_calls(frames):
    return frames.events[frames.events["function"].str.startswith("MPI_")]


def time_in_functions(frames):
    table = mpi_calls(frames).groupby(["rank", "function"]).agg(calls=("event", "size"), time_s=("duration_s", "sum")).reset_index()
    return table.sort_values(["time_s", "rank", "function"], ascending=[False, True, True])


def first_milliseconds(frames):
    events = frames.events
    return events[(events["rank"] == 0) & (events["start_s"] < 0.010)][["call", "function", "start_s", "duration_s"]]


def who_sends(frames):
    return frames.messages.groupby(["source", "dest"]).agg(
        messages=("message", "size"), bytes=("bytes", "sum"), mean_transfer_s=("transfer_s", "mean")).reset_index()  # fmt: skip


def early_messages(frames):
    messages = frames.messages
    early = messages[messages["post_s"] > messages["send_s"]].copy()
    early["early_s"] = early["post_s"] - early["send_s"]
    return early.sort_values(["early_s", "message"], ascending=[False, True]).head(10)[["message", "source", "dest", "bytes", "early_s"]]


def last_ranks(frames):
    own = frames.collectives[frames.collectives["participants"] > 1]
    table = own.groupby("last_rank").agg(times=("collective", "size"), spread_s=("spread_s", "sum")).reset_index()
    return table.sort_values(["spread_s", "last_rank"], ascending=[False, True])


def causers(frames):
    if not len(frames.waits):
        return pd.DataFrame(columns=["kind", "causer_rank", "causer_function", "waits", "wait_s"])
    waits = frames.waits.assign(wait_s=frames.waits["wait_s"].astype(float), causer_rank=frames.waits["causer_rank"].astype(float))
    return waits.groupby(["kind", "causer_rank", "causer_function"], dropna=False).agg(waits=("event", "size"), wait_s=("wait_s", "sum")).reset_index()


def tenths(frames):
    from_s = (frames.messages["send_s"] * 10).astype(int) / 10
    return frames.messages.assign(from_s=from_s).groupby("from_s").agg(messages=("message", "size"), bytes=("bytes", "sum")).reset_index()


def computing(frames):
    events = frames.events.copy()
    events["computing_s"] = events["start_s"] - events.groupby(["rank", "thread"])["end_s"].shift()
    events = events[events["computing_s"] > 0].sort_values(["computing_s", "event"], ascending=[False, True]).head(10)
    return events[["rank", "thread", "call", "computing_s"]]


def time_in_regions(frames):
    rows = {}
    calls = mpi_calls(frames)
    for region in frames.regions.to_dict("records"):
        if region["end_s"] is None:
            continue
        inside = calls[(calls["rank"] == region["rank"]) & (calls["thread"] == region["thread"]) & (calls["start_s"] >= region["start_s"]) & (calls["end_s"] <= region["end_s"])]
        if len(inside):
            rows.setdefault((region["name"], int(region["rank"])), []).extend(inside["duration_s"])
    return pd.DataFrame([{"name": name, "rank": rank, "mpi_s": math.fsum(times)} for (name, rank), times in rows.items()], columns=["name", "rank", "mpi_s"])


def slow_waits(frames):
    if not len(frames.waits):
        return pd.DataFrame(columns=["kind", "rank", "wait_s", "call", "function", "caller", "file", "line"])
    waits = frames.waits[[event is not None for event in frames.waits["causer_event"]]]
    waits = waits.sort_values(["wait_s", "event"], ascending=[False, True], kind="stable").head(10)
    causes = frames.events.iloc[waits["causer_event"].astype(int)][["call", "function", "caller", "file", "line"]]
    return pd.concat([waits[["kind", "rank", "wait_s"]].reset_index(drop=True), causes.reset_index(drop=True)], axis=1)


# In the order of the document. The rows of the second kind are compared as sets: sums of floating-point numbers depend on
# the order of the terms, and so does the order by them. None: no table of the trace, checked elsewhere.
ANSWERS = (longest_calls, time_in_functions, first_milliseconds, who_sends, early_messages, last_ranks, causers, tenths, computing,
           time_in_regions, slow_waits, None)
SORTED_BY_SUMS = (time_in_functions, last_ranks, causers, time_in_regions)


def same_value(own, wanted):
    if own is None or wanted is None or wanted != wanted:
        return own is None and (wanted is None or wanted != wanted)
    if isinstance(own, float):
        return math.isclose(own, float(wanted), rel_tol=1e-9, abs_tol=1e-12)
    return own == wanted


def check(query, frames):
    text = (ROOT / "docs" / "QUERY.md").read_text()
    queries = re.findall(r"```sql\n(.*?)```", text, re.S)
    assert len(queries) == len(ANSWERS) >= 10, len(queries)
    for sql, answer in zip(queries, ANSWERS):
        got = query.json(sql)
        if answer is None:
            continue
        wanted = answer(frames)
        assert got["columns"] == list(wanted.columns), (sql, got["columns"], list(wanted.columns))
        assert len(got["rows"]) == len(wanted), (sql, len(got["rows"]), len(wanted))
        rows, expected = [list(row.values()) for row in got["rows"]], [list(row.values()) for row in wanted.to_dict("records")]
        if answer in SORTED_BY_SUMS:
            words = [at for at, name in enumerate(wanted.columns) if not name.endswith("_s")]
            key = lambda row: [str(None if row[at] != row[at] else row[at] if isinstance(row[at], str) or row[at] is None else int(row[at])) for at in words]  # noqa: E731
            rows, expected = sorted(rows, key=key), sorted(expected, key=key)
        for own, other in zip(rows, expected):
            assert all(map(same_value, own, other)), (sql, own, other)
        print(f"{answer.__name__}: {len(rows)} rows")

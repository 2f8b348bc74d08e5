# SPDX-License-Identifier: Apache-2.0
"""What a program says of itself, and what it did outside of calls: values of user events, samples, intervals without a
processor, memory, energy."""

import numpy as np
import pandas as pd

from .columns import in_global_order, texts, wide
from .errors import TraceError

MOST_TEXT = 1024  # bytes of a text that are stored; its length may say more


def _decoded(words, kind):
    if kind == "f64":
        return words.view(np.float64)
    return words.view(np.uint64) if kind == "u64" else words


def _fields(text):
    """(name, type) of "thief:i64 why:text"."""
    return [tuple(field.rsplit(":", 1)) for field in text.split()]


def _columns_of(fields, rows, words):
    """For each field (rows of the events that have it, values). A row of `rows` for each word of `words`, those of an event together."""
    first = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]]) if len(rows) else np.array([], np.int64)
    end = np.append(first[1:], len(rows))
    at, event, columns = first.copy(), rows[first], []
    for _, kind in fields:
        has_it = at < end
        at, end, event = at[has_it], end[has_it], event[has_it]
        if kind != "text":
            columns.append((event, _decoded(words[at], kind)))
            at = at + 1
            continue
        size = np.minimum(words[at].view(np.uint64), np.uint64(MOST_TEXT)).astype(np.int64)
        values = [words[i + 1:i + 1 + (n + 7) // 8].tobytes()[:n].decode("utf-8", "replace") for i, n in zip(at, size)]
        columns.append((event, np.array(values, dtype=object)))
        at = at + 1 + (size + 7) // 8
    return columns


def _definitions(trace):
    """(name as in events.function, fields) of the user events that have values, by number in /calls."""
    if "user_definitions" not in trace._file:
        return {}
    group, names = trace._file["user_definitions"], texts(trace._file["calls/name"])
    return {int(call): (names[call], _fields(fields)) for call, fields in zip(group["call"][:], texts(group["fields"])) if fields}


def _words(trace):
    """(row of the event, word) of each word, and the number in /calls of each of these events."""
    if "user_values" not in trace._file:
        return np.array([], np.int64), np.array([], np.int64), np.array([], np.int64)
    group = trace._file["user_values"]
    rows = np.cumsum(group["row_step"][:])
    events = trace._file["events"]
    return rows, group["word"][:].astype(np.int64), in_global_order(events["call"], events["location"][:])[rows]


def user_values(trace):
    rows, words, calls = _words(trace)
    parts = [pd.DataFrame({"event": [], "function": [], "field": [], "number": [], "text": []})]
    for call, (name, fields) in _definitions(trace).items():
        own = calls == call
        for place, ((field, kind), (event, values)) in enumerate(zip(fields, _columns_of(fields, rows[own], words[own]))):
            is_text = kind == "text"
            parts.append(pd.DataFrame({
                "event": event, "function": name, "field": field, "number": np.nan if is_text else values.astype(np.float64),
                "text": values if is_text else [str(value) for value in values], "place": place}))
    if len(parts) == 1:
        return parts[0]
    found = pd.concat(parts[1:], ignore_index=True).sort_values(["event", "place"], kind="stable", ignore_index=True)
    return found.drop(columns="place")


def user_event(trace, name):
    definitions = _definitions(trace)
    wanted = {call: fields for call, (own, fields) in definitions.items() if own == name}
    if not wanted:
        names = sorted({own for own, _ in definitions.values()})
        raise TraceError(f"'{trace.path}' has no user event '{name}' with values; it has: {', '.join(names) or 'none'}")
    rows, words, calls = _words(trace)
    tables = []
    for call, fields in wanted.items():  # several, where the program gave one name to events with different values
        own = calls == call
        table = trace.events.loc[np.unique(rows[own]), ["enter_ns", "rank", "thread"]].rename_axis("event").reset_index()
        fixed = set(table.columns)
        for (field, _), (event, values) in zip(fields, _columns_of(fields, rows[own], words[own])):
            table["value_" + field if field in fixed else field] = table["event"].map(pd.Series(values, index=event))
        tables.append(table)
    return pd.concat(tables, ignore_index=True).sort_values("event", kind="stable", ignore_index=True)


def samples(trace):
    if "samples" not in trace._file:
        return pd.DataFrame({name: [] for name in ("time_ns", "rank", "thread", "function", "file", "line", "module", "path")})
    group, paths, places = trace._file["samples"], trace._file["sample_paths"], trace._file["sample_places"]
    location, path = group["location"][:], group["path"][:]
    place = wide(paths["place"][:])[path]
    return pd.DataFrame({
        "time_ns": group["time_ns"][:], "rank": wide(trace._file["threads/rank"][:])[location],
        "thread": wide(trace._file["threads/thread"][:])[location],
        "function": pd.Categorical(texts(places["function"])[place]), "file": pd.Categorical(texts(places["file"])[place]),
        "line": wide(places["line"][:])[place],
        "module": pd.Categorical(texts(trace._file["sample_modules/path"])[wide(places["module"][:])[place]]), "path": wide(path),
    })


def callers(trace, path):
    if "sample_paths" not in trace._file:
        return []
    parents, place = wide(trace._file["sample_paths/parent"][:]), wide(trace._file["sample_paths/place"][:])
    places = trace._file["sample_places"]
    function, file, line = texts(places["function"]), texts(places["file"]), wide(places["line"][:])
    frames = []
    while path > 2:  # rows 0 to 2 are no code
        frames.append((function[place[path]], file[place[path]], int(line[place[path]])))
        path = int(parents[path])
    return frames


def processor(trace):
    if "processor" not in trace._file:
        return pd.DataFrame({name: [] for name in ("start_ns", "end_ns", "away_ns", "rank", "thread", "state", "count")})
    group = trace._file["processor"]
    location, end, length = group["location"][:], group["end_ns"][:], group["length_ns"][:]
    return pd.DataFrame({
        "start_ns": end - length, "end_ns": end, "away_ns": length - group["ran_ns"][:],
        "rank": wide(trace._file["threads/rank"][:])[location], "thread": wide(trace._file["threads/thread"][:])[location],
        "state": pd.Categorical(np.where(group["is_ready"][:] != 0, "ready", "slept")), "count": wide(group["count"][:]),
    })


def memory(trace):
    names = ("time_ns", "resident_bytes", "peak_bytes", "swapped_bytes", "minor_faults", "major_faults")
    if "memory" not in trace._file:
        return pd.DataFrame({name: [] for name in ("rank", *names)})
    group, ranks = trace._file["memory"], trace._file["memory_ranks"]
    return pd.DataFrame({"rank": np.repeat(wide(ranks["rank"][:]), wide(ranks["count"][:])), **{name: wide(group[name][:]) for name in names}})


def energy(trace):
    if "energy" not in trace._file:
        return pd.DataFrame({name: [] for name in ("host", "zone", "kind", "is_added", "time_ns", "joules")})
    group, zones = trace._file["energy"], trace._file["energy_zones"]
    zone = wide(group["zone"][:])
    kinds = np.array(["package", "part", "platform", "socket", "sensor"])
    return pd.DataFrame({
        "host": pd.Categorical(texts(zones["host"])[zone]), "zone": pd.Categorical(texts(zones["name"])[zone]),
        "kind": pd.Categorical(kinds[wide(zones["kind"][:])][zone]), "is_added": (zones["is_added"][:] != 0)[zone],
        "time_ns": wide(group["time_ns"][:]), "joules": group["energy_uj"][:] / 1e6,
    })

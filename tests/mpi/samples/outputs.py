# SPDX-License-Identifier: Apache-2.0
"""Samples and intervals without a processor in exports and in the Python package, against the rows of the merged file."""

import collections
import json
import pathlib
import sys

import h5py

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "python"))
import launch  # noqa: E402

try:
    import meridian
except ImportError:  # there is no pandas
    meridian = None


def export(command, folder, kind, *words):
    out = folder.parent / f"{folder.name}-{kind}{len(words)}"
    done = launch.run([command, "export", "--format", kind, "-o", out, *words, folder])
    assert done.returncode == 0 and done.stderr == "", done
    return out, done.stdout


def check(command, folder, functions):
    """`functions`: some of those that the program computed in."""
    with h5py.File(folder / "merged.h5") as file:
        samples, intervals = len(file["samples/time_ns"]), len(file["processor/end_ns"])
        ranks = collections.Counter(file["threads/rank"][:][file["samples/location"][:]].tolist())
    rows = json.loads(launch.run([command, "query", "--json", folder, "SELECT rank, function FROM samples"]).stdout)["rows"]
    known = collections.Counter((row["rank"], row["function"]) for row in rows)

    folded, said = export(command, folder, "folded")
    counts, last = collections.Counter(), collections.Counter()
    for line in (folded / "trace.folded").read_text().splitlines():
        path, count = line.rsplit(" ", 1)
        rank = int(path.split(";")[0].split(" ")[1])
        counts[rank] += int(count)
        last[rank, path.rsplit(";", 1)[1]] += int(count)
        assert path.split(";")[0] == f"rank {rank}", line
    assert counts == ranks and sum(counts.values()) == samples, (counts, ranks)
    for (rank, function), count in known.items():
        assert function is None or last[rank, function] == count, (rank, function, count, last)
    assert all(any((rank, name) in last for rank in ranks) for name in functions), last
    assert "calls and user events: the format has samples of functions alone" in said, said

    chrome, said = export(command, folder, "chrome")
    events = json.loads((chrome / "trace.json").read_text())["traceEvents"]
    named = collections.Counter((event["pid"], event["name"]) for event in events if event.get("cat") == "sample")
    assert named == collections.Counter({(rank, name or "unknown"): count for (rank, name), count in known.items()})
    states = collections.Counter(event["name"] for event in events if event.get("cat") == "processor")
    assert sum(states.values()) == intervals and set(states) <= {"ready", "slept"}, states
    assert "Left out" not in said or "samples" not in said, said

    # Of a selection of ranks and times those within it; of one of functions none, which is said.
    chrome, said = export(command, folder, "chrome", "--ranks", "0")
    events = json.loads((chrome / "trace.json").read_text())["traceEvents"]
    assert {event["pid"] for event in events if event.get("cat") in ("sample", "processor")} == {0}
    chrome, said = export(command, folder, "chrome", "--functions", "MPI_*", "--force")
    assert f"Left out: {samples} samples of functions: calls or regions are selected\n" in said, said
    _, said = export(command, folder, "paje")
    assert f"Left out: {samples} samples of functions, which the format does not show\n" in said, said
    perfetto, _ = export(command, folder, "perfetto")
    data = (perfetto / "trace.perfetto-trace").read_bytes()
    assert b"functions, processor" in data and all(name.encode() in data for name in functions)

    if meridian is None:
        return
    with meridian.Trace(folder) as trace:
        table = trace.samples
        assert len(table) == samples and len(trace.processor) == intervals
        assert collections.Counter(table["rank"].tolist()) == ranks
        inner = collections.Counter(zip(table["rank"], table["function"]))
        for name in functions:
            assert sum(inner[rank, name] for rank in ranks) > 0, inner
        deepest = table[table["function"] == functions[0]].iloc[0]
        frames = trace.callers(int(deepest["path"]))
        assert frames[0][0] == functions[0] and "main" in [frame[0] for frame in frames], frames
        assert ((trace.processor["end_ns"] - trace.processor["start_ns"]) >= trace.processor["away_ns"]).all()

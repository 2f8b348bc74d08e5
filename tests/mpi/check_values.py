# SPDX-License-Identifier: Apache-2.0
"""The values of user events, from the program to SQL, Python, lists, text by rules, edits and exports.

check_values.py --meridian M --mpiexec X --ranks N [--python FOLDER] [--formats LIST] program
"""

import csv
import json
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import launch  # noqa: E402

STEALS = 5
# Tumit's own rules for stealing: a state of the thief, and a link between two workers that two lines at one date make.
TUMIT = r"""
21.0 -> "11 @ STATE E@-@ Steal", time, rank, thief_eid
21.1 -> "16 @ LINK L N E@-@ Key-@\n17 @ LINK L N E@-@ Key-@", time, rank, thief_eid, time, time, rank, victim_id, time
21.2 -> "12 @ STATE E@-@", time, rank, thief_eid
pool.TAKEN -> "TAKEN @ @ @ @ @", tasks, weight, rank, value.rank, why
load -> "load @", value
total 21.1 -> "all @ @ @ @ @", count, sum(thief_eid), min(thief_eid), max(victim_id), mean(thief_eid)
rank_total pool.TAKEN -> "of @ @ @", rank, sum(weight), max(weight)
thread_total load -> "thread @ of @: @ @", thread, rank, count, mean(value)
total "nothing like it" -> "none @ @", count, sum(duration)
total MPI_Barrier -> "barriers @ @", count, sum(calls)
"""
REFUSED = (
    ('21.0 -> "@", victim_id\n', "line 1: there is no field 'victim_id'"),
    ('MPI_* -> "@", thief_eid\n', "line 1: there is no field 'thief_eid'"),
    ('21.1 -> "@", value.nothing\n', "line 1: there is no field 'value.nothing': no user event of the trace that the rule is for has such a value"),
    ('total 21.1 -> "@", thief_eid\n', "line 1: a total of 'thief_eid' is one of sum, min, max and mean"),
    ('total 21.1 -> "@", median(thief_eid)\n', "line 1: there is no 'median' of events"),
    ('total 21.1 -> "@", sum(name)\n', "line 1: 'total' has no field 'name'"),
    ('total 21.1 -> "@", time\n', "line 1: 'total' has no field 'time'"),
)


def text_of(i):
    return "x" * (1024 if i == STEALS - 1 else i)


def expected(ranks):
    """For each user event the rows of its values, by rank and order in it."""
    rows = {"21.0": [], "21.1": [], "21.2": [], "pool.TAKEN": [], "load": []}
    for rank in range(ranks):
        for i in range(STEALS):
            thief, victim = 10 * rank + i, 10 * ((rank + 1) % ranks) + i
            rows["21.0"].append((rank, thief))
            rows["21.1"].append((rank, thief, victim))
            rows["21.2"].append((rank, thief))
            rows["pool.TAKEN"].append((rank, 18446744073709551615 if i == 0 else i, i * 0.5, text_of(i), rank))
        rows["load"] += [(rank, rank + i * 0.25) for i in range(3)]
    return rows


def query(merged, sql):
    done = launch.run([options.meridian, "query", "--json", merged, sql])
    assert done.returncode == 0, done
    return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]


def check_sql(merged, rows, is_whole=True):
    for name, own in rows.items():
        columns = {"21.1": "thief_eid, victim_id", "pool.TAKEN": "tasks, weight, why, value_rank", "load": "value"}.get(name, "thief_eid")
        found = query(merged, f'SELECT rank, {columns} FROM "{name}" ORDER BY rank, event')
        assert found == [tuple(float(value) if value == 18446744073709551615 else value for value in row) for row in own], name
    if not is_whole:
        return
    count = query(merged, 'SELECT thief_eid, count(*) FROM "21.1" GROUP BY thief_eid ORDER BY thief_eid')
    assert count == sorted((row[1], 1) for row in rows["21.1"]), count
    numbers = query(merged, "SELECT function, count(*), sum(number) FROM user_values WHERE field = 'weight' GROUP BY function")
    assert numbers == [("pool.TAKEN", len(rows["pool.TAKEN"]), sum(row[2] for row in rows["pool.TAKEN"]))], numbers
    joined = query(merged, 'SELECT count(*) FROM "21.1" AS s JOIN events AS e ON e.event = s.event WHERE e.function = \'21.1\'')
    assert joined == [(len(rows["21.1"]),)], joined
    one = query(merged, 'SELECT event, victim_id FROM "21.1" ORDER BY event LIMIT 1')[0]
    assert query(merged, f'SELECT event, victim_id FROM "21.1" WHERE event = {one[0]}') == [one]
    assert query(merged, f'SELECT event FROM "21.0" WHERE event = {one[0]}') == query(merged, 'SELECT event FROM "21.1" WHERE event = 1000000') == []
    fields = query(merged, "SELECT DISTINCT fields FROM events WHERE function = '21.1' AND rank = 0 ORDER BY event")
    assert fields == [(f"thief_eid={row[1]} victim_id={row[2]}",) for row in rows["21.1"] if row[0] == 0], fields
    listed = launch.run([options.meridian, "query", "--tables", merged])
    assert '21.1' in listed.stdout and "victim_id" in listed.stdout, listed
    wrong = launch.run([options.meridian, "query", merged, 'SELECT thif_eid FROM "21.1"'])
    assert wrong.returncode == 1 and "did you mean 'thief_eid'?" in wrong.stderr, wrong


def check_list(merged):
    done = launch.run([options.meridian, "events", merged, "--functions", "21.1", "--limit", "1", "--width", "200"])
    assert "21.1 thief_eid=" in done.stdout and " victim_id=" in done.stdout, done
    whole = json.loads(launch.run([options.meridian, "events", merged, "--functions", "load", "--json"]).stdout)
    assert sorted(row["fields"] for row in whole["rows"])[0] == "value=0", whole["rows"]


def check_rules(work, trace, rows, ranks):
    rules, out = work / "rules", work / "text"
    rules.write_text(TUMIT)
    done = launch.run([options.meridian, "export", "--format", "text", "--rules", rules, "-o", out, trace])
    assert done.returncode == 0 and done.stderr == "", done
    lines = (out / "trace.txt").read_text().splitlines()
    found = {}
    for line in lines:
        found.setdefault(line.split(" ", 1)[0], []).append(line.split(" "))
    assert sorted(tuple(word[3:]) for word in found["11"]) == sorted((f"E{rank}-{thief}", "Steal") for rank, thief in rows["21.0"])
    assert sorted(tuple(word[3:]) for word in found["12"]) == sorted((f"E{rank}-{thief}",) for rank, thief in rows["21.2"])
    links = list(zip(found["16"], found["17"]))
    assert sorted((a[5], b[5]) for a, b in links) == sorted((f"E{rank}-{thief}", f"E{rank}-{victim}") for rank, thief, victim in rows["21.1"])
    assert all(a[1] == b[1] and a[6] == b[6] == f"Key-{a[1]}" for a, b in links), links[:2]
    assert sorted(" ".join(word[1:]) for word in found["TAKEN"]) == sorted(
        f"{tasks} {int(weight) if weight == int(weight) else weight} {rank} {value} {why}" for rank, tasks, weight, why, value in rows["pool.TAKEN"])
    thieves = [row[1] for row in rows["21.1"]]
    mean = sum(thieves) / len(thieves)
    assert found["all"] == [f"all {len(thieves)} {sum(thieves)} {min(thieves)} {max(row[2] for row in rows['21.1'])} {mean:g}".split(" ")], found["all"]
    assert found["of"] == [f"of {rank} 5 2".split(" ") for rank in range(ranks)], found["of"]
    assert [word[2:] for word in found["thread"]] == [f"of {rank}: 3 {rank + 0.25:g}".split(" ") for rank in range(ranks)], found["thread"]
    assert found["none"] == [["none", "0", "0.000000000"]] and found["barriers"] == [["barriers", *[str(2 * STEALS * ranks)] * 2]]
    for text, what in REFUSED:
        rules.write_text(text)
        done = launch.run([options.meridian, "export", "--format", "text", "--rules", rules, "-o", work / "refused", trace])
        assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith(f"meridian: rules '{rules}': {what}"), (text, done)


def check_exports(work, trace, rows):
    """Each format's values, by a reader that is not ours where there is one."""

    def export(kind):
        done = launch.run([options.meridian, "export", "--format", kind, "-o", work / kind, trace])
        assert done.returncode == 0, done
        return work / kind, done.stdout

    taken, loads = rows["pool.TAKEN"], sorted(row[1] for row in rows["load"])
    folder, _ = export("chrome")
    events = json.loads((folder / "trace.json").read_text())["traceEvents"]
    named = [event["args"]["values"] for event in events if event.get("name") == "pool.TAKEN"]
    assert sorted((v["rank"], v["tasks"], v["weight"], v["why"]) for v in named) == sorted((row[4], *row[1:4]) for row in taken), named[:2]
    assert sorted(event["args"]["value"] for event in events if event["ph"] == "C" and event["name"] == "load") == loads

    folder, _ = export("csv")
    with open(folder / "events.csv", newline="", encoding="utf-8") as file:
        fields = [row["fields"] for row in csv.DictReader(file, strict=True) if row["function"] == "21.1"]
    assert sorted(fields) == sorted(f"thief_eid={row[1]} victim_id={row[2]}" for row in rows["21.1"]), fields

    folder, said = export("paraver")
    types = {}
    for part in (folder / "trace.pcf").read_text().split("EVENT_TYPE\n")[1:]:
        _, number, label = part.split("\n", 1)[0].split(" ", 2)
        types[label] = number
    records = [line.split(":") for line in (folder / "trace.prv").read_text().splitlines() if line.startswith("2:")]
    victims = [int(value) for line in records for kind, value in zip(line[6::2], line[7::2]) if kind == types["21.1 victim_id"]]
    assert sorted(victims) == sorted(row[2] for row in rows["21.1"]), victims
    assert f"Left out: {len(taken)} texts of user events: Paraver has numbers only" in said, said

    folder, _ = export("paje")
    paje = (folder / "trace.paje").read_text().splitlines()
    assert sorted(float(line.split()[4]) for line in paje if line.startswith("13 ")) == loads
    steals = [line.split('"')[1] for line in paje if line.startswith("14 ") and "victim_id" in line]
    assert sorted(steals) == sorted(f"thief_eid={row[1]} victim_id={row[2]}" for row in rows["21.1"]), steals
    if shutil.which("pj_dump"):
        dumped = subprocess.run(["pj_dump", folder / "trace.paje"], capture_output=True, text=True, check=True).stdout
        values = [float(line.rsplit(", ", 1)[1]) for line in dumped.splitlines() if line.startswith("Variable") and ", load," in line]
        assert set(values) >= set(loads) - {0.0}, (values, loads)

    folder, _ = export("perfetto")
    data = (folder / "trace.perfetto-trace").read_bytes()
    for value in loads:
        assert b"\xe1\x02" + struct.pack("<d", value) in data, value  # field 44, eight bytes
    for name in (b"thief_eid", b"victim_id", b"weight"):
        assert name in data, name

    if "otf2" in options.formats:
        import otf2

        folder, _ = export("otf2")
        found, metrics = [], []
        with otf2.reader.open(str(folder / "traces.otf2")) as archive:
            for _, event in archive.events:
                if isinstance(event, otf2.events.Metric):
                    metrics.append(event.value)
                if isinstance(event, otf2.events.Enter) and event.region.name == "pool.TAKEN":
                    own = {attribute.name: value for attribute, value in event.attributes.items()}
                    found.append((own["rank"], own["tasks"], own["weight"], own["why"]))
        assert sorted(found) == sorted((row[4], *row[1:4]) for row in taken), found[:2]
        assert sorted(metrics) == loads, metrics


def check_python(merged, rows):
    sys.path.insert(0, options.python)
    import meridian

    with meridian.Trace(merged) as trace:
        for name, own in rows.items():
            table = trace.user_event(name).sort_values(["rank", "event"])
            columns = [column for column in table.columns if column not in ("event", "enter_ns", "thread")]
            assert list(table[columns].itertuples(index=False, name=None)) == own, (name, table)
        weights = trace.user_values[trace.user_values["field"] == "weight"]["number"]
        assert weights.sum() == sum(row[2] for row in rows["pool.TAKEN"]), weights
        texts = trace.user_values[trace.user_values["field"] == "why"]["text"]
        assert sorted(texts) == sorted(row[3] for row in rows["pool.TAKEN"])
        try:
            trace.user_event("21.9")
        except meridian.TraceError as problem:
            assert "it has: 21.0, 21.1, 21.2, load, pool.TAKEN" in str(problem), problem
        else:
            raise AssertionError("an event that is not there was found")


parser = launch.parser()
parser.add_argument("--python")
parser.add_argument("--formats", default="")
parser.add_argument("program")
options = parser.parse_args()

with tempfile.TemporaryDirectory() as work:
    work = pathlib.Path(work)
    trace = work / "trace"
    done = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program], trace, work / "scratch")
    assert done.returncode == 0, (done.stdout, done.stderr)
    merged, summary = launch.merge(options.meridian, trace)
    assert summary is not None, (merged.stdout, merged.stderr)
    rows = expected(options.ranks)
    check_sql(trace, rows)
    check_list(trace)
    check_rules(work, trace, rows, options.ranks)
    check_exports(work, trace, rows)
    if options.python:
        check_python(trace, rows)
    # A smaller trace has the values of what remains, and the totals of its counters.
    few = work / "few"
    done = launch.run([options.meridian, "filter", trace, "--ranks", "0", "-o", few])
    assert done.returncode == 0, done
    check_sql(few, {name: [row for row in own if row[0] == 0] for name, own in rows.items() if name in ("load", "21.0")}, is_whole=False)
    loads = query(few, "SELECT count, min, mean, max, last FROM user_events WHERE kind = 'counter'")
    assert loads == [(3, 0.0, 0.25, 0.5, 0.5)], loads
    checked = launch.run([options.meridian, "check", "--all", trace])
    assert checked.returncode == 0, checked

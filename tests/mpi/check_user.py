# SPDX-License-Identifier: Apache-2.0
"""User events in C, C++ and Fortran: the program does as it does untraced and with everything compiled out, and rank files
and summary hold exactly what it says of itself.

check_user.py --meridian M --tracer L --counter C --mpiexec X --ranks N --disabled P [--events DEF] language program [argument...]
"""

import collections
import struct
import sys
import tempfile

import h5py
import tracing
from tracing import launch

KINDS = {1: "region", 2: "marker", 3: "event", 4: "counter", 5: "send", 6: "receive"}
BEGINS, ENDS = 64, 128


def decode(fields, words):
    """{field: value} of one event."""
    values, words = {}, list(words)
    for name, kind in (field.rsplit(":", 1) for field in fields.split()):
        word = int(words.pop(0))
        if kind == "text":
            length = (min(word, 1024) + 7) // 8
            raw = b"".join(int(w).to_bytes(8, "little") for w in words[:length])
            values[name], words = raw[:word].decode(), words[length:]
        elif kind == "f64":
            (values[name],) = struct.unpack("<d", word.to_bytes(8, "little"))
        else:
            values[name] = word - 2**64 if kind == "i64" and word >= 2**63 else word
    assert not words
    return values


def user_events(path):
    """[(kind, level, name, flags, values)] of a rank file, in the order of its segments."""
    with h5py.File(path) as file:
        table = file["user_definitions"]
        known = {
            int(i): (KINDS[int(k)], level.decode(), name.decode(), fields.decode())
            for i, k, level, name, fields in zip(*(table[c][()] for c in ("id", "kind", "level", "name", "fields")))
        }
        flags = [int(f) for f, p in zip(file["events/flags"][()], file["events/payload"][()]) if p == 12]
        values, first, events = file["user/value"][()], 0, []
        for definition, words, flag in zip(file["user/definition"][()], file["user/words"][()], flags):
            kind, level, name, fields = known[int(definition)]
            events.append((kind, level, name, flag, decode(fields, values[first : first + int(words)])))
            first += int(words)
        assert first == len(values)
        return events


def expected_c(ranks):
    rank = {
        ("marker", "marker", "before MPI_Init"): 1,
        ("marker", "marker", "after MPI_Finalize"): 1,
        ("marker", "marker", "tick"): 400,
        ("region", "region", "solve"): 6,
        ("region", "region", "inner"): 12,
        ("region", "region", "plugin"): 20,
        ("region", "region", "around"): 2,
        ("region", "region", "left"): 1,
        ("region", "region", "alone"): 1,
        ("region", "region", "controlled"): 2,
        ("counter", "counter", "residual"): 3,
        ("event", "pool", "STEAL_REQUEST"): 3,
        ("event", "pool", "WORKER_SLEEP"): 3,
        ("event", "pool", "SWITCHED"): 2,
        ("event", "plugin", "WORK"): 10,
        ("event", "meridian", "switch"): 4,
        ("send", "message", "queue"): 2,
        ("receive", "message", "queue"): 2,
    }
    regions = {"solve": 3, "inner": 6, "plugin": 10, "around": 1, "left": 1, "controlled": 1}
    findings = {"user.region_open": ranks, "user.region_end_alone": ranks, "loss.user_nested": ranks}
    return rank, regions, ("residual", 3, 1.0, 7 / 3, 4.0, 1.0), (2, 201), findings, {"lost_user_nested": 1}


def expected_cpp(_ranks):
    rank = {
        ("region", "region", "twice"): 40,
        ("region", "region", "run"): 30,
        ("event", "math", "TWICE"): 20,
        ("marker", "marker", "caught"): 3,
        ("counter", "counter", "progress"): 150,
    }
    return rank, {"twice": 20, "run": 15}, ("progress", 150, 0.0, 24.5, 49.0, 49.0), (0, 0), {}, {}


def expected_fortran(_ranks):
    rank = {
        ("region", "region", "solve"): 6,
        ("region", "region", "io"): 2,
        ("counter", "counter", "residual"): 3,
        ("event", "pool", "STEAL_REQUEST"): 3,
        ("event", "meridian", "switch"): 3,
        ("marker", "marker", "restart"): 1,
        ("send", "message", "queue"): 1,
        ("receive", "message", "queue"): 1,
    }
    mean = (1 + 1 / 2 + 1 / 3) / 3
    return rank, {"solve": 3, "io": 1}, ("residual", 3, 1 / 3, mean, 1.0, 1 / 3), (1, 10), {}, {}


def check_values(check, events, language, rank):
    steals = [values for _, _, name, _, values in events if name == "STEAL_REQUEST"]
    if language == "c":
        texts = ["", "a text of 25 characters", "a text of 25 characters"]
        check.equal(f"steals of rank {rank}", steals, [
            {"thief": rank, "victim": -i, "why": texts[i], "share": i / 2} for i in range(3)
        ])  # fmt: skip
        switches = [values for _, _, name, _, values in events if name == "switch"]
        check.equal(f"switches of rank {rank}", switches, [
            {"what": what, "on": on} for what, on in (("all", 0), ("all", 1), ("pool", 0), ("pool.SWITCH*", 1))
        ])  # fmt: skip
        sleeps = [values for _, _, name, _, values in events if name == "WORKER_SLEEP"]
        check.equal(f"sleeps of rank {rank}", sleeps, [{"worker": i} for i in range(3)])
    if language == "fortran":
        check.equal(f"steals of rank {rank}", steals, 3 * [{"thief": rank, "victim": 2}])


def check_summary(check, summary, ranks, regions, counter, messages, findings):
    found = {region["name"]: region for region in summary["regions"]}
    check.equal("regions", {name: region["count"] for name, region in found.items()},
                {name: ranks * count for name, count in regions.items()})  # fmt: skip
    for name, region in found.items():
        check.true(f"times of '{name}'",
                   0 <= region["min_s"] <= region["max_s"] <= region["total_s"] + 1e-12
                   and 0 <= region["mpi_s"] <= region["total_s"] + 1e-12
                   and (name == "run" or region["exclusive_s"] <= region["total_s"] + 1e-12))  # fmt: skip
    if "inner" in found:
        around, inside = found["solve"], found["inner"]
        check.true("time in itself", abs(around["total_s"] - around["exclusive_s"] - inside["total_s"]) < 1e-9)
        check.true("barriers are MPI time of both", abs(around["mpi_s"] - inside["mpi_s"]) < 1e-9 and inside["mpi_s"] > 0)
    name, count, least, mean, most, last = counter
    row = next((event for event in summary["user_events"] if event["name"] == name), None)
    check.true("the counter is in the summary", row is not None)
    if row is not None:
        check.equal("values of the counter", row["count"], ranks * count)
        for key, value in (("min", least), ("mean", mean), ("max", most), ("last", last)):
            check.true(f"{key} of the counter: {row[key]}", abs(row[key] - value) < 1e-12)
    check.equal("messages of its own", summary["user_messages"], {"matched": ranks * messages[0], "bytes": ranks * messages[1]})
    check.equal("MPI messages", summary["messages"]["matched"], 0)
    check.equal("findings", {f["name"]: f["count"] for f in summary["findings"]}, findings)
    check.equal("functions are MPI's", [f["name"] for f in summary["functions"] if not f["name"].startswith("MPI_")], [])


def main():
    parser = tracing.parser()
    parser.add_argument("--disabled", required=True, help="the program with -DMERIDIAN_DISABLE")
    parser.add_argument("--events", help="the definition file")
    parser.add_argument("language", choices=("c", "cpp", "fortran"))
    parser.add_argument("command", nargs="+")
    options = parser.parse_args()
    rank_events, regions, counter, messages, findings, losses = globals()[f"expected_{options.language}"](options.ranks)
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-user-") as work:
        extra = {"MERIDIAN_EVENTS": options.events} if options.events else {}
        runs = tracing.run(options, options.command, work, MERIDIAN_LEVELS="p2p,request,coll,comm,attr,env,user", **extra)
        tracing.check_same_result(check, runs)
        ours = [line for line in runs.traced.stderr.splitlines() if line.startswith("meridian")]
        check.equal("messages of the tracer", ours, [])
        disabled = tracing.launch_in(None, [options.mpiexec, "-n", options.ranks, options.disabled, *options.command[1:]])
        check.equal("exit code when compiled out", disabled.returncode, runs.untraced.returncode)
        check.equal("output when compiled out", disabled.stdout, runs.untraced.stdout)
        tracing.check_nothing_left(check, runs)
        check.equal("ranks that were traced", sorted(runs.traces), list(range(options.ranks)))
        for rank, trace in runs.traces.items():
            events = user_events(runs.folder / f"rank-{rank:05}.h5")
            check.equal(f"events of rank {rank}", dict(collections.Counter(event[:3] for event in events)), rank_events)
            check.equal(f"losses of rank {rank}", trace.losses, losses)
            unflagged = [event[2] for event in events if (event[0] == "region") != (event[3] in (BEGINS, ENDS))]
            check.equal(f"events of rank {rank} with wrong flags", unflagged, [])
            check_values(check, events, options.language, rank)
            off = {"MPI_Barrier": 1} if options.language == "c" else {}
            for name, count in runs.counted[rank].items() if options.language != "fortran" else ():
                check.equal(f"{name} of rank {rank}", trace.counts().get(name, 0), count - off.get(name, 0))
        merged, summary = launch.merge(options.meridian, runs.folder)
        check.equal("exit code of merge", merged.returncode, 0)
        if summary is not None:
            check_summary(check, summary, options.ranks, regions, counter, messages, findings)
        return check.finish(runs.untraced, runs.traced, merged)


if __name__ == "__main__":
    sys.exit(main())

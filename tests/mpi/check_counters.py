# SPDX-License-Identifier: Apache-2.0
"""Counters in the trace have exactly the values that the program, or a PAPI made for the test, gave them.

check_counters.py --meridian M --mpiexec X --ranks N --fake DIR what program
"""

import collections
import json
import pathlib
import re
import sys
import tempfile

import h5py

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "report")]
import launch  # noqa: E402
import merged_columns  # noqa: E402
import page_data  # noqa: E402
from counter_trace import CounterTrace  # noqa: E402
from run_context import check_context  # noqa: E402, F401

PRESETS = ["PAPI_TOT_INS", "PAPI_TOT_CYC", "PAPI_L2_TCM", "PAPI_L2_TCA", "PAPI_FP_OPS"]
RUSAGE = [f"rusage:{name}" for name in ("minflt", "majflt", "nvcsw", "nivcsw", "utime_us", "stime_us")]
OUTSIDE, INSIDE, LATE = (f"sde:::MINE::{name}" for name in ("OUTSIDE", "INSIDE", "LATE"))


class Runner:
    def __init__(self, options, check):
        self.options, self.check = options, check

    def run(self, counters, work, levels="all,-thread,-lock,-sleep,-user", **extra):
        """({rank: CounterTrace}, process)"""
        trace, scratch = pathlib.Path(work) / "trace", pathlib.Path(work) / "scratch"
        process = launch.traced(
            self.options.mpiexec, self.options.ranks, self.options.meridian, [self.options.program], trace, scratch,
            MERIDIAN_COUNTERS=counters, MERIDIAN_LEVELS=levels, **extra,
        )  # fmt: skip
        self.check.equal("exit code", process.returncode, 0)
        traces = {int(path.stem[5:]): CounterTrace(path) for path in sorted(trace.glob("rank-*.h5"))}
        self.check.equal("ranks", sorted(traces), list(range(self.options.ranks)))
        return traces, process


def expected_of_main(rank):
    """The counts of programs/counting.c: (call, increase outside before it, inside in it, late before it)."""
    calls = [("MPI_Init_thread", 0, 0, 0), ("MPI_Comm_rank", 0, 0, 0), ("MPI_Comm_size", 0, 0, 0)]
    calls += [("MPI_Comm_create_keyval", 0, 0, 0), ("MPI_Comm_set_attr", 0, 0, 0)]
    calls += [("MPI_Comm_set_attr", 1000 + rank, 3, 0), ("MPI_Comm_set_attr", 7, 700, 0), ("MPI_Barrier", 0, 0, 0)]
    for i in range(50):
        calls += [("MPI_Irecv", i, 0, 0), ("MPI_Isend", 0, 0, 0), ("MPI_Wait", 0, 0, 0), ("MPI_Wait", 0, 0, 0)]
        calls += [("MPI_Sendrecv", 2, 0, 0)]
    calls += [("MPI_Barrier", 0, 0, 0), ("MPI_Comm_delete_attr", 0, 3, 11), ("MPI_Comm_free_keyval", 0, 0, 0)]
    # The other threads counted the same events at the same time: 10 + 5 and 20 + 5.
    return calls + [("MPI_Finalize", 40, 0, 0)]


def check_sde(runner, check, work):
    traces, process = runner.run(f"{OUTSIDE},{INSIDE},{LATE}", work)
    check.equal("messages", process.stderr, "")
    for rank, trace in traces.items():
        check.equal(f"names of rank {rank}", trace.names, [OUTSIDE, INSIDE, LATE])
        check.equal(f"units of rank {rank}", trace.units, ["1", "1", "1"])
        seen = [
            (e.name, e.between[OUTSIDE], e.value[INSIDE], e.between[LATE]) for e in trace.of_thread(0) if e.value is not None
        ]
        check.equal(f"main thread of rank {rank}", seen, expected_of_main(rank))
        check.equal(f"outside, inside calls of rank {rank}", {e.value[OUTSIDE] for e in trace.events}, {0})
        check.equal(f"inside, outside calls of rank {rank}", {e.between[INSIDE] for e in trace.events}, {0})
        for thread in (1, 2):
            seen = [(e.name, e.between[OUTSIDE]) for e in trace.of_thread(thread)]
            expected = [("MPI_Initialized", amount) for amount in (0, 10 * thread, 5)]
            check.equal(f"thread {thread} of rank {rank}", seen, expected)
    return check_summary(runner, check, traces, work)[0]


BEGIN, END = 64, 128


def expected_of_parts(rank, locks):
    """Counts of the main thread of programs/counting_parts.c: (event, part of a region, outside before it, in it, inside)."""
    events = [("MPI_Init_thread", 0, 0, 0, 0), ("MPI_Comm_rank", 0, 0, 0, 0), ("MPI_Comm_size", 0, 0, 0, 0)]
    events += [("MPI_Comm_create_keyval", 0, 0, 0, 0), ("MPI_Comm_set_attr", 0, 0, 0, 0)]
    events += [("meridian_region", BEGIN, 1, 0, 0), ("meridian_event", 0, 10, 0, 0), ("meridian_region", BEGIN, 100, 0, 0)]
    events += [("MPI_Comm_set_attr", 0, 1000 * (rank + 1), 0, 3), ("meridian_region", END, 20, 0, 0)]
    events += [("meridian_event", 0, 0, 0, 0), ("meridian_event", 0, 300, 0, 0)]
    lock, unlock = "pthread_mutex_lock", "pthread_mutex_unlock"
    if locks == "all":
        events += 100 * [(lock, 0, 0, 0, 0), (unlock, 0, 40, 0, 0)]
        events += [("meridian_region", BEGIN, 0, 0, 0)]
    else:
        events += [("meridian_region", BEGIN, 4000, 0, 0)]
    events += [("meridian_region", END, 50000, 0, 0), ("meridian_region", END, 600, 0, 0)]
    events += [("MPI_Comm_delete_attr", 0, 0, 0, 700), ("nanosleep", 0, 2, 0, 0)]
    if locks == "all":
        events += [(lock, 0, 4, 0, 0), ("pthread_create", 0, 0, 0, 0), (unlock, 0, 8, 0, 0), ("pthread_join", 0, 0, 5, 0)]
    else:
        events += [("pthread_create", 0, 4, 0, 0), ("pthread_join", 0, 8, 5, 0)]
    return events + [("MPI_Comm_free_keyval", 0, 0, 0, 0), ("MPI_Finalize", 0, 0, 0, 0)]


def check_parts(runner, check, work):
    """The program's own events, locks that were waited for, sleep and threads."""
    for locks in ("contended", "all"):
        folder = work / locks
        traces, process = runner.run(f"{OUTSIDE},{INSIDE}", folder, "all", MERIDIAN_LOCKS=locks)
        check.equal("messages", process.stderr, "")
        for rank, trace in traces.items():
            seen = [
                (e.name, e.flags & (BEGIN | END), e.between[OUTSIDE], e.value[OUTSIDE], e.value[INSIDE]) for e in trace.of_thread(0)
            ]
            check.equal(f"main thread of rank {rank}, locks {locks}", seen, expected_of_parts(rank, locks))
            waits = [(e.name, e.between[OUTSIDE], e.value[INSIDE]) for e in trace.of_thread(1)]
            expected = [("pthread_mutex_lock", 0, 7)] + [("pthread_mutex_unlock", 0, 0)] * (locks == "all")
            check.equal(f"the thread that waits in rank {rank}, locks {locks}", waits, expected)
        merged, summary = check_summary(runner, check, traces, folder)
        size = len(traces)
        inner = sum(1000 * (rank + 1) + 20 for rank in traces)
        outer = inner + size * (10 + 100 + 300 + 4000 + 50000 + 600)
        rows = {(row["region"], row["counter"]): [row[name] for name in ("total", "exclusive", "compute", "mpi")]
                for row in summary["region_counters"]}  # fmt: skip
        check.equal("counted in regions", rows, {
            ("outer", OUTSIDE): [outer, outer - inner, outer, 0], ("outer", INSIDE): [3 * size, 0, 0, 3 * size],
            ("inner", OUTSIDE): [inner, inner, inner, 0], ("inner", INSIDE): [3 * size, 3 * size, 0, 3 * size],
        })  # fmt: skip
    text = launch.run([runner.options.meridian, "stats", "--all", work / "all" / "trace"]).stdout
    check.true("the text has the regions", "COUNTED IN REGIONS" in text)
    traces, process = runner.run("rusage", work / "rusage", "all")
    merged, summary = check_summary(runner, check, traces, work / "rusage")
    units = {(row["region"], row["counter"]): row["unit"] for row in summary["region_counters"]}
    expected = {(region, name): "us" if name.endswith("_us") else "1" for region in ("outer", "inner") for name in RUSAGE}
    check.equal("what the system says of regions", units, expected)
    return merged


def check_figures(runner, check, work):
    """Figures derived from counters, by region, with a PMU whose values are known: each reading adds 1000 and 500."""
    traces, process = runner.run("PAPI_TOT_INS,PAPI_TOT_CYC", work, "all", LD_LIBRARY_PATH=runner.options.fake)
    check.equal("messages", process.stderr, "")
    points = ("meridian_region", "meridian_event")
    for rank, trace in traces.items():
        for event in trace.events:
            value = (0, 0) if event.name in points else (1000, 500)
            check.equal(f"{event.name} of rank {rank}", tuple(event.value.values()), value)
    merged, summary = check_summary(runner, check, traces, work)
    size = len(traces)
    rows = {(row["region"], row["counter"]): (row["total"], row["exclusive"], row["compute"], row["mpi"])
            for row in summary["region_counters"]}  # fmt: skip
    # Readings of inner: MPI_Comm_set_attr twice, its end. Of outer: those, three events, the beginnings of inner and of
    # itself, two ends.
    expected = {}
    for name, step in (("PAPI_TOT_INS", 1000 * size), ("PAPI_TOT_CYC", 500 * size)):
        expected["inner", name] = (3 * step, 3 * step, 2 * step, step)
        expected["outer", name] = (10 * step, 7 * step, 9 * step, step)
    check.equal("counted in regions", rows, expected)
    figures = {(row["region"], row["part"], row["name"]): row["value"] for row in summary["region_metrics"]}
    for region in ("inner", "outer"):
        times = next(row for row in summary["regions"] if row["name"] == region)
        outside_s = times["total_s"] - times["mpi_s"]
        check.equal(f"figures of {region}", figures[region, "compute", "instructions per cycle"], 2.0)
        check.equal(f"figures of MPI in {region}", figures[region, "mpi", "instructions per cycle"], 2.0)
        rate = figures[region, "compute", "PAPI_TOT_INS per second"] * outside_s / expected[region, "PAPI_TOT_INS"][2]
        check.true(f"rate of {region}", abs(rate - 1) < 1e-6)
    return merged


def check_turns(runner, check, work):
    """More counters than the PMU has are multiplexed if the user asks for it, and reported as estimates."""
    fake = {"LD_LIBRARY_PATH": runner.options.fake}
    four = "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L2_TCM,PAPI_L2_TCA"
    traces, process = runner.run(f"{four},rusage:minflt", work, MERIDIAN_COUNTERS_MULTIPLEX="yes", **fake)
    check.equal("messages", process.stderr, "")
    for rank, trace in traces.items():
        check.equal(f"names of rank {rank}", trace.names, [*four.split(","), "rusage:minflt"])
        check.equal(f"estimates of rank {rank}", trace.texts["counters.estimates"], [four])
        values = {tuple(e.value[name] for name in four.split(",")) for e in trace.events}
        check.equal(f"values of rank {rank}", values, {(1000, 500, 7, 70)})
    merged, summary = launch.merge(runner.options.meridian, work / "trace")
    found = [(f["name"], f["severity"], f["count"]) for f in summary["findings"]]
    check.equal("findings", found, [("counters.estimates", "info", len(traces))])
    check.true("they are named", f"rank 0: {four}" in summary["findings"][0]["detail"])
    # Two fit: nothing takes turns.
    traces, process = runner.run("PAPI_TOT_INS,PAPI_TOT_CYC", work / "two", MERIDIAN_COUNTERS_MULTIPLEX="yes", **fake)
    check.equal("estimates of two", [t.texts["counters.estimates"] for t in traces.values()], [[] for _ in traces])
    # Without and with a request that has no effect: two are counted.
    for name, extra in (("not asked", {}), ("refused", {"MERIDIAN_COUNTERS_MULTIPLEX": "yes", "FAKE_PAPI": "no_turns"})):
        traces, process = runner.run(four, work / name, **fake, **extra)
        why = "and PAPI cannot multiplex here" if extra else "Event exists, but cannot be counted due to hardware resource limits"
        message = f"cannot count at the same time PAPI_L2_TCM, PAPI_L2_TCA ({why}); counting PAPI_TOT_INS,PAPI_TOT_CYC"
        check.equal(f"messages, {name}", process.stderr, f"meridian: MERIDIAN_COUNTERS: {message}\n")
        check.equal(f"names, {name}", [t.names for t in traces.values()], [["PAPI_TOT_INS", "PAPI_TOT_CYC"]] * len(traces))
    tried = launch.run([runner.options.meridian, "counters", "--multiplex", "--try", four], **fake)
    text = f"These can be counted together: {four}\nmultiplexed, so that they are estimates: {four}\n"
    check.equal("the command", (tried.returncode, tried.stdout.startswith(text)), (0, True))
    return merged


def check_rusage(runner, check, work):
    traces, process = runner.run("rusage", work)
    check.equal("messages", process.stderr, "")
    for rank, trace in traces.items():
        check.equal(f"names of rank {rank}", trace.names, RUSAGE)
        check.equal(f"units of rank {rank}", trace.units, ["1", "1", "1", "1", "us", "us"])
        for event in trace.events:
            check.true(f"{event.name} of rank {rank} has counters", event.value is not None)
            check.true(f"{event.name} of rank {rank} never decreases", min(*event.value.values(), *event.between.values()) >= 0)
        touching = next(e for e in trace.events if e.name == "MPI_Comm_delete_attr")
        check.true(f"100 fresh pages are 100 faults of rank {rank}", 100 <= touching.between["rusage:minflt"] <= 110)
    return process


def check_papi(runner, check, work):
    """The machine's own PAPI: faults that the kernel counts for it are those that rusage has."""
    traces, process = runner.run("rusage:minflt,perf::PAGE-FAULTS", work)
    # "there is no event": where the kernel gives no perf events at all, PAPI does not even know their names.
    reasons = ("PAPI cannot be used", "cannot count", "there is no event perf::PAGE-FAULTS")
    if any(reason in process.stderr for reason in reasons):
        print(f"skipped: {process.stderr.strip()}")
        sys.exit(77)
    for rank, trace in traces.items():
        check.equal(f"names of rank {rank}", trace.names, ["perf::PAGE-FAULTS", "rusage:minflt"])
        touching = next(e for e in trace.events if e.name == "MPI_Comm_delete_attr")
        check.true(f"100 fresh pages are 100 faults of rank {rank}", 100 <= touching.between["perf::PAGE-FAULTS"] <= 110)
        quiet = [e for e in trace.events if e.name in ("MPI_Comm_size", "MPI_Comm_create_keyval", "MPI_Comm_free_keyval")]
        for event in quiet:
            check.equal(f"faults in {event.name} of rank {rank}", event.value["perf::PAGE-FAULTS"], event.value["rusage:minflt"])
    return process


def check_fake(runner, check, work):
    """A PMU of which every value is known."""
    traces, process = runner.run("PAPI_TOT_INS,PAPI_TOT_CYC", work, LD_LIBRARY_PATH=runner.options.fake)
    check.equal("messages", process.stderr, "")
    for rank, trace in traces.items():
        check.equal(f"names of rank {rank}", trace.names, ["PAPI_TOT_INS", "PAPI_TOT_CYC"])
        check.equal(f"values of rank {rank}", {tuple(e.value.values()) for e in trace.events}, {(1000, 500)})
        for thread in (0, 1, 2):
            between = [tuple(e.between.values()) for e in trace.of_thread(thread)]
            check.equal(f"before the first of thread {thread}", between[0], (0, 0))
            check.equal(f"between those of thread {thread}", set(between[1:]), {(1000, 500)})
    merged, summary = check_summary(runner, check, traces, work)
    for rank in (-1, *traces):
        for part in ("compute", "mpi"):
            found = [m["value"] for m in summary["metrics"]
                     if (m["rank"], m["part"], m["name"]) == (rank, part, "instructions per cycle")]  # fmt: skip
            check.equal(f"instructions per cycle of rank {rank}, {part}", found, [2.0])
    text = launch.run([runner.options.meridian, "stats", "--all", work / "trace"]).stdout
    check.true("the text has the figure", "instructions per cycle" in text)
    return merged


def check_every(runner, check, work):
    """Counters that are read in one of three calls of each thread, or in none: the others have no values, and nothing is lost
    between those that have."""
    fake = {"LD_LIBRARY_PATH": runner.options.fake}
    traces, process = runner.run("PAPI_TOT_INS,PAPI_TOT_CYC", work, MERIDIAN_COUNTERS_EVERY="3", **fake)
    check.equal("messages", process.stderr, "")
    for rank, trace in traces.items():
        for thread in (0, 1, 2):
            events = trace.of_thread(thread)
            where = f"thread {thread} of rank {rank}"
            check.equal(f"calls with counters of {where}", [e.value is not None for e in events],
                        [i % 3 == 0 for i in range(len(events))])  # fmt: skip
            counted = [e for e in events if e.value is not None]
            check.equal(f"values of {where}", {tuple(e.value.values()) for e in counted}, {(1000, 500)})
            check.equal(f"between those of {where}", [tuple(e.between.values()) for e in counted],
                        [(0, 0)] + [(1000, 500)] * (len(counted) - 1))  # fmt: skip
        check.equal(f"text of rank {rank}", trace.texts["counters.every"], ["3"])
    merged, summary = launch.merge(runner.options.meridian, work / "trace")
    found = [(f["name"], f["severity"], f["count"]) for f in summary["findings"]]
    check.equal("findings", found, [("counters.sampled", "info", len(traces))])
    traces, process = runner.run("PAPI_TOT_INS,PAPI_TOT_CYC", work / "never", MERIDIAN_COUNTERS_EVERY="0", **fake)
    check.equal("without one", {e.value for trace in traces.values() for e in trace.events}, {None})
    return merged


def check_summary(runner, check, traces, work):
    """The merged file and its summary against slow sums over the rank files."""
    folder = work / "trace"
    merged, summary = launch.merge(runner.options.meridian, folder)
    check.equal("exit code of merge", merged.returncode, 0)
    check.equal("findings", [f["name"] for f in summary["findings"]], [])
    expected, functions, rows = [], collections.Counter(), []
    for rank, trace in traces.items():
        for name, unit in zip(trace.names, trace.units):
            mpi = sum(e.value[name] for e in trace.events if e.name.startswith("MPI_"))
            other = sum(e.between[name] + e.value[name] for e in trace.events) - mpi
            expected.append({"rank": rank, "name": name, "unit": unit, "mpi": mpi, "compute": other})
        for thread in sorted({e.thread for e in trace.events}):
            for sequence, event in enumerate(trace.of_thread(thread)):
                rows.append((rank, thread, sequence, list(event.value.values()), list(event.between.values())))
                functions.update({(event.name, name): value for name, value in event.value.items()})
    check.equal("counters", summary["counters"], expected)
    totals = {(row["function"], row["counter"]): row["total"] for row in summary["function_counters"]}
    check.equal("counters of functions", {key: value for key, value in totals.items() if value}, dict(+functions))
    with h5py.File(folder / "merged.h5") as file:
        names = list(file["counters/name"].asstr()[()])
        check.equal("names in merged.h5", names, traces[0].names)
        value, between = (file[f"counters/{column}"][()].reshape(-1, len(names)).tolist() for column in ("value", "between"))
        events, event = merged_columns.event_columns(file), file["counters/event_step"][()].cumsum()
        who = (events[column][event].tolist() for column in ("rank", "thread", "sequence"))
        check.equal("rows in merged.h5", list(zip(*who, value, between)), rows)
    for figure in summary["metrics"]:
        if figure["name"].endswith(" per second"):
            check.true(f"{figure} is finite", figure["value"] is not None)
    check_page(runner, check, traces, folder)
    return merged, summary


def check_page(runner, check, traces, folder):
    """The page has what each thread counted, from its first counted call on."""
    made = launch.run([runner.options.meridian, "report", folder])
    check.equal("exit code of report", made.returncode, 0)
    text = re.search(r'id="data-timeline">(.*?)</script>', (folder / "report.html").read_text(), re.S)
    timeline = json.loads(text.group(1))
    for counter in timeline["counters"]:
        name, bins, values = counter["name"], counter["row_bins"], page_data.column(counter["row_values"])
        for number, row in enumerate(timeline["rows"]):
            events = list(traces[row["rank"]].of_thread(row["thread"]))
            counted = [event for event in events if event.value is not None]
            expected = sum(event.value[name] for event in counted) + sum(event.between[name] for event in counted[1:])
            got = sum(values[number * bins : (number + 1) * bins])
            # Values of bins are rounded.
            check.true(f"{name} of {row['rank']}.{row['thread']} on the page: {got}, not {expected}", abs(got - expected) <= bins / 2)


def check_mistakes(runner, check, work):
    """Counters that cannot be counted are reported once, and the rest, or rusage, is counted."""
    fake = {"LD_LIBRARY_PATH": runner.options.fake}
    fallback = f"; counting {','.join(RUSAGE)} instead"
    limits = "Event exists, but cannot be counted due to hardware resource limits"
    cases = [
        ("PAPI_TOT_INZ,PAPI_TOT_CYC", {}, ["PAPI_TOT_CYC"],
         "there is no event PAPI_TOT_INZ (did you mean PAPI_TOT_INS?); counting PAPI_TOT_CYC"),
        ("rusage:minfault", {}, RUSAGE, "there is no event rusage:minfault (did you mean rusage:minflt?)" + fallback),
        ("PAPI_FP_OPS", {}, RUSAGE, "cannot count PAPI_FP_OPS (this machine does not count it)" + fallback),
        ("PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L2_TCM", {}, ["PAPI_TOT_INS", "PAPI_TOT_CYC"],
         f"cannot count at the same time PAPI_L2_TCM ({limits}); counting PAPI_TOT_INS,PAPI_TOT_CYC"),
        ("PAPI_TOT_INS", {"FAKE_PAPI": "mismatch"}, RUSAGE,
         "PAPI cannot be used for PAPI_TOT_INS (libpapi does not accept the version in its own name)" + fallback),
        ("PAPI_TOT_INS", {"FAKE_PAPI": "refused"}, RUSAGE,
         "cannot count PAPI_TOT_INS (Permission level does not permit operation)" + fallback),
    ]  # fmt: skip
    for number, (counters, extra, names, message) in enumerate(cases):
        traces, process = runner.run(counters, pathlib.Path(work) / str(number), **fake, **extra)
        check.equal(f"messages for {counters}", process.stderr, f"meridian: MERIDIAN_COUNTERS: {message}\n")
        for rank, trace in traces.items():
            check.equal(f"names of rank {rank} for {counters}", trace.names, names)
            check.equal(f"problem of rank {rank} for {counters}", trace.texts["counters.problem"], [message])
            check.true(f"every call of rank {rank} has counters", all(e.value is not None for e in trace.events))
    return process


def check_command(runner, check, work):
    """`meridian counters` with a PMU of which everything is known, and `meridian run` that is to be strict."""
    meridian, fake = runner.options.meridian, {"LD_LIBRARY_PATH": runner.options.fake}
    listed = json.loads(launch.run([meridian, "counters", "--json"], **fake).stdout)
    check.equal("schema", (listed["schema"], listed["version"], listed["papi_problem"]), ("meridian-counters", 1, ""))
    events = {event["name"]: (event["kind"], event["available"]) for event in listed["events"]}
    presets = {name: ("preset", name != "PAPI_FP_OPS") for name in PRESETS}
    check.equal("events", events, {**{name: ("rusage", True) for name in RUSAGE}, **presets})
    text = launch.run([meridian, "counters"], **fake).stdout
    check.true("what can be counted is listed", "PAPI_TOT_INS" in text and "PAPI_FP_OPS" not in text)
    check.true("at most 80 columns", all(len(line) <= 80 for line in text.splitlines()))
    check.true("all are listed on request", "PAPI_FP_OPS" in launch.run([meridian, "counters", "--all"], **fake).stdout)
    fine = launch.run([meridian, "counters", "--try", "PAPI_TOT_INS,PAPI_L2_TCM,rusage:minflt"], **fake)
    check.equal("those that fit", (fine.returncode, fine.stderr), (0, ""))
    check.true("the cost of a reading", re.search(r"^A reading takes \d+ ns here, and a call takes two; MERIDIAN_COUNTERS_EVERY=N", fine.stdout, re.M))
    check.true("the cost of rusage", re.search(r"A reading of all of rusage takes \d+ ns here", " ".join(text.split())))
    priced = json.loads(launch.run([meridian, "counters", "--json", "--try", "PAPI_TOT_INS,rusage:minflt"], **fake).stdout)
    check.true("the cost in JSON", priced["reading_ns"] > 0)
    check.true("at most 80 columns", all(len(line) <= 80 for line in fine.stdout.splitlines()))
    tried = launch.run([meridian, "counters", "--json", "--try", "PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L2_TCM,PAPI_TOT_INZ"], **fake)
    statuses = {row["name"]: (row["status"], row["nearest"]) for row in json.loads(tried.stdout)["tried"]}
    check.equal("those that do not", (tried.returncode, statuses), (1, {
        "PAPI_TOT_INS": ("counted", ""), "PAPI_TOT_CYC": ("counted", ""), "PAPI_L2_TCM": ("conflict", ""),
        "PAPI_TOT_INZ": ("unknown", "PAPI_TOT_INS"),
    }))  # fmt: skip
    for counters, code in (("PAPI_TOT_INZ", 1), ("PAPI_TOT_INS,PAPI_TOT_CYC,PAPI_L2_TCM", 1), ("PAPI_TOT_INS,sde:::A::B", 0)):
        done = launch.run([meridian, "run", "/bin/echo", "started"], MERIDIAN_STRICT="yes", MERIDIAN_COUNTERS=counters, **fake)
        check.equal(f"strict, {counters}", (done.returncode, done.stdout), (code, "" if code else "started\n"))
        check.equal(f"message, {counters}", done.stderr.startswith("meridian: MERIDIAN_COUNTERS: "), code == 1)
    return tried


def main():
    parser = launch.parser("fake")
    parser.add_argument("what", choices=["sde", "rusage", "papi", "fake", "mistakes", "command", "context", "parts", "figures", "turns", "every"])
    parser.add_argument("program", help="counting; of parts and figures counting_parts")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
        process = globals()[f"check_{options.what}"](Runner(options, check), check, pathlib.Path(work))
        return check.finish(process)


if __name__ == "__main__":
    sys.exit(main())

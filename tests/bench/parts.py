# SPDX-License-Identifier: Apache-2.0
"""The parts of the table: each runs its programs in a Session, and returns rows."""

import json
import os
import re
import shutil
import sys

import figures
import tools
from figures import Figure, Row
from session import HERE, all_cpu_s

sys.path.insert(0, str(HERE.parent / "apps"))
import programs  # noqa: E402

# measure, name in the table, goal for the mean
CALLS = [
    ("comm_rank", "MPI_Comm_rank", "<= 1.35 x two clock reads"),
    ("iprobe", "MPI_Iprobe, nothing there", ""),
    ("self_message", "Irecv+Isend+Waitall to self, a call", "<= 45"),
]
LOCKS = [
    ("mutex.pair", "mutex: lock and unlock", "<= 3"),
    ("mutex.try_pair", "mutex: trylock and unlock", "<= 3"),
    ("rwlock.read_pair", "read-write lock: read and unlock", ""),
    ("rwlock.write_pair", "read-write lock: write and unlock", ""),
    ("spin.pair", "spin lock: lock and unlock", ""),
    ("semaphore.pair", "semaphore: wait and post", ""),
    ("condition.signal", "condition: signal without a waiting thread", ""),
    ("once.done", "once: done before", ""),
]
# argument of bench_total, name in the table, goal for the processor time of all processes
TOTALS = [
    ("comm_rank", "MPI_Comm_rank", "<= 50"),
    ("self_message", "Irecv+Isend+Waitall to self", "<= 80"),
]
TOTAL_CALLS, FINALIZED_CALLS, POLLS, ITERATIONS = 10_000_000, 1_000_000, 10_000_000, 200_000
USER_EVENTS = [
    ("user.region", "region: begin and end", ""),
    ("user.event", "event with two numbers", ""),
    ("user.counter", "counter", ""),
    ("user.marker", "marker", ""),
]
TRACED = {"tool_names": ("untraced", "meridian")}


def bench_calls(session):
    """The cost of single calls."""
    regions, merged = {}, {}

    def inspect(tool, trace):
        if tool.name == "meridian":
            merged.update(merge(session, trace))
        elif tool.name == "eztrace" and tools.Otf2.missing is None:
            regions.update(dict.fromkeys(tools.Otf2(trace).regions()))

    runs = session.alternate("bench_calls", [session.scaled(150), session.scaled(1_000_000)], inspect)
    rows = []
    for measure, name, goal in CALLS:
        limit = {part: f"clock_pair.{part}" if measure == "comm_rank" else None for part in ("burst", "sustained")}

        def add(part, text, goal=""):
            rows.append(session.row(runs, f"{measure}.{part}", text, "ns", goal, limit=limit[part.split("_")[0]]))

        add("sustained_mean", f"{name}: without pauses, mean", goal)
        add("sustained_cpu", "  processor time of the rank, mean")
        add("sustained", "  median of batches")
        add("burst_mean", f"{name}: in bursts, mean")
        add("burst", "  median of batches")
    if regions and "MPI_Comm_rank" not in regions:
        for row in rows[:5]:
            if row.added.pop("eztrace", None):
                row.times.pop("eztrace", None)
                row.notes["eztrace"] = "not recorded"
    rows.append(writer_row(session, runs))
    reads = Row("two clock reads, the least that exact times cost", "ns", "",
                Figure.of(figures.values(runs, "clock_pair.sustained_mean", "untraced")))
    return [reads, *rows], merged


def bench_totals(session):
    """Processor time of all processes from their start to the last file, one rank. Means matter: what a million calls cost
    together is not seen in the median of short batches."""
    rows = []

    def each(measure, factor=1.0):
        """What tracing adds to the measure (ns), for each call."""
        return lambda untraced, traced: factor * (traced[measure][0] - untraced.get(measure, [0.0])[0]) / traced["calls"][0]

    program, writer = each("process_cpu"), each("writer_cpu_s", 1e9)
    for argument, case, goal in TOTALS:
        runs = session.alternate("bench_total", [argument, session.scaled(TOTAL_CALLS)], **TRACED)

        def add(name, unit, goal, compute, runs_=runs, case_=case):
            rows.append(session.derived(runs_, f"{case_}: {name}", unit, goal, compute))

        add("processor time of all processes", "ns a call", goal, lambda u, t: program(u, t) + writer(u, t))
        add("  of these the program", "ns a call", "", program)
        add("  of these the writer", "ns a call", "", writer)
        add("  share of the writer", "%", "", lambda u, t: 100 * writer(u, t) / max(1e-9, program(u, t) + writer(u, t)))
        add("wall time, mean of all calls", "ns a call", "", lambda u, t: t["call.mean"][0] - u["call.mean"][0])
        add("wall time, median of batches", "ns a call", "", lambda u, t: t["call.median"][0] - u["call.median"][0])
        add("memory of ring and writer", "MB", "<= 48", lambda u, t: added_memory_kb(u, t) / 1024)
        runs = session.alternate("bench_total", [argument, session.scaled(FINALIZED_CALLS)], **TRACED)
        add("MPI_Finalize of a million calls", "ms", "<= 25", lambda u, t: (t["finalize"][0] - u["finalize"][0]) / 1e6, runs)
    return rows


def added_memory_kb(untraced, traced):
    """What the rank that needs most has more, its ring included, and its writer."""
    return max(traced["peak_memory_kb"]) - max(untraced["peak_memory_kb"]) + max(traced["writer_memory_kb"])


def bench_polls(session):
    runs = session.alternate("bench_polls", [session.scaled(POLLS)], **TRACED)
    return [
        session.row(runs, "poll.mean", "MPI_Test that finds nothing: wall time, mean", "ns", "<= 5"),
        session.row(runs, "poll.cpu", "  processor time of the rank, mean", "ns"),
    ]


def bench_pingpong(session):
    """8 bytes between two ranks, and what the traces say of the order of its messages."""
    order = {}

    def inspect(tool, trace):
        if tool.name == "eztrace":
            if tools.Otf2.missing is None:
                messages, reversed_messages = tools.Otf2(trace).messages_before_sent()
                order["eztrace"] = {"messages": messages, "reversed": reversed_messages}
            else:
                order["eztrace"] = {"note": tools.Otf2.missing}
        elif tool.name == "meridian":
            order["meridian"] = merge(session, trace)

    runs = session.alternate("bench_pingpong", [session.scaled(150), session.scaled(100_000)], inspect)
    rows = [
        session.row(runs, "pingpong.sustained_mean", "8-byte ping-pong, a round trip: without pauses, mean", "ns", "<= 120"),
        session.row(runs, "pingpong.sustained", "  median of batches", "ns"),
        session.row(runs, "pingpong.burst_mean", "8-byte ping-pong, a round trip: in bursts, mean", "ns", "<= 120"),
        session.row(runs, "pingpong.burst", "  median of batches", "ns"),
        writer_row(session, runs),
    ]
    return rows, size_row(session, runs, "8-byte ping-pong", "<= 3"), order


def slowdown_rows(session, runs, name, goal, wall):
    """Ratios of the wall time `wall(measures)`, and of the processor time of all processes."""
    return [
        session.derived(runs, f"{name}: wall time, traced over untraced", "x", goal, lambda u, t: wall(t) / wall(u)),
        session.derived(runs, "  processor time of all processes, the same", "x", "", lambda u, t: all_cpu_s(t) / all_cpu_s(u)),
    ]


def bench_halo(session, ranks):
    merged = {}

    def inspect(tool, trace):
        if tool.name == "meridian":
            merged.update(merge(session, trace))

    runs = session.alternate("bench_halo", [session.scaled(ITERATIONS)], inspect)
    name = f"halo exchange, {ranks} ranks"
    rows = [
        session.row(runs, "halo.iteration_mean", f"{name}: an iteration of 6 calls, mean", "ns"),
        session.row(runs, "halo.iteration", "  median", "ns"),
        *slowdown_rows(session, runs, name, "<= 1.05", lambda measures: figures.over_ranks(measures["halo.iteration_mean"])),
        writer_row(session, runs),
    ]
    return rows, size_row(session, runs, name, "<= 3"), merged


def bench_programs(session):
    """Programs of other projects, whole: HPCC, which mostly polls, and LAMMPS."""
    rows = []
    for name, goal in (("hpcc", "<= 1.05"), ("lammps", "<= 1.02")):
        if name not in session.options.programs:
            continue
        program = programs.PROGRAMS[name](session.options.mpi)
        if session.options.mpi != "openmpi" or program.missing():
            rows.append(Row(f"{name}: wall time, traced over untraced", "x", goal))
            rows[-1].notes["meridian"] = program.missing() or "Debian's is for Open MPI"
            continue
        command, numbers = program.command, iter(range(1_000_000))

        def prepare(name_=name, program_=program, numbers_=numbers):
            folder = session.folder(f"{name_}-{next(numbers_)}")
            program_.prepare(folder, session.ranks)
            if name_ == "hpcc":  # long enough that its start does not matter
                text = (folder / "hpccinf.txt").read_text()
                (folder / "hpccinf.txt").write_text(re.sub(r"(?m)^64 ( +Ns)$", r"2000\1", text))
            return folder

        if name == "lammps":
            command = ["lmp", "-in", HERE / "melt.in", "-var", "steps", str(session.scaled(4000)), "-log", "none"]
        runs = session.alternate(command[0], command[1:], prepare=prepare, **TRACED)
        rows += slowdown_rows(session, runs, name, goal, lambda measures: measures["wall_s"][0])
        seconds = Row("  the untraced program", "s", "", Figure.of(figures.values(runs, "wall_s", "untraced")))
        seconds.notes["meridian"] = "none"
        rows.append(seconds)
        rows.append(session.derived(runs, "  the writers' part of the processor time", "%", "",
                                    lambda u, t: 100 * t["writer_cpu_s"][0] / all_cpu_s(t)))
    return rows


def bench_samples(session, alone):
    """What samples, and switches of threads that are watched with them, add to a trace."""
    session, alone = session.without_samples(), alone.without_samples()
    stops = alone.alternate("bench_stops", [session.scaled(4000)], **TRACED)
    rows = [
        session.derived(stops, "a loop: interrupts a second, with samples less without", "", "", lambda u, t: t["stops.second"][0] - u["stops.second"][0]),
        session.derived(stops, "  time in interrupts, the same", "%", "<= 0.5", lambda u, t: t["stops.share"][0] - u["stops.share"][0]),
    ]
    for name in ("halo", "lammps"):
        arguments, how = [session.scaled(2 * ITERATIONS)], {}
        if name == "lammps":
            if name not in session.options.programs or session.options.mpi != "openmpi" or programs.PROGRAMS[name]("openmpi").missing():
                continue
            numbers = iter(range(1_000_000))
            how["prepare"] = lambda numbers_=numbers: session.folder(f"samples-{next(numbers_)}")
            arguments = ["-in", HERE / "melt.in", "-var", "steps", str(session.scaled(4000)), "-log", "none"]
        runs = session.alternate("lmp" if name == "lammps" else "bench_halo", arguments, **TRACED, **how)
        rows += [
            session.derived(runs, f"{name}: processor time of the ranks, with samples over without", "x", "<= 1.005", lambda u, t: t["cpu_s"][0] / u["cpu_s"][0]),
            session.derived(runs, "  of all processes, the same", "x", "<= 1.02", lambda u, t: all_cpu_s(t) / all_cpu_s(u)),
            session.derived(runs, "  wall time, the same", "x", "", lambda u, t: t["wall_s"][0] / u["wall_s"][0]),
        ]
    return rows


def bench_locks(session):
    """Locks that are free. EZTrace has a module of its own for them."""
    peer = tools.EZTrace(session.options.mpiexec, session.ranks, session.folder("locks"), "pthread")
    runs = session.alternate("bench_locks", [session.scaled(2000)], peer=peer)
    return [session.row(runs, measure, name, "ns", goal) for measure, name, goal in LOCKS]


def bench_user(session):
    """The program's own events, which EZTrace knows nothing of."""
    runs = session.alternate("bench_user", [session.scaled(2000)], **TRACED)
    return [session.row(runs, measure, name, "ns", goal) for measure, name, goal in USER_EVENTS]


def bench_records(session, alone):
    """Bytes that leave the program."""
    calls, goal = session.scaled(FINALIZED_CALLS), "<= 12"
    rows = [alone.ring_bytes("bench_total", [argument, calls], name, goal) for argument, name, _ in TOTALS]
    rows.append(alone.ring_bytes("bench_polls", [calls], "MPI_Test that finds nothing", "<= 0.1"))
    if session.ranks == 2:
        rows.append(session.ring_bytes("bench_pingpong", [1, session.scaled(100_000)], "8-byte ping-pong", goal))
    rows.append(session.ring_bytes("bench_halo", [session.scaled(ITERATIONS)], "halo exchange", goal))
    return rows


def writer_row(session, runs):
    """Processor time of the writers over the calls of all ranks."""

    def per_call(runs_, measure, tool):
        return [1e9 * run[tool][measure][0] / sum(run[tool]["calls"]) for run in runs_ if measure in run.get(tool, {})]

    row = session.row(runs, "writer_cpu_s", "  processor time of the writers, a call", "ns", compute=per_call)
    row.notes["eztrace"] = "none"
    return row


def size_row(session, runs, name, goal=""):
    """Bytes of all files of the trace over the calls that the program counted itself."""

    def per_call(runs_, _measure, tool):
        return [
            run[tool]["trace_bytes"][0] / sum(run[tool]["calls"])
            for run in runs_
            if tool in run and "calls" in run[tool]
        ]

    row = session.row(runs, "trace_bytes", name, "B a call", goal, compute=per_call)
    row.untraced = None
    return row


def merge(session, trace):
    """Calls a second and memory of `meridian merge` on one core, and what its summary says of the messages' order."""
    command = session.tools[1].command
    one_core = ["taskset", "-c", str(min(os.sched_getaffinity(0)))] if shutil.which("taskset") else []
    seconds, memory_kb, text = [], [], ""
    try:
        for _ in range(min(3, session.options.repetitions)):
            for path in trace.glob("merged.h5*"):
                path.unlink()
            ended = tools.run_measured([*one_core, command, "merge", "--json", trace])
            seconds.append(ended.cpu_s)
            memory_kb.append(ended.peak_memory_kb)
            text = ended.output
        summary = json.loads(text[text.index("{"):])
        return {
            "calls": summary["run"]["calls"],
            "cpu_s": min(seconds),
            "calls_per_s": summary["run"]["calls"] / min(seconds),
            "peak_memory_kb": max(memory_kb),
            "merged_bytes": sum(path.stat().st_size for path in trace.glob("merged.h5")),
            "messages": summary["messages"].get("matched", summary["messages"].get("count")),
            "reversed": summary["reversed_before"],
            "reversed_after": summary["reversed_after"],
        }
    except (tools.Failed, ValueError, KeyError, AttributeError) as failure:
        return {"note": f"{type(failure).__name__}: {failure}"}

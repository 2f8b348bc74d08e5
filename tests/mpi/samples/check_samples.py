# SPDX-License-Identifier: Apache-2.0
"""Samples of what programs compute: functions with designed shares, in rank files and merged ones.

check_samples.py --meridian M --writer W --mpiexec X --ranks N HOW PROGRAM [HZ] [signal]

signal: samples are taken by a signal, and the kernel refuses its own.
"""

import collections
import ctypes
import math
import os
import pathlib
import struct
import subprocess
import sys
import time

import h5py

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import launch  # noqa: E402
import outputs  # noqa: E402
import ways  # noqa: E402

SHARES = {"assemble": 0.5, "solve": 0.375, "check": 0.125}
SETTLE_S = 30
FACTOR = 2.0  # of rank 1 in assemble
REFUSING = (sys.executable, "-B", pathlib.Path(__file__).resolve(), "--refuse")  # runs a command without perf_event_open(2)


def shares_of(factor):
    """What each function takes of a rank's iterations."""
    parts = {name: share * (factor if name == "assemble" else 1) for name, share in SHARES.items()}
    return {name: part / sum(parts.values()) for name, part in parts.items()}


def is_near(share, expected, samples):
    """Within 2 points or two standard errors, and another one for the end of a step of the clock."""
    error = math.sqrt(expected * (1 - expected) / max(samples, 1))
    return abs(share - expected) <= max(0.02, 3 * error)


class Run:
    def __init__(self, options, work, *arguments, wrapper=(), name="trace", **extra):
        self.options, self.folder = options, pathlib.Path(work) / name
        self.scratch = pathlib.Path(work) / f"scratch-{name}"
        self.scratch.mkdir()
        if "signal" in options.files:
            wrapper = wrapper or REFUSING
            extra.update(MERIDIAN_SAMPLES_BY="signal")
        command = [options.mpiexec, "-n", options.ranks, *wrapper, options.meridian, "run", options.program, *arguments]
        extra.update(MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=self.scratch)
        self.process = launch.run(command, **extra)

    def said(self):
        """rank -> (seconds in the functions, seconds in all)."""
        lines = (line.split() for line in self.process.stdout.splitlines())
        return {int(line[0]): (float(line[1]), float(line[2])) for line in lines if len(line) == 3}

    def files(self):
        return sorted(self.folder.glob("rank-*.h5"))

    def merge(self):
        return launch.merge(self.options.meridian, self.folder)


def texts_of(file):
    for row in file["texts"][()]:
        key, value = bytes(file["text_bytes"][int(row["first"]) : int(row["first"]) + int(row["bytes"])]).split(b"\0", 1)
        yield key.decode(), value.decode(), int(row["handle"])


def symbols_of(program):
    """[(begin, end, name)] of the program's functions, by nm."""
    lines = subprocess.run(["nm", "-S", "--defined-only", program], capture_output=True, text=True, check=True).stdout
    for line in lines.splitlines():
        fields = line.split()
        if len(fields) == 4 and fields[2] in "tT":
            yield int(fields[0], 16), int(fields[0], 16) + int(fields[1], 16), fields[3]


def sampled_functions(path, program):
    """Counter of the innermost function of each sample, by thread; and of the second one."""
    inner, outer = collections.defaultdict(collections.Counter), collections.Counter()
    with h5py.File(path) as file:
        if "samples" not in file:
            return inner, outer
        bias = next(int(value.split()[2], 16) for key, value, _ in texts_of(file) if key == "module" and value.endswith(program))
        parents, addresses = file["sample_stacks/parent"][()], file["sample_stacks/address"][()]
        symbols = list(symbols_of(program))

        def name(row):
            """Of the innermost of the program's functions from this row on, and that row."""
            while row != 0:
                address = int(addresses[row]) - 1 - bias
                found = [symbol for begin, end, symbol in symbols if begin <= address < end]
                if found:
                    return found[0], row
                row = int(parents[row])
            return None, 0

        for stack, thread in zip(file["samples/stack"][()], file["samples/thread"][()]):
            function, row = name(int(stack))
            inner[int(thread)][function] += 1
            if row:
                outer[function, name(int(parents[row]))[0]] += 1
    return inner, outer


def check_rank_shares(check, run, factor):
    for path in run.files():
        rank = int(path.stem.split("-")[1])
        inner, outer = sampled_functions(path, str(run.options.program))
        check.true(f"rank {rank} has samples", bool(inner))
        expected = shares_of(factor if rank == 1 else 1)
        for thread, counts in inner.items():
            own = sum(counts[name] for name in SHARES)
            if own < 30:  # a thread of the MPI library, or one that the program has not begun
                continue
            for name, share in expected.items():
                is_right = is_near(counts[name] / own, share, own)
                check.true(f"rank {rank}, thread {thread}: {name} has {counts[name]} of {own}, not {share:.3f}", is_right)
        called = sum(count for (function, _), count in outer.items() if function in SHARES)
        by_iterate = sum(count for (function, caller), count in outer.items() if function in SHARES and caller == "iterate")
        check.true(f"rank {rank}: iterate() calls them in {by_iterate} of {called}", by_iterate > 0.97 * called)


def check_functions(check, run, summary, factor):
    """The table of functions: self times, callers, imbalance."""
    said = run.said()
    rows = {(row["rank"], row["function"]): row for row in summary["rank_functions"]}
    for rank in range(run.options.ranks):
        worked = said[rank][0]
        for name, share in shares_of(factor if rank == 1 else 1).items():
            row = rows.get((rank, name))
            check.true(f"rank {rank} has {name}", row is not None)
            if row is None:
                continue
            samples = sum(rows[rank, other]["samples"] for other in SHARES if (rank, other) in rows)
            own = sum(rows[rank, other]["self_s"] for other in SHARES if (rank, other) in rows)
            check.true(f"rank {rank}: share of {name}: {row['self_s']} of {own}", is_near(row["self_s"] / own, share, samples))
            check.true(f"rank {rank}: {name} at {row['place']}", row["place"].startswith("shares.c"))
            check.true(f"callers of {name}: {row['callers']}", row["callers"].startswith("iterate (shares.c:"))
        own = sum(rows[rank, other]["self_s"] for other in SHARES if (rank, other) in rows)
        # Time without a processor counts as well: a machine with other load makes it longer, never shorter.
        check.true(f"rank {rank}: {own} s in the functions, {worked} s by its clock", own > 0.85 * worked)
    functions = {row["function"]: row for row in summary["program_functions"]}
    mean = sum(row["self_s"] for key, row in rows.items() if key[1] == "assemble") / run.options.ranks
    check.true("the mean is that of the ranks", abs(functions["assemble"]["mean_s"] - mean) < 1e-6)
    check.true("iterate() includes what it calls", functions["iterate"]["inclusive_s"] > 0.95 * functions["assemble"]["self_s"])


def check_shares(check, options, work):
    run = Run(options, work, 1, MERIDIAN_SAMPLES=options.files[0])
    check.equal("exit code", run.process.returncode, 0)
    check_rank_shares(check, run, 1)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    check_functions(check, run, summary, 1)
    with h5py.File(run.folder / "merged.h5") as file:
        samples = sum(len(h5py.File(path)["samples/ticks"]) for path in run.files())
        check.equal("samples in the merged file", len(file["samples/time_ns"]), samples)
        for row in range(len(file["sample_ranks/rank"])):
            first, count = int(file["sample_ranks/first"][row]), int(file["sample_ranks/count"][row])
            times = file["samples/time_ns"][first : first + count]
            check.true("samples of a rank are in order", all(times[:-1] <= times[1:]))
    rows = launch.run([options.meridian, "query", run.folder, "SELECT rank, count(*) FROM samples WHERE function = 'assemble' GROUP BY rank", "--csv"])
    check.equal("rows of the query", len(rows.stdout.splitlines()), 1 + options.ranks)
    outputs.check(options.meridian, run.folder, sorted(SHARES))
    return run, merged


def check_threads(check, options, work):
    run = Run(options, work, 1, "threads", MERIDIAN_SAMPLES=500)
    check.equal("exit code", run.process.returncode, 0)
    check_rank_shares(check, run, 1)
    for path in run.files():
        inner, _ = sampled_functions(path, str(options.program))
        check.equal("threads that compute", sum(sum(counts[name] for name in SHARES) >= 30 for counts in inner.values()), 4)
    return run, run.process


def check_imbalance(check, options, work):
    """The verdict ends at the function of the rank that makes others wait."""
    run = Run(options, work, FACTOR, MERIDIAN_SAMPLES=500)
    check.equal("exit code", run.process.returncode, 0)
    merged, summary = run.merge()
    check_functions(check, run, summary, FACTOR)
    problem = next((row for row in summary["problems"] if row["causer"] == 1), None)
    check.true("a problem names rank 1", problem is not None)
    if problem is None:
        return run, merged
    named = [row for row in summary.get("problem_functions", []) if summary["problems"][row["problem"]]["causer"] == 1]
    check.equal("function, rank", (named[0]["function"], named[0]["rank"]) if named else None, ("assemble", 1))
    if not named:
        return run, merged
    rows = {(row["rank"], row["function"]): row for row in summary["rank_functions"]}
    others = [rows[rank, "assemble"]["processor_s"] for rank in range(options.ranks) if rank != 1]
    excess = rows[1, "assemble"]["processor_s"] - sum(others) / len(others)
    by_signal = "signal" in options.files
    if by_signal:  # time without a processor is known as sums, and samples that are due in MPI may come when the rank computes again
        excess = named[0]["excess_s"]
    check.true(f"excess {named[0]['excess_s']}, by the table {excess}", abs(named[0]["excess_s"] - excess) < 1e-6)
    said = run.said()
    worked = {rank: share["assemble"] * said[rank][0] for rank, share in ((rank, shares_of(FACTOR if rank == 1 else 1)) for rank in said)}
    designed = worked[1] - sum(worked[rank] for rank in worked if rank != 1) / (options.ranks - 1)
    check.true(f"excess {excess} is that of the program's own clock, {designed}", abs(excess - designed) < (0.25 if by_signal else 0.1) * designed)
    for words in ("More than in the other ranks: +", " in assemble (shares.c:", " <- iterate (shares.c:"):
        check.true(f"the problem's text has {words!r}: {problem['text']}", words in problem["text"])
    text = launch.run([options.meridian, "stats", run.folder, "--all"]).stdout
    check.true("the section is there", "FUNCTIONS OF THE PROGRAM" in text)
    return run, merged


def check_kill(check, options, work):
    """A killed rank keeps what was sampled until then."""
    run = Run(options, work, 1, "kill", MERIDIAN_SAMPLES=500)
    deadline = time.monotonic() + SETTLE_S  # the writers have to notice
    while time.monotonic() < deadline and (list(run.scratch.rglob("*.ring")) or list(run.folder.glob("*.done"))):
        time.sleep(0.05)
    merged, summary = run.merge()
    for rank in range(options.ranks):
        path = run.folder / f"rank-{rank:05}.h5"
        check.true(f"rank {rank} has a file", path.exists())
        if path.exists():
            inner, _ = sampled_functions(path, str(options.program))
            least = 60 if "signal" in options.files else 300  # one at a tick of the kernel at most
            check.true(f"rank {rank} has most of its samples: {inner}", sum(inner[0][name] for name in SHARES) > least)
    check.equal("files besides", [path.name for path in run.folder.glob("*.samples")], [])
    return run, merged


def check_off(check, options, work):
    """Without samples, files are as they were before there were any."""
    run = Run(options, work, 1, MERIDIAN_SAMPLES=0)
    check.equal("exit code", run.process.returncode, 0)
    for path in run.files():
        with h5py.File(path) as file:
            check.equal("tables of samples", [name for name in file if "sample" in name or "processor" in name], [])
            check.equal("texts", [key for key, _, _ in texts_of(file) if key.startswith("samples.")], [])
    merged, summary = run.merge()
    with h5py.File(run.folder / "merged.h5") as file:
        check.equal("tables of samples in the merged file", [name for name in file if "sample" in name or "processor" in name], [])
    check.equal("functions", summary.get("program_functions", []), [])
    return run, merged


def refuse_events():
    """A filter of system calls as those of containers: perf_event_open(2) fails with EPERM, in this process and its children."""
    number = {"x86_64": 298, "aarch64": 241}[os.uname().machine]
    load, jump_equal, give = 0x20, 0x15, 0x06
    code = [(load, 0, 0, 0), (jump_equal, 0, 1, number), (give, 0, 0, 0x00050000 | 1), (give, 0, 0, 0x7FFF0000)]
    program = b"".join(struct.pack("HBBI", *line) for line in code)
    buffer = ctypes.create_string_buffer(program)
    filter_of = struct.pack("HxxxxxxP", len(code), ctypes.addressof(buffer))
    libc = ctypes.CDLL(None, use_errno=True)
    no_new_privileges, set_seccomp, filter_mode = 38, 22, 2
    if libc.prctl(no_new_privileges, 1, 0, 0, 0) != 0 or libc.prctl(set_seccomp, filter_mode, filter_of, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), "prctl")


def check_refused(check, options, work):
    """A kernel that refuses: the run is as ever, with a finding that has a remedy."""
    run = Run(options, work, 1, wrapper=REFUSING, MERIDIAN_SAMPLES=100)
    check.equal("exit code", run.process.returncode, 0)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    for path in run.files():
        with h5py.File(path) as file:
            check.true(f"{path.name} has no intervals without a processor", "processor" not in file)
    found = {row["name"]: row for row in summary["findings"]}
    check.equal("findings", sorted(found), ["samples.refused"])
    check.equal("ranks", found.get("samples.refused", {}).get("count"), options.ranks)
    check.true("the reason is named", "EPERM" in found.get("samples.refused", {}).get("detail", ""))
    return run, merged


def check_kernel(check, options, work):
    """System calls count for the function that makes them, where the user may see samples of the kernel."""
    run = Run(options, work, 1, "kernel", MERIDIAN_SAMPLES=500)
    check.equal("exit code", run.process.returncode, 0)
    if os.geteuid() == 0 or int(pathlib.Path("/proc/sys/kernel/perf_event_paranoid").read_text()) < 2:
        check_rank_shares(check, run, 1)
    return run, run.process


def check_blocked(check, options, work):
    """Threads that block the signal have no samples, and are a finding."""
    run = Run(options, work, 1, "blocked", MERIDIAN_SAMPLES=500)
    check.equal("exit code", run.process.returncode, 0)
    for path in run.files():
        inner, _ = sampled_functions(path, str(options.program))
        check.equal("threads with samples", [thread for thread, counts in inner.items() if sum(counts.values()) > 10], [0])
    merged, summary = run.merge()
    found = {row["name"]: row for row in summary["findings"]}
    check.equal("findings", sorted(found), ["processor.refused", "samples.blocked"])
    check.equal("threads that block it", found.get("samples.blocked", {}).get("count"), 3 * options.ranks)
    return run, merged


def check_signals(check, options, work):
    """A program with handlers, stacks, coroutines, threads and children of its own does what it does untraced."""
    untraced = launch.run([options.mpiexec, "-n", options.ranks, options.program])
    run = Run(options, work, MERIDIAN_SAMPLES=1000)
    check.equal("exit code", run.process.returncode, untraced.returncode)
    counted = {how: sorted(line for line in process.stdout.splitlines() if ":" in line) for how, process in (("traced", run.process), ("untraced", untraced))}
    check.equal("what it counted", counted["traced"], counted["untraced"])
    check.true("it counted something", "switches 400 received 50 strange 0 children 5" in untraced.stdout)
    cleaned = [int(line.split()[1]) for line in run.process.stdout.splitlines() if line.startswith("cleaned")]
    check.true(f"threads that were cancelled at once: {cleaned}", len(cleaned) == options.ranks and min(cleaned) > 25)
    merged, summary = run.merge()
    functions = {row["function"] for row in summary["program_functions"]}
    check.true(f"functions: {functions}", "work" in functions)
    return run, merged


def query(options, folder, text):
    """Rows of numbers."""
    lines = launch.run([options.meridian, "query", folder, text, "--csv"]).stdout.splitlines()[1:]
    return [tuple(float(field) for field in line.split(",")) for line in lines]


def bytes_a_switch(group):
    """On disk; an interval has two switches."""
    return sum(column.id.get_storage_size() for column in group.values()) / (2 * len(group["ticks"]))


def check_ready(check, options, run):
    """The intervals are those that Linux counts in /proc."""
    said = run.said()
    check.equal("ranks that say how long they were ready", sorted(said), list(range(options.ranks)))
    for rank, (oracle_s, run_s) in said.items():
        ((begin_s, end_s),) = query(options, run.folder,
            f"SELECT min(end_s), max(end_s) FROM events WHERE function = 'MPI_Barrier' AND rank = {rank}")  # fmt: skip
        ((ready_s,),) = query(options, run.folder,
            "SELECT coalesce(sum(away_s), 0) FROM processor WHERE state = 'ready' AND thread = 0 "
            f"AND rank = {rank} AND start_s >= {begin_s!r} AND end_s <= {end_s!r}")  # fmt: skip
        # A switch itself takes time, which Linux does not count.
        is_near_enough = abs(ready_s - oracle_s) <= 0.1 * oracle_s + 0.002 * run_s
        check.true(f"rank {rank} was ready for {ready_s} s by intervals, {oracle_s} s by /proc, of {run_s} s", is_near_enough)
        if rank == 0:
            check.true(f"another process takes rank 0's processor for {oracle_s} of {run_s} s", oracle_s > 0.03 * run_s)
    for path in run.files():
        with h5py.File(path) as file:
            if len(file["processor/ticks"]) > 100:
                size = bytes_a_switch(file["processor"])
                check.true(f"{path.name} has {size} bytes a switch", size <= 6)


def check_lack(check, summary):
    """What the ranks lose counts for the lack of processors: their loads are even, and the rank that is late for it is not blamed."""
    problems = {row["problem"]: row for row in summary["problems"]}
    check.true(f"the lack of processors is a problem: {sorted(problems)}", "lack of processors" in problems)
    check.true(f"no imbalance is claimed: {sorted(problems)}", "imbalance" not in problems)
    for row in summary["problems"]:
        check.true(f"nobody is told to give a rank less work: {row['remedy']}", "less work" not in row["remedy"])
    run = next(row for row in summary["efficiencies"] if row["scope"] == "run")
    check.true(f"the load is even: {run['load_balance']}", run["load_balance"] > 0.95)
    check.true(f"the processor is a factor: {run['processor']}", run["processor"] < 0.98)
    product = run["load_balance"] * run["serialisation"] * run["processor"] * run["transfer"] * run["thread_factor"]
    check.true(f"parallel efficiency {run['parallel']} is the product {product}", abs(product - run["parallel"]) < 1e-9)
    for rank in {row["rank"] for row in summary["ready_times"] if row["thread"] == 0}:
        times = {row["state"]: row["total_s"] for row in summary["states"] if row["rank"] == rank and row["thread"] == 0}
        ready = next(row for row in summary["ready_times"] if row["rank"] == rank and row["thread"] == 0)
        lost_s = ready["compute_s"] + ready["mpi_s"]
        check.true(f"rank {rank} is in the state ready for {times.get('ready')}, {lost_s} of it measured", times.get("ready", 0) >= lost_s - 1e-9)


def check_noise(check, options, work):
    """A process that takes the processor of rank 0 for 5 of each 100 ms."""
    run = Run(options, work, options.files[0], MERIDIAN_SAMPLES=100)
    check.equal("exit code", run.process.returncode, 0)
    merged, summary = run.merge()
    check.equal("exit code of merge", merged.returncode, 0)
    check_ready(check, options, run)
    check_lack(check, summary)
    return run, merged


WAYS = {
    "shares": check_shares, "threads": check_threads, "imbalance": check_imbalance, "kill": check_kill, "off": check_off,
    "refused": check_refused, "noise": check_noise, "blocked": check_blocked, "kernel": check_kernel, "signals": check_signals,
}  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1] == "--refuse":
        refuse_events()
        os.execv(sys.argv[2], sys.argv[2:])
    sys.exit(ways.main(WAYS, "meridian-samples-"))

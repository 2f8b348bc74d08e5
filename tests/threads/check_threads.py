# SPDX-License-Identifier: Apache-2.0
"""A threaded program: same results and exit code traced and untraced, and every lock that it took is in its rank file,
counted or recorded, by the program's own count.

check_threads.py --meridian M --tracer L --mpiexec X --ranks N [--locks contended|all|off] [--linked program] program
--linked: the same program, linked with the tracer; without it the tracer is preloaded.
"""

import collections
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "mpi"), str(HERE.parent / "mpi/counter")]
import h5py  # noqa: E402
import numpy  # noqa: E402
import launch  # noqa: E402
import merged_columns  # noqa: E402
import rank_trace  # noqa: E402
import tracing  # noqa: E402

KINDS = ("", "mutex", "condition", "read", "write", "barrier", "spin", "once", "semaphore", "busy", "unheard")
TAKE = ("lock", "trylock", "timedlock", "clocklock", "rdlock", "wrlock", "tryrdlock", "trywrlock", "timedrdlock",
        "timedwrlock", "clockrdlock", "clockwrlock", "wait", "trywait", "timedwait", "clockwait")  # fmt: skip
LOCK, FAILED = 11, 1


def same_lines(output):
    """Data that must be the same in each run, in any order."""
    return sorted(line for line in output.splitlines() if " holder " not in line and " named " not in line)


def tallies(output):
    """rank -> {(kind, name): count} that the program printed."""
    found = collections.defaultdict(dict)
    for line in output.splitlines():
        words = line.split()
        if len(words) == 4 and words[1] in ("acquired", "waited", "calls", "holder", "messages", "named"):
            found[int(words[0])][words[1], words[2]] = int(words[3])
    return found


def acquired(path):
    """Kind of lock -> how often it was taken: (counted, recorded)."""
    counted, recorded = collections.Counter(), collections.Counter()
    with h5py.File(path) as file:
        for row in file["lock_counts"][()] if "lock_counts" in file else []:
            counted[KINDS[row["kind"]]] += int(row["count"])
        if "locks" in file:
            names = [name.decode() for name in file["calls/name"][()]]
            kinds = iter(file["locks/kind"][()])
            columns = (file[f"events/{name}"][()] for name in ("call", "payload", "flags"))
            for call, payload, flags in zip(*columns):
                if payload != LOCK:
                    continue
                kind = KINDS[next(kinds)]
                if not flags & FAILED and names[call].rsplit("_", 1)[-1] in TAKE:
                    recorded[kind] += 1
    return counted, recorded


def waits(path):
    """((kind of lock): waits that were recorded, (kernel tid): waits for a mutex that this thread had)."""
    waited, holders = collections.Counter(), collections.Counter()
    with h5py.File(path) as file:
        if "locks" in file:
            columns = (file[f"locks/{name}"][()] for name in ("kind", "is_contended", "holder_tid"))
            for kind, is_contended, tid in zip(*columns):
                waited[KINDS[kind]] += int(is_contended)
                if is_contended and KINDS[kind] == "mutex":
                    holders[str(tid)] += 1
    return waited, holders


def check_summary(check, summary, expected, locks):
    """The thread that others waited for most, by rank, and the number of matched messages, in the summary."""
    sent = [collections.Counter({name: n for (kind, name), n in tally.items() if kind == "messages"}) for tally in expected.values()]
    if any(sent):
        total, messages = sum(sent, collections.Counter()), summary["messages"]
        check.equal("messages matched", (messages["matched"], messages["bytes"]), (total["received"], total["bytes"]))
        unmatched = messages["unmatched_sends"], messages["unmatched_receives"]
        check.equal("messages not matched", unmatched, (0, 0))
    for rank, tally in expected.items():
        named = {name.replace(",", ", "): count for (kind, name), count in tally.items() if kind == "named"}
        if named and locks != "off":
            places = {row["object"]: row["name"] for row in summary["lock_names"] if row["rank"] == rank}
            taken = {places.get(row["object"]): row["acquisitions"] for row in summary["locks"] if row["rank"] == rank}
            check.equal(f"named semaphores of rank {rank}", taken, named)
        rows = [row for row in summary.get("locks", []) if row["rank"] == rank and row["kind"] == "mutex"]
        if locks == "off":
            check.equal(f"locks of rank {rank} in the summary", rows, [])
            continue
        for (kind, name), count in tally.items():
            if kind == "waited" and name == "mutex":
                check.equal(f"waits of rank {rank} in the summary", sum(row["contended"] for row in rows), count)
        holders = {name: count for (kind, name), count in tally.items() if kind == "holder"}
        if holders:
            tid, count = max(holders.items(), key=lambda item: item[1])
            threads = [row["thread"] for row in summary["threads"] if (row["rank"], row["kernel_tid"]) == (rank, int(tid))]
            check.equal(f"holder in rank {rank}", [(row["holder"], row["held"]) for row in rows], [(threads[0], count)])


def check_rank(check, rank, path, expected, locks):
    trace = rank_trace.RankTrace(path)
    calls = collections.Counter(call.name for call in trace.others)
    counted, recorded = acquired(path)
    waited, holders = waits(path)
    check.equal(f"losses of rank {rank}", trace.losses, {})
    for (kind, name), count in expected.items():
        is_lock = kind in ("acquired", "waited") or any(word in name for word in ("mutex", "mtx", "cond", "cnd", "barrier", "sem_"))
        wanted = 0 if locks == "off" and is_lock else count
        if kind in ("messages", "named"):
            continue
        if kind == "holder":
            check.equal(f"waits for thread {name} of rank {rank}", holders[name], 0 if locks == "off" else count)
        elif kind == "waited":
            check.equal(f"{name} waited for by rank {rank}", waited[name], wanted if locks != "off" else 0)
        elif kind == "calls":
            check.equal(f"{name} of rank {rank}", calls[name], wanted)
        else:
            check.equal(f"{name} taken by rank {rank}", counted[name] + recorded[name], wanted)
            if locks == "all":
                check.equal(f"{name} counted only by rank {rank}", counted[name], 0)
    last = {}
    for call in sorted(trace.others + trace.calls, key=lambda call: (call.thread, call.enter)):
        check.true(f"{call.name} of rank {rank} follows its predecessor", call.enter >= last.get(call.thread, 0))
        last[call.thread] = call.leave


def check_waits(check, path, expected):
    """Waits of threads in the merged file: those for a lock fill its call, from the first holder to the last; the first one is
    the one that the program knows. No wait is for another rank, or for a call that began after it."""
    with h5py.File(path) as file:
        events = merged_columns.event_columns(file)
        names = [name.decode() for name in file["calls/name"][()]]
        row = numpy.cumsum(file["waits/row_step"][()])
        causer, ns, kind = row + file["waits/causer"][()], file["waits/wait_ns"][()], file["waits/kind"][()]
        tids = dict(zip(zip(file["threads/rank"][()].tolist(), file["threads/thread"][()].tolist()), file["threads/kernel_tid"][()].tolist()))
    of_threads = kind >= 13
    check.true("threads wait for their own rank", (events["rank"][row] == events["rank"][causer])[of_threads].all())
    leave = events["enter_ns"] + events["duration_ns"]
    check.true("causers began before the end of the wait", (events["enter_ns"][causer] <= leave[row])[of_threads].all())
    locks, first = collections.Counter(), {}
    for at, by, length, of in zip(row.tolist(), causer.tolist(), ns.tolist(), kind.tolist()):
        if of == 13:
            locks[at] += length
            first.setdefault(at, by)
    check.true("waits for a lock fill its call", all(events["duration_ns"][at] == length for at, length in locks.items()))
    for rank, tally in expected.items():
        mine = [at for at in locks if events["rank"][at] == rank]
        is_mutex = {at: "mutex" in names[events["call"][at]] or "mtx" in names[events["call"][at]] for at in mine}
        holders = collections.Counter(str(tids[rank, int(events["thread"][first[at]])]) for at in mine if is_mutex[at])
        for (what, name), count in tally.items():
            if what == "waited" and name == "mutex":
                check.equal(f"calls of rank {rank} that wait for a mutex", sum(is_mutex.values()), count)
            if what == "holder":
                check.equal(f"waits of rank {rank} for thread {name}", holders[name], count)


def main():
    parser = launch.parser("tracer")
    parser.add_argument("--locks", default="contended")
    parser.add_argument("--linked")
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-threads-") as work:
        folder, scratch = pathlib.Path(work) / "trace", pathlib.Path(work) / "scratch"
        scratch.mkdir()
        launcher = [options.mpiexec, "-n", options.ranks]
        untraced = tracing.launch_in(None, [*launcher, options.program], None)
        preloaded = [options.meridian, "run", "/usr/bin/env", f"LD_PRELOAD={options.tracer}", options.program]
        traced = tracing.launch_in(
            None, [*launcher, *([options.linked] if options.linked else preloaded)], None,
            MERIDIAN_DIR=folder, MERIDIAN_SCRATCH=scratch, MERIDIAN_LOCKS=options.locks,
        )  # fmt: skip
        tracing.wait_for_writers(scratch, folder, options.ranks)
        check.equal("exit code traced", traced.returncode, untraced.returncode)
        check.equal("output traced", same_lines(traced.stdout), same_lines(untraced.stdout))
        expected = tallies(traced.stdout)
        check.equal("ranks that printed their tally", sorted(expected), list(range(options.ranks)))
        for rank in range(options.ranks):
            path = folder / f"rank-{rank:05}.h5"
            check.true(f"rank {rank} has a file", path.exists())
            if path.exists():
                check_rank(check, rank, path, expected[rank], options.locks)
        merged, summary = launch.merge(options.meridian, folder)
        check.equal("merge", merged.returncode, 0)
        if summary is not None:
            check.equal("findings", summary["findings"], [])
            check_summary(check, summary, expected, options.locks)
            if options.locks != "off":
                check_waits(check, folder / "merged.h5", expected)
        return check.finish(untraced, traced, merged)


if __name__ == "__main__":
    sys.exit(main())

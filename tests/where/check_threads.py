# SPDX-License-Identifier: Apache-2.0
"""`meridian where` on programs whose threads hang, while they do and after they were killed."""

import argparse
import sys
import tempfile

import stuck_run
from stuck_run import launch

RANKS = 2
JOINS, WANTS_OTHER = ("pthread_join", "thread"), ("pthread_mutex_lock", "lock")
RECEIVES = ("MPI_Recv", "receive")

# By thread of rank 0 and rank 1: its call, the kind of its wait, and the threads or the rank that it waits for; then the
# threads that cannot proceed, and the cycle: threads of rank 0 and rank 1 as (rank, thread).
CROSSED = [(*JOINS, [1]), (*WANTS_OTHER, [2]), (*WANTS_OTHER, [1])]
READ_CROSSED = [(*JOINS, [1]), ("pthread_rwlock_wrlock", "lock", [2]), ("pthread_rwlock_wrlock", "lock", [1])]
COMPUTES = (None, None, None)
EXPECTED = {
    "mutexes": ([CROSSED, CROSSED], [0, 1, 2], {1, 2}),
    "rwlocks": ([READ_CROSSED, READ_CROSSED], [0, 1, 2], {1, 2}),
    "join": ([[(*JOINS, [1]), (*WANTS_OTHER, [0])]] * 2, [0, 1], {0, 1}),
    "twice": ([[(*JOINS, [1]), (*WANTS_OTHER, [1])]] * 2, [0, 1], {1}),
    "busy": ([[(*WANTS_OTHER, [1]), COMPUTES]] * 2, [], None),
    "pool": ([[(*RECEIVES, 1), ("pthread_cond_wait", "others", None)], [(*RECEIVES, 0), ("pthread_cond_wait", "others", None)]],
             [0, 1], None),
    "mixed": ([[(*RECEIVES, 1)], [(*WANTS_OTHER, [1]), (*RECEIVES, 0)]], None, None),
    "asleep": ([[COMPUTES, COMPUTES]] * 2, [], None),
    "ended": ([[(*WANTS_OTHER, [1])]] * 2, [0], None),
}  # fmt: skip
CYCLES = {"mixed": [(0, 0), (1, 0), (1, 1)], "pool": [(0, 0), (1, 0)]}
ENDED = {"ended": [(0, 1), (1, 1)]}


def threads_of(report):
    """Per rank, those that live or are in a call: what they are in, what that waits for, and by whom it is kept."""
    ranks = []
    for rank in report["ranks"]:
        ranks.append([])
        for thread in rank["threads"]:
            if thread["call"] is None and thread["ended"]:
                continue
            wait = thread["waits"][0] if thread["waits"] else {}
            ranks[-1].append((thread["call"], wait.get("kind"), wait.get("threads", wait.get("peer"))))
    return ranks


def parties(report, what):
    return [(party["rank"], party["thread"]) for party in report["deadlock"][what]]


def main():
    parser = argparse.ArgumentParser()
    for name in ("meridian", "mpiexec", "program", "source", "how"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    how, check = options.how, launch.Checks()
    threads, stuck, cycle_threads = EXPECTED[how]
    if stuck is None:
        stuck_parties = [(rank, thread) for rank, calls in enumerate(threads) for thread in range(len(calls))]
    else:
        stuck_parties = [(rank, thread) for rank in range(RANKS) for thread in stuck]

    def is_expected(report):
        return threads_of(report) == threads and parties(report, "threads") == stuck_parties

    with tempfile.TemporaryDirectory() as work:
        run = stuck_run.StuckRun(options, [options.program, how], work, RANKS)

        def check_report(when, code, report):
            check.equal(f"threads {when}", threads_of(report), threads)
            check.equal(f"who cannot proceed {when}", parties(report, "threads"), stuck_parties)
            cycle = parties(report, "cycle")
            if how in CYCLES:
                check.equal(f"cycle {when}", cycle, CYCLES[how])
            elif cycle_threads is not None:  # of one of the ranks: each has its own
                check.equal(f"threads of the cycle {when}", {thread for _, thread in cycle}, cycle_threads)
                check.equal(f"ranks of the cycle {when}", len({rank for rank, _ in cycle}), 1)
            else:
                check.equal(f"cycle {when}", cycle, [])
            named = parties(report, "ended")
            check.true(f"ended {when}: {named}", set(named) <= set(ENDED.get(how, [])) and bool(named) == (how in ENDED))
            check.equal(f"exit code {when}", code, 2 if stuck_parties else 0)
            _, text = run.where()
            check.equal(f"DEADLOCK in the text {when}: {text}", "DEADLOCK" in text, bool(stuck_parties))
            check.true(f"lines that fit {when}: {text}", all(len(each) <= 80 for each in text.splitlines()))
            if how == "mutexes":
                line = stuck_run.line_of(options.source, "of the other")
                for piece in ("a mutex that thread 2 has", f"stuck_threads.c:{line} in take_mutexes", "and waits for thread 1 of rank 0"):
                    check.true(f"{piece!r} in the text {when}: {text}", piece in " ".join(text.split()))

        def sleepers(report):
            return [thread["place"] for rank in report["ranks"] for thread in rank["threads"] if thread["call"] is None]

        with run:
            code, report = run.until(lambda report: is_expected(report) and (how != "asleep" or all(sleepers(report))))
            check_report("while it runs", code, report)
            if how == "asleep":
                line = stuck_run.line_of(options.source, "for good")
                found = [(place["function"], place["line"]) for place in sleepers(report)]
                check.equal("where they sleep", found, [("wait_for_input", line)] * 2 * RANKS)
                text = " ".join(run.where()[1].split())
                check.true(f"in the text: {text}", "asleep in wait_for_i" in text and f"(stuck_threads.c:{line})" in text)
        check_report("after it was killed", *run.until_ended())
        run.settle()
    return check.finish()


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""The last part of a run has the messages and collectives that the trace of the same run has there: rank files of a trace are made into those
that a flight recorder leaves, which drops another share of the calls of each rank. Both are merged and compared.

check_last_part.py --meridian M --mpiexec X --ranks N --make-last-part P PROGRAM...
"""

import collections
import json
import pathlib
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path.insert(0, str(ROOT / "tests" / "support"))
import launch  # noqa: E402


def rows_of(meridian, trace, query):
    done = launch.run([meridian, "query", "--json", trace / "merged.h5", query])
    assert done.returncode == 0, done.stderr
    return [tuple(row.values()) for row in json.loads(done.stdout)["rows"]]


def read_trace(meridian, trace):
    """(calls by thread, messages, collectives). A call is (thread, its place from the end of that thread), which dropped calls do not change."""
    calls = collections.defaultdict(list)  # by rank and thread
    for (call,) in rows_of(meridian, trace, "SELECT call FROM events"):
        thread, number = call.split(":")
        calls[thread].append(int(number))
    count = {thread: max(numbers) + 1 for thread, numbers in calls.items()}
    assert all(len(numbers) == count[thread] for thread, numbers in calls.items())

    def place(call):
        thread, number = call.split(":")
        return thread, count[thread] - int(number)

    messages = collections.Counter()
    columns = "send_call, post_call, receive_call, bytes, tag, post_function IN ('MPI_Mrecv', 'MPI_Imrecv')"
    for send, post, received, size, tag, is_probed in rows_of(meridian, trace, f"SELECT {columns} FROM messages"):
        messages[place(send), place(post), place(received), size, tag, is_probed] += 1
    parts = collections.defaultdict(list)
    for number, call in rows_of(meridian, trace, "SELECT collective, enter_call FROM participants"):
        parts[number].append(place(call))
    return count, messages, collections.Counter(frozenset(calls) for calls in parts.values())


def main():
    options = launch.parser("make-last-part")
    options.add_argument("program", nargs="+")
    options = options.parse_args()
    compared = collections.Counter()
    with tempfile.TemporaryDirectory() as work:
        trace = pathlib.Path(work) / "trace"
        run = launch.traced(options.mpiexec, options.ranks, options.meridian, options.program, trace,
                            pathlib.Path(work) / "scratch", MERIDIAN_SAMPLES=0,
                            OMPI_MCA_osc="pt2pt")  # the one kind of window that works without process_vm_readv
        assert run.returncode == 0, run.stderr
        merged, whole = launch.merge(options.meridian, trace)
        assert merged.returncode in (0, 2), merged.stderr
        of_trace = read_trace(options.meridian, trace)
        for shares in ((50, 50, 50, 50), (20, 45, 70, 5), (80, 10, 60, 90), (0, 99, 30, 60)):
            copy = pathlib.Path(work) / ("last-" + "-".join(map(str, shares)))
            copy.mkdir()
            for rank, path in enumerate(sorted(trace.glob("rank-*.h5"))):
                made = launch.run([options.make_last_part, path, copy / path.name, shares[rank % 4]])
                assert made.returncode == 0, made.stderr
            merged, last = launch.merge(options.meridian, copy, "--early-calls")
            assert merged.returncode in (0, 2), merged.stderr
            kept, messages, collectives = read_trace(options.meridian, copy)
            is_kept = lambda call: call[1] <= kept.get(call[0], 0)  # noqa: E731
            expected = {key: n for key, n in of_trace[1].items() if is_kept(key[0]) and is_kept(key[1])}
            missing = collections.Counter(expected) - messages
            is_found_before = all(key[-1] for key in missing)  # by a probe that was dropped
            assert not messages - collections.Counter(expected) and is_found_before, (shares, list(missing.items())[:3])
            expected = {key: n for key, n in of_trace[2].items() if all(map(is_kept, key))}
            assert collectives == expected, (shares, len(collectives), len(expected))
            before = {finding["name"] for finding in whole["findings"]}
            errors = [f for f in last["findings"] if f["severity"] != "info" and f["name"] not in before]
            assert not errors, (shares, errors)
            assert [finding["name"] for finding in last["findings"]].count("recording.recorder") == 1
            compared.update(messages=sum(messages.values()), collectives=sum(collectives.values()))
    assert sum(compared.values()) > 0 or not sum(of_trace[1].values()), compared
    print(f"the same in the last part: {dict(compared)}")


if __name__ == "__main__":
    main()

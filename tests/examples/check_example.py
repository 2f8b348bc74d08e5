# SPDX-License-Identifier: Apache-2.0
"""Traces one example and compares its summary with what its arguments predict.

check_example.py --meridian M --mpiexec X --program P --ranks N [--exit-code C] -- example arguments...
"""

import pathlib
import sys
import tempfile
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402
import predictions  # noqa: E402


OTHERS = ("thread", "lock", "sleep", "files")  # groups that are not MPI's: the number of waits of threads cannot be predicted


def counts(summary):
    return {function["name"]: function["count"] for function in summary["functions"] if function["group"] not in OTHERS}


def check_summary(check, summary, expected, ranks):
    check.equal("calls by function", counts(summary), dict(expected.calls))
    others = sum(function["count"] for function in summary["functions"] if function["group"] in OTHERS)
    check.equal("MPI calls in all", summary["run"]["calls"], expected.calls.total())
    check.equal("thread calls in all", summary["run"]["thread_calls"], others)
    check.equal("ranks", [rank["rank"] for rank in summary["ranks"]], list(range(ranks)))
    for kind in ("calls", "thread_calls", "user_events"):
        check.equal(f"{kind} over the ranks", sum(rank[kind] for rank in summary["ranks"]), summary["run"][kind])
    pairs = {(p["source"], p["dest"]): (p["messages"], p["bytes"]) for p in summary["pairs"]}
    check.equal("messages from rank to rank", pairs, expected.pairs)
    messages = summary["messages"]
    check.equal("matched messages", messages["matched"], expected.messages)
    check.equal("bytes of messages", messages["bytes"], expected.bytes)
    check.equal("sends without a receive", messages["unmatched_sends"], 0)
    check.equal("receives without a send", messages["unmatched_receives"], 0)
    check.equal("collectives", summary["collectives"]["count"], expected.collectives)
    check.equal("calls of collectives", summary["collectives"]["calls"], expected.collective_calls)
    for rank in summary["ranks"]:
        me = rank["rank"]
        sent = [value for (source, _), value in expected.pairs.items() if source == me]
        received = [value for (_, dest), value in expected.pairs.items() if dest == me]
        for key, side in (("sent", sent), ("received", received)):
            check.equal(f"messages {key} by rank {me}", rank[f"messages_{key}"], sum(m for m, _ in side))
            check.equal(f"bytes {key} by rank {me}", rank[f"bytes_{key}"], sum(b for _, b in side))
    sent_bytes = sum(f["bytes_sent"] for f in summary["functions"] if f["group"] == "p2p")
    check.equal("bytes sent by point-to-point functions", sent_bytes, expected.bytes)
    moved = {f["name"]: (f["bytes_sent"], f["bytes_received"]) for f in summary["functions"] if f["group"] == "coll"}
    for name, size in expected.traffic.items():
        check.equal(f"bytes of {name}", moved.get(name), (size, size))
    check.equal("regions", {r["name"]: r["count"] for r in summary["regions"]}, expected.regions)
    check.equal("messages of its own", summary["user_messages"], expected.own_messages)
    own = {e["name"]: e["count"] for e in summary["user_events"] if e["kind"] not in ("send", "receive")}
    check.equal("events of its own", own, expected.own_events)
    if expected.own_messages:  # own messages have no order with those of MPI; this program receives in the order of its sends
        check.equal("receives in the wrong order", [w for w in summary["waits"] if w["pattern"] == "wrong order, same source"], [])
    check.equal("reversed after", summary["reversed_after"], 0)
    check.equal("findings", summary["findings"], [])


def total_s(summary, name):
    return next((f["total_s"] for f in summary["functions"] if f["name"] == name), 0.0)


def check_times(check, summary, name, ranks):
    """Only what holds on a loaded machine: which of two times is larger, by much."""
    for function in summary["functions"]:
        what = function["name"]
        check.true(f"{what}: min <= mean <= max", function["min_s"] <= function["mean_s"] <= function["max_s"])
        error = abs(function["mean_s"] * function["count"] - function["total_s"])
        check.true(f"{what}: mean x count = total", error <= 1e-6 * function["total_s"])
    check.true("MPI time fits into the run", all(r["mpi_s"] <= r["time_s"] * r["threads"] for r in summary["ranks"]))
    if ranks > 1 and name == "late_sender":
        check.true("waiting receives take longer than sends", total_s(summary, "MPI_Recv") > total_s(summary, "MPI_Send"))
    if ranks > 1 and name == "imbalance":
        outside = [rank["time_s"] - rank["mpi_s"] for rank in summary["ranks"]]
        check.true(f"the last rank computes longer than the first: {outside}", outside[0] < outside[-1])


def names_in(folder):
    return sorted(path.name for path in folder.rglob("*") if path.is_file())


def settled(*folders):
    """Names of all files, once the writers, who may outlive the program for a moment, have tidied up."""
    deadline = time.monotonic() + 20
    while True:
        names = sorted(name for folder in folders for name in names_in(folder))
        if time.monotonic() > deadline or not any(name.endswith((".ring", ".done", ".spool", ".spill")) for name in names):
            return names
        time.sleep(0.05)


def main():
    parser = launch.parser("program")
    parser.add_argument("--exit-code", type=int, default=0)
    parser.add_argument("arguments", nargs="*", type=int)
    options = parser.parse_args()

    name = pathlib.Path(options.program).name
    expected = predictions.EXAMPLES[name](options.ranks, *options.arguments)
    command = [options.program, *options.arguments]
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-example-") as folder:
        trace, scratch = pathlib.Path(folder, "trace"), pathlib.Path(folder, "scratch")
        untraced = launch.mpirun(options.mpiexec, options.ranks, command)
        traced = launch.traced(options.mpiexec, options.ranks, options.meridian, command, trace, scratch)
        check.equal("exit code untraced", untraced.returncode, options.exit_code)
        check.equal("exit code traced", traced.returncode, options.exit_code)
        check.equal("output traced", traced.stdout, untraced.stdout)
        if expected.result is not None:
            check.equal("output", untraced.stdout, expected.result)
        rank_files = [f"rank-{rank:05d}.h5" for rank in range(options.ranks)]
        check.true("a rank file for each rank when the program ends", set(rank_files) <= set(names_in(trace)))
        merged, summary = launch.merge(options.meridian, trace)
        check.equal("exit code of merge", merged.returncode, 0)
        if summary is None:
            check.true("the summary is JSON", False)
        else:
            check_summary(check, summary, expected, options.ranks)
            check_times(check, summary, name, options.ranks)
        check.equal("files when the writers have left", settled(trace, scratch), sorted([*rank_files, "merged.h5"]))
        return check.finish(untraced, traced, merged)


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""One damaged chunk of a rank file costs what is in it, not the rank.

check_chunks.py --meridian M --mpiexec X [--calls C] [--all] program

Records COUNT calls of two ranks (many_calls.c), then damages single chunks of the first rank's file, found with h5py:
bits are flipped, or the chunk or its second half is zeroed. Each damaged trace is merged; /segments of the original file
give the numbers of calls that are omitted or incomplete.
"""

import argparse
import itertools
import pathlib
import re
import sys
import tempfile

import h5py
import numpy as np
from check_kills import launch

CHUNK = 65536
DAMAGES = {
    "bits": lambda data: bytes(byte ^ 0x10 for byte in data),
    "zeros": lambda data: bytes(len(data)),
    "half": lambda data: data[: len(data) // 2] + bytes(len(data) - len(data) // 2),
}
EVENTS = ("gap", "duration", "call", "payload", "flags", "completions")
# dataset -> column of /segments that says how many rows are whose; flag of the events that lack something, or payload
COLUMNS = {f"events/{name}": "events" for name in EVENTS} | {
    "p2p/comm": "p2p", "p2p/peer": "p2p", "p2p/tag": "p2p", "p2p/count": "p2p", "p2p/type_size": "p2p", "p2p/request": "p2p",
    "completions/request": "completions", "completions/source": "completions", "completions/tag": "completions",
    "completions/bytes": "completions", "sites/address": "sites", "sites/node": "nodes", "counters/value": "counters",
    "counters/between": "counters",
}  # fmt: skip
MESSAGES = ("p2p", "completions")  # what matching needs; without a call it needs all


class Rank:
    """A rank file as it was written."""

    def __init__(self, path):
        self.path, self.bytes = path, path.read_bytes()
        with h5py.File(path) as file:
            self.segments = file["segments"][()]
            self.sizes = {name: len(file[name]) for name in COLUMNS if name in file}
            self.chunks = {name: list(self.chunks_of(file[name])) for name in self.sizes}
            self.completions = file["events/completions"][()]
            self.calls = int(self.segments["events"].sum())

    @staticmethod
    def chunks_of(dataset):
        if dataset.chunks is None:
            return
        for k in range(dataset.id.get_num_chunks()):
            chunk = dataset.id.get_chunk_info(k)
            yield chunk.chunk_offset[0], chunk.byte_offset, chunk.size

    def hit(self, column, first_row):
        """Segments that have rows in the chunk."""
        ends = np.cumsum(self.segments[column].astype(int))
        return [i for i, (begin, end) in enumerate(zip([0, *ends], ends)) if begin < end and begin < first_row + CHUNK and end > first_row]

    def rows_lacking(self, column, hit):
        """Events that become incomplete when the rows that `column` counts in these segments cannot be read."""
        if column != "completions":
            return int(self.segments[column][hit].sum())  # one row an event, here
        ends = np.cumsum(self.segments["events"].astype(int))
        return sum(int((self.completions[ends[i] - int(self.segments["events"][i]) : ends[i]] != 0).sum()) for i in hit)

    def damage(self, first_byte, size, how):
        data = self.bytes
        self.path.write_bytes(data[:first_byte] + DAMAGES[how](data[first_byte : first_byte + size]) + data[first_byte + size :])

    def restore(self):
        self.path.write_bytes(self.bytes)


def cases(rank, is_all):
    """(dataset, chunk, how): the first, the last and one between of each, each damaged in its own way"""
    ways = itertools.cycle(DAMAGES)
    for name, chunks in rank.chunks.items():
        if not chunks:
            continue  # all its elements are its fill value
        if not is_all and name.startswith("events/") and name not in ("events/gap", "events/payload"):
            continue
        chosen = chunks if is_all else [chunks[k] for k in sorted({0, len(chunks) // 2, len(chunks) - 1})]
        if not is_all and name not in ("events/gap", "p2p/tag"):
            chosen = chosen[len(chosen) // 2 :][:1]
        for chunk in chosen:
            for how in DAMAGES if is_all else [next(ways)]:
                yield name, chunk, how


def check_case(check, options, trace, rank, whole, case):
    name, (first_row, first_byte, size), how = case
    what = f"{name} from row {first_row} on: {how}"
    column = COLUMNS[name]
    rank.damage(first_byte, size, how)
    merged, summary = launch.merge(options.meridian, trace)
    rank.restore()
    check.equal(f"{what}: exit code: {merged.stderr}", merged.returncode, 2)
    if summary is None:
        return
    findings = {f["name"]: f for f in summary["findings"]}
    hit = rank.hit(column, first_row)
    lost = int(rank.segments["events"][hit].sum()) if column == "events" else 0
    counters = rank.sizes.get("counters/value", 0) // max(1, rank.calls)
    lacking = 0 if column == "events" else rank.rows_lacking(column, hit) // (counters if column == "counters" else 1)
    check.true(f"{what}: {lost} calls are left out, {lacking} lack something, of {rank.calls}", 0 < lost + lacking < rank.calls or len(rank.chunks[name]) == 1)
    check.equal(f"{what}: rank.damaged", findings.get("rank.damaged", {}).get("count", 0), lost)
    check.equal(f"{what}: rank.damaged_columns", findings.get("rank.damaged_columns", {}).get("count", 0), lacking)
    check.equal(f"{what}: other errors", [f["name"] for f in summary["findings"] if f["severity"] == "error" and not f["name"].startswith("rank.damaged")], [])
    check.equal(f"{what}: calls", launch.recorded(summary), launch.recorded(whole) - lost)
    # Each round has one message of a rank to itself; after a gap, no message of that rank is matched.
    matched, rounds = summary["messages"]["matched"], options.calls // 8
    if column == "events" or column in MESSAGES:
        before = sum(int(rank.segments["p2p"][i]) for i in range(hit[0])) // 3
        check.true(f"{what}: {matched - rounds} messages are matched, {before} were before it", abs(matched - rounds - before) <= 1)
    else:
        check.equal(f"{what}: messages", matched, whole["messages"]["matched"])


def check_indexes(check, options, trace, rank):
    """The index of chunks is damaged: their column is unreadable, and the chunks are not treated as omitted ones."""
    indexes = [match.start() for match in re.finditer(b"EAIB|EADB|FADB", rank.bytes)]
    for at in indexes if options.all else indexes[:: max(1, len(indexes) // 3)]:
        rank.damage(at + 8, 8, "bits")
        merged, summary = launch.merge(options.meridian, trace)
        rank.restore()
        found = [f["name"] for f in summary["findings"] if f["name"].startswith("rank.damaged")] if summary else []
        check.true(f"index at byte {at}: exit code {merged.returncode}, {found}", merged.returncode == 2 and found)
    return len(indexes)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--calls", type=int, default=140_000, help="of each rank")
    parser.add_argument("--all", action="store_true", help="every chunk of every dataset, in every way")
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-chunks-") as work:
        trace = pathlib.Path(work) / "trace"
        done = launch.traced(
            options.mpiexec, 2, options.meridian, [options.program, options.calls], trace, pathlib.Path(work) / "scratch",
            MERIDIAN_STACK=8, MERIDIAN_COUNTERS="rusage:minflt",
        )  # fmt: skip
        check.equal("exit code", done.returncode, 0)
        merged, whole = launch.merge(options.meridian, trace)
        check.equal(f"exit code of merge: {merged.stdout}{merged.stderr}", merged.returncode, 0)
        check.equal("messages", whole["messages"]["matched"], 2 * (options.calls // 8))
        rank = Rank(trace / "rank-00000.h5")
        missing = [name for name in COLUMNS if name not in rank.sizes]
        check.equal("datasets that are not there", missing, [])
        count = 0
        for case in cases(rank, options.all):
            check_case(check, options, trace, rank, whole, case)
            count += 1
        indexes = check_indexes(check, options, trace, rank)
        print(f"{count} chunks damaged, {indexes} indexes found")
        check.true("columns of several chunks have indexes", indexes > 0)
        check.true("most datasets have chunks", count >= 12)
        return check.finish(done)


if __name__ == "__main__":
    sys.exit(main())

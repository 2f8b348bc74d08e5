# SPDX-License-Identifier: Apache-2.0
"""Full rings, limits and storms of threads: the program ends as untraced, and every call is recorded or counted as lost.

check_room.py --meridian M --mpiexec X --ranks N [--times N] program case...

--times multiplies the threads of the cases that have many.
"""

import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time

import h5py
import numpy

import check_kills
import merged_columns
from check_kills import launch

END_S = 200
SMALL = {"MERIDIAN_BUFFER": "256K", "MERIDIAN_LEVELS": "all,-thread,-lock,-sleep"}


def column(file, name):
    """A rank that lost everything has no events."""
    return file[name][()] if name in file else numpy.zeros(0, dtype=numpy.int64)


def lines_of_program(output):
    """Without the messages of MPICH's UCX about limits, which contain times and process ids."""
    return sorted(line for line in output.splitlines() if " UCX " not in line)


class RankFile:
    """The contents of a rank file, read with h5py: events by thread, calls that were lost or filtered out, texts."""

    def __init__(self, path):
        with h5py.File(path) as file:
            self.rank = int(file.attrs["rank"])
            self.lost = {key: int(value) for key, value in file.attrs.items() if key.startswith("lost_") and value}
            self.is_finalized = bool(file.attrs["finalized"])
            names = file["calls/name"].asstr()[()]
            self.calls = names[column(file, "events/call")]
            finished = column(file, "events/flags") & check_kills.UNFINISHED == 0
            self.events, self.main, first = {}, None, 0
            self.counts = self._message_counts(file)
            for segment in column(file, "segments"):
                last = first + int(segment["events"])
                thread = int(segment["thread"])
                self.events[thread] = self.events.get(thread, 0) + int(finished[first:last].sum())
                if any(name.startswith("MPI_Init") for name in self.calls[first:last]):
                    self.main = thread
                first = last
            passed = file["passed"][()] if "passed" in file else []
            self.all_passed = {names[row["call"]]: int(row["count"]) for row in passed}
            self.passed = sum(count for name, count in self.all_passed.items() if name.startswith("MPI_"))
            text_bytes = column(file, "text_bytes").tobytes()
            self.texts = []
            for row in column(file, "texts"):
                begin = int(row["first"])
                key, value = text_bytes[begin : begin + int(row["bytes"])].split(b"\0", 1)
                self.texts.append((key.decode(), value.decode(), int(row["handle"]), int(row["ticks"])))

    def _message_counts(self, file):
        """(thread, number of the event in its thread): elements of the message that a call sends or receives."""
        counts, rows, numbers, first = {}, 0, {}, 0
        payloads, elements = column(file, "events/payload"), file["p2p/count"][()] if "p2p" in file else []
        for segment in column(file, "segments"):
            thread, last = int(segment["thread"]), first + int(segment["events"])
            number = numbers.get(thread, 0)
            for at in first + numpy.flatnonzero(payloads[first:last] == 3):
                counts[thread, number + int(at) - first] = int(elements[rows])
                rows += 1
            numbers[thread] = number + last - first
            first = last
        return counts

    def lost_of_threads(self):
        """thread: calls lost in gaps that have ended."""
        lost = {}
        for key, value, thread, _ in self.texts:
            if key == "recording.lost" and " " in value:
                lost[thread] = lost.get(thread, 0) + int(value.split()[1])
        return lost


class Room:
    """Runs the program, traced and untraced, and checks the files that it leaves."""

    def __init__(self, options, work):
        self.options, self.work, self.check = options, pathlib.Path(work), launch.Checks()
        self.trace, self.scratch, self.shared = (self.work / name for name in ("trace", "scratch", "shared"))
        self.merged, self.summary, self.user = None, None, {}

    def start(self, words, tracer, **settings):
        for path in (self.scratch, self.shared):
            path.mkdir(exist_ok=True)
        for path in self.shared.iterdir():
            path.rmdir() if path.is_dir() else path.unlink()
        command = [self.options.mpiexec, "-n", self.options.ranks, *tracer, self.options.program, self.shared, *words]
        env = launch.environment(MERIDIAN_DIR=self.trace, MERIDIAN_SCRATCH=self.scratch, **{**SMALL, **settings})
        return subprocess.Popen(
            [str(word) for word in command], env=env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
            stderr=subprocess.PIPE, text=True, start_new_session=True, **self.user,
        )  # fmt: skip

    def untraced(self, *words, **settings):
        process = self.start(words, [], **settings)
        for word in ("stopped", "going"):
            (self.shared / word).touch()
        output, errors = process.communicate(timeout=END_S)
        return process.returncode, lines_of_program(output), errors

    def traced(self, *words, meanwhile=None, **settings):
        process = self.start(words, [self.options.meridian, "run"], **settings)
        if meanwhile is not None:
            meanwhile(process)
        output, errors = process.communicate(timeout=END_S)
        deadline = time.monotonic() + END_S
        while check_kills.pids(self.work, of="meridian-writer") and time.monotonic() < deadline:
            time.sleep(0.01)
        self.said = [line for line in errors.splitlines() if line.startswith("meridian: ")]
        return process.returncode, lines_of_program(output), errors

    def same(self, *words, meanwhile=None, untraced=None, **settings):
        """Both ways; they must not differ."""
        wanted = untraced or self.untraced(*words, **settings)
        self.check.equal(f"untraced exit code ({wanted[2]})", wanted[0], 4)
        got = self.traced(*words, meanwhile=meanwhile, **settings)
        self.check.equal(f"exit code ({got[2]})", got[0], wanted[0])
        self.check.equal("output", got[1], wanted[1])

    def returned(self):
        """rank: (of the main thread, of all others, [resident, resident, ring, ring, peak, pid])."""
        counts = {}
        for path in self.shared.glob("rank-*"):
            words = numpy.frombuffer(path.read_bytes(), dtype=numpy.int64)
            counts[int(path.name[5:])] = (int(words[0]), int(words[1]), [int(word) for word in words[2:8]])
        return counts

    def files(self):
        files = [RankFile(path) for path in sorted(self.trace.glob("rank-*.h5"))]
        self.check.equal("ranks in the trace", [file.rank for file in files], list(range(self.options.ranks)))
        return files

    def merge(self):
        self.merged, self.summary = launch.merge(self.options.meridian, self.trace)
        self.check.true(f"merge makes a summary: {self.merged.stderr}", self.summary is not None)
        if self.summary is None:
            return {}
        self.check.equal("received before sent", self.summary["reversed_after"], 0)
        return {finding["name"]: finding["count"] for finding in self.summary["findings"]}

    def check_counts(self, files, *causes):
        """Recorded and lost calls are those that the program has made. Returns the lost ones."""
        lost = {}
        returned = self.returned()
        for file in files:
            self.check.equal(f"causes of rank {file.rank}", set(file.lost) - set(causes), set())
            lost[file.rank] = sum(count for cause, count in file.lost.items() if cause != "lost_no_card")  # that are threads
            made = sum(returned[file.rank][:2])
            recorded = sum(file.events.values())
            self.check.equal(f"rank {file.rank}: {recorded} recorded and {lost[file.rank]} lost", recorded + lost[file.rank], made)
        return lost

    def check_messages(self, files):
        """Every pair in the merged file is one message. Returns how many there are, by communicator."""
        counts = {file.rank: file.counts for file in files}
        pairs = {}
        if self.summary is None:
            return pairs
        with h5py.File(self.trace / "merged.h5") as merged:
            table = merged_columns.message_columns(merged)
        for i in range(len(table["comm"])):
            ends = [
                counts[int(table[f"{end}_rank"][i])][int(table[f"{kind}_thread"][i]), int(table[f"{kind}_sequence"][i])]
                for end, kind in (("send", "send"), ("receive", "post"))
            ]
            if ends[0] != ends[1]:
                self.check.equal(f"message {i} of communicator {table['comm'][i]}", ends[1], ends[0])
            comm = int(table["comm"][i])
            pairs[comm] = pairs.get(comm, 0) + 1
        return pairs


def stop_a_writer(room, process, then=None):
    """While the program floods its rings, the writer of one rank is stopped."""
    ranks = range(room.options.ranks)

    def wait_for(*words):
        deadline = time.monotonic() + END_S
        while not all((room.shared / f"{word}-{rank}").exists() for word in words for rank in ranks):
            if process.poll() is not None or time.monotonic() > deadline:
                return room.check.true(f"the program says {words}", False)
            time.sleep(0.002)

    wait_for("ready", "ready-thread")
    writers = check_kills.pids(room.work, of="meridian-writer")
    room.check.equal("writers", len(writers), len(ranks))
    for writer in writers[:1]:
        os.kill(writer, signal.SIGSTOP)
    (room.shared / "stopped").touch()
    wait_for("flooded", "flooded-thread")
    if then is not None:
        then()
    for writer in writers[:1]:
        os.kill(writer, signal.SIGCONT)
    (room.shared / "going").touch()


def drop(room):
    """Calls that found no room are lost and counted by thread, and no message is matched with another one's receive."""
    room.same("lose", 80_000, MERIDIAN_FULL="drop", meanwhile=lambda process: stop_a_writer(room, process))
    room.check.equal("words of ours", room.said, [])
    files = room.files()
    lost = room.check_counts(files, "lost_ring_full")
    room.check.true(f"calls were lost: {lost}", max(lost.values()) > 20_000)
    returned = room.returned()
    for file in files:
        by_thread = file.lost_of_threads()
        room.check.equal(f"rank {file.rank}: lost by threads {by_thread}", sum(by_thread.values()), lost[file.rank])
        mine = file.events[file.main] + by_thread.get(file.main, 0)
        room.check.equal(f"rank {file.rank}: calls of the main thread, recorded and lost", mine, returned[file.rank][0])
        room.check.equal(f"rank {file.rank}: locks outside of MPI calls", file.all_passed.get("pthread_mutex_lock", 0), 0)
    findings = room.merge()
    room.check.equal("finding loss.ring_full", findings.get("loss.ring_full"), sum(lost.values()))
    known = {"loss.ring_full", "call.switched_off", "counters.missing"}
    room.check.equal("other findings", set(findings) - known, set())
    pairs = room.check_messages(files)
    before, dups = 64 * room.options.ranks, 20
    room.check.true(f"what came before the gap is matched: {pairs}", pairs.get(0, 0) >= before)
    whole = [comm for comm, count in pairs.items() if comm != 0 and count == 20 * room.options.ranks]
    room.check.true(f"communicators made later are matched: {pairs}", len(whole) >= dups - 4)
    regions = {region["name"]: region["count"] for region in room.summary["regions"]} if room.summary else {}
    room.check.true(f"regions are there: {regions}", room.options.ranks <= regions.get("late", 0) <= 2 * room.options.ranks and regions.get("whole", 0) >= 2)


def drop_killed(room):
    """The same for a program that is killed while it loses calls."""

    def kill():
        for _, _, (*_, pid) in room.returned().values():
            check_kills.kill(pid)

    process = room.traced("lose", 80_000, MERIDIAN_FULL="drop", meanwhile=lambda process: stop_a_writer(room, process, kill))
    room.check.true(f"exit code {process[0]}", process[0] != 0)
    findings = room.merge()  # finishes what no writer has
    files = room.files()
    lost = room.check_counts(files, "lost_ring_full")
    room.check.true(f"calls were lost: {lost}", max(lost.values()) > 20_000)
    room.check.equal("finding loss.ring_full", findings.get("loss.ring_full"), sum(lost.values()))
    pairs = room.check_messages(files)
    room.check.equal("messages", pairs, {0: 64 * room.options.ranks} if len(pairs) == 1 else pairs)
    room.check.true(f"what came before the gap is matched: {pairs}", pairs.get(0, 0) >= 64 * room.options.ranks)


def wait(room):
    """By default threads wait, and nothing is lost; the waits are in the summary."""

    def go_on_later(process):
        deadline = time.monotonic() + END_S
        while not list(room.shared.glob("ready-*")) and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.002)
        for word in ("stopped", "going"):
            (room.shared / word).touch()

    room.same("lose", 200_000, meanwhile=go_on_later)
    files = room.files()
    room.check.equal("lost calls", set(room.check_counts(files).values()), {0})
    room.check.equal("findings", room.merge(), {})
    pairs = room.check_messages(files)
    room.check.equal("messages", sum(pairs.values()), room.options.ranks * (64 + 40 + 2500 + 20 * 20))


def max_size(room):
    """Recording ends when a rank has recorded the given number of bytes; later calls are counted by function."""
    limit, block = 1 << 18, 64 << 10
    room.same("exchange", 20_000, MERIDIAN_MAX_SIZE="256K")
    room.check.equal("words of ours", room.said, [])
    files, returned = room.files(), room.returned()
    for file in files:
        recorded = sum(file.events.values())
        room.check.equal(f"rank {file.rank}: {recorded} recorded, {file.passed} counted", recorded + file.passed, sum(returned[file.rank][:2]))
        room.check.equal(f"rank {file.rank}: lost", file.lost, {})
        # Whole records of these calls have 9 to 13 words, a barrier's too; small ones at least one.
        least, most = limit - block, limit + 2 * block
        room.check.true(f"rank {file.rank}: bytes of {recorded} records", least <= recorded * 13 * 8 and recorded * 8 <= most)
        room.check.true(f"rank {file.rank} reached MPI_Finalize", file.is_finalized)
        switches = [value for key, value, _, _ in file.texts if key == "recording"]
        room.check.equal(f"rank {file.rank}: switches", switches, ["off"])
    findings = room.merge()
    room.check.equal("finding filter.full", findings.get("filter.full"), room.options.ranks)
    room.check.equal("other findings", set(findings) - {"filter.full", "call.switched_off"}, set())
    room.check.true("messages are matched", sum(room.check_messages(files).values()) > 1000)


THREADS = {"MERIDIAN_LEVELS": "all,-thread,-lock"}


def storm(room):
    """Many threads at once, each with a ring."""
    count = 100 * room.options.times
    room.same("threads", count, MERIDIAN_MAX_THREADS=count + 1, **THREADS)
    files = room.files()
    lost = room.check_counts(files, "lost_no_memory")  # where scratch has not room for all
    if not any(lost.values()):
        room.check.equal("words of ours", room.said, [])
        room.check.equal("findings", room.merge(), {})
    for file in files:
        room.check.true(f"threads of rank {file.rank}: {len(file.events)}", len(file.events) == count + 1 or lost[file.rank] > 0)


def too_many(room):
    """More threads at once than there are rings."""
    rings, count = 8, 40 * room.options.times
    room.same("threads", count, MERIDIAN_MAX_THREADS=rings, **THREADS)
    files = room.files()
    lost = room.check_counts(files, "lost_no_slot")
    for file in files:
        room.check.equal(f"threads of rank {file.rank}", len(file.events), rings)
        room.check.equal(f"lost by rank {file.rank}", lost[file.rank], (count - rings + 1) * 50)
    room.check.equal("words of ours", len([line for line in room.said if "MERIDIAN_MAX_THREADS" in line]), room.options.ranks)
    findings = room.merge()
    room.check.equal("findings", findings, {"loss.no_slot": sum(lost.values())})


def no_descriptors(room):
    """No file can be opened when threads want rings."""
    count = 10 * room.options.times
    room.same("threads", count, NOFILE=1, **THREADS)
    files = room.files()
    lost = room.check_counts(files, "lost_no_memory")
    room.check.equal("lost calls", lost, {rank: count * 50 for rank in range(room.options.ranks)})
    room.check.equal("words of ours", len([line for line in room.said if "Too many open files" in line]), room.options.ranks)
    room.check.equal("findings", room.merge().get("loss.no_memory"), sum(lost.values()))


def no_addresses(room):
    """The address space is limited to what the program needs and some more: the rings exceed it, not the program."""
    count = 20 * room.options.times
    free = room.untraced("threads", count, **THREADS)
    room.check.equal("exit code without a limit", free[0], 4)
    needed = max(counts[2][4] for counts in room.returned().values())
    compared = 0
    for beyond in (32 << 20, 64 << 20, 128 << 20, 1 << 30):  # the tracer itself takes some
        settings = {"AS_BYTES": needed + beyond, "MERIDIAN_BUFFER": "4M", "MERIDIAN_MAX_THREADS": count + 1, **THREADS}
        untraced = room.untraced("threads", count, **settings)
        if untraced[0] != 4:
            continue
        compared += 1
        room.trace = room.work / f"trace-{beyond}"
        room.same("threads", count, untraced=untraced, **settings)
        if not room.trace.exists():
            room.check.true(f"no trace, and nothing said, with {beyond} bytes more", room.said != [])
            continue
        lost = room.check_counts(room.files(), "lost_no_memory")
        room.check.equal(f"said with {beyond} bytes more", any("no room for another ring" in line for line in room.said), any(lost.values()))
        room.check.equal(f"findings with {beyond} bytes more", room.merge().get("loss.no_memory", 0), sum(lost.values()))
    room.check.true("limits were compared", compared > 0)


def short_lived(room):
    """Threads one after the other use one ring: neither memory nor scratch grow with them."""
    count = 2000 * room.options.times
    room.same("short", count, **THREADS)
    files = room.files()
    room.check.equal("lost calls", set(room.check_counts(files, "lost_no_card").values()) - {0}, set())
    for rank, (_, _, (early, late, early_ring, late_ring, *_)) in room.returned().items():
        room.check.true(f"rank {rank}: resident {early}, then {late}", 0 < early and late <= early + (4 << 20))
        room.check.true(f"rank {rank}: rings {early_ring}, then {late_ring}", 0 < early_ring and late_ring == early_ring)
    room.check.equal("findings", set(room.merge()) - {"loss.no_card"}, set())


CASES = (drop, drop_killed, wait, max_size, storm, too_many, no_descriptors, no_addresses, short_lived)


def main():
    parser = launch.parser()
    parser.add_argument("--times", type=int, default=1)
    parser.add_argument("program")
    parser.add_argument("cases", nargs="+", choices=[case.__name__ for case in CASES])
    options = parser.parse_args()
    worst = 0
    for name in options.cases:
        with tempfile.TemporaryDirectory(prefix="meridian-room-") as work:
            room = Room(options, work)
            next(case for case in CASES if case.__name__ == name)(room)
            worst = max(worst, room.check.finish(*([room.merged] if room.merged else [])))
    return worst


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Runs whose clocks are bent by known amounts (MERIDIAN_TEST_CLOCK): what the trace must contain, computed from the bends only.

Every rank reads raw + offset + raw * drift, raw being the machine's CLOCK_MONOTONIC_RAW, so that the true time of each
stamp is known to the nanosecond.
"""

import collections
import dataclasses
import json
import pathlib
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent.parent / "support"))
import h5py  # noqa: E402
import launch  # noqa: E402
import merged_columns  # noqa: E402
import numpy  # noqa: E402

START, FINISH, EPOCH = 0, 1, 2
SETTLE_S = 60
TIMEOUT_S = 150


@dataclasses.dataclass
class Bend:
    """Rank r's clock is ahead by r * offset_ns and quicker by r * drift_ppb; and by r times a wave of two parabolas."""

    offset_ns: int = 3_000_000_000
    drift_ppb: int = 15_000
    wave_ns: int = 0
    period_ns: int = 0

    def option(self, *more):
        return ",".join(["0:0:0", f"*:{self.offset_ns}:{self.drift_ppb}:0:{self.wave_ns}:{self.period_ns}", *more])

    def wave(self, rank, raw):
        half = self.period_ns // 2
        if half == 0:
            return 0
        at = raw % half
        height = 4 * rank * self.wave_ns * at * (half - at) // (half * half)
        return height if raw // half % 2 == 0 else -height

    def raw(self, rank, ticks):
        """The true time of a stamp, to the nanosecond."""
        raw = wanted = int(ticks)
        for _ in range(6 if self.wave_ns else 1):  # a wave changes slowly
            raw = (wanted - self.wave(rank, raw) - rank * self.offset_ns) * 10**9 // (10**9 + rank * self.drift_ppb)
        return raw

    def local(self, rank, raw):
        return raw + rank * self.offset_ns + raw * rank * self.drift_ppb // 10**9 + self.wave(rank, raw)


@dataclasses.dataclass
class Exchange:
    asks: int
    answers: int
    phase: int
    stamps: tuple  # of the rank that asks, of the other twice, of the first


class Run:
    def __init__(self, options, subject, milliseconds, work, bend, *more, ranks=None, **extra):
        """`more`: further words of MERIDIAN_TEST_CLOCK."""
        work = pathlib.Path(work)
        self.ranks = ranks or options.ranks
        self.bend, self.folder, scratch = bend, work / "trace", work / "scratch"
        scratch.mkdir(parents=True)
        launcher = [options.mpiexec, "-n", self.ranks]
        command = [options.program, subject, milliseconds]
        self.process = self._start(
            [*launcher, options.meridian, "run", *command],
            MERIDIAN_DIR=self.folder, MERIDIAN_SCRATCH=scratch, MERIDIAN_TEST_CLOCK=bend.option(*more), **extra)  # fmt: skip
        deadline = time.monotonic() + SETTLE_S  # the writers of a killed program outlive it
        while time.monotonic() < deadline and (
            list(scratch.rglob("*.ring")) or len(list(self.folder.glob("rank-*.h5"))) < self.ranks
        ):
            time.sleep(0.05)
        self.exchanges, self.overheads, self.files = [], collections.Counter(), {}
        for path in sorted(self.folder.glob("rank-*.h5")):
            self._read(path)

    @staticmethod
    def _start(command, **extra):
        words = [str(word) for word in command]
        return subprocess.run(
            words, env=launch.environment(**extra), stdin=subprocess.DEVNULL, capture_output=True, text=True,
            timeout=TIMEOUT_S, check=False)  # fmt: skip

    def _read(self, path):
        with h5py.File(path) as file:
            rank = int(file.attrs["rank"])
            self.files[rank] = {name: file.attrs[name] for name in ("clock", "domain")}
            if "exchanges" in file:
                names = ("peer", "phase", "sent_ticks", "received_ticks", "replied_ticks", "returned_ticks")
                table = file["exchanges"][:]
                for peer, phase, *stamps in zip(*(table[name].tolist() for name in names)):
                    self.exchanges.append(Exchange(rank, peer, phase, tuple(stamps)))
            if "overhead" in file:
                table = file["overhead"][:]
                for kind, begin, end in zip(*(table[name].tolist() for name in ("kind", "enter_ticks", "leave_ticks"))):
                    self.overheads[rank, kind] += end - begin

    def path(self, rank):
        return self.folder / f"rank-{rank:05d}.h5"

    def pairs(self, phase):
        return collections.Counter((one.asks, one.answers) for one in self.exchanges if one.phase == phase)

    def true_stamps(self, one):
        ranks = (one.asks, one.answers, one.answers, one.asks)
        return tuple(self.bend.raw(rank, ticks) for rank, ticks in zip(ranks, one.stamps))

    def check_exchanges(self, check):
        """The true times of the four stamps of every round trip ascend."""
        check.true("there are round trips", self.exchanges)
        for one in self.exchanges:
            true = self.true_stamps(one)
            if any(later < earlier - 1 for earlier, later in zip(true, true[1:])):
                check.equal(f"order of the stamps of {one}", true, tuple(sorted(true)))
                break

    def merge(self, options, *arguments):
        process = launch.run([options.meridian, "merge", "--json", *arguments, self.folder])
        try:
            return process, json.loads(process.stdout)
        except json.JSONDecodeError:
            return process, None


def connected(ranks, pairs):
    """Ranks that pairs tie to rank 0."""
    found, grows = {0}, True
    while grows:
        grown = found | {b for a, b in pairs if a in found} | {a for a, b in pairs if b in found}
        grows, found = grown != found, grown
    return len(found) == ranks


class Merged:
    """Times of events, with their bounds, as FORMAT.md says how to read them."""

    def __init__(self, folder):
        with h5py.File(folder / "merged.h5") as file:
            self.move_ns = int(file.attrs.get("clock_largest_move_ns", 0))
            self.domain_of = dict(zip(file["ranks/rank"][:].tolist(), file["ranks/clock_domain"][:].tolist()))
            events = merged_columns.event_columns(file)
            self.rank, self.enter = events["rank"], events["enter_ns"]
            self.sequence, self.thread = events["sequence"], events["thread"]
            self.knots = {}
            if "clock_bounds" in file:
                names = ("time_ns", "t1_early_ns", "t1_late_ns", "rate", "is_certified")
                columns = {name: file[f"clock_bounds/{name}"][:] for name in names}
                domains = file["clock_bounds/domain"][:]
                for domain in set(domains.tolist()):
                    self.knots[domain] = {name: column[domains == domain] for name, column in columns.items()}

    def bounds(self, domain, times):
        """(early, late), NaN where there is none."""
        knots = self.knots.get(domain)
        nothing = numpy.full(len(times), numpy.nan)
        if knots is None or len(knots["time_ns"]) == 0:
            return nothing, nothing
        at = knots["time_ns"].astype("i8")
        after = numpy.searchsorted(at, times, side="right").clip(0, len(at) - 1)
        before = (numpy.searchsorted(at, times, side="right") - 1).clip(0, len(at) - 1)
        is_certified = (knots["is_certified"][before] != 0) & (knots["is_certified"][after] != 0)
        sides = []
        for name, more in (("t1_early_ns", self.move_ns), ("t1_late_ns", 0)):
            width = numpy.minimum(*(knots[name][k] + knots["rate"][k] * abs(times - at[k]) for k in (before, after)))
            sides.append(numpy.where(is_certified & numpy.isfinite(width), width + more, numpy.nan))
        return sides[0], sides[1]


def enters(path):
    """Enter ticks of a rank's first thread, in the order of its calls."""
    with h5py.File(path) as file:
        gap, duration = file["events/gap"][:].astype("u8"), file["events/duration"][:].astype("u8")
        segments = file["segments"][:]
        rows = numpy.split(numpy.arange(len(gap)), numpy.cumsum(segments["events"])[:-1].astype("i8"))
        parts = []
        for thread, first, row in zip(segments["thread"], segments["first_ticks"], rows):
            if thread != segments["thread"][0] or len(row) == 0:
                continue
            leave = numpy.uint64(first) + numpy.cumsum(gap[row] + duration[row])
            parts.append(leave - duration[row])
        return numpy.concatenate(parts).astype("i8") if parts else numpy.zeros(0, "i8"), int(segments["thread"][0])


def check_bounds(check, run, summary, what, farthest=None, distances=None):
    """No certified time misses the truth by more than its bound. Returns (times compared, times in all, half-widths).

    `farthest` gets the largest error of each rank's times, certified or not, and `distances` all errors of ranks that are
    not the reference; ns."""
    merged = Merged(run.folder)
    files = {rank: run.path(rank) for rank in run.files}
    row = next(row for row in summary["clocks"] if row["model"] == "reference")
    reference = row["leader"]
    # The reference's clock is the global one except for its zero and the rate of its ticks. The last pass may have moved
    # its events, even most of them, but only forward, and not all.
    ticks, thread = enters(files[reference])
    own = (merged.rank == reference) & (merged.thread == thread)
    times = merged.enter[own][numpy.argsort(merged.sequence[own])]
    check.equal(f"{what}: calls of the reference", len(times), len(ticks))
    if len(times) != len(ticks) or len(times) < 2:
        return 0, 0, []
    base = int(ticks[0])
    slope = 1e9 / row["frequency_hz"]
    zero = numpy.min((times - times[0]) - slope * (ticks - base)) + times[0]
    doubt = 3  # ns: rounding of three integer maps

    compared = count = 0
    widths = []
    for rank, path in files.items():
        ticks, thread = enters(path)
        own = (merged.rank == rank) & (merged.thread == thread)
        times = merged.enter[own][numpy.argsort(merged.sequence[own])]
        check.equal(f"{what}: calls of rank {rank}", len(times), len(ticks))
        if len(times) != len(ticks):
            continue
        local = [run.bend.local(reference, run.bend.raw(rank, one)) - base for one in ticks.tolist()]
        truth = zero + slope * numpy.array(local, "f8")
        if farthest is not None:
            farthest[rank] = float(abs(times - truth).max())
        if distances is not None and rank != reference:
            distances.extend(abs(times - truth).tolist())
        early, late = merged.bounds(merged.domain_of[rank], times)
        is_bound = numpy.isfinite(early) & numpy.isfinite(late)
        count += len(times)
        compared += int(is_bound.sum())
        if rank != reference:
            widths.extend(((early + late) / 2)[is_bound].tolist())
        is_wrong = is_bound & ((truth < times - early - doubt) | (truth > times + late + doubt))
        if is_wrong.any():
            k = int(numpy.argmax(is_wrong))
            check.equal(f"{what}: times of rank {rank} outside their bounds; the first: {times[k]}, truth {truth[k]:.0f}, "
                        f"-{early[k]:.0f} +{late[k]:.0f}", int(is_wrong.sum()), 0)  # fmt: skip
    return compared, count, widths

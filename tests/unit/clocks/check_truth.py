# SPDX-License-Identifier: Apache-2.0
"""Merges simulated traces with `meridian merge`, and compares every time in the merged file with the truth, which a clock of the
simulation has. Reads the merged file with h5py, and its bounds as trace/format/FORMAT.md describes them.

    check_truth.py MERIDIAN CLOCK_TRACES [--seeds N] [--hosts N] [--seconds S] [--least-points N] SCENARIO...   ("all": every one)
"""

import argparse
import pathlib
import subprocess
import sys
import tempfile

import h5py
import numpy as np

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "support"))
import merged_columns  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("meridian")
parser.add_argument("clock_traces")
parser.add_argument("scenarios", nargs="+")
parser.add_argument("--seeds", type=int, default=1)
parser.add_argument("--hosts", type=int, default=0, help="0: those of the scenario")
parser.add_argument("--seconds", type=float, default=0)
parser.add_argument("--least-points", type=int, default=1, help="fail if fewer certified times were compared")
arguments = parser.parse_args()
LEVELS = ("t1", "t2")
STEP_DOUBT_NS = 200


def run(*words, codes=(0,)):
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True)
    assert done.returncode in codes, (words, done.returncode, done.stderr)
    return done.stdout


class Bounds:
    """The bounds of any time, from /clock_bounds."""

    def __init__(self, file):
        self.columns = {name: data[:] for name, data in file["clock_bounds"].items()}
        self.move = int(file.attrs["clock_largest_move_ns"])

    def at(self, domain, times, level):
        """early, late, is_certified of these times of a domain."""
        of_domain = self.columns["domain"] == domain
        knot = {name: data[of_domain].astype(float if name not in ("time_ns",) else np.int64) for name, data in self.columns.items()}
        after = np.searchsorted(knot["time_ns"], times, side="right")
        early, late, certified = np.full(times.shape, np.inf), np.full(times.shape, np.inf), np.ones(times.shape, bool)
        last = len(knot["time_ns"]) - 1
        for i in (np.maximum(after - 1, 0), np.minimum(after, last)):
            way = knot["rate"][i] * np.abs(times - knot["time_ns"][i])
            early = np.minimum(early, knot[f"{level}_early_ns"][i] + way)
            late = np.minimum(late, knot[f"{level}_late_ns"][i] + way)
            certified &= knot["is_certified"][i] != 0
        certified &= np.isfinite(early) & np.isfinite(late)
        return np.ceil(early) + self.move, np.ceil(late), certified


def compare(directory, scenario, seed):
    """Counts of one simulated trace: points, certified, outside (by level), reversed messages."""
    size = (arguments.hosts, arguments.seconds)
    truth_file = directory / "truth"
    words = [arguments.clock_traces, "write", directory, scenario, seed, *size, truth_file]
    simulation = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert simulation.stdout.readline() == "written\n", words
    run(arguments.meridian, "merge", directory, "--quiet", codes=(0, 2))
    with h5py.File(directory / "merged.h5", "r") as file:
        ranks = dict(zip(file["ranks/rank"][:].tolist(), file["ranks/clock_domain"][:].tolist()))
        models = [name.decode() if isinstance(name, bytes) else name for name in file["summary/clocks/model"][:]]
        reference = int(file["summary/clocks/domain"][:][models.index("reference")])
        leader = min(rank for rank, domain in ranks.items() if domain == reference)
        events = merged_columns.event_columns(file)
        ends = merged_columns.message_columns(file, events)
        messages = ends["receive_leave_ns"] - ends["send_enter_ns"]
        bounds = Bounds(file)
        findings = [name.decode() if isinstance(name, bytes) else name for name in file["findings/name"][:]]
    simulation.communicate(f"{leader}\n")
    assert simulation.returncode == 0, words
    truth = np.fromfile(truth_file, np.int64).reshape(-1, 5)
    assert len(truth) == len(events["rank"]) > 0, (len(truth), len(events["rank"]))
    order = np.lexsort((events["sequence"], events["rank"]))
    rank, sequence, begin, end, _ = truth.T
    assert (events["rank"][order] == rank).all() and (events["sequence"][order] == sequence).all()
    enter = events["enter_ns"][order]
    leave = enter + events["duration_ns"][order]
    is_leader = rank == leader
    zero = int(np.median(begin[is_leader] - enter[is_leader]))  # the reference's clock, less this, is global time

    domain = np.array([ranks[r] for r in range(max(ranks) + 1)])[rank]
    result = {"points": 0, "certified": 0, "reversed": int((messages <= 0).sum()), "messages": len(messages), "findings": findings}
    worst = []
    for level in LEVELS:
        outside = 0
        for found, true in ((enter, begin - zero), (leave, end - zero)):
            for d in set(ranks.values()):
                of_domain = domain == d
                early, late, certified = bounds.at(d, found[of_domain], level)
                error = (true - found)[of_domain]  # positive: the true time is later
                if d == reference and "clock.step" in findings:  # how far off the size of its step is, defines global time
                    error = np.where(np.abs(error) <= STEP_DOUBT_NS, 0, error)
                outside += int((certified & ((error < -early) | (error > late))).sum())
                if level == "t1":
                    result["points"] += len(error)
                    result["certified"] += int(certified.sum())
                    worst.append(float(np.abs(error[certified]).max(initial=0)))
        result[f"outside {level}"] = outside
    result["worst_ns"] = max(worst)
    return result


def main():
    scenarios = arguments.scenarios
    if scenarios == ["all"]:
        scenarios = run(arguments.clock_traces, "list").split()
    points = certified = 0
    wrong = []
    for scenario in scenarios:
        for seed in range(1, arguments.seeds + 1):
            with tempfile.TemporaryDirectory() as work:
                one = compare(pathlib.Path(work), scenario, seed)
            points += one["points"]
            certified += one["certified"]
            print(
                f"{scenario:14} {seed:3}  {one['points']:9} times, {one['certified']:9} certified, outside T1 {one['outside t1']}, "
                f"T2 {one['outside t2']}; largest certified error {one['worst_ns']:.0f} ns; {one['reversed']} of {one['messages']} "
                f"messages reversed; {' '.join(one['findings'])}",
                flush=True,
            )
            # T2 assumes more of the network than some scenarios keep; T1 has to hold in all.
            if one["outside t1"] or one["reversed"] or (one["outside t2"] and not scenario.startswith("asymmetric")):
                wrong.append(f"{scenario} {seed}")
    print(f"{certified} of {points} times certified")
    if certified < arguments.least_points:
        wrong.append(f"fewer than {arguments.least_points} times were compared")
    print("wrong: " + ", ".join(wrong) if wrong else "none wrong")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())

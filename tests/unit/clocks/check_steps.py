# SPDX-License-Identifier: Apache-2.0
"""Merges simulated traces in which one host's clock has steps, and compares every time with the truth: a step of one host moves no event
of another one, T1 contains the truth at every certified time, nothing is reversed, and the table of clocks has the bounds of the file.

    check_steps.py MERIDIAN CLOCK_TRACES [--seeds N] SCENARIO...   ("all": every one of clock_traces list-steps; "damaged")
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
arguments = parser.parse_args()

SET_HOST = 3  # of clock_scenarios.hpp, stepped_runs()
LATENCY_NS = 1300  # the smallest one, Scenario::latency_ns
# By how many latencies a time of the other hosts may be off. Messages between them are as rare as the name of the run says; the clock of
# one that is heard every minute is known to some latencies, whether another one is set or not.
MOST_LATENCIES = {"20ms": 0.5, "2s": 1, "collectives": 8, "20s": 8, "60s": 16}


def simulate(directory, scenario, seed, damage):
    """The merged file's columns, and the truth: [rank][call] of enter and leave on the clock of the reference."""
    words = [arguments.clock_traces, "write", directory, scenario, seed, 0, 0, directory / "truth"]
    simulation = subprocess.Popen([str(word) for word in words], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert simulation.stdout.readline() == "written\n", words
    damage(directory)
    done = subprocess.run([arguments.meridian, "merge", str(directory), "--quiet"], capture_output=True, text=True)
    assert done.returncode in (0, 2), (scenario, done.returncode, done.stderr)
    with h5py.File(directory / "merged.h5", "r") as file:
        events = merged_columns.event_columns(file)
        messages = merged_columns.message_columns(file, events)
        bounds = {name: column[:] for name, column in file["clock_bounds"].items()}
        assert int(file.attrs["clock_largest_move_ns"]) == 0  # the knots contain all moves
        clocks = {name: file[f"summary/clocks/{name}"][:] for name in ("domain", "leader", "model", "t1_s")}
        domains = dict(zip(file["ranks/rank"][:].tolist(), file["ranks/clock_domain"][:].tolist()))
        findings = [merged_columns.text(name) for name in file["findings/name"][:]]
    reference = [merged_columns.text(name) for name in clocks["model"]].index("reference")
    simulation.communicate(f"{clocks['leader'][reference]}\n")
    assert simulation.returncode == 0, words
    truth = np.fromfile(directory / "truth", np.int64).reshape(-1, 5)
    return events, messages, bounds, clocks, domains, findings, truth, int(clocks["leader"][reference])


def certified(bounds, domain, times):
    """early, late of these times of a domain by T1; nan: no bound."""
    own = bounds["domain"] == domain
    knot = {name: column[own].astype(np.int64 if name == "time_ns" else float) for name, column in bounds.items()}
    after = np.searchsorted(knot["time_ns"], times, side="right")
    early, late, is_certified = np.full(times.shape, np.inf), np.full(times.shape, np.inf), np.ones(times.shape, bool)
    for i in (np.maximum(after - 1, 0), np.minimum(after, len(knot["time_ns"]) - 1)):
        way = knot["rate"][i] * np.abs(times - knot["time_ns"][i])
        early = np.minimum(early, knot["t1_early_ns"][i] + way)
        late = np.minimum(late, knot["t1_late_ns"][i] + way)
        is_certified &= knot["is_certified"][i] != 0
    is_certified &= np.isfinite(early) & np.isfinite(late)
    return np.where(is_certified, np.ceil(early), np.nan), np.where(is_certified, np.ceil(late), np.nan)


def check(scenario, seed, damage=lambda directory: None, missing=()):
    with tempfile.TemporaryDirectory() as work:
        events, messages, bounds, clocks, domains, findings, truth, leader = simulate(pathlib.Path(work), scenario, seed, damage)
    wrong = []
    traffic = scenario.split("-", 2)[-1] if scenario.startswith("set-back") else scenario.split("-", 1)[1]
    most_ns = MOST_LATENCIES[traffic.split("-")[0]] * LATENCY_NS
    zero = None
    text = []
    for rank in [leader] + sorted(set(domains) - {leader} - set(missing)):
        own = events["rank"] == rank
        own = np.nonzero(own)[0][np.argsort(events["sequence"][own])]
        true = truth[truth[:, 0] == rank]
        assert len(own) == len(true), (scenario, rank, len(own), len(true))
        found = np.concatenate([events["enter_ns"][own], events["enter_ns"][own] + events["duration_ns"][own]])
        true = np.concatenate([true[:, 2], true[:, 3]])
        if zero is None:
            zero = np.max(true - found)  # the repair moves events forward only
        error = found - (true - zero)
        early, late = certified(bounds, domains[rank], found)
        outside = int(((-error < -early - 2) | (-error > late + 2)).sum())
        worst = np.abs(error).max()
        text.append(f"{worst:.0f} ns")
        if outside:
            wrong.append(f"rank {rank}: {outside} certified times miss the truth")
        if rank != SET_HOST and worst > most_ns:
            wrong.append(f"rank {rank}: a time is off by {worst:.0f} ns, more than {most_ns:.0f}")
        inside = np.isfinite(early)
        # Collectives alone say little of a rate; bounds are as wide.
        if rank == SET_HOST and traffic != "collectives" and inside.any() and np.abs(error[inside]).max() > 5 * most_ns:
            wrong.append(f"rank {rank}: a certified time is off by {np.abs(error[inside]).max():.0f} ns")
    if int((messages["receive_leave_ns"] <= messages["send_enter_ns"]).sum()):
        wrong.append("messages are reversed")
    # The table has the median of the bounds in the file, which are from after the repair.
    end = (events["enter_ns"] + events["duration_ns"]).max()
    for domain, t1_s in zip(clocks["domain"], clocks["t1_s"]):
        own = (bounds["domain"] == domain) & (bounds["is_certified"] != 0) & (bounds["time_ns"] >= 0) & (bounds["time_ns"] <= end)
        half = np.sort((bounds["t1_early_ns"][own].astype(float) + bounds["t1_late_ns"][own]) / 2)
        middle, reach = len(half) // 2, 2 + len(half) // 20  # the table counts knots up to the last sample, not the last event
        if len(half) > 8 and not half[middle - reach] - 1 <= t1_s * 1e9 <= half[middle + reach] * (1 + 1e-6) + 1:
            wrong.append(f"domain {domain}: the table has T1 {t1_s * 1e9:.0f} ns, the file {half[middle]:.0f} ns")
    if "clock.step" not in findings and "clock.uncertified" not in findings:
        wrong.append("no finding reports the step")
    print(f"{scenario:28} {seed:3}  largest errors {', '.join(text)}; {'; '.join(wrong) or 'right'}", flush=True)
    return not wrong


def check_damaged():
    """Without the file of one host, and without its ping-pong exchanges: the times of the others are as right as before."""

    def lose_exchanges(directory):
        for path in directory.glob("rank-*.h5"):
            with h5py.File(path, "r+") as file:
                if "exchanges" in file:
                    del file["exchanges"]

    is_right = check("still-20ms-collectives", 1, lambda directory: (directory / "rank-00001.h5").unlink(), missing=(1,))
    return check("still-20ms-collectives", 2, lose_exchanges) and is_right


def main():
    scenarios = arguments.scenarios
    if scenarios == ["damaged"]:
        return 0 if check_damaged() else 1
    if scenarios == ["all"]:
        scenarios = subprocess.run([arguments.clock_traces, "list-steps"], capture_output=True, text=True, check=True).stdout.split()
    results = [check(scenario, seed) for scenario in scenarios for seed in range(1, arguments.seeds + 1)]
    print(f"{results.count(True)} of {len(results)} right")
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""Energy of a host whose counters rise with known power, and begin at zero again several times.

check_energy.py --meridian M --mpiexec X --ranks N HOW RATE PROGRAM
"""

import json
import os
import pathlib
import socket
import sys
import tempfile
import threading
import time

ROOT = pathlib.Path(__file__).resolve().parents[3]
sys.path[:0] = [str(ROOT / "tests" / "support"), str(ROOT / "python")]
import launch  # noqa: E402

try:
    import meridian
except ImportError:  # there is no pandas
    meridian = None

ITERATIONS, STEP_S = 80, 0.01
RANGE_UJ = 50_000_000  # 1.4 s of the package
START_UJ = 45_000_000


class Counters:
    """A folder like /sys/class with `watts` for each counter."""

    def __init__(self, folder, has_packages):
        self.begin = time.monotonic()
        self.watts, self.is_over = {}, threading.Event()
        zones = {"intel-rapl:0": ("package-0", 35), "intel-rapl:0:0": ("core", 10), "intel-rapl:0:1": ("dram", 5),
                 "intel-rapl:1": ("package-1", 15), "intel-rapl:2": ("psys", 80), "intel-rapl-mmio:0": ("package-0", 35)}  # fmt: skip
        for zone, (name, watts) in zones.items() if has_packages else ():
            path = folder / "powercap" / zone
            path.mkdir(parents=True)
            (path / "name").write_text(name + "\n")
            (path / "max_energy_range_uj").write_text(f"{RANGE_UJ}\n")
            self.watts[path / "energy_uj"] = watts
        chip = folder / "hwmon" / "hwmon3"
        chip.mkdir(parents=True)
        (chip / "name").write_text("amd_energy\n")
        (chip / "temp1_input").write_text("40000\n")
        for number, (label, watts) in enumerate((("Ecore000", 4), ("Esocket0", 50)), 1):
            (chip / f"energy{number}_label").write_text(label + "\n")
            self.watts[chip / f"energy{number}_input"] = watts
        self.write()
        self.thread = threading.Thread(target=self.run)
        self.thread.start()

    def write(self):
        elapsed = time.monotonic() - self.begin
        for path, watts in self.watts.items():
            value = START_UJ + int(elapsed * watts * 1e6)
            if path.name == "energy_uj":
                value %= RANGE_UJ
            path.with_suffix(".new").write_text(f"{value}\n")
            os.replace(path.with_suffix(".new"), path)

    def run(self):
        while not self.is_over.wait(STEP_S):
            self.write()

    def end(self):
        self.is_over.set()
        self.thread.join()


def is_near(value, expected, share=0.04):
    return abs(value - expected) <= share * expected


def query(command, trace, sql):
    asked = launch.run([command, "query", trace / "merged.h5", "--json", sql])
    assert asked.returncode == 0, asked.stderr
    return [list(row.values()) for row in json.loads(asked.stdout)["rows"]]


PACKAGES = {"package-0": ("package", True, 35), "package-0/core": ("part", False, 10), "package-0/dram": ("part", False, 5),
            "package-1": ("package", True, 15), "psys": ("platform", False, 80)}  # fmt: skip


def expected_zones(how):
    sensors = {"amd_energy/Ecore000": ("sensor", False, 4), "amd_energy/Esocket0": ("socket", how == "sockets", 50)}
    return sensors if how == "sockets" else {**PACKAGES, **sensors}


def check_summary(summary, how, ranks):
    expected = expected_zones(how)
    rows = {row["zone"]: row for row in summary["energy"]}
    assert sorted(rows) == sorted(expected), rows
    run = next(row for row in summary["efficiencies"] if row["scope"] == "run")
    for zone, (kind, is_added, watts) in expected.items():
        row = rows[zone]
        assert (row["host"], row["kind"], row["is_added"]) == (socket.gethostname(), kind, is_added), row
        assert row["time_s"] > ITERATIONS * 0.04 and row["begin_s"] >= 0, row
        assert is_near(row["watts"], watts) and is_near(row["joules"], watts * row["time_s"]), row
        assert is_near(row["inner_s"], run["time_s"], 0.1 if how == "profile" else 0.02) and is_near(row["inner_joules"], watts * row["inner_s"]), row
    if how == "profile":
        assert summary["energy_regions"] == summary["energy_phases"] == [], summary["energy_regions"]
    if how == "plain":
        assert summary["energy_regions"] == [] and len(summary["energy_phases"]) == 1, summary["energy_phases"]
        phase, energy = summary["phases"][0], summary["energy_phases"][0]
        assert is_near(energy["watts"], 50) and is_near(energy["iteration_joules"], 50 * phase["mean_s"], 0.1), energy
        assert is_near(energy["joules"], energy["iteration_joules"] * phase["iterations"], 1e-6), energy
    if how == "regions":
        (region,) = summary["energy_regions"]
        assert (region["region"], region["count"]) == ("iteration", ranks * ITERATIONS), region
        assert is_near(region["watts"], 50) and is_near(region["joules"], 50 * region["time_s"] / ranks), region


def check_outputs(meridian_command, trace, how):
    readings = query(meridian_command, trace, "SELECT host, zone, is_added, time_s, joules FROM energy")
    for zone, (_, is_added, watts) in expected_zones(how).items():
        rows = [row for row in readings if row[1] == zone]
        assert len(rows) > 10 and all(row[2] == is_added for row in rows), rows
        assert rows[0][4] == 0 and rows == sorted(rows, key=lambda row: row[3]), rows
        assert is_near(rows[-1][4], watts * (rows[-1][3] - rows[0][3])), rows
        for before, after in zip(rows, rows[1:]):
            assert before[4] <= after[4], (before, after)
    text = launch.run([meridian_command, "stats", "--all", trace]).stdout
    section = text[text.index("\nENERGY (") :]
    assert all(zone in section for zone in expected_zones(how)), text
    assert "no (" in section and (how != "plain" or " an iteration of MPI_Barrier, " in section), text
    line = next(line for line in text.splitlines() if line.startswith("  Energy: "))
    watts = float(line.split(", ")[1].split()[0])
    assert is_near(watts, 50) and line.endswith("(processors of one host)."), line
    same = launch.run([meridian_command, "compare", "--json", "--fail-if", "energy > 1.05x", trace, trace])
    assert same.returncode == 0, same.stderr
    (energy,) = [row for row in json.loads(same.stdout)["comparisons"][0]["figures"] if row["name"] == "energy"]
    assert energy["unit"] == "J", energy
    more = launch.run([meridian_command, "compare", "--fail-if", "power > 40", trace, trace])
    assert more.returncode != 0 and "power" in more.stdout + more.stderr, more
    if meridian is None:
        return
    with meridian.Trace(trace) as opened:
        table = opened.energy
        assert table[["host", "zone", "is_added"]].values.tolist() == [[row[0], row[1], bool(row[2])] for row in readings]
        assert all(is_near(value, row[4], 1e-9) for value, row in zip(table["joules"], readings))


def check_without(command, trace, summary, program):
    assert summary["energy"] == summary["energy_regions"] == summary["energy_phases"] == []
    assert not [finding for finding in summary["findings"] if "energy" in finding["name"]], summary["findings"]
    assert query(command, trace, "SELECT * FROM energy") == []
    text = launch.run([command, "stats", "--all", trace]).stdout.replace(program, "PROGRAM")
    assert "PROGRAM" in text and "energy" not in text.lower() and "joule" not in text.lower(), text
    refused = launch.run([command, "compare", "--fail-if", "energy > 1.05x", trace, trace])
    assert refused.returncode != 0 and "docs/ENERGY.md" in refused.stderr, refused


def main():
    options = launch.parser()
    options.add_argument("how")
    options.add_argument("rate")
    options.add_argument("program")
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        counters = None if options.how == "none" else Counters(work / "class", options.how != "sockets")
        try:
            run = launch.traced(options.mpiexec, options.ranks, options.meridian, [options.program, options.how], work / "trace",
                                work / "scratch", MERIDIAN_MODE="profile" if options.how == "profile" else "trace", MERIDIAN_SAMPLES=options.rate, MERIDIAN_TEST_ENERGY=work / "class")  # fmt: skip
        finally:
            if counters:
                counters.end()
        assert run.returncode == 0, run.stderr
        merged, summary = launch.merge(options.meridian, work / "trace")
        assert merged.returncode == 0, merged.stderr
        if options.how == "none":
            check_without(options.meridian, work / "trace", summary, pathlib.Path(options.program).name)
            return
        check_summary(summary, options.how, options.ranks)
        check_outputs(options.meridian, work / "trace", options.how)


if __name__ == "__main__":
    main()

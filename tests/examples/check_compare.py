# SPDX-License-Identifier: Apache-2.0
"""Compares runs of examples/imbalance: with more work on the same ranks, and with the same steps on one rank and on two.

check_compare.py --meridian M --mpiexec X --program P --ranks 2
"""

import json
import pathlib
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

LITTLE, MUCH = 2_000_000, 12_000_000  # steps of a multiplication: some milliseconds


def traced(options, directory, ranks, work):
    command = [options.mpiexec, "-n", ranks, options.meridian, "run", options.program, "5", work]
    done = launch.run(command, MERIDIAN_DIR=directory)
    assert done.returncode == 0, done
    done = launch.run([options.meridian, "merge", "--quiet", directory])
    assert done.returncode == 0, done
    return directory


def compared(options, *words, code=0):
    done = launch.run([options.meridian, "compare", "--json", *words])
    assert done.returncode == code, done
    return json.loads(done.stdout), done.stderr


def value_of(report, group, name):
    return report["groups"][group]["runs"][0]["figures"][name]


def main():
    options = launch.parser()
    options.add_argument("--program", required=True)
    options = options.parse_args()
    with tempfile.TemporaryDirectory() as work:
        work = pathlib.Path(work)
        little = traced(options, work / "little", 2, LITTLE)
        much = traced(options, work / "much", 2, MUCH)
        alone = traced(options, work / "alone", 1, MUCH)

        report, _ = compared(options, little, much)
        changes = report["comparisons"][0]["changes"]
        compute = next(row for row in changes if (row["subject"], row["name"]) == ("state", "compute"))
        assert compute["notable"] and compute["change_s"] > 0, compute
        barrier = next(row for row in changes if (row["subject"], row["name"]) == ("function", "MPI_Barrier"))
        assert (barrier["before_count"], barrier["after_count"]) == (10, 10), barrier
        ratio = value_of(report, 1, "compute_time") / value_of(report, 0, "compute_time")
        assert 2 < ratio < 18, f"six times the work took {ratio} times as long"
        assert report["scaling"] == [], "the ranks are the same"
        sites = [row for row in changes if row["subject"] == "site" and row["name"] == "MPI_Barrier"]
        assert [row["status"] for row in sites] == ["changed"], sites

        # Rank 1 computes twice as long as rank 0: two ranks do three times the work of one.
        report, _ = compared(options, alone, much)
        first, second = report["scaling"]
        assert (first["ranks"], second["ranks"], first["speedup"], first["efficiency"]) == (1, 2, 1, 1), first
        times = [value_of(report, group, "inner_time") for group in (0, 1)]
        assert abs(second["speedup"] - times[0] / times[1]) < 1e-9
        computing = [value_of(report, group, "compute_time") for group in (0, 1)]
        assert abs(second["computation"] - computing[0] / computing[1]) < 1e-9
        assert abs(second["global"] - second["parallel"] * second["computation"]) < 1e-9
        assert abs(second["global"] - first["global"] * second["efficiency"]) < 1e-6, "an identity of the factors"
        weak, _ = compared(options, "--weak", alone, much)
        assert abs(weak["scaling"][1]["speedup"] - 2 * second["speedup"]) < 1e-9

        _, words = compared(options, little, much, "--fail-if", "compute_time > 1.5x", "--fail-if", "ranks != 2", code=2)
        assert words.count("\n") == 1 and "compute_time was" in words, words
        history = json.loads(launch.run([options.meridian, "compare", "--history", work, "--json"]).stdout)
        assert [pathlib.Path(row["source"]).parent.name for row in history["runs"]] == ["little", "much", "alone"]


main()

# SPDX-License-Identifier: Apache-2.0
"""An imbalance that is in one function of another rank in each iteration: over the whole run all ranks are equal.

check_wander.py --meridian M --writer W --mpiexec X --ranks N wander PROGRAM
"""

import pathlib
import sys

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import ways  # noqa: E402
from check_samples import FACTOR, SHARES, Run  # noqa: E402

WORK_S = 1.0  # of a rank without the factor: kSeconds of shares.c


def check_wander(check, options, work):
    run = Run(options, work, FACTOR, "wander", MERIDIAN_SAMPLES=1000)
    check.equal("exit code", run.process.returncode, 0)
    merged, summary = run.merge()
    rows = [row for row in summary["late_functions"] if row["call"] == "MPI_Barrier" and row["pattern"] == "wait at barrier"]
    check.true("the barrier has functions", bool(rows))
    if not rows:
        return run, merged
    check.equal("function", rows[0]["function"], "assemble")
    designed = (FACTOR - 1) * SHARES["assemble"] * WORK_S * (options.ranks - 1)
    # Less where a rank that had no processor came last by chance: then the other one had more of the work.
    lack = sum(row["compute_s"] + row["mpi_s"] for row in summary["ready_times"])
    check.true(f"{rows[0]['excess_s']} s of {designed} s, {lack} s without a processor", 0.5 * designed - lack <= rows[0]["excess_s"] <= 1.15 * designed)
    check.true(f"standard error {rows[0]['error_s']}", 0 < rows[0]["error_s"] < 0.1 * designed)
    texts = [row["text"] for row in summary["problems"] if row["problem"] == "wait at barrier"]
    said = " Each time, more in the rank that is waited for: +"
    check.true(f"the verdict says so: {texts}", any(said in text and " in assemble (shares.c:" in text for text in texts))
    return run, merged


if __name__ == "__main__":
    sys.exit(ways.main({"wander": check_wander}, "meridian-samples-"))

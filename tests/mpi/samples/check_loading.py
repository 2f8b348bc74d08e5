# SPDX-License-Identifier: Apache-2.0
"""Functions of libraries that are loaded after MPI_Init have their names, also where the library is closed or the rank is killed.

check_loading.py --meridian M --writer W --mpiexec X --ranks N loading PROGRAM LIBRARY LIBRARY
"""

import pathlib
import sys
import time

sys.path[:0] = [str(pathlib.Path(__file__).resolve().parents[2] / "support")]
import ways  # noqa: E402
from check_samples import SETTLE_S, Run  # noqa: E402

FUNCTIONS = {"weigh": 0.5, "count": 0.5}  # s of processor time, of loaded.c


def check_way(check, options, work, way, libraries, wanted):
    run = Run(options, work, way, *libraries, name=way, MERIDIAN_SAMPLES=1000)
    deadline = time.monotonic() + SETTLE_S  # the writers have to notice
    while time.monotonic() < deadline and (list(run.scratch.rglob("*.ring")) or list(run.folder.glob("*.done"))):
        time.sleep(0.05)
    merged, summary = run.merge()
    found = {row["function"]: (row["self_s"], pathlib.Path(row["module"]).name) for row in summary["program_functions"]}
    for name in wanted:
        seconds, module = found.get(name, (0, ""))
        # Less than all: the first samples are taken when the writer has seen the rank, which other programs delay.
        check.true(f"{way}: {name} of {module} for {seconds} s, of {found}", 0.4 * FUNCTIONS[name] * options.ranks < seconds)
        check.true(f"{way}: {name} is in {module}", name in module)
    return run, merged


def check_loading(check, options, work):
    both = options.files
    check_way(check, options, work, "keep", both, FUNCTIONS)
    check_way(check, options, work, "close", both[:1], list(FUNCTIONS)[:1])
    return check_way(check, options, work, "kill", both, FUNCTIONS)


if __name__ == "__main__":
    sys.exit(ways.main({"loading": check_loading}, "meridian-samples-"))

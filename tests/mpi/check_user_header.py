# SPDX-License-Identifier: Apache-2.0
"""<meridian/user.h> compiles without a warning in each language standard, works in each way of linking, leaves nothing behind
when it is compiled out, and costs at most 2 ns where nothing is recorded.

check_user_header.py --meridian M --tracer L --counter C --mpiexec X --ranks N --include DIR --mpicc CC
"""

import pathlib
import shutil
import subprocess
import sys
import tempfile

import check_user
import tracing
from tracing import launch

HERE = pathlib.Path(__file__).resolve().parent / "user"
WARNINGS = "-Wall -Wextra -Wconversion -Wshadow -pedantic -Werror".split()
LINKS = {"pie": ["-fPIE", "-pie"], "not pie": ["-fno-pic", "-no-pie"], "optimized": ["-O3"], "unoptimized": ["-O0"]}
STATIC = {"static": ["-static"], "static pie": ["-static-pie"]}
MOST_NS = 2.0


def compile_with(check, compiler, source, output, *flags):
    done = launch.run([compiler, *WARNINGS, *flags, HERE / source, "-o", output])
    check.equal(f"{compiler} {' '.join(map(str, flags))}", (done.returncode, done.stderr), (0, ""))
    return done.returncode == 0


def check_standards(check, include, work):
    for compiler, language, standards in (
        ("gcc", "c", ("c99", "c11", "gnu17")), ("clang", "c", ("c99", "c17")),
        ("g++", "c++", ("c++11", "c++17", "c++20")), ("clang++", "c++", ("c++11", "c++20")),
    ):  # fmt: skip
        if shutil.which(compiler) is None:
            print(f"skipped: there is no {compiler}")
            continue
        for standard in standards:
            for define in ([], ["-DMERIDIAN_DISABLE"]):
                compile_with(check, compiler, "linked.c", work / "x.o", "-c", f"-I{include}", "-x", language,
                             f"-std={standard}", "-O1", *define)  # fmt: skip


def check_compiled_out(check, include, work):
    compile_with(check, "gcc", "linked.c", work / "off.o", "-c", "-O0", f"-I{include}", "-DMERIDIAN_DISABLE")
    names = subprocess.run(["nm", work / "off.o"], capture_output=True, text=True, check=True).stdout.split()
    check.equal("symbols when compiled out", [name for name in names if "meridian" in name or name == "dlsym"], [])


def check_links(check, options, work):
    for name, flags in {**LINKS, **STATIC}.items():
        if compile_with(check, "gcc", "linked.c", work / "plain", f"-I{options.include}", *flags):
            check.equal(f"exit code {name}", launch.run([work / "plain"]).returncode, 0)
    for name, flags in LINKS.items():
        program = work / "with_mpi"
        if not compile_with(check, options.mpicc, "linked.c", program, f"-I{options.include}", "-DWITH_MPI", "-w", *flags):
            continue
        folder = work / f"trace {name}"
        ran = launch.traced(options.mpiexec, 1, options.meridian, [program], folder, work / "scratch")
        check.equal(f"exit code traced {name}", ran.returncode, 0)
        events = [event[2] for event in check_user.user_events(folder / "rank-00000.h5")]
        check.equal(f"events {name}", events, ["linked", "YES", "linked", "NUMBERS", "switch", "switch"])


def check_cost(check, options, work):
    def costs(*command, **extra):
        words = launch.run(command, **extra).stdout.split()
        return {name: float(value) for name, value in zip(words[::2], words[1::2])}

    compile_with(check, "gcc", "cost.c", work / "cost", "-O2", f"-I{options.include}")
    compile_with(check, options.mpicc, "cost.c", work / "cost_mpi", "-O2", f"-I{options.include}", "-DWITH_MPI", "-w")
    levels = {"MERIDIAN_LEVELS": "env", "MERIDIAN_DIR": work / "cost_trace", "MERIDIAN_SCRATCH": work / "scratch"}
    for what, cost in (
        ("untraced", costs(work / "cost")),
        ("switched off", costs(options.mpiexec, "-n", 1, options.meridian, "run", work / "cost_mpi", **levels)),
    ):
        print(what, cost)
        check.equal(f"what was measured {what}", sorted(cost), ["counter", "event", "region"])
        for name, ns in cost.items():
            check.true(f"{name} {what} costs {ns} ns", ns <= MOST_NS)


def main():
    parser = tracing.parser()
    parser.add_argument("--include", required=True)
    parser.add_argument("--mpicc", required=True)
    options = parser.parse_args()
    check = launch.Checks()
    with tempfile.TemporaryDirectory(prefix="meridian-header-") as folder:
        work = pathlib.Path(folder)
        check_standards(check, options.include, work)
        check_compiled_out(check, options.include, work)
        check_links(check, options, work)
        check_cost(check, options, work)
        return check.finish()


if __name__ == "__main__":
    sys.exit(main())

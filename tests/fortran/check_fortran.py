# SPDX-License-Identifier: Apache-2.0
"""Runs a Fortran program untraced, then traced and counted: the same output, every call once, the bytes it says."""

import argparse
import collections
import pathlib
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import count_fortran  # noqa: E402
import launch  # noqa: E402
import ring_records  # noqa: E402

# objects.F90 makes them between MPI_Pcontrol(0) and MPI_Pcontrol(1).
UNRECORDED = {"objects": {"MPI_Barrier": 1}}

# Without process_vm_readv, Open MPI needs a setting to make windows of memory that it did not allocate.
ONE_SIDED = {"OMPI_MCA_osc": "pt2pt"}


def lines(process):
    return sorted(line.strip() for line in process.stdout.splitlines())


def counted(path):
    calls = collections.Counter()
    for line in path.read_text().splitlines():
        name, count = line.split()
        if int(count) > 0:
            calls[count_fortran.procedure(name)] += int(count)
    return calls


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    for option in ("--tracer", "--mpiexec", "--compiler", "--ranks"):
        parser.add_argument(option, required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    subject = pathlib.Path(options.program).name.split("_")[0]
    checks = launch.Checks()
    with tempfile.TemporaryDirectory() as folder:
        work = pathlib.Path(folder)
        (work / "counts").mkdir()
        (work / "scratch").mkdir()
        counter = work / "libcounter.so"
        count_fortran.build(options.compiler, [options.program], counter)
        untraced = launch.mpirun(options.mpiexec, options.ranks, [options.program, work / "file"], **ONE_SIDED)
        # The counter stands in front, so what passes it passes the tracer as well.
        traced = launch.mpirun(
            options.mpiexec,
            options.ranks,
            ["/usr/bin/env", f"LD_PRELOAD={counter}:{options.tracer}", options.program, work / "file"],
            MERIDIAN_DIR=work / "trace",
            MERIDIAN_SCRATCH=work / "scratch",
            MERIDIAN_WRITER="none",
            MERIDIAN_MAX_THREADS="4",
            COUNT_FORTRAN_DIR=work / "counts",
            **ONE_SIDED,
        )
        checks.equal("exit code untraced", untraced.returncode, 0)
        checks.equal("exit code", traced.returncode, 0)
        checks.true("output", len(lines(untraced)) > 10)
        checks.equal("output", lines(traced), lines(untraced))
        checks.equal("standard error", traced.stderr, untraced.stderr)
        expected = [line.split(maxsplit=3)[1:] for line in lines(untraced) if line.startswith("EXPECT ")]
        for rank in range(int(options.ranks)) if not checks.differences else ():
            ring = (work / "trace" / f"rank-{rank:05}.ring").read_text().split("\n")[1]
            calls, sizes, texts = ring_records.sums(ring)
            wanted = counted(work / "counts" / str(rank))
            wanted.subtract(UNRECORDED.get(subject, {}))
            for name in sorted(calls.keys() | wanted.keys()):
                checks.equal(f"calls of {name} by rank {rank}", calls[name], wanted[name])
            for of, key, value in expected:
                if int(of) == rank:
                    checks.equal(f"{key} of rank {rank}", str(texts[key] if key in texts else sizes[key]), value)
    return checks.finish(untraced, traced)


if __name__ == "__main__":
    sys.exit(main())

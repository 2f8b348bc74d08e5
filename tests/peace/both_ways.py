# SPDX-License-Identifier: Apache-2.0
"""Runs a program untraced and traced, with the same environment."""

import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support"), str(HERE.parent / "mpi"), str(HERE.parent / "mpi/counter")]
import rank_trace  # noqa: E402, F401
import tracing  # noqa: E402
from tracing import launch  # noqa: E402, F401

SKIPPED = 77

# Both libraries run cleanly under sanitizers only without hooks of their own under the C library, and without a transport
# that takes its locks in two orders.
CALM = {"UCX_MEM_EVENTS": "n", "OMPI_MCA_btl": "self,vader"}


def run(options, words, work, traced, cwd=None, **variables):
    """`words` on options.ranks ranks. The trace goes to work/trace."""
    folder, scratch = pathlib.Path(work) / "trace", pathlib.Path(work) / "scratch"
    scratch.mkdir(parents=True, exist_ok=True)
    before = [options.meridian, "run"] if traced else []
    own = {"MERIDIAN_DIR": folder, "MERIDIAN_SCRATCH": scratch} if traced else {}
    done = tracing.launch_in(cwd, [options.mpiexec, "-n", options.ranks, *before, *words], **{**CALM, **own, **variables})
    if traced:
        tracing.wait_for_writers(scratch, folder, options.ranks)
    return done


def lines_of(process):
    """The output of the ranks, in any order, without the launcher's messages about an error."""
    return sorted(line for line in process.stdout.splitlines() if line[:1].isdigit() and ": " in line)


def check_same(check, what, untraced, traced):
    check.equal(f"{what}: exit code", traced.returncode, untraced.returncode)
    check.equal(f"{what}: output", lines_of(traced), lines_of(untraced))
    check.true(f"{what}: the program has printed something: {untraced.stdout}{untraced.stderr}", lines_of(untraced))


def check_trace(check, what, work, ranks):
    """Every rank has its file, with calls in it, and nothing else is there."""
    folder = pathlib.Path(work) / "trace"
    found = sorted(path.name for path in folder.iterdir()) if folder.is_dir() else []
    check.equal(f"{what}: files of the trace", found, [f"rank-{rank:05}.h5" for rank in range(ranks)])
    traces = [rank_trace.RankTrace(path) for path in sorted(folder.glob("rank-*.h5"))]
    for trace in traces:
        check.true(f"{what}: rank {trace.rank} has calls", trace.counts())
    return traces

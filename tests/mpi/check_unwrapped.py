# SPDX-License-Identifier: Apache-2.0
"""A program that calls functions which the tracer does not wrap: the trace names them, and nothing that lacks them is an error.

check_unwrapped.py --meridian M --tracer L --counter C --mpiexec X --ranks N program

The tracer is a copy whose wrappers of some functions have other names, as in one that was built for an older mpi.h.
"""

import pathlib
import struct
import sys
import tempfile

import tracing
from tracing import launch

ROUNDS = 5  # of the program

# Functions without wrappers; what is counted on each rank besides the row that names them.
CASES = [
    # Without its send, a round has a receive too many, which may belong to the message of MPI_Sendrecv, so neither is matched.
    ("a send", ["MPI_Issend"], 2 * ROUNDS + ROUNDS),
    ("a receive", ["MPI_Irecv"], 2 * ROUNDS + ROUNDS + ROUNDS),
    ("both starts", ["MPI_Irecv", "MPI_Issend"], 2 * ROUNDS + ROUNDS),
    ("a collective", ["MPI_Exscan"], 0),
    ("a communicator", ["MPI_Comm_dup"], 1),
    ("a function that is not called", ["MPI_Bsend"], None),
    ("a function without effect", ["MPI_Comm_size"], None),
]


def dynamic_names(library):
    """Offset and size of .dynstr."""
    at = struct.unpack_from("<Q", library, 0x28)[0]
    size, count, names = struct.unpack_from("<HHH", library, 0x3A)
    sections = [struct.unpack_from("<IIQQQQ", library, at + i * size) for i in range(count)]
    for name, _, _, _, offset, length in sections:
        if library[sections[names][4] + name :].startswith(b".dynstr\0"):
            return offset, length
    raise ValueError("no .dynstr")


def without(tracer, functions, work):
    """Writes a copy of the tracer that does not define the functions. It finds its writer as the original does."""
    tracer = pathlib.Path(tracer).resolve()
    library = bytearray(tracer.read_bytes())
    offset, length = dynamic_names(library)
    for function in functions:
        name = b"\0" + function.encode() + b"\0"
        place = library.index(name, offset, offset + length)
        library[place + 1 : place + 4] = b"mpi"
    prefix = tracer.parents[3]
    copy = work / tracer.relative_to(prefix)
    copy.parent.mkdir(parents=True)
    copy.write_bytes(library)
    copy.chmod(0o755)
    (work / "libexec").symlink_to(prefix / "libexec")
    return copy


def check_case(check, options, tracer, what, functions, count, work):
    options.tracer = without(tracer, functions, work / "build")
    runs = tracing.run(options, [options.program], work / "run")
    tracing.check_same_result(check, runs)
    merged, summary = tracing.check_merge(check, options, runs, {"call.unwrapped"})
    found = [(f["count"], f["severity"]) for f in summary["findings"] if f["name"] == "call.unwrapped"]
    # The status of a send is undefined, so the completion of one whose start is unknown may look like that of a message.
    undefined = ROUNDS * options.ranks if "MPI_Issend" in functions else 0
    least = None if count is None else options.ranks + count * options.ranks
    wanted = [[]] if count is None else [[(least + more, "data_loss")] for more in range(undefined + 1)]
    check.true(f"{what}: findings {found}, expected {wanted[0]} to {wanted[-1]}", found in wanted)
    detail = "".join(f["detail"] for f in summary["findings"])
    if count is not None:
        check.true(f"{what}: names of the functions: {detail}", f"the program: {' '.join(functions)};" in detail + ";")
    names = {name for trace in runs.traces.values() for name in trace.counts()}
    check.equal(f"{what}: recorded nevertheless", names & set(functions), set())
    if what == "a collective":
        check.equal(f"{what}: other collectives", summary["collectives"]["count"], ROUNDS + 1)
        check.equal(f"{what}: messages", summary["messages"]["matched"], 2 * ROUNDS * options.ranks)
    return runs, merged


def main():
    parser = tracing.parser()
    parser.add_argument("program")
    options = parser.parse_args()
    check = launch.Checks()
    tracer = options.tracer
    processes = []
    for what, functions, count in CASES:
        with tempfile.TemporaryDirectory(prefix="meridian-mpi-") as work:
            runs, merged = check_case(check, options, tracer, what, functions, count, pathlib.Path(work))
            processes += [runs.untraced, runs.traced, merged]
    return check.finish(*processes)


if __name__ == "__main__":
    sys.exit(main())

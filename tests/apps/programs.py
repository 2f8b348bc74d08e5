# SPDX-License-Identifier: Apache-2.0
"""Other people's programs, as Debian has them: how to run each, and what of its output is its result and not its speed."""

import dataclasses
import pathlib
import re
import shutil

INPUTS = pathlib.Path(__file__).resolve().parent / "inputs"
NUMBER = re.compile(r"[-+]?\d*\.\d+(?:[ED][-+]?\d+)?", re.IGNORECASE)


@dataclasses.dataclass
class Program:
    package: str  # that has it, for the reason of a skip
    command: list
    needs: list  # files, besides the command, that the package has
    stdin: str = None
    # Calls of each rank that only the counter sees; negative: that only the tracer sees, in callbacks of MPI_Finalize.
    unrecorded: dict = dataclasses.field(default_factory=dict)
    findings: frozenset = frozenset()

    def missing(self):
        """The missing program, or None."""
        for path in (shutil.which(self.command[0]) or self.command[0], *self.needs):
            if not pathlib.Path(path).exists():
                return f"{path} is missing: apt-get install {self.package}"
        return None

    def prepare(self, folder, ranks):
        """Puts the input files into a working directory."""

    def result(self, folder, output):
        """Text that has to be the same, traced and untraced."""
        return output


def without_times(text):
    return "\n".join(NUMBER.sub("#", line) for line in text.splitlines())


class Lammps(Program):
    """A Lennard-Jones melt: energies at every step, and all positions and velocities at the end, to the last digit."""

    def __init__(self, *_):
        super().__init__("lammps", ["lmp", "-in", "melt.in", "-log", "none"], [])

    def prepare(self, folder, ranks):
        shutil.copy(INPUTS / "melt.in", folder)

    def result(self, folder, output):
        steps = [line for line in output.splitlines() if re.fullmatch(r"[-+.\de\s]+", line) and len(line.split()) == 6]
        assert len(steps) == 6, output
        return "\n".join(steps) + (folder / "melt.data").read_text()


class Hpcc(Program):
    """The HPC Challenge suite, tiny: what it says of its own results."""

    def __init__(self, *_):
        super().__init__("hpcc", ["hpcc"], [])

    def prepare(self, folder, ranks):
        text = (INPUTS / "hpccinf.txt").read_text()
        (folder / "hpccinf.txt").write_text(text.replace("@P@", "1").replace("@Q@", str(ranks)))

    def result(self, folder, output):
        verdicts = re.compile(r"PASSED|FAILED|^Success=|^Found|with error|Solution Validates|^Begin|^End of (?!HPC)")
        lines = (folder / "hpccoutf.txt").read_text().splitlines()
        kept = [line for line in lines if verdicts.search(line)]
        assert "Success=1" in kept, "\n".join(lines)
        return "\n".join(kept)


class NetPipe(Program):
    """Ping-pongs of growing size, each checked for its content."""

    def __init__(self, *_):
        super().__init__("netpipe-openmpi", ["NPopenmpi", "-i", "-n", "5", "-u", "20000", "-o", "np.out"], [])

    def result(self, folder, output):
        return "\n".join(sorted(without_times(output).splitlines()))  # both ranks write: their lines come as they come


class Scalapack(Program):
    """ScaLAPACK's own test of the LU factorization: which of its checks passed."""

    def __init__(self, flavor):
        folder = next(iter(pathlib.Path("/usr/lib").glob(f"*/scalapack/{flavor}-tests")), pathlib.Path(f"/{flavor}-tests"))
        super().__init__("scalapack-mpi-test", [str(folder / "xdlu")], [])

    def prepare(self, folder, ranks):
        grids = {1: ["1 1"], 2: ["1 2", "2 1"], 4: ["1 2 4", "4 2 1"]}[ranks]
        p, q = grids if len(grids) == 2 else ("1", "1")
        text = (INPUTS / "LU.dat").read_text()
        count = str(len(p.split()))
        (folder / "LU.dat").write_text(text.replace("@GRIDS@", count).replace("@P@", p).replace("@Q@", q))

    def result(self, folder, output):
        assert "PASSED" in output and "FAILED" not in output, output
        return without_times(output.split("MPI machine")[-1].split("Finished", 1)[-1]) + str(output.count("PASSED"))


class Mumps(Program):
    """MUMPS' example program in Fortran: the solution of a small system."""

    def __init__(self, *_):
        super().__init__("mumps-test", ["/usr/lib/mumps/dsimpletest"], ["/usr/lib/mumps/input_simpletest_real"])
        self.stdin = "/usr/lib/mumps/input_simpletest_real"

    def result(self, folder, output):
        solution = [line for line in output.splitlines() if "Solution is" in line]
        assert solution, output
        return "\n".join(f"{float(number):.9f}" for number in NUMBER.findall(solution[0]))


class Script(Program):
    """A Python script: mpi4py loads MPI with dlopen."""

    def __init__(self, name, findings=(), **unrecorded):
        super().__init__("python3-mpi4py", ["/usr/bin/python3", "-B", str(INPUTS / name)], [])
        self.findings = frozenset(findings)
        self.unrecorded = unrecorded
        self.needs = [next(iter(pathlib.Path("/usr/lib/python3/dist-packages").glob("mpi4py")), "/usr/lib/python3/mpi4py")]


PROGRAMS = {
    "lammps": Lammps,
    "hpcc": Hpcc,
    "netpipe": NetPipe,
    "scalapack": Scalapack,
    "mumps": Mumps,
    "mpi4py_messages": lambda *_: Script("messages.py"),
    "mpi4py_collectives": lambda *_: Script("collectives.py", ["site.in_mpi"], MPI_Comm_free_keyval=-1),
    "mpi4py_threads": lambda *_: Script("threads.py"),
}

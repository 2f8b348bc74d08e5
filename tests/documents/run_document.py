# SPDX-License-Identifier: Apache-2.0
"""Runs the commands of a document as a reader would: every block ```sh of it, line by line, in one shell and one folder,
in which `examples`, `meridian`, `mpicc` and `mpirun` are those of this build.

Comments of the document are instructions to this program:
    <!-- skip: REASON -->              the next block is not run
    <!-- setup: COMMAND -->            is run, but not shown to readers
    <!-- expect: REGULAR EXPRESSION -->  the block before has printed this
A line that ends in "# exit code N" ends with N.
"""

import argparse
import os
import pathlib
import re
import stat
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

PART = re.compile(r"<!-- (skip|setup|expect): (.*?) -->|^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
EXIT = re.compile(r"# exit code (\d+)$")
TIMEOUT_S = 200


class Failed(Exception):
    """A command that did something else than its document says."""


def commands_of(block):
    """Lines; a line that ends in a backslash goes on in the next one, a here-document up to its end."""
    lines = iter(block.splitlines())
    for line in lines:
        command = line
        while command.endswith("\\"):
            command = command[:-1] + next(lines)
        here = re.search(r"<<'?(\w+)'?", command)
        while here and not command.endswith("\n" + here[1]):
            command += "\n" + next(lines)
        if command.strip() and not command.lstrip().startswith("#"):
            yield command


class Reader:
    """Types commands into a folder."""

    def __init__(self, folder, environment):
        self.folder, self.environment, self.output = folder, environment, ""

    def type(self, command):
        expected = EXIT.search(command)
        done = subprocess.run(["bash", "-c", command], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=TIMEOUT_S, check=False)
        print(f"$ {command}\n{done.stdout}", flush=True)
        self.output += done.stdout
        if done.returncode != (int(expected[1]) if expected else 0):
            raise Failed(f"`{command}` ended with {done.returncode}")

    def follow(self, text):
        """Runs what a document says; the number of its commands."""
        count, is_skipped = 0, False
        for instruction, argument, language, block in PART.findall(text):
            if instruction == "skip":
                is_skipped = True
            elif instruction == "setup":
                self.type(argument)
            elif instruction == "expect":
                if not re.search(argument, self.output, re.MULTILINE | re.DOTALL):
                    raise Failed(f"nothing matches '{argument}' in\n{self.output}")
            elif language == "sh":
                self.output = ""
                for command in [] if is_skipped else commands_of(block):
                    self.type(command)
                    count += 1
                is_skipped = False
        return count


def link_programs(folder, options):
    """The programs that a reader has on PATH."""
    bin_folder = folder / "bin"
    bin_folder.mkdir()
    for name, target in (("meridian", options.meridian), ("mpicc", options.mpicc)):
        script = bin_folder / name
        script.write_text(f'#!/bin/sh\nexec "{target}" "$@"\n')
        script.chmod(script.stat().st_mode | stat.S_IXUSR)
    script = bin_folder / "mpirun"
    script.write_text(f'#!/bin/sh\nexec "{options.mpiexec}" "$@"\n')
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    return bin_folder


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("document", type=pathlib.Path)
    for name in ("meridian", "writer", "mpicc", "mpiexec"):
        parser.add_argument(f"--{name}", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="meridian-document-") as temporary:
        folder = pathlib.Path(temporary)
        programs = link_programs(folder, options)
        work = folder / "work"
        work.mkdir()
        (work / "examples").symlink_to(ROOT / "examples")
        environment = launch.environment(PATH=f"{programs}:{os.environ['PATH']}", PYTHONPATH=ROOT / "python",
                                         CPATH=ROOT / "include", MERIDIAN_SCRATCH=folder)
        try:
            count = Reader(work, environment).follow(options.document.read_text())
        except Failed as failure:
            print(failure)
            return 1
    print(f"{count} commands")
    return 0 if count else 1


if __name__ == "__main__":
    sys.exit(main())

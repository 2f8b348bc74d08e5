# SPDX-License-Identifier: Apache-2.0
"""A program that hangs, and the report of `meridian where` on it: while it hangs, and after it was killed."""

import json
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "support"))
import launch  # noqa: E402

PATIENCE_S = 60  # on a machine that has other things to do


class StuckRun:
    """With it, the program runs; without, it was killed as a batch system does it: launcher and ranks at once."""

    def __init__(self, options, words, work, ranks, command=None, **variables):
        self.meridian, self.ranks = options.meridian, ranks
        self.trace = pathlib.Path(work) / "trace"
        scratch = pathlib.Path(work) / "scratch"
        scratch.mkdir()
        command = command or [options.meridian, "run"]
        self.process = subprocess.Popen(
            [options.mpiexec, "-n", str(ranks), *command, *words],
            env=launch.environment(MERIDIAN_DIR=self.trace, MERIDIAN_SCRATCH=scratch, **variables),
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self.pids = []

    def __enter__(self):
        line = self.process.stdout.readline()
        if line != "ready\n":
            self.kill()
            raise RuntimeError(f"the program says {line!r} and not that it is ready")
        return self

    def __exit__(self, *_):
        self.kill()

    def kill(self):
        """The ranks first: a launcher that is gone may end them by a signal that they see."""
        if self.process.returncode is not None:
            return
        for pid in self.pids:
            try:
                os.kill(pid, signal.SIGKILL)
            except ProcessLookupError:
                pass
        os.killpg(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def where(self, *options):
        """(exit code, text)"""
        done = subprocess.run(
            [self.meridian, "where", *options, self.trace], capture_output=True, text=True, timeout=PATIENCE_S, check=False
        )
        if done.stderr:
            raise RuntimeError(f"meridian where says {done.stderr}")
        return done.returncode, done.stdout

    def until(self, is_so):
        """(exit code, report) as soon as is_so(report), or when patience has ended."""
        deadline = time.monotonic() + PATIENCE_S
        while True:
            code, text = self.where("--json")
            if code not in (0, 2):
                raise RuntimeError(f"meridian where ends with exit code {code}")
            report = json.loads(text)
            self.pids = [rank["pid"] for rank in report["ranks"] if rank["alive"]] or self.pids
            if is_so(report) or time.monotonic() > deadline:
                return code, report
            time.sleep(0.1)

    def until_ended(self):
        return self.until(lambda report: not any(rank["alive"] for rank in report["ranks"]))

    def settle(self):
        """Waits for the writers, which outlive the ranks: they remove files while the directory is to be removed."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline and any(path.suffix != ".h5" for path in self.trace.glob("rank-*")):
            time.sleep(0.02)


def line_of(source, text):
    """Number of the one line of a source file that holds `text`."""
    found = [number for number, line in enumerate(pathlib.Path(source).read_text().splitlines(), 1) if text in line]
    if len(found) != 1:
        raise RuntimeError(f"{text!r} is in lines {found} of {source}")
    return found[0]

# SPDX-License-Identifier: Apache-2.0
"""The programs under each tool: untraced, Meridian, EZTrace. One run gives the program's measures and the trace."""

import dataclasses
import os
import pathlib
import re
import resource
import shutil
import signal
import subprocess
import tempfile
import time

TIMEOUT_S = 600
AUTOGROUP = pathlib.Path("/proc/self/autogroup")
PRIORITY = "BENCH_PRIORITY"  # variable: nice value of the scheduling groups of programs and writers, each of which is a session


class Failed(Exception):
    """A program that could not be run to its end; the text says which and why."""


@dataclasses.dataclass
class Ended:
    """A process that has ended well."""

    output: str
    wall_s: float
    cpu_s: float
    peak_memory_kb: int


def environment(**extra):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MERIDIAN_", "EZTRACE_"))}
    env.update(
        OMPI_ALLOW_RUN_AS_ROOT="1",
        OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1",
        OMPI_MCA_rmaps_base_oversubscribe="1",  # a machine may have fewer cores than ranks
        OMPI_MCA_btl_vader_single_copy_mechanism="none",  # containers forbid process_vm_readv
        OMPI_MCA_plm_rsh_agent="false",  # one machine: no ssh to look for
        HYDRA_LAUNCHER="fork",
    )
    env.update({key: str(value) for key, value in extra.items()})
    return env


def favour():
    """In the process that becomes a program: its session's nice value."""
    priority = os.environ.get(PRIORITY)
    if priority is not None:
        AUTOGROUP.write_text(priority)


def run(command, output=subprocess.PIPE, cwd=None, **extra_env):
    """Runs to the end. Raises Failed with the last lines of its output."""
    words = [str(word) for word in command]
    begin, before = time.monotonic(), resource.getrusage(resource.RUSAGE_CHILDREN)
    with tempfile.TemporaryFile("w+") as errors:
        # A session of its own, so that a program that hangs is ended with everything that it has started.
        process = subprocess.Popen(
            words, env=environment(**extra_env), stdin=subprocess.DEVNULL, stdout=output, stderr=errors, text=True,
            start_new_session=True, cwd=cwd, preexec_fn=favour,
        )
        try:
            text, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            text = ""
        finally:
            if process.poll() is None:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if process.returncode != 0:
            errors.seek(0)
            said = " / ".join((text or "").splitlines()[-3:] + errors.read().splitlines()[-3:])
            raise Failed(f"{' '.join(words)}: exit code {process.returncode}: {said}")
    cpu_s = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return Ended(text or "", time.monotonic() - begin, cpu_s, 0)


def run_measured(command, **extra_env):
    """Like run(), for a single process: its own peak memory, read when it is waited for."""
    words = [str(word) for word in command]
    begin = time.monotonic()
    with tempfile.TemporaryFile("w+") as output:
        process = subprocess.Popen(
            words, env=environment(**extra_env), stdin=subprocess.DEVNULL, stdout=output, stderr=output, text=True
        )
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        text = output.read()
    if process.returncode not in (0, 2):  # 2: done, and the trace has errors
        raise Failed(f"{' '.join(words)}: exit code {process.returncode}: {' / '.join(text.splitlines()[-3:])}")
    return Ended(text, time.monotonic() - begin, usage.ru_utime + usage.ru_stime, usage.ru_maxrss)


def measures(output):
    """{measure: [value of each rank]} of a benchmark program's output."""
    found = {}
    for line in output.splitlines():
        words = line.split()
        if len(words) > 1 and re.fullmatch(r"[a-z_]+(\.[a-z_]+)?", words[0]):
            try:
                found[words[0]] = [float(word) for word in words[1:]]
            except ValueError:
                pass  # some other line of the program
    return found


def tree_bytes(folder):
    return sum(path.lstat().st_size for path in pathlib.Path(folder).rglob("*") if path.is_file())


class Tool:
    """The way to run programs under one tool. `missing`: why that is not possible, or None."""

    name = "untraced"
    missing = None

    def __init__(self, mpiexec, ranks, work):
        self.mpiexec, self.ranks, self.work = mpiexec, ranks, pathlib.Path(work)
        self.runs = 0

    def wrap(self, _trace):
        """Words before the program, and variables."""
        return [], {}

    def measure(self, program, arguments, keep=False, cwd=None):
        """({measure: values of the ranks}, the trace's folder; it is there only if `keep`). Besides what the program reports: its
        wall time, the processor time of the launcher and all ranks, and bytes of the trace."""
        self.runs += 1
        trace = self.work / f"{self.name}-{self.runs}"
        words, variables = self.wrap(trace)
        ended = run([self.mpiexec, "-n", self.ranks, *words, program, *arguments], cwd=cwd, **variables)
        found = measures(ended.output)
        found["wall_s"], found["cpu_s"] = [ended.wall_s], [ended.cpu_s]
        self.settle(found)
        self.check(trace)
        found["trace_bytes"] = [float(tree_bytes(trace))] if trace.exists() else [0.0]
        if not keep:
            shutil.rmtree(trace, ignore_errors=True)
        return found, trace

    def settle(self, found):
        """Waits for what the tool does after the program has ended; may add measures of its own."""

    def check(self, trace):
        """Raises Failed when the run left no complete trace."""


class Meridian(Tool):
    """The writer has no parent here, so a small program in its place waits for it and notes what it has used."""

    name = "meridian"
    _WRITER_S = 60  # longest wait for the writers after the program has ended

    def __init__(self, mpiexec, ranks, work, build):
        super().__init__(mpiexec, ranks, work)
        self.command, self.writer = build / "bin/meridian", build / "libexec/meridian/meridian-writer"
        self.timed_writer, self.usage = build / "tests/bench/timed_writer", self.work / "writer-usage"
        for program in (self.command, self.writer, self.timed_writer):
            if not os.access(program, os.X_OK):
                self.missing = f"no program {program}"

    def wrap(self, trace):
        self.usage.unlink(missing_ok=True)
        return [self.command, "run"], {
            "MERIDIAN_DIR": trace, "MERIDIAN_WRITER": self.timed_writer, "BENCH_WRITER": self.writer,
            "BENCH_WRITER_USAGE": self.usage,
        }

    def settle(self, found):
        """Waits until the writers have left, which may be a moment after the program."""
        end = time.monotonic() + self._WRITER_S
        while time.monotonic() < end:
            lines = self.usage.read_text().splitlines() if self.usage.exists() else []
            if len(lines) == self.ranks:
                used = [[float(word) for word in line.split()] for line in lines]
                found["writer_cpu_s"] = [sum(cpu_us for cpu_us, _ in used) / 1e6]
                found["writer_memory_kb"] = [memory_kb for _, memory_kb in used]
                return
            time.sleep(0.01)
        raise Failed(f"{len(lines)} of {self.ranks} writers ended within {self._WRITER_S} s")

    def check(self, trace):
        files = sorted(trace.glob("rank-*.h5"))
        if len(files) != self.ranks:
            left = ", ".join(sorted(path.name for path in trace.glob("*"))) or "nothing"
            raise Failed(f"meridian left {left} in place of {self.ranks} rank files")


class Unsampled(Meridian):
    """In place of the untraced program: what samples add to a trace is asked for."""

    name = "untraced"

    def wrap(self, trace):
        words, variables = super().wrap(trace)
        return words, variables | {"MERIDIAN_SAMPLES": 0}


class Rings(Meridian):
    """Traced without a writer: the ring files remain, and show how many bytes of records left the program."""

    name = "rings"
    _MAGIC, _SLOTS_AT, _SLOT_BYTES = b"MERIRING", 4096, 128  # trace/ring/ring_layout.hpp

    def wrap(self, trace):
        words, variables = super().wrap(trace)
        self.scratch = self.work / f"rings-{self.runs}"
        self.scratch.mkdir()
        return words, variables | {"MERIDIAN_WRITER": "none", "MERIDIAN_SCRATCH": self.scratch}

    def settle(self, found):
        found["ring_bytes"] = [sum(self._stored(path) for path in self.scratch.rglob("*.ring"))]
        shutil.rmtree(self.scratch)

    def _stored(self, path):
        """The heads of all slots of a ring file: bytes of records since the start."""
        with path.open("rb") as file:
            header = file.read(16)
            if header[:8] != self._MAGIC:
                return 0
            slots = int.from_bytes(header[12:16], "little")
            file.seek(self._SLOTS_AT)
            words = file.read(slots * self._SLOT_BYTES)
        return sum(int.from_bytes(words[at:at + 8], "little") for at in range(0, len(words), self._SLOT_BYTES))

    def check(self, _trace):
        pass


class EZTrace(Tool):
    name = "eztrace"

    def __init__(self, mpiexec, ranks, work, module):
        super().__init__(mpiexec, ranks, work)
        self.module = module
        if shutil.which("eztrace") is None:
            self.missing = "no program eztrace (Debian: eztrace)"

    def wrap(self, trace):
        return ["eztrace", "-t", self.module, "-o", trace], {}

    def check(self, trace):
        if anchor_file(trace) is None:
            raise Failed("eztrace left no OTF2 trace")


def anchor_file(trace):
    return next(iter(sorted(pathlib.Path(trace).rglob("*.otf2"))), None)


class Otf2:
    """Data from otf2-print's output for a trace."""

    missing = None if shutil.which("otf2-print") else "no program otf2-print (Debian: otf2-tools)"
    _MESSAGE = re.compile(
        r'(MPI_SEND|MPI_RECV)\s+(\d+)\s+(\d+)\s+(?:Receiver|Sender): -?\d+ \(.*?<(\d+)>\), Communicator: .*?<(\d+)>, Tag: (-?\d+)'
    )

    def __init__(self, trace):
        self.anchor = anchor_file(trace)

    def regions(self):
        """Names of the functions that the trace knows."""
        text = run(["otf2-print", "-G", self.anchor]).output
        return set(re.findall(r'"(MPI_\w+)"', text))

    def messages_before_sent(self):
        """(messages, how many of them are received before they are sent) for blocking sends and receives: the n-th
        send of a channel belongs to its n-th receive."""
        sent, received = {}, {}
        with tempfile.TemporaryFile("w+") as text:
            run(["otf2-print", self.anchor], output=text)
            text.seek(0)
            for line in text:
                match = self._MESSAGE.match(line)
                if match is None:
                    continue
                kind, here, ticks, there, comm, tag = match.groups()
                if kind == "MPI_SEND":
                    sent.setdefault((here, there, comm, tag), []).append(int(ticks))
                else:
                    received.setdefault((there, here, comm, tag), []).append(int(ticks))
        pairs = [pair for channel, times in sent.items() for pair in zip(times, received.get(channel, []))]
        return len(pairs), sum(receive < send for send, receive in pairs)

# SPDX-License-Identifier: Apache-2.0
"""Shared by the checks of the `meridian` command: arguments, a directory, ways to run it."""

import argparse
import os
import pathlib
import subprocess
import sys
import tempfile

HINT_HELP = "hint: `meridian --help` lists them\n"

parser = argparse.ArgumentParser()
parser.add_argument("check")
for name in ("meridian", "write-sample", "static", "docs", "program-openmpi", "program-mpich"):
    parser.add_argument(f"--{name}")
arguments = parser.parse_args()
work = tempfile.TemporaryDirectory()
here = pathlib.Path(work.name)


def clean_environment(**extra):
    """The caller's environment without Meridian, a launcher or a preload in it."""
    strangers = ("MERIDIAN_", "OMPI_", "PMI", "PMIX", "HYD", "MPI", "PRTE", "SLURM_", "LD_PRELOAD", "LD_LIBRARY_PATH")
    env = {key: value for key, value in os.environ.items() if not key.startswith(strangers)}
    return {"MERIDIAN_QUIET": "yes"} | env | {key: str(value) for key, value in extra.items()}


def meridian(*words, command=arguments.meridian, env=None, cwd=here, **options):
    """Runs the command of this build, or a copy."""
    return subprocess.run([command, *(str(word) for word in words)], env=env or clean_environment(), cwd=cwd, capture_output=True, text=True, timeout=60, **options)


def run_env(*words, **options):
    """The environment of a program under `meridian run`, as a dictionary."""
    done = meridian("run", *words, "env", "-0", **options)
    assert done.returncode == 0, done
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)


def expect(done, code, stderr, stdout=""):
    assert (done.returncode, done.stderr, done.stdout) == (code, stderr, stdout), done


def skip(reason):
    print(reason)
    sys.exit(77)


def program(name, text, mode=0o755):
    path = here / name
    path.write_text(text)
    path.chmod(mode)
    return path


def tracer(flavor):
    prefix = pathlib.Path(arguments.meridian).parent.parent
    path = prefix / "lib" / "meridian" / flavor / "libmeridian.so"
    return path if path.exists() else None


def any_tracer():
    return tracer("openmpi") or tracer("mpich") or skip("no libmeridian.so in this build")


def sample(name, path):
    subprocess.run([arguments.write_sample, name, "h5", path], check=True)
    return path

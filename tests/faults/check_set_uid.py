# SPDX-License-Identifier: Apache-2.0
"""A program with rights that its user lacks is not traced, even if its environment asks for it; a copy without these rights is.

check_set_uid.py --meridian M program

The program is linked with the tracer, so that no preloading is needed. Exits with 77 where no set-uid program can be made.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "support"))
import launch  # noqa: E402

SKIPPED = 77
OWNER, USER = 65534, 65533  # neither is root
AS_USER = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]


def skip(reason):
    print(f"skipped: {reason}")
    sys.exit(SKIPPED)


def run(command, work, **extra):
    env = {"HOME": work / "home", "TMPDIR": work / "home", "MERIDIAN_DIR": work / "open" / "trace", "MERIDIAN_SCRATCH": work / "open"}
    return launch.run([*AS_USER, *command], **env, **extra)


def made_in(directory):
    """The regular files."""
    return sorted(path.name for path in directory.rglob("*") if path.is_file())


def left_in(directory, expected, patience_s=30):
    """made_in() once the writer, which may outlive its program by a moment, has removed what it worked with."""
    end = time.monotonic() + patience_s
    while made_in(directory) != expected and time.monotonic() < end:
        time.sleep(0.05)
    return made_in(directory)


def check_all(check, options, work):
    for name in ("home", "open"):
        (work / name).mkdir()
        (work / name).chmod(0o777)
    work.chmod(0o755)
    plain, set_uid = work / "plain", work / "set-uid"
    for path in (plain, set_uid):
        shutil.copy(options.program, path)
        os.chown(path, OWNER, OWNER)
        path.chmod(0o4755 if path == set_uid else 0o755)

    traced = run([plain, 10], work)
    if traced.returncode != 4:
        skip(f"MPI programs, or this build, do not run as another user here: {traced.stderr}")
    check.equal("what a run without further rights leaves", left_in(work / "open", ["rank-00000.h5"]), ["rank-00000.h5"])
    owner = run(["stat", "-c", "%u", work / "open" / "trace"], work).stdout.strip()
    check.equal("whose trace that is", owner, str(USER))
    shutil.rmtree(work / "open" / "trace")

    for extra in ({}, {"MERIDIAN_STRICT": "yes", "MERIDIAN_BUFER": "1"}, {"MERIDIAN_VERBOSE": "yes"}):
        done = run([set_uid, 10], work, **extra)
        if done.returncode != 4:
            skip(f"MPI does not run in set-uid programs here: {done.stderr}")
        check.equal(f"words of ours with {extra}", [line for line in done.stderr.splitlines() if "meridian" in line], [])
        check.equal(f"output with {extra}", done.stdout, traced.stdout)
        check.equal(f"files that it leaves with {extra}", made_in(work / "open"), [])
    refused = run([options.meridian, "run", set_uid, 10], work)
    check.equal("exit code under meridian run", refused.returncode, 4)
    check.equal("what meridian run says", refused.stderr.count("it is set-user-ID"), 1)
    check.equal("files that it leaves under meridian run", made_in(work / "open"), [])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--meridian", required=True)
    parser.add_argument("program")
    options = parser.parse_args()
    if os.geteuid() != 0:
        skip("only root makes set-uid programs of somebody else")
    with tempfile.TemporaryDirectory(prefix="meridian-set-uid-") as directory:
        work = pathlib.Path(directory)
        probe = work / "probe"
        shutil.copy(shutil.which("id"), probe)
        os.chown(probe, OWNER, OWNER)
        probe.chmod(0o4755)
        work.chmod(0o755)
        done = subprocess.run([*AS_USER, probe, "-u"], capture_output=True, text=True, check=False)
        if done.stdout.strip() != str(OWNER):
            skip(f"set-uid does not work here (no_new_privs, nosuid): {done.stdout}{done.stderr}")
        check = launch.Checks()
        check_all(check, options, work)
        return check.finish()


if __name__ == "__main__":
    sys.exit(main())

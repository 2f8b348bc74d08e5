# SPDX-License-Identifier: Apache-2.0
"""Where this branch left the main branch. As a program: the subjects since then that are not in the form of CONTRIBUTING.md."""

import pathlib
import re
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
MAIN_BRANCHES = ("origin/main", "main", "origin/master", "master")
LONGEST = 72
SUBJECT = re.compile(r"[a-z0-9_.][\w./-]*(, [\w./-]+)*: \S.*")


def output(*words):
    return subprocess.run(words, cwd=ROOT, capture_output=True, text=True, check=False).stdout


def base():
    """The commit; empty without a main branch."""
    return next((found for branch in MAIN_BRANCHES if (found := output("git", "merge-base", "HEAD", branch).strip())), "")


def flaws(subject):
    """What is wrong with it; empty: nothing."""
    if len(subject) > LONGEST:
        return f"{len(subject)} characters, at most {LONGEST}"
    if not SUBJECT.fullmatch(subject):
        return "not of the form `area: what changes`"
    return "a full stop at its end" if subject.endswith(".") else ""


def wrong_subjects():
    since = base()
    subjects = output("git", "log", "--no-merges", "--format=%s", f"{since}..HEAD").splitlines() if since else []
    return [f"{subject}\n  {flaw}" for subject in subjects if (flaw := flaws(subject))]


if __name__ == "__main__":
    wrong = wrong_subjects()
    print("\n".join(wrong), end="\n" if wrong else "")
    sys.exit(1 if wrong else 0)

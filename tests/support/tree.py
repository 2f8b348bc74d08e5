# SPDX-License-Identifier: Apache-2.0
"""The project's files, as the tests that read them see them."""

import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parents[2]

# The folders of the product's sources. All rules and .clang-tidy go by this list.
FOLDERS = ("analysis", "annotations", "choice", "cli", "edit", "examples", "export", "import", "include", "live", "merged", "merger", "papi", "pmpi", "processes",
           "query", "report", "summary", "trace", "writer")  # fmt: skip


def files(root=ROOT):
    """Paths relative to `root`, sorted: what git knows or would add; without git, everything but build trees."""
    listed = subprocess.run(
        ["git", "-C", root, "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
        capture_output=True, text=True, check=False,
    ) if (root / ".git").exists() and shutil.which("git") else None
    if listed and listed.returncode == 0:
        names = [pathlib.Path(name) for name in listed.stdout.split("\0") if name]
    else:
        names = []
        for folder, folders, inside in os.walk(root):
            folders[:] = [f for f in folders if not f.startswith("build") and f not in (".git", "__pycache__")]
            names += [pathlib.Path(folder, name).relative_to(root) for name in inside]
    return sorted(name for name in names if (root / name).is_file())


def text(path, root=ROOT):
    """The file's text, or None for a binary one."""
    try:
        return (root / path).read_text(encoding="utf-8")
    except UnicodeDecodeError:
        return None

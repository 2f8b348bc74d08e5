# SPDX-License-Identifier: Apache-2.0
"""What scripts/check finds in Python files and in the subjects of commits."""

import pathlib
import shutil
import subprocess
import sys
import tempfile
import unittest

TESTING = pathlib.Path(__file__).resolve().parents[2] / "scripts/testing"
GIT = ("git", "-c", "user.name=tests", "-c", "user.email=tests@localhost", "-c", "init.defaultBranch=main")


class Files(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name).resolve()
        (self.root / "scripts/testing").mkdir(parents=True)

    def run_copy(self, script, *words):
        shutil.copy(TESTING / script, self.root / "scripts/testing")
        done = subprocess.run([sys.executable, "-B", f"scripts/testing/{script}", *words], cwd=self.root, capture_output=True, text=True, check=False)
        self.assertEqual(done.stderr, "")
        return done.returncode, done.stdout

    def flakes(self, text):
        try:
            import pyflakes  # noqa: F401
        except ImportError:
            self.skipTest("there is no pyflakes here")
        (self.root / "a.py").write_text(text)
        return self.run_copy("flakes.py", "a.py")

    def test_an_unused_import_and_a_name_that_is_not_defined_are_found(self):
        self.assertEqual(
            self.flakes("import os\n\nprint(missing)\n"),
            (1, "a.py:1:1: 'os' imported but unused\na.py:3:7: undefined name 'missing'\n"),
        )

    def test_what_noqa_excuses_is_not_found(self):
        self.assertEqual(self.flakes("import os  # noqa: F401\n"), (0, ""))

    def test_a_file_that_is_no_python_is_found(self):
        code, text = self.flakes("def f(:\n")
        self.assertEqual((code, text.split(":")[:2]), (1, ["a.py", "1"]))

    def git(self, *words):
        subprocess.run([*GIT, *words], cwd=self.root, check=True, capture_output=True)

    def test_subjects_since_the_main_branch_have_the_form_and_length_of_the_house(self):
        self.git("init", "-q")
        self.git("commit", "-q", "--allow-empty", "-m", "Not Of The Form, but on the main branch")
        self.git("checkout", "-q", "-b", "work")
        for subject in ("merger: rows are sorted", "trace/model, cli: T2 has a bound", ".ci: two steps"):
            self.git("commit", "-q", "--allow-empty", "-m", subject)
        self.assertEqual(self.run_copy("branch.py"), (0, ""))
        long = "merger: " + "x" * 65
        for subject in (long, "merger: ends.", "Sorts rows", "merger:rows"):
            self.git("commit", "-q", "--allow-empty", "-m", subject)
        self.assertEqual(
            self.run_copy("branch.py"),
            (1, "merger:rows\n  not of the form `area: what changes`\nSorts rows\n  not of the form `area: what changes`\n"
                f"merger: ends.\n  a full stop at its end\n{long}\n  73 characters, at most 72\n"),
        )

    def test_without_a_main_branch_there_is_nothing_to_check(self):
        self.git("init", "-q", "--initial-branch=work")
        self.git("commit", "-q", "--allow-empty", "-m", "Anything")
        self.assertEqual(self.run_copy("branch.py"), (0, ""))


if __name__ == "__main__":
    unittest.main()

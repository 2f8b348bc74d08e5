# SPDX-License-Identifier: Apache-2.0
"""scripts/run_tests in a project of its own: who is tried again, what is counted, what scripts/test says at the end."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts/run_tests"
PRESETS = """{
  "version": 6,
  "configurePresets": [{"name": "small", "generator": "Unix Makefiles", "binaryDir": "${sourceDir}/build/small"}],
  "testPresets": [{"name": "small", "configurePreset": "small", "output": {"outputOnFailure": true}}]
}"""


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts/run_tests")
        (self.root / "CMakePresets.json").write_text(PRESETS)
        self.tally = self.root / "tally"
        self.tally.write_text("")
        self.tests = []

    def add(self, name, command, label, properties=""):
        self.tests.append(
            f'add_test(NAME {name} COMMAND sh -c [==[{command}]==])\n'
            f"set_tests_properties({name} PROPERTIES LABELS {label} SKIP_RETURN_CODE 77 {properties})"
        )

    def add_flaky(self, name, label):
        """Fails the first time."""
        mark = self.root / f"{name}.tried"
        self.add(name, f"test -e {mark} || {{ touch {mark}; exit 1; }}", label)

    def script(self, *words):
        return subprocess.run([self.root / "scripts/run_tests", *words], capture_output=True, text=True, check=False)

    def run_tests(self):
        lists = ["cmake_minimum_required(VERSION 3.25)", "project(small NONE)", "enable_testing()", *self.tests]
        (self.root / "CMakeLists.txt").write_text("\n".join(lists) + "\n")
        subprocess.run(["cmake", "--preset", "small"], cwd=self.root, capture_output=True, check=True)
        return self.script("small", self.tally).stdout

    def total(self):
        done = self.script("--total", self.tally)
        return done.stdout.splitlines(), done.returncode

    def test_passed_failed_and_skipped_tests_are_counted(self):
        self.add("fine", "true", "unit")
        self.add("broken", "exit 1", "unit")
        self.add("without", "echo no such library; exit 77", "unit")
        self.run_tests()
        self.assertEqual(
            self.total(),
            (["FAILED: broken", "1 skipped, reasons above", "0 retries, at most 3 are allowed", "1 passed, 1 failed"], 1),
        )

    def test_a_test_that_cannot_be_started_has_failed(self):
        self.add("fine", "true", "unit")
        self.tests.append("add_test(NAME missing COMMAND /nowhere/program)")
        self.run_tests()
        self.assertEqual(self.total()[0][-1], "1 passed, 1 failed")

    def test_a_test_that_outlives_its_budget_has_failed(self):
        self.add("endless", "sleep 60", "unit", "TIMEOUT 1")
        self.run_tests()
        self.assertEqual(self.total(), (["FAILED: endless", "0 retries, at most 3 are allowed", "0 passed, 1 failed"], 1))

    def test_an_mpi_test_is_tried_again_once_and_that_is_said(self):
        self.add_flaky("race", "mpi")
        self.assertIn("== retried, and passed: race\n", self.run_tests())
        self.assertEqual(self.total(), (["1 retries, at most 3 are allowed", "1 passed, 0 failed"], 0))

    def test_an_mpi_test_that_fails_twice_has_failed(self):
        self.add("broken", "exit 1", "mpi")
        self.assertIn("== retried, and failed: broken\n", self.run_tests())
        self.assertEqual(self.total(), (["FAILED: broken", "1 retries, at most 3 are allowed", "0 passed, 1 failed"], 1))

    def test_a_unit_test_is_never_tried_again(self):
        self.add_flaky("race", "unit")
        self.assertNotIn("retried", self.run_tests())
        self.assertEqual(self.total()[0][-1], "0 passed, 1 failed")

    def test_with_more_failures_than_retries_are_allowed_none_is_tried_again(self):
        for number in range(4):
            self.add_flaky(f"race{number}", "mpi")
        self.assertIn("4 tests failed that might be tried again; with more than 3 in all, none is", self.run_tests())
        self.assertEqual(self.total()[0][-2:], ["0 retries, at most 3 are allowed", "0 passed, 4 failed"])

    def test_retries_of_all_steps_are_added_up(self):
        for number in range(2):
            self.add_flaky(f"race{number}", "mpi")
        self.run_tests()
        self.tests = []
        for number in range(2, 4):
            self.add_flaky(f"race{number}", "mpi")
        self.run_tests()
        self.assertEqual(self.total()[0][-2:], ["2 retries, at most 3 are allowed", "2 passed, 2 failed"])

    def test_more_retries_than_allowed_fail_the_whole(self):
        self.tally.write_text(json.dumps({"passed": 9, "failed": 0, "skipped": 0, "retries": 4, "failures": []}))
        self.assertEqual(self.total(), (["4 retries, at most 3 are allowed", "9 passed, 0 failed"], 1))

    def test_no_tests_are_a_failure(self):
        self.run_tests()
        self.assertEqual(self.total()[0][-1], "0 passed, 1 failed")

    def test_steps_are_counted_beside_tests(self):
        self.script("--count", self.tally, "0", "build")
        self.script("--count", self.tally, "1", "format")
        self.assertEqual(self.total(), (["FAILED: format", "0 retries, at most 3 are allowed", "1 passed, 1 failed"], 1))

    def test_the_twenty_slowest_tests_are_listed_with_the_slowest_first(self):
        self.add("slow", "sleep 0.3", "unit")
        for number in range(24):
            self.add(f"fast{number}", "true", "unit")
        lines = self.run_tests().split("== slowest tests of small\n")[1].splitlines()
        self.assertEqual(len(lines), 21)
        self.assertRegex(lines[0], r"^ +0\.\d s  slow$")
        self.assertRegex(lines[20], r"^ +\d\.\d s  all 25 tests, one after the other$")


if __name__ == "__main__":
    unittest.main()

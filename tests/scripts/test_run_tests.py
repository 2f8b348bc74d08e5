# SPDX-License-Identifier: Apache-2.0
"""scripts/run_tests in a project of its own: who is tried again, what is counted, what scripts/test says at the end; and cases of
GoogleTest, which share processes, with a program that prints what GoogleTest prints."""

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

# What each case does is in its name. Each start of the program leaves a line with its cases in the file `starts`.
CASES = """#!/usr/bin/env python3
import os, pathlib, sys, time
cases = sys.argv[1].removeprefix("--gtest_filter=").split(":")
with open(pathlib.Path(__file__).with_name("starts"), "a") as starts:
    print(*cases, file=starts)
status = 0
for case in cases:
    print("[ RUN      ]", case, flush=True)
    if "Crashes" in case:
        os.abort()
    if "Exits" in case:
        sys.exit(0)
    if "Hangs" in case:
        time.sleep(60)
    if "Fails" in case:
        status = 1
        print("a.cpp:7: Failure\\nExpected: 1 of", case)
        print(f"[  FAILED  ] {case}, where GetParam() = 3 (2 ms)", flush=True)
    elif "Skips" in case:
        print("a.cpp:9: Skipped\\nno PAPI here\\n")
        print(f"[  SKIPPED ] {case} (0 ms)", flush=True)
    else:
        print(f"text before [       OK ] {case} (2 ms)", flush=True)
if any("Leaks" in case for case in cases) or ("Collides.One" in cases and "Collides.Two" in cases):
    print("leaked", cases)
    status = 23
sys.exit(status)
"""


class Project(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        (self.root / "scripts").mkdir()
        shutil.copy(SCRIPT, self.root / "scripts/run_tests")
        shutil.copytree(SCRIPT.parent / "testing", self.root / "scripts/testing")
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

    def add_cases(self, *names, budget=20):
        program = self.root / "small_test"
        program.write_text(CASES)
        program.chmod(0o755)
        for name in names:
            self.tests.append(
                f"add_test(NAME small_test.{name} COMMAND {program} --gtest_filter={name} --gtest_also_run_disabled_tests)\n"
                f"set_tests_properties(small_test.{name} PROPERTIES LABELS unit TIMEOUT {budget})"
            )

    def starts(self):
        return (self.root / "starts").read_text().splitlines()

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
            (["skipped: without: no such library", "FAILED: broken", "1 skipped, reasons above; allowed: at most 8", "0 retries, at most 3 are allowed", "1 passed, 1 failed"], 1),
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
        self.tally.write_text(json.dumps({"passed": 9, "failed": 0, "skipped": 0, "retries": 4, "failures": [], "skips": [], "wholes": []}))
        self.assertEqual(self.total(), (["4 retries, at most 3 are allowed", "9 passed, 0 failed"], 1))

    def test_more_skipped_tests_than_allowed_fail_the_whole(self):
        self.add("fine", "true", "unit")
        for number in range(9):
            self.add(f"without{number}", "echo no such library; exit 77", "unit")
        self.run_tests()
        self.assertEqual(self.total()[0][1:], ["9 skipped, reasons above; allowed: at most 8", "0 retries, at most 3 are allowed", "1 passed, 0 failed"])
        self.assertEqual(self.total()[1], 1)
        self.assertEqual(self.script("--total", self.tally, "9").returncode, 0)

    def test_without_a_set_of_packages_the_number_of_skipped_tests_is_not_limited(self):
        self.script("--count", self.tally, "0", "build")
        for number in range(9):
            self.script("--skip", self.tally, f"step {number}", "cannot be had")
        lines, code = self.total()
        self.assertIn("9 skipped, reasons above; allowed: any number, without step 0 and step 1", lines[1])
        self.assertEqual(code, 0)

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
        self.assertRegex(lines[20], r"^ +\d\.\d s  all 25 tests, one after the other; \d+\.\d s of processor time$")

    def test_cases_of_one_program_share_a_process_and_are_counted_one_by_one(self):
        self.add_cases("Suite.Passes", "Suite.Fails", "Suite.Skips", "Other.Passes")
        said = self.run_tests()
        self.assertEqual(self.starts(), ["Suite.Passes Suite.Fails Suite.Skips Other.Passes"])
        self.assertIn("failed 0.00 s  small_test.Suite.Fails\na.cpp:7: Failure\nExpected: 1 of Suite.Fails\n", said)
        self.assertIn("skipped 0.00 s  small_test.Suite.Skips\n    no PAPI here\n", said)
        self.assertEqual(
            self.total()[0],
            [
                "skipped: small_test.Suite.Skips: no PAPI here",
                "FAILED: small_test.Suite.Fails",
                "1 skipped, reasons above; allowed: at most 8",
                "0 retries, at most 3 are allowed",
                "2 passed, 1 failed",
            ],
        )

    def test_many_cases_are_dealt_out_to_several_processes(self):
        self.add_cases(*(f"Suite.Case{number}" for number in range(26)))
        self.run_tests()
        self.assertEqual(sorted(len(line.split()) for line in self.starts()), [6, 6, 7, 7])
        self.assertEqual(self.total()[0][-1], "26 passed, 0 failed")

    def test_a_case_that_crashes_is_named_and_the_others_go_on(self):
        self.add_cases("Suite.First", "Suite.Crashes", "Suite.Last")
        self.assertIn("small_test.Suite.Crashes\n\nkilled by signal 6\n", self.run_tests())
        self.assertEqual(self.starts(), ["Suite.First Suite.Crashes Suite.Last", "Suite.Last"])
        self.assertEqual(self.total()[0], ["FAILED: small_test.Suite.Crashes", "0 retries, at most 3 are allowed", "2 passed, 1 failed"])

    def test_a_case_that_ends_the_process_has_failed_and_the_others_go_on(self):
        self.add_cases("Suite.First", "Suite.Exits", "Suite.Last")
        self.run_tests()
        self.assertEqual(self.total()[0], ["FAILED: small_test.Suite.Exits", "0 retries, at most 3 are allowed", "2 passed, 1 failed"])

    def test_a_case_that_outlives_its_budget_has_failed_and_the_others_go_on(self):
        self.add_cases("Suite.First", "Suite.Hangs", "Suite.Last", budget=1)
        self.assertIn("ended after its budget of 1 s", self.run_tests())
        self.assertEqual(self.total()[0], ["FAILED: small_test.Suite.Hangs", "0 retries, at most 3 are allowed", "2 passed, 1 failed"])

    def test_a_process_that_fails_without_a_failed_case_is_repeated_case_by_case(self):
        self.add_cases("Suite.First", "Suite.Leaks", "Suite.Last")
        self.assertIn("leaked ['Suite.Leaks']\n\nexit code 23\n", self.run_tests())
        self.assertEqual(self.total()[0], ["FAILED: small_test.Suite.Leaks", "0 retries, at most 3 are allowed", "2 passed, 1 failed"])

    def test_a_process_that_fails_where_no_case_fails_for_itself_has_failed(self):
        self.add_cases("Collides.One", "Collides.Two")
        self.run_tests()
        self.assertEqual(
            self.total()[0],
            [
                "FAILED: small_test: 2 cases in one process, from small_test.Collides.One",
                "0 retries, at most 3 are allowed",
                "2 passed, 1 failed",
            ],
        )

    def test_what_is_skipped_is_in_the_last_lines(self):
        self.script("--count", self.tally, "0", "build")
        self.script("--skip", self.tally, "step aarch64", "no packages")
        self.assertEqual(
            self.total()[0],
            ["skipped: step aarch64: no packages", "1 skipped, reasons above; allowed: any number, without step aarch64", "0 retries, at most 3 are allowed", "1 passed, 0 failed"],
        )


if __name__ == "__main__":
    unittest.main()

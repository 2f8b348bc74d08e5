# SPDX-License-Identifier: Apache-2.0
"""Walks that must be refused."""

import pathlib
import tempfile
import unittest

import walk

CONTRIBUTING = "## To add a thing\n\nTwo files: `a/` and `b.txt`.\n\n## Next\n\nThree files.\n"
EDITS = "section: To add a thing\nfiles: 2\n\n== new a/new.txt\nfirst\n\n== b.txt\n@ below two\nadded\n"


class Refused(unittest.TestCase):
    def setUp(self):
        self.work = tempfile.TemporaryDirectory()
        self.root = pathlib.Path(self.work.name)
        (self.root / "a").mkdir()
        (self.root / "b.txt").write_text("one\ntwo\nthree\n")

    def tearDown(self):
        self.work.cleanup()

    def parsed(self, text):
        path = self.root / "thing.walk"
        path.write_text(text)
        return walk.parse(path)

    def test_edits_go_where_the_walk_says(self):
        thing = self.parsed(EDITS)
        walk.check_against(thing, CONTRIBUTING)
        for edit in thing.edits:
            walk.apply_edit(edit, self.root)
        self.assertEqual((self.root / "b.txt").read_text(), "one\ntwo\nadded\nthree\n")
        self.assertEqual((self.root / "a/new.txt").read_text(), "first\n")

    def refused(self, text, reason, contributing=CONTRIBUTING):
        with self.assertRaisesRegex(walk.WalkError, reason):
            thing = self.parsed(text)
            walk.check_against(thing, contributing)
            for edit in thing.edits:
                walk.apply_edit(edit, self.root)

    def test_an_anchor_that_is_gone(self):
        self.refused(EDITS.replace("below two", "below four"), "b.txt has 0 lines with 'four'")

    def test_an_anchor_that_is_there_twice(self):
        self.refused(EDITS.replace("below two", "below t"), "b.txt has 2 lines with 't'")

    def test_a_new_file_that_is_there(self):
        (self.root / "a/new.txt").write_text("")
        self.refused(EDITS, "a/new.txt is there already")

    def test_more_files_than_it_says(self):
        self.refused(EDITS + "\n== new a/more.txt\n", "thing touches 3 files, not 2")

    def test_a_number_of_files_that_contributing_does_not_say(self):
        self.refused(EDITS, "does not say 'two files'", CONTRIBUTING.replace("Two", "Four"))

    def test_a_file_that_contributing_does_not_name(self):
        self.refused(EDITS, "does not name b.txt", CONTRIBUTING.replace("b.txt", "c.txt"))

    def test_a_section_that_is_gone(self):
        self.refused(EDITS, "has no section 'To add a thing'", CONTRIBUTING.replace("a thing", "things"))


if __name__ == "__main__":
    unittest.main()

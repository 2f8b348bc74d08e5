# SPDX-License-Identifier: Apache-2.0
"""The rules find what is planted, and nothing in a tree that is right."""

import pathlib
import tempfile
import unittest

import folders
import names
import rules


class Tree(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.plant("trace/model/event.hpp", "#pragma once\n#include <cstdint>\n")
        self.plant("trace/model/result.hpp", "#pragma once\n#include <string>\n")
        self.plant("trace/format/rank/rank_file.hpp", '#include "trace/model/result.hpp"\n')
        self.plant("pmpi/traced.hpp", '// hot\n#pragma once\n#include "trace/model/event.hpp"\n')
        self.plant("pmpi/session.hpp", '#include <stdio.h>\n#include "pmpi/traced.hpp"\n')
        self.plant("merger/merge.cpp", '#include <vector>\n#include "trace/format/rank/rank_file.hpp"\n')

    def plant(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)

    def one(self, rule, *words):
        violations = rules.RULES[rule](self.root)
        self.assertEqual(len(violations), 1, violations)
        for word in words:
            self.assertIn(word, violations[0])

    def test_a_tree_that_is_right_passes_every_rule(self):
        for rule in (*rules.RULES.values(), folders.check_folders, names.check_names):
            self.assertEqual(rule(self.root), [])

    def test_a_part_that_includes_a_foreign_part_is_found(self):
        self.plant("merger/bad.cpp", '#include "pmpi/traced.hpp"\n')
        self.one("includes", "merger/bad.cpp", "merger may not include pmpi/traced.hpp")

    def test_the_model_may_not_include_the_format(self):
        self.plant("trace/model/bad.hpp", '#  include "trace/format/rank/rank_file.hpp"\n')
        self.one("includes", "trace/model/bad.hpp", "trace/format/rank/rank_file.hpp")

    def test_the_tracer_may_not_include_the_format(self):
        self.plant("pmpi/bad.cpp", '#include "trace/format/rank/rank_file.hpp"\n')
        self.one("includes", "pmpi/bad.cpp")

    def test_examples_know_nothing_of_meridian(self):
        self.plant("examples/bad.c", '#include "trace/model/event.hpp"\n')
        self.one("includes", "examples/bad.c")

    def test_brackets_do_not_hide_an_include(self):
        self.plant("writer/bad.cpp", "#include <merger/merge.hpp>\n")
        self.one("includes", "writer/bad.cpp", "<merger/merge.hpp>")

    def test_an_include_beside_the_file_is_found(self):
        self.plant("writer/bad.cpp", '#include "drain.hpp"\n')
        self.plant("writer/drain.hpp", "")
        self.one("includes", "writer/bad.cpp", "drain.hpp")

    def test_a_hot_file_that_allocates_is_found(self):
        self.plant("pmpi/bad.cpp", "// hot\n#include <vector>\n")
        self.one("hot", "pmpi/bad.cpp", "<vector>")

    def test_a_cold_header_behind_one_of_ours_is_found(self):
        self.plant("pmpi/bad.cpp", '// hot\n#include "trace/model/result.hpp"\n')
        self.one("hot", "pmpi/bad.cpp", "<string>", "through trace/model/result.hpp")

    def test_a_hot_file_that_includes_a_cold_one_is_found(self):
        self.plant("pmpi/bad.cpp", '// hot\n#include "pmpi/session.hpp"\n')
        self.one("hot", "pmpi/bad.cpp", "pmpi/session.hpp, which is not hot")

    def test_hot_code_outside_the_tracer_is_found(self):
        self.plant("merger/bad.cpp", "// hot\n")
        self.one("hot", "merger/bad.cpp")

    def test_a_long_file_is_found_and_a_long_table_is_not(self):
        self.plant("merger/long.cpp", "\n" * 400)
        self.plant("trace/model/calls.def", "\n" * 4000)
        self.one("sizes", "merger/long.cpp", "400 lines")

    def test_a_long_line_of_a_script_is_found(self):
        self.plant("report/page/wide.js", "// fits\n" + "x" * 121 + "\n")
        self.one("sizes", "report/page/wide.js:2: 121 columns")

    def test_a_folder_that_a_list_leaves_out_is_found(self):
        self.plant("verdict/advice.cpp", "")
        self.one("folders", "verdict/ has sources")
        (self.root / "verdict/advice.cpp").unlink()
        self.plant(".clang-tidy", "HeaderFilterRegex: '.*/(trace|merger)/.*'\n")
        self.one("folders", ".clang-tidy does not look at the headers of all folders")

    def test_a_name_of_a_call_is_found_where_facts_are_asked_for(self):
        self.plant("merger/load/links.cpp", 'find("MPI_Comm_spawn");\n')
        self.plant("summary/text.cpp", '// "MPI_Send"\n/* "MPI_Recv"\n*/\nprint("MPI_Init and MPI_Finalize are {} of the run");\n')
        self.assertEqual(rules.check_calls(self.root), [])
        self.plant("summary/advice.cpp", '\nname.starts_with("MPI_Test");  // polls\n')
        self.plant("report/page/lanes.js", "if (name === 'MPI_Init') skip();\n")
        self.assertEqual(
            [violation.split(": ask")[0] for violation in rules.check_calls(self.root)],
            ['report/page/lanes.js:1: "MPI_Init"', 'summary/advice.cpp:2: "MPI_Test"'],
        )

    def test_two_folders_that_include_each_other_are_found(self):
        self.plant("merger/load/load.hpp", '#include "merger/match/match.hpp"\n')
        self.plant("merger/match/match.hpp", "")
        self.assertEqual(folders.check_folders(self.root), [])
        self.plant("merger/match/deep/roles.cpp", '#include "merger/load/load.hpp"\n')
        self.assertEqual(
            folders.check_folders(self.root),
            [
                "merger/load and merger/match include each other:",
                "  merger/load/load.hpp includes merger/match/match.hpp",
                "  merger/match/deep/roles.cpp includes merger/load/load.hpp",
            ],
        )

    def test_a_folder_and_one_inside_it_that_include_each_other_are_found(self):
        self.plant("pmpi/threads/locks.cpp", '#include "pmpi/traced.hpp"\n')
        self.plant("pmpi/threads/locks.hpp", "")
        self.plant("pmpi/start.cpp", '#include "pmpi/threads/locks.hpp"\n')
        self.assertEqual(folders.check_folders(self.root)[0], "pmpi and pmpi/threads include each other:")

    def test_a_ring_of_three_folders_is_found(self):
        for folder, following in (("a", "b"), ("b", "c"), ("c", "a")):
            self.plant(f"merger/{folder}/x.hpp", f'#include "merger/{following}/x.hpp"\n')
        self.assertEqual(folders.check_folders(self.root)[0], "a ring of folders: merger/a -> merger/b -> merger/c -> merger/a")

    def test_a_class_that_two_files_define_is_found(self):
        self.plant("trace/ring/spool.hpp", "namespace meridian {\nclass SpoolReader final {\n};\n}\n")
        self.plant("merger/spool.hpp", "namespace meridian {\ntemplate <class T>\nclass SpoolReader : Base<T, 2> { int x{}; };\n}\n")
        self.assertEqual(
            names.check_names(self.root), ["meridian::SpoolReader is defined in merger/spool.hpp:3 and in trace/ring/spool.hpp:2"]
        )

    def test_an_enumeration_and_a_structure_of_one_name_are_found(self):
        self.plant("pmpi/a.hpp", "namespace meridian::way { enum class Kind : std::uint8_t { one }; }\n")
        self.plant("merger/b.hpp", "namespace meridian {\nnamespace way {\nstruct Kind { };\n} }\n")
        self.assertEqual(names.check_names(self.root), ["meridian::way::Kind is defined in merger/b.hpp:3 and in pmpi/a.hpp:1"])

    def test_a_constant_that_two_files_of_a_target_define_is_found(self):
        for name in ("merger/CMakeLists.txt", "writer/CMakeLists.txt"):
            self.plant(name, "")
        self.plant("merger/a.cpp", "namespace {\nconstexpr std::size_t kMost = 4;\n}\n")
        self.plant("merger/match/b.cpp", "namespace {\nconstexpr std::array<int, 2> kMost[] = {};\n}\n")
        self.plant("writer/c.cpp", "namespace {\nconstexpr std::size_t kMost = 4;\n}\n")
        self.assertEqual(names.check_constants(self.root), ["kMost is defined in merger/a.cpp and in merger/match/b.cpp"])

    def test_a_constant_of_a_file_with_the_name_of_a_header_s_is_found(self):
        self.plant("merger/CMakeLists.txt", "")
        self.plant("merger/a.cpp", "namespace {\nconstexpr std::size_t kMost = 4;\n}\n")
        self.plant("trace/model/b.hpp", "inline constexpr std::array<int, 2> kMost{};\n")
        self.assertEqual(names.check_constants(self.root), ["kMost is defined in merger/a.cpp and in trace/model/b.hpp"])

    def test_names_that_belong_to_one_file_or_class_may_be_used_again(self):
        for name in ("a", "b"):
            self.plant(
                f"merger/{name}.cpp",
                f"""namespace meridian {{
                class Other;  // declared, not defined
                namespace {{ struct Local {{ }}; enum Kind {{ one }}; }}
                struct Class_{name} {{ struct Inside {{ }}; }};
                struct Class_{name}::Later {{ }};
                Other make() {{ struct Local {{ char c = '}}'; }}; return {{}}; }}
                struct Other make_another(int) {{ return make(); }}
                }}
                """,
            )
        self.plant("merger/c.hpp", "namespace meridian { template <class T> struct Of { }; template <> struct Of<int> { }; }\n")
        self.assertEqual(names.check_names(self.root), [])

    def test_the_list_of_exceptions_can_only_shrink(self):
        self.plant("merger/load/load.hpp", '#include "merger/match/match.hpp"\n')
        self.plant("merger/match/match.hpp", '#include "merger/load/load.hpp"\n')
        self.plant(folders.EXCEPTIONS, "# comment\nmerger/load merger/match\n")
        self.assertEqual(folders.check_folders(self.root), [])
        self.plant("merger/match/match.hpp", "")
        self.assertEqual(
            folders.check_folders(self.root), [f"{folders.EXCEPTIONS}: remove the row 'merger/load merger/match', which is no longer needed"]
        )


if __name__ == "__main__":
    unittest.main()

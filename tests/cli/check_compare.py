# SPDX-License-Identifier: Apache-2.0
"""compare and --fail-if on merged files made by hand."""

import csv
import io
import json
import os
import shutil
import subprocess

import h5py
from cli_harness import arguments, clean_environment, expect, here, meridian, sample


def run_file(name, path, time_s=None, begin_ns=None, waitall_s=None):
    """A sample whose time, begin or time in MPI_Waitall is another one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    sample(name, path)
    with h5py.File(path, "r+") as file:
        run, functions = file["summary/run"], file["summary/functions"]
        if time_s is not None:
            run["time_s"][...] = [time_s]
        if begin_ns is not None:
            run["begin_realtime_ns"][...] = [begin_ns]
        if waitall_s is not None:
            row = [text.decode() for text in functions["name"][:]].index("MPI_Waitall")
            functions["total_s"][row] = waitall_s
        if "findings" in file["summary"]:  # samples have errors
            severity = file["summary/findings/severity"]
            severity[...] = [0] * len(severity)
    return path


def four_ranks(name, **changes):
    return run_file("four_ranks", here / name / "merged.h5", **changes).parent


def changes_of(report, subject):
    return [row for row in report["comparisons"][-1]["changes"] if row["subject"] == subject]


def check_compare_orders_functions_by_their_change():
    before, after = four_ranks("before"), four_ranks("after", time_s=12.0, waitall_s=28.0)
    report = json.loads(meridian("compare", "--json", before, after).stdout)
    assert report["schema"] == "meridian-comparison" and report["version"] == 1
    assert [group["label"] for group in report["groups"]] == [str(before), str(after)]
    first = changes_of(report, "function")[0]
    assert (first["name"], first["before_s"], first["after_s"], first["change_s"]) == ("MPI_Waitall", 5.0, 7.0, 2.0), first
    assert (first["before_total_s"], first["after_total_s"], first["notable"]) == (20.0, 28.0, True)
    assert first["p_value"] is None and first["low_s"] is None
    assert all(row["change_s"] == 0 for row in changes_of(report, "function")[1:])
    figures = {row["name"]: row for row in report["comparisons"][0]["figures"]}
    assert (figures["time"]["before"], figures["time"]["after"], figures["time"]["ratio"]) == (10.0, 12.0, 1.2)
    assert report["scaling"] == [] and report["conditions"] == []
    text = meridian("compare", before, after)
    assert text.returncode == 0 and text.stderr == ""
    assert "The run takes 20.0 % more time: 12.0 s, before 10.0 s." in text.stdout
    assert "Without repeats, whether a change is more than noise is unknown." in " ".join(text.stdout.split())
    row = next(line.split() for line in text.stdout.splitlines() if line.startswith("  MPI_Waitall"))
    assert row == "MPI_Waitall 100000 100000 5.00 s 7.00 s +2.00 s 20.0 %".split(), row
    assert max(len(line) for line in text.stdout.splitlines()) <= 80, text.stdout
    assert "MPI_Isend" not in text.stdout


def check_compare_ends_with_the_problems_that_changed_most():
    assert meridian("generate", here / "one").returncode == 0
    assert meridian("merge", "--quiet", here / "one").returncode == 0
    (here / "other").mkdir()
    shutil.copy(here / "one/merged.h5", here / "other/merged.h5")
    with h5py.File(here / "other/merged.h5", "r+") as file:
        problems, time_s, ranks = file["summary/problems"], file["summary/run/time_s"][0], len(file["summary/ranks/rank"])
        assert problems["problem"].asstr()[:].tolist() == ["transfer", "transfer"]
        assert problems["function"].asstr()[:].tolist() == ["MPI_Waitall", "MPI_Isend"]
        before = problems["cost_s"][:].tolist()
        problems["problem"][0] = "too late"  # as long as the other: texts have a fixed length
        problems["cost_s"][1] = before[1] / 2
    shares = [f"({100 * cost / ranks / time_s:.1f} % of the run before)" for cost in (before[0], before[1] / 2)]
    for runs, words in ((("one", "other"), ("gone: transfer", "new: too late", "smaller: transfer")),
                        (("other", "one"), ("gone: too late", "new: transfer", "larger: transfer"))):  # fmt: skip
        text = " ".join(meridian("compare", *(here / run for run in runs)).stdout.split())
        parts = text[text.rindex("Problems ") + len("Problems "):].rstrip(".").split("; ")
        assert len(parts) == 3, text
        for part, word, share in zip(parts, words, (shares[0], shares[0], shares[1])):
            assert part.startswith(f"{word} at MPI_") and part.endswith(share), (part, word, share)


def check_compare_of_equal_runs_shows_no_change():
    one = four_ranks("one")
    report = json.loads(meridian("compare", "--json", one, one).stdout)
    assert report["comparisons"][0]["changes"] and not any(row["notable"] for row in report["comparisons"][0]["changes"])
    text = meridian("compare", one, one / "merged.h5").stdout
    assert "The run takes the same time: 10.0 s." in text and "FUNCTIONS" not in text, text
    assert text.endswith("No problem came, went or changed by 0.1 % of the run or more.\n"), text


def check_compare_tests_repeats_for_significance():
    before = ",".join(str(four_ranks(f"a{i}", time_s=10 + i / 10)) for i in range(3))
    after = ",".join(str(four_ranks(f"b{i}", time_s=12 + i / 10)) for i in range(3))
    noise = ",".join(str(four_ranks(f"c{i}", time_s=9 + 2 * i)) for i in range(3))
    report = json.loads(meridian("compare", "--json", f"old={before}", f"new={after}").stdout)
    assert [(group["label"], len(group["runs"])) for group in report["groups"]] == [("old", 3), ("new", 3)]
    time = report["comparisons"][0]["figures"][0]
    # Equal deviations of 0.1: t = 2 / sqrt(2 * 0.01 / 3) with 4 degrees of freedom; the critical t is 2.7764.
    reach = 2.7764 * (2 * 0.01 / 3) ** 0.5
    assert time["name"] == "time" and time["p_value"] < 0.001, time
    assert abs(time["low"] - (2 - reach)) < 1e-4 and abs(time["high"] - (2 + reach)) < 1e-4, time
    text = " ".join(meridian("compare", before, after).stdout.split())
    assert "This is more than noise: 95 % interval of the change +1.77 s to +2.23 s, p < 0.001." in text, text
    text = " ".join(meridian("compare", before, noise).stdout.split())
    assert "This is within the noise of the repeats:" in text, text


def check_compare_takes_an_existing_path_as_it_is():
    odd, other = four_ranks("a,b=c"), four_ranks("other")
    report = json.loads(meridian("compare", "--json", odd, f"x={other}").stdout)
    assert [group["label"] for group in report["groups"]] == [str(odd), "x"]
    assert [len(group["runs"]) for group in report["groups"]] == [1, 1]


def check_compare_says_that_programs_and_ranks_differ():
    one = run_file("one_rank", here / "one" / "merged.h5").parent
    text = " ".join(meridian("compare", one, four_ranks("four")).stdout.split())
    assert "The programs have different names." in text
    assert "The numbers of ranks differ: changes in seconds are those of a mean rank." in text
    assert "SCALING (strong" in text


def check_compare_names_the_run_that_cannot_be_read():
    good = four_ranks("good")
    hint = "hint: name the directory of a trace\n"
    expect(meridian("compare", good, "gone"), 1, "meridian: there is no 'gone'\n" + hint)
    expect(meridian("compare", "gone", good), 1, "meridian: there is no 'gone'\n" + hint)
    expect(meridian("compare", good, f"{good},gone"), 1, "meridian: there is no 'gone'\n" + hint)
    done = meridian("compare", good, f"{good},,{good}")
    assert done.returncode == 1 and "names an empty path" in done.stderr, done
    for words in ((), (good,)):
        done = meridian("compare", *words)
        assert done.returncode == 1 and done.stderr.startswith("meridian: there are not two runs to compare\n"), done
    damaged = here / "damaged.h5"
    damaged.write_bytes((good / "merged.h5").read_bytes()[:2000])
    done = meridian("compare", good, damaged)
    assert done.returncode == 1 and done.stdout == "" and str(damaged) in done.stderr, done
    older = four_ranks("older") / "merged.h5"
    with h5py.File(older, "r+") as file:
        del file["summary/functions/sd_s"]
    done = meridian("compare", good, older)
    assert done.returncode == 1 and done.stdout == "" and str(older) in done.stderr and "functions" in done.stderr, done


def check_fail_if_gives_exit_code_2_and_the_values():
    fine = four_ranks("fine")
    for condition, words in (
        ("time > 9", "time is 10, which is > 9"),
        ("calls:MPI_Waitall >= 100000", "calls:MPI_Waitall is 100000, which is >= 100000"),
        ("mpi_share > 1%", None),
    ):
        done = meridian("stats", "--fail-if", condition, fine)
        assert done.returncode == 2, (condition, done)
        assert words is None or done.stderr == f"meridian: {words} (--fail-if '{condition}')\n", done.stderr
        assert done.stdout == "", done
    expect(meridian("stats", "--fail-if", "time > 10", fine), 0, "", "")
    done = meridian("stats", "--fail-if", "time > 9", "--section", "run", fine)
    assert done.returncode == 2 and done.stdout == meridian("stats", "--section", "run", fine).stdout, done
    expect(meridian("stats", "--fail-if", "time > 10", "--json", fine), 0, "", meridian("stats", "--json", fine).stdout)
    done = meridian("stats", fine, "--fail-if", "time > 9", "--fail-if", "ranks != 4", "--fail-if", "ranks == 4")
    assert done.returncode == 2 and len(done.stderr.splitlines()) == 2, done


def check_fail_if_of_compare_may_be_a_ratio():
    before, after = four_ranks("before"), four_ranks("after", time_s=11.0)
    done = meridian("compare", before, after, "--fail-if", "time > 1.05x")
    assert done.returncode == 2, done
    assert done.stderr == "meridian: time was 10 and is 11: 1.1x, which is > 1.05x (--fail-if 'time > 1.05x')\n", done.stderr
    assert meridian("compare", after, before, "--fail-if", "time > 1.05x").returncode == 0
    report = json.loads(meridian("compare", "--json", before, after, "--fail-if", "time > 1.05x", "--fail-if", "ranks == 5").stdout)
    assert [row["true"] for row in report["conditions"]] == [True, False]


def check_fail_if_with_an_unknown_figure_is_an_error():
    fine = four_ranks("fine")
    for words in (("stats", fine), ("compare", fine, fine)):
        done = meridian(*words, "--fail-if", "parallel_eficiency < 1")
        assert done.returncode == 1, done
        assert done.stderr == (
            "meridian: there is no figure 'parallel_eficiency'\n"
            "hint: did you mean 'parallel_efficiency'? Else `meridian compare --list-figures` lists them\n"
        ), done.stderr
        assert meridian(*words, "--fail-if", "time").returncode == 1
        done = meridian(*words, "--fail-if", "problem:late_sender > 5%")
        assert done.returncode == 1, done
        assert done.stderr == (
            "meridian: --fail-if 'problem:late_sender > 5%': 'problem:late_sender' is no share of anything\n"
            "hint: give a number of s, such as 'problem:late_sender > 5'\n"
        ), done.stderr
    assert meridian("stats", fine, "--fail-if", "time > 1x").returncode == 1


def check_list_figures_names_each_figure_of_json():
    listed = meridian("compare", "--list-figures")
    assert listed.returncode == 0 and listed.stdout == meridian("stats", "--list-figures").stdout
    one = four_ranks("one")
    names = json.loads(meridian("compare", "--json", one, one).stdout)["groups"][0]["runs"][0]["figures"]
    shown = [line.split()[0] for line in listed.stdout.splitlines() if line.startswith("  ") and line[2] != " "]
    assert shown[: len(names)] == list(names), shown
    assert max(len(line) for line in listed.stdout.splitlines()) <= 80


def check_history_has_one_line_for_each_run_in_the_order_of_time():
    second = 10**9
    folder = here / "runs"
    for name, begin, time_s, waitall_s in (("b", 1_700_000_000, 10.0, 20.0), ("a", 1_700_086_400, 11.0, 24.0), ("c", 1_700_172_800, 9.0, 20.0)):
        run_file("four_ranks", folder / name / "merged.h5", time_s=time_s, begin_ns=begin * second, waitall_s=waitall_s)
    (folder / "latest").symlink_to("c")
    (folder / "notes").mkdir()
    (folder / "raw").mkdir()
    (folder / "raw" / "rank-00000.h5").write_text("")
    (folder / "broken").mkdir()
    (folder / "broken" / "merged.h5").write_text("broken")
    report = json.loads(meridian("compare", "--history", folder, "--json").stdout)
    rows = report["runs"]
    assert [os.path.basename(os.path.dirname(row["source"])) for row in rows] == ["b", "a", "c"]
    assert [row["time_s"] for row in rows] == [10.0, 11.0, 9.0]
    assert [row["time_ratio"] for row in rows] == [None, 1.1, 9 / 11]
    assert [(row["largest_change"], row["largest_change_s"]) for row in rows] == [("", None), ("MPI_Waitall", 1.0), ("MPI_Waitall", -1.0)]
    assert report["unmerged"] == 1 and len(report["skipped"]) == 1 and "broken" in report["skipped"][0]
    table = list(csv.DictReader(io.StringIO(meridian("compare", "--history", folder, "--csv").stdout)))
    assert [row["begin"] for row in table] == ["2023-11-14 22:13:20 UTC", "2023-11-15 22:13:20 UTC", "2023-11-16 22:13:20 UTC"]
    text = meridian("compare", "--history", folder)
    assert text.returncode == 0 and text.stderr == "", text
    lines = [line for line in text.stdout.splitlines() if line.startswith("  2023-")]
    assert len(lines) == 3 and "+10.0 %" in lines[1] and "MPI_Waitall" in lines[1], text.stdout
    assert max(len(line) for line in text.stdout.splitlines()) <= 80, text.stdout
    assert "\x1b" not in text.stdout and "1 further trace has not been merged." in text.stdout


def check_history_without_runs_is_an_error():
    expect(meridian("compare", "--history", "gone"), 1, "meridian: there is no 'gone'\nhint: name a folder of traces\n")
    (here / "empty").mkdir()
    done = meridian("compare", "--history", "empty")
    assert done.returncode == 1 and done.stderr.startswith("meridian: 'empty' holds no merged run\n"), done
    assert meridian("compare", "--history", "empty", "other").returncode == 1


def check_compare_has_tables_of_comma_separated_values():
    before, after = four_ranks("before"), four_ranks("after", waitall_s=28.0)
    text = meridian("compare", "--csv", before, after).stdout
    tables = {}
    for block in text.split("\n\n"):
        rows = list(csv.DictReader(io.StringIO(block)))
        tables[block.split(",")[0] if not rows else rows[0]["section"]] = rows
    assert [row["source"] for row in tables["runs"]] == [str(before), str(after)]
    first = next(row for row in tables["changes"] if row["subject"] == "function")
    assert (first["name"], first["change_s"], first["p_value"]) == ("MPI_Waitall", "2", "")


def check_compare_prints_nothing_that_a_terminal_would_interpret():
    odd = run_file("hostile", here / "odd" / "merged.h5").parent
    other = run_file("one_rank", here / "other" / "merged.h5").parent
    for words in ((odd, odd), (odd, other), (other, odd), ("--csv", other, odd), ("--json", odd, other)):
        done = meridian("compare", *words)
        assert done.returncode == 0 and done.stderr == "", done
        assert not any(c < " " and c != "\n" for c in done.stdout), done.stdout
    assert json.loads(meridian("compare", "--json", odd, other).stdout)["version"] == 1


def check_compare_has_no_colours_if_the_user_has_set_no_color():
    import pty

    one = four_ranks("one")

    def shown(**env):
        controller, terminal = pty.openpty()
        child = subprocess.Popen([arguments.meridian, "compare", one, one], stdout=terminal, env=clean_environment(TERM="xterm", **env))
        child.wait(timeout=60)
        os.close(terminal)
        text = os.read(controller, 100_000)
        os.close(controller)
        return text

    assert b"\x1b[1mCOMPARISON" in shown()
    assert b"\x1b" not in shown(NO_COLOR="1")

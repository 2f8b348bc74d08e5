# SPDX-License-Identifier: Apache-2.0
"""merge, stats, check and info on valid and invalid traces."""

import json
import os
import pathlib
import subprocess

from cli_harness import arguments, clean_environment, expect, here, meridian, program, sample


def check_merge_says_what_is_wrong_with_the_directory():
    hint_latest = "hint: name the trace's directory, or change to the directory in which the program was started\n"
    expect(meridian("merge"), 1, "meridian: there is no directory 'latest' here\n" + hint_latest)
    expect(meridian("merge", "gone"), 1, "meridian: there is no 'gone'\nhint: name the directory of a trace\n")
    plain = program("plain", "text", 0o644)
    hint = "hint: name the directory that holds the rank files\n"
    expect(meridian("merge", plain), 1, f"meridian: '{plain}' is not a directory\n" + hint)
    (here / "empty").mkdir()
    done = meridian("merge", here / "empty")
    assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("meridian: "), done
    assert list((here / "empty").iterdir()) == []


def check_merge_of_a_foreign_directory_is_an_error_and_changes_nothing():
    foreign = here / "foreign"
    foreign.mkdir()
    for name in ("rank-00000.h5", "rank-00001.ring", "notes.txt"):
        (foreign / name).write_text("not ours\n")
    done = meridian("merge", foreign)
    assert done.returncode == 1 and done.stderr.startswith("meridian: "), done
    assert sorted(path.name for path in foreign.iterdir()) == ["notes.txt", "rank-00000.h5", "rank-00001.ring"]
    assert (foreign / "rank-00001.ring").read_text() == "not ours\n"


def check_merge_refuses_an_unknown_clock_model():
    expect(
        meridian("merge", "--clock-model", "liner", "."),
        1,
        "meridian: --clock-model liner: not a valid choice\nhint: did you mean 'linear'? Else give none, offset, linear, regression, hull, meridian\n",
    )


def check_stats_prints_what_is_in_the_merged_file():
    for name in ("empty_run", "one_rank", "ten_thousand_ranks"):
        merged = sample(name, here / "merged.h5")
        for form, option in (("text", ("--all",)), ("json", ("--json",)), ("csv", ("--csv",))):
            expected = subprocess.run([arguments.write_sample, name, form], capture_output=True, text=True).stdout
            expect(meridian("stats", merged, *option), 0, "", expected)
            expect(meridian("stats", here, *option), 0, "", expected)


def check_stats_prints_the_section_that_is_asked_for():
    merged = sample("four_ranks", here / "merged.h5")
    done = meridian("stats", "--section", "run", "--section", "locks", merged)
    assert done.stdout.startswith("RUN\n") and done.stdout.endswith("\n\nlocks: none\n"), done.stdout
    done = meridian("stats", "--section", "wiats", merged)
    error = "meridian: --section wiats: not a valid choice\nhint: did you mean 'waits'? Else give verdict, run, "
    assert done.returncode == 1 and done.stderr.startswith(error), done


def check_stats_looks_into_latest_by_itself():
    (here / "trace").mkdir()
    sample("one_rank", here / "trace" / "merged.h5")
    (here / "latest").symlink_to("trace")
    assert json.loads(meridian("stats", "--json").stdout)["run"]["calls"] == 1002


def check_errors_in_the_trace_give_exit_code_2():
    merged = sample("four_ranks", here / "merged.h5")
    for words in (("stats",), ("stats", "--json"), ("stats", "--csv"), ("check",)):
        done = meridian(*words, merged)
        assert done.returncode == 2 and done.stderr == "", done
    assert "message.unmatched_send" in meridian("check", merged).stdout
    expect(meridian("check", sample("one_rank", here / "fine.h5")), 0, "", "FINDINGS\n  none\n")
    assert meridian("check", sample("ten_thousand_ranks", here / "loss.h5")).returncode == 0, "a loss is no error"


def check_a_directory_that_is_being_merged_is_left_to_the_first():
    import fcntl

    trace = here / "trace"
    trace.mkdir()
    rank_file = trace / "rank-00000.h5"
    rank_file.write_bytes((pathlib.Path(arguments.docs).parent / "tests/fuzz/corpus/rank_file/seed-0").read_bytes())
    lock = trace / "merged.h5.lock"
    words = f"meridian: '{trace}/merged.h5' is being merged by another process"
    with open(lock, "w") as held:
        fcntl.flock(held, fcntl.LOCK_EX)
        expect(meridian("merge", trace), 1, words + "\n")
        for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):  # an error would end the rank that merges
            done = meridian("merge", trace, env=clean_environment(**{variable: 1}))
            expect(done, 0, words + "; one `meridian merge` without a launcher is enough\n")
        assert sorted(path.name for path in trace.iterdir()) == ["merged.h5.lock", "rank-00000.h5"]
        assert meridian("merge", "-o", trace / "other.h5", trace).returncode == 0, "another output is nobody's business"
    # The lock of a process that was killed does not keep others out.
    assert meridian("merge", trace).returncode == 0
    assert sorted(path.name for path in trace.iterdir()) == ["merged.h5", "other.h5", "rank-00000.h5"]


def check_a_quiet_merge_names_the_errors_of_the_trace():
    import h5py

    trace = here / "trace"
    trace.mkdir()
    rank_file = trace / "rank-00000.h5"
    rank_file.write_bytes((pathlib.Path(arguments.docs).parent / "tests/fuzz/corpus/rank_file/seed-0").read_bytes())
    expect(meridian("merge", "--quiet", trace), 0, "")
    with h5py.File(rank_file, "r+") as file:
        file.attrs["finalized"] = 1  # then a message that nobody received is an error
    expect(
        meridian("merge", "--quiet", trace),
        2,
        f"meridian: '{trace}/merged.h5' was written, but the trace has errors: message.unmatched_send (2)\n"
        f"hint: meridian check '{trace}/merged.h5'\n",
    )


def check_stats_says_what_to_type_when_nothing_was_merged():
    hint = "hint: name a directory made by `meridian run`\n"
    (here / "empty").mkdir()
    expect(meridian("stats", "empty"), 1, "meridian: 'empty' holds no trace\n" + hint)
    (here / "trace").mkdir()
    (here / "trace" / "rank-00000.h5").write_text("")
    expect(meridian("stats", "trace"), 1, "meridian: 'trace' has not been merged\nhint: meridian merge 'trace'\n")
    expect(meridian("check", "trace"), 1, "meridian: 'trace' has not been merged\nhint: meridian merge 'trace'\n")
    expect(meridian("stats", "gone"), 1, "meridian: there is no 'gone'\nhint: name the directory of a trace\n")


def check_stats_of_a_damaged_file_is_one_clear_error():
    whole = sample("four_ranks", here / "whole.h5").read_bytes()
    damaged = here / "merged.h5"
    for data in (b"", b"text", whole[:100], whole[: len(whole) // 2], whole[:-1], bytes(len(whole))):
        damaged.write_bytes(data)
        done = meridian("stats", damaged)
        assert done.returncode == 1 and done.stdout == "" and done.stderr.startswith("meridian: "), (len(data), done)
        assert len(done.stderr.splitlines()) <= 2, done


def check_stats_of_a_later_version_is_one_clear_error():
    import h5py

    merged = sample("one_rank", here / "merged.h5")
    with h5py.File(merged, "r+") as file:
        file["summary"].attrs["version"] = 99
    done = meridian("stats", merged)
    expect(
        done,
        1,
        f"meridian: '{merged}' has a summary of version 99, this program reads version 1\n"
        "hint: use the version of meridian that made it, or merge again\n",
    )


def check_nothing_but_the_summary_is_on_standard_output():
    merged = sample("hostile", here / "merged.h5")
    done = meridian("stats", "--json", merged)
    assert json.loads(done.stdout)["schema"] == "meridian-summary" and done.stdout.startswith("{") and done.stderr == ""


def check_colours_are_for_terminals_only():
    import pty

    merged = sample("four_ranks", here / "merged.h5")
    assert "\x1b" not in meridian("stats", merged, env=clean_environment(TERM="xterm")).stdout

    def on_terminal(**env):
        controller, terminal = pty.openpty()
        child = subprocess.Popen([arguments.meridian, "check", merged], stdout=terminal, env=clean_environment(**env))
        child.wait(timeout=60)
        os.close(terminal)
        text = os.read(controller, 100_000)
        os.close(controller)
        return text

    assert b"\x1b[1;31merror" in on_terminal(TERM="xterm")
    for env in ({"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}):
        assert b"\x1b" not in on_terminal(**env), env


def check_a_reader_that_goes_away_is_no_error():
    merged = sample("ten_thousand_ranks", here / "merged.h5")
    command = f"'{arguments.meridian}' stats --json '{merged}' | head -1; echo ${{PIPESTATUS[0]}}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=clean_environment())
    assert done.stderr == "" and done.stdout.splitlines()[0] == "{" and done.stdout.splitlines()[1] in ("0", "141"), done


def check_info_says_what_a_file_is():
    merged = sample("one_rank", here / "merged.h5")
    assert meridian("info", merged).stdout.startswith(f"merged trace '{merged}'")
    plain = program("plain.txt", "text", 0o644)
    expect(
        meridian("info", plain),
        1,
        f"meridian: '{plain}' is neither a rank file nor a merged file\n"
        "hint: name a file or directory made by Meridian\n",
    )
    expect(meridian("info", "gone"), 1, "meridian: there is no 'gone'\nhint: check the name and the directory\n")
    expect(meridian("info", "/dev/null"), 1, "meridian: '/dev/null' is neither a file nor a directory\n")


def check_info_and_check_print_json():
    merged = sample("four_ranks", here / "merged.h5")
    info = json.loads(meridian("info", "--json", merged).stdout)
    assert (info["schema"], info["version"], info["kind"]) == ("meridian-info", 1, "merged trace"), info
    assert (info["path"], info["ranks"], info["calls"]) == (str(merged), 4, 400040), info
    directory = json.loads(meridian("info", "--json", here).stdout)
    assert (directory["kind"], directory["rank_files"], directory["merged"]) == ("trace directory", 0, True), directory
    done = meridian("check", "--json", merged)
    findings = json.loads(done.stdout)
    assert done.returncode == 2 and findings["schema"] == "meridian-findings", done
    assert findings["findings"] == json.loads(meridian("stats", "--json", merged).stdout)["findings"]
    assert json.loads(meridian("check", "--json", sample("one_rank", here / "fine.h5")).stdout)["findings"] == []


def check_info_of_a_directory_counts_what_is_in_it():
    (here / "merged.h5").unlink(missing_ok=True)
    for name in ("rank-00000.h5", "rank-00001.h5", "rank-00002.ring", "rank-00002.spool"):
        (here / name).write_text("x")
    text = meridian("info", here).stdout
    assert text.startswith(f"trace directory '{here}'\n  rank files  2, 2 B\n"), text
    assert "unfinished  1 ranks have no rank file yet" in text and "merged      no: meridian merge" in text, text


def check_stats_columns_describes_every_member():
    merged = sample("four_ranks", here / "merged.h5")
    described, previous = {}, ""
    for line in meridian("stats", "--columns").stdout.splitlines():
        assert len(line) <= 80, line
        if previous == "":
            columns = described.setdefault(line.partition(":")[0], set())
        elif line.startswith("  ") and line[2] != " ":
            columns.add(line.split()[0])
        previous = line
    summary = json.loads(meridian("stats", "--json", merged).stdout)
    for table, rows in summary.items():
        for row in rows if isinstance(rows, list) else [rows] if isinstance(rows, dict) else []:
            assert set(row) <= described[table], (table, set(row) - described[table])
    for line in meridian("stats", "--csv", merged).stdout.splitlines():
        if line.startswith("section,"):
            columns = set(line.split(",")[1:])
        elif line:
            assert columns <= described[line.split(",")[0]], (line, columns)


def check_check_reads_all_files_and_names_the_rows_that_are_damaged():
    import h5py

    trace = here / "trace"
    meridian("generate", trace, "--ranks", 2, "--calls", 20000)
    whole = meridian("check", "--all", trace)
    assert whole.returncode == 0 and "nothing is damaged" in whole.stdout, whole
    meridian("merge", "--quiet", trace)
    whole = json.loads(meridian("check", "--all", "--json", trace).stdout)["files"]
    assert (whole["files"], whole["damaged"]) == (3, []), whole
    merged = trace / "merged.h5"
    with h5py.File(merged) as file:
        column = file["events/enter_step_ns"]
        chunk = next(column.id.get_chunk_info(i) for i in range(column.id.get_num_chunks()) if column.id.get_chunk_info(i).size > 100)
        first, rows = chunk.chunk_offset[0], min(column.chunks[0], len(column) - chunk.chunk_offset[0])
    with open(merged, "r+b") as file:
        file.seek(chunk.byte_offset + chunk.size // 2)
        file.write(b"damaged")
    done = meridian("check", "--all", trace)
    said = f"damaged: merged.h5: /events/enter_step_ns, rows {first} to {first + rows - 1}: they do not decompress to what their checksum says"
    assert done.returncode == 2 and said in " ".join(done.stdout.split()), done
    files = json.loads(meridian("check", "--all", "--json", trace).stdout)["files"]
    reason = "they do not decompress to what their checksum says"
    assert files["damaged"] == [{"file": "merged.h5", "table": "/events/enter_step_ns", "first": first, "rows": rows, "reason": reason}], files
    (trace / "rank-00001.h5").write_bytes((trace / "rank-00001.h5").read_bytes()[:5000])
    done = meridian("check", "--all", trace)
    assert done.returncode == 2 and "rank-00001.h5" in done.stdout, done


def check_files_that_commands_write_are_readable_by_their_owner_alone():
    trace = here / "trace"
    meridian("generate", trace, "--ranks", 2, "--calls", 1000)
    meridian("merge", "--quiet", trace)
    meridian("report", trace, "-o", here / "page.html")
    for form in ("csv", "chrome", "paje"):
        assert meridian("export", trace, "--format", form, "-o", here / form).returncode == 0
    meridian("cut", trace, "--from", "0s", "--to", "1s", "-o", here / "cut")
    files = [path for path in here.rglob("*") if path.is_file()]
    assert len(files) > 8, files
    assert [path for path in files if path.stat().st_mode & 0o077] == [], files


def check_merge_that_exceeds_the_largest_size_of_a_file_says_so_and_leaves_nothing():
    trace = here / "trace"
    meridian("generate", trace, "--ranks", 2, "--calls", 20000)
    before = sorted(trace.iterdir())
    done = subprocess.run(["prlimit", "--fsize=30000", arguments.meridian, "merge", trace], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1 and "File too large" in done.stderr, done
    assert sorted(trace.iterdir()) == before, sorted(trace.iterdir())

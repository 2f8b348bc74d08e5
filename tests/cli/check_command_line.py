# SPDX-License-Identifier: Apache-2.0
"""The command line of `meridian`; doctor and options."""

import json
import pathlib
import re
import subprocess

from cli_harness import HINT_HELP, arguments, clean_environment, expect, here, meridian


# The command line


def check_without_a_command_there_is_help():
    expect(meridian(), 0, "", meridian("--help").stdout)


def check_help_of_a_command_is_that_of_its_option():
    expect(meridian("help"), 0, "", meridian("--help").stdout)
    for command in ("run", "merge", "control"):
        expect(meridian("help", command), 0, "", meridian(command, "--help").stdout)
    expect(
        meridian("help", "stast"),
        1,
        "meridian: there is no command or topic 'stast'\nhint: did you mean 'stats'? Else `meridian --help` lists them, and the topics\n",
    )


def check_text_is_as_wide_as_it_may_be():
    def width(*words, **env):
        done = meridian(*words, env=clean_environment(**env))
        assert done.returncode == 0, done
        return max(len(line) for line in done.stdout.splitlines())

    assert 76 <= width("options") <= 80
    assert 90 < width("options", COLUMNS="100") <= 100
    assert 90 < width("options", "--width", "100", COLUMNS="70") <= 100
    assert 64 <= width("options", "--width", "70") <= 70
    for nonsense in ("", "0", "-5", "wide", "99999999999999999999"):
        assert 76 <= width("options", COLUMNS=nonsense) <= 80, nonsense
    assert meridian("options", "--width", "59").returncode == 1


def check_a_terminal_has_its_own_width():
    import fcntl
    import os
    import pty
    import struct
    import termios

    controller, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 66, 0, 0))
    child = subprocess.Popen([arguments.meridian, "help", "merge"], stdout=terminal, env=clean_environment())
    child.wait(timeout=60)
    os.close(terminal)
    lines = os.read(controller, 100_000).decode().splitlines()
    os.close(controller)
    assert 60 <= max(len(line.rstrip()) for line in lines) <= 66, lines


def check_control_takes_lists_with_signs():
    hint = "hint: give the directory that the tracer printed at the start\n"
    for words in (("level", "-coll"), ("latest", "level", "-coll"), ("level", "all,-p2p"), ("on",), ("latest", "off")):
        expect(meridian("control", *words), 1, f"meridian: no rank of a running program records into 'latest' on this host\n{hint}")
    done = meridian("control", "level", "-col")
    assert done.returncode == 1 and done.stderr.startswith("meridian: level -col: there is no group, preset or call 'col'"), done
    nothing = "meridian: no action given\nhint: give on, off or level: `meridian control latest off`\n"
    for words in ((), ("latest",)):
        expect(meridian("control", *words), 1, nothing)
    assert "--width" in meridian("control", "--help").stdout


def check_snapshot_looks_into_latest_by_itself():
    done = meridian("snapshot")
    assert done.returncode == 1 and "records into 'latest'" in done.stderr, done


def check_an_unknown_command_gets_the_nearest_name():
    expect(
        meridian("stast"),
        1,
        "meridian: there is no command 'stast'\nhint: did you mean 'stats'? Else `meridian --help` lists them\n",
    )
    expect(meridian("frobnicate"), 1, "meridian: there is no command 'frobnicate'\n" + HINT_HELP)


def check_an_unknown_option_gets_the_nearest_name():
    expect(
        meridian("stats", "--jsno"),
        1,
        "meridian: there is no option '--jsno' for `meridian stats`\n"
        "hint: did you mean '--json'? Else `meridian stats --help` lists them\n",
    )
    expect(
        meridian("merge", "--clockmodel=linear"),
        1,
        "meridian: there is no option '--clockmodel' for `meridian merge`\n"
        "hint: did you mean '--clock-model'? Else `meridian merge --help` lists them\n",
    )
    expect(
        meridian("run", "--bufer", "4M", "true"),
        1,
        "meridian: there is no option '--bufer' for `meridian run`\n"
        "hint: did you mean '--buffer'? Else `meridian run --help` lists them\n",
    )


def check_an_argument_too_many_is_an_error():
    expect(
        meridian("stats", "one", "two"),
        1,
        "meridian: unexpected argument 'two'\nhint: `meridian stats --help` shows how\n",
    )


def check_csv_and_json_exclude_each_other():
    assert meridian("stats", "--csv", "--json").returncode == 1


def check_help_of_every_command_goes_to_standard_output():
    for command in ((), ("run",), ("merge",), ("stats",), ("compare",), ("where",), ("watch",), ("info",), ("check",), ("doctor",), ("options",)):
        done = meridian(*command, "--help")
        assert done.returncode == 0 and done.stderr == "" and "Usage:" in done.stdout, done
        assert max(len(line) for line in done.stdout.splitlines()) <= 80, done.stdout
    assert meridian("--version").stdout.startswith("meridian ")


def check_control_characters_in_messages_are_escaped():
    expect(meridian("st\x1b[2Jats"), 1, "meridian: there is no command 'st\\x1b[2Jats'\n" + HINT_HELP)


def check_a_full_disk_behind_standard_output_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([arguments.meridian, "options"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "meridian: cannot write to standard output: No space left on device\n"


# doctor, options


def check_doctor_has_a_remedy_for_everything_that_is_not_well():
    done = meridian("doctor", "--json")
    report = json.loads(done.stdout)
    assert report["schema"] == "meridian-doctor" and report["version"] == 1 and done.stderr == ""
    for row in report["checks"]:
        assert row["health"] in ("ok", "warn", "fail") and row["text"], row
        assert bool(row["remedy"]) == (row["health"] != "ok"), row
    names = {row["name"] for row in report["checks"]}
    assert {"launcher", "writer", "clock", "PAPI", "hardware counters", "samples", "HDF5", "scratch", "output", "settings"} <= names
    assert report["can_trace"] == (done.returncode == 0) == all(row["health"] != "fail" for row in report["checks"])


def check_doctor_fails_without_a_place_for_the_rings():
    done = meridian("doctor", "--json", env=clean_environment(MERIDIAN_SCRATCH="/nowhere"))
    row = next(row for row in json.loads(done.stdout)["checks"] if row["name"] == "scratch")
    assert done.returncode == 1 and row["health"] == "fail" and row["text"] == "/nowhere: not there", row


def check_doctor_reports_settings():
    done = meridian("doctor", env=clean_environment(MERIDIAN_BUFER="4M"))
    assert "warn  settings: there is no option MERIDIAN_BUFER; it is ignored\n      -> did you mean MERIDIAN_BUFFER?" in done.stdout


def check_doctor_fits_eighty_columns():
    for line in meridian("doctor").stdout.splitlines():
        assert len(line) <= 80, line


def check_options_as_json_are_those_of_the_text():
    listed = json.loads(meridian("options", "--json").stdout)
    assert listed["schema"] == "meridian-options" and listed["version"] == 1
    names = re.findall(r"^MERIDIAN_[A-Z_]+$", meridian("options").stdout, re.MULTILINE)
    assert [option["name"] for option in listed["options"]] == names
    assert all(option["text"] and option["values"] for option in listed["options"])
    assert "coll" in [group["name"] for group in listed["groups"]] and listed["presets"]
    assert meridian("options", "--json", "--markdown").returncode == 1


def check_docs_options_is_what_the_command_prints():
    page = pathlib.Path(arguments.docs, "OPTIONS.md").read_text()
    assert meridian("options", "--markdown").stdout == page, "run: meridian options --markdown > docs/OPTIONS.md"


def check_the_order_of_words_is_said():
    expect(meridian("before", "stats"), 1, "meridian: there is no command 'before'\nhint: the command comes first: meridian stats before\n")
    for option in ("-n", "-np"):
        error = f"meridian: `meridian run` starts one process: it has no option '{option}'\n"
        expect(meridian("run", option, "4", "./x"), 1, error + f"hint: put the launcher in front: mpirun {option} 4 meridian run ./program\n")


def check_the_page_goes_to_standard_output_if_asked():
    trace = here / "trace"
    meridian("generate", trace, "--ranks", 2, "--calls", 100)
    meridian("merge", "--quiet", trace)
    meridian("report", trace, "-o", here / "page.html")
    done = meridian("report", trace, "-o", "-")
    assert done.returncode == 0 and done.stdout.startswith("<!DOCTYPE html>") and not (here / "-").exists(), done.stdout[:200]
    assert done.stdout == (here / "page.html").read_text()

"""What the `meridian` command does and says. Usage: check_cli.py CHECK --meridian PATH ... (see CMakeLists.txt)"""

import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile

HINT_HELP = "hint: `meridian --help` lists them\n"

parser = argparse.ArgumentParser()
parser.add_argument("check")
for name in ("meridian", "write-sample", "static", "docs", "program-openmpi", "program-mpich"):
    parser.add_argument(f"--{name}")
arguments = parser.parse_args()
work = tempfile.TemporaryDirectory()
here = pathlib.Path(work.name)


def clean_environment(**extra):
    """The caller's environment without Meridian, a launcher or a preload in it."""
    strangers = ("MERIDIAN_", "OMPI_", "PMI", "PMIX", "HYD", "MPI", "PRTE", "SLURM_", "LD_PRELOAD", "LD_LIBRARY_PATH")
    env = {key: value for key, value in os.environ.items() if not key.startswith(strangers)}
    return env | {key: str(value) for key, value in extra.items()}


def meridian(*words, env=None, cwd=here, **options):
    command = [arguments.meridian, *(str(word) for word in words)]
    return subprocess.run(command, env=env or clean_environment(), cwd=cwd, capture_output=True, text=True, timeout=60, **options)


def run_env(*words, **options):
    """What `meridian run` gives a program, as a dictionary."""
    done = meridian("run", *words, "env", "-0", **options)
    assert done.returncode == 0, done
    return dict(entry.split("=", 1) for entry in done.stdout.split("\0") if entry)


def expect(done, code, stderr, stdout=""):
    assert (done.returncode, done.stderr, done.stdout) == (code, stderr, stdout), done


def skip(reason):
    print(reason)
    sys.exit(77)


def program(name, text, mode=0o755):
    path = here / name
    path.write_text(text)
    path.chmod(mode)
    return path


def tracer(flavor):
    prefix = pathlib.Path(arguments.meridian).parent.parent
    path = prefix / "lib" / "meridian" / flavor / "libmeridian.so"
    return path if path.exists() else None


def any_tracer():
    return tracer("openmpi") or tracer("mpich") or skip("no libmeridian.so in this build")


def sample(name, path):
    subprocess.run([arguments.write_sample, name, "h5", path], check=True)
    return path


# The command line


def check_no_command_is_an_error():
    expect(meridian(), 1, "meridian: no command given\n" + HINT_HELP)


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
        "meridian: there is an argument too many: 'two'\nhint: `meridian stats --help` shows how\n",
    )


def check_csv_and_json_exclude_each_other():
    assert meridian("stats", "--csv", "--json").returncode == 1


def check_help_of_every_command_goes_to_standard_output():
    for command in ((), ("run",), ("merge",), ("stats",), ("info",), ("check",), ("doctor",), ("options",)):
        done = meridian(*command, "--help")
        assert done.returncode == 0 and done.stderr == "" and "Usage:" in done.stdout, done
    assert meridian("--version").stdout.startswith("meridian ")


def check_control_characters_in_messages_are_escaped():
    expect(meridian("st\x1b[2Jats"), 1, "meridian: there is no command 'st\\x1b[2Jats'\n" + HINT_HELP)


def check_a_full_disk_behind_standard_output_is_an_error():
    with open("/dev/full", "w") as full:
        done = subprocess.run([arguments.meridian, "options"], stdout=full, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 1
    assert done.stderr == "meridian: cannot write to standard output: No space left on device\n"


# run: bad input


def check_run_without_a_program_is_an_error():
    expected = "meridian: no program given\nhint: mpirun -n 4 meridian run ./program arguments...\n"
    expect(meridian("run"), 1, expected)
    expect(meridian("run", "--buffer", "4M"), 1, expected)
    expect(meridian("run", "--"), 1, expected)


def check_run_says_what_is_wrong_with_the_program():
    hint = "hint: check the name and the directory\n"
    expect(meridian("run", "./nope"), 1, "meridian: cannot run './nope': no such file\n" + hint)
    expect(meridian("run", "no-such-program"), 1, "meridian: cannot run 'no-such-program': not found in PATH\n" + hint)
    expect(meridian("run", "/tmp"), 1, "meridian: cannot run '/tmp': it is a directory\nhint: name the program in it\n")
    plain = program("plain", "text", 0o644)
    expect(meridian("run", plain), 1, f"meridian: cannot run '{plain}': it is not executable\nhint: chmod +x '{plain}'\n")


def check_run_refuses_bad_values_on_its_command_line():
    expect(meridian("run", "--buffer", "1K", "true"), 1, "meridian: --buffer 1K: out of range\nhint: give 256K to 256M\n")
    expect(meridian("run", "--buffer=12Q", "true"), 1, "meridian: --buffer 12Q: not a size\nhint: give 256K to 256M\n")
    expect(
        meridian("run", "--clock", "tcs", "true"),
        1,
        "meridian: --clock tcs: not a valid choice\n"
        "hint: did you mean tsc? Else give auto, tsc, monotonic_raw, monotonic\n",
    )
    expect(
        meridian("run", "--mpi", "opnmpi", "true"),
        1,
        "meridian: --mpi opnmpi: not a valid choice\nhint: did you mean 'openmpi'? Else give auto, openmpi, mpich\n",
    )


def check_run_refuses_an_output_directory_that_cannot_be_written():
    any_tracer()
    hint = "hint: choose another one with -o or MERIDIAN_DIR\n"
    plain = program("plain", "text", 0o644)
    message = f"meridian: cannot write to the output directory '{plain}/trace': '{plain}' is not a directory\n" + hint
    expect(meridian("run", "-o", plain / "trace", "touch", here / "ran"), 1, message)
    done = meridian("run", "touch", here / "ran", env=clean_environment(MERIDIAN_DIR="/proc/meridian"))
    assert done.returncode == 1 and done.stderr.startswith("meridian: cannot write to the output directory '/proc/meridian': "), done
    assert done.stderr.endswith(hint)
    assert not (here / "ran").exists(), "the program was started"


def check_an_unknown_variable_is_reported_and_the_program_runs():
    any_tracer()
    done = meridian("run", "echo", "ran", env=clean_environment(MERIDIAN_BUFER="4M"))
    expect(
        done,
        0,
        "meridian: there is no option MERIDIAN_BUFER; it is ignored\n"
        "hint: did you mean MERIDIAN_BUFFER? `meridian options` lists them all\n",
        "ran\n",
    )


def check_a_bad_value_of_a_variable_is_reported_and_the_program_runs():
    any_tracer()
    done = meridian("run", "echo", "ran", env=clean_environment(MERIDIAN_BUFFER="12Q"))
    message = "meridian: MERIDIAN_BUFFER=12Q: not a size; the default 2M is used\nhint: give 256K to 256M\n"
    expect(done, 0, message, "ran\n")


def check_only_rank_zero_reports_variables():
    any_tracer()
    for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        done = meridian("run", "echo", "ran", env=clean_environment(MERIDIAN_BUFER="4M", **{variable: 1}))
        expect(done, 0, "", "ran\n")
        done = meridian("run", "echo", "ran", env=clean_environment(MERIDIAN_BUFER="4M", **{variable: 0}))
        assert done.stderr.startswith("meridian: there is no option MERIDIAN_BUFER"), done


def check_strict_turns_a_report_into_an_error():
    any_tracer()
    for env in ({"MERIDIAN_BUFER": "4M"}, {"MERIDIAN_BUFFER": "1"}, {"MERIDIAN_CONFIG": "/nowhere"}):
        done = meridian("run", "touch", here / "ran", env=clean_environment(MERIDIAN_STRICT=1, **env))
        assert done.returncode == 1 and done.stderr.startswith("meridian: "), done
        assert not (here / "ran").exists(), "the program was started"
        done = meridian("run", "--strict", "touch", here / "ran", env=clean_environment(**env))
        assert done.returncode == 1, done
    assert meridian("run", "true", env=clean_environment(MERIDIAN_STRICT=1)).returncode == 0


# run: what the program gets


def check_run_keeps_exit_codes():
    any_tracer()
    for code in (0, 1, 2, 7, 255):
        expect(meridian("run", "sh", "-c", f"exit {code}"), code, "")


def check_run_keeps_signals_and_the_process():
    any_tracer()
    done = meridian("run", "sh", "-c", "kill -SEGV $$")
    assert done.returncode == -signal.SIGSEGV, done
    child = subprocess.Popen(
        [arguments.meridian, "run", "sh", "-c", "echo $$"], stdout=subprocess.PIPE, env=clean_environment(), text=True
    )
    assert int(child.communicate()[0]) == child.pid


def check_run_passes_arguments_as_they_are():
    any_tracer()
    words = ["--verbose", "-o", "--", "", "a b", "--json", "run", "-h", "*"]
    script = program("show", '#!/bin/sh\nfor word in "$@"; do echo "[$word]"; done\n')
    shown = "".join(f"[{word}]\n" for word in words)
    expect(meridian("run", script, *words), 0, "", shown)
    expect(meridian("run", "--", script, *words), 0, "", shown)
    expect(meridian("run", "--buffer", "4M", "--strict", "-o", here / "trace", script, *words), 0, "", shown)


def check_run_starts_programs_that_have_the_name_of_a_command():
    any_tracer()
    program("stats", "#!/bin/sh\necho mine\n")
    expect(meridian("run", "stats", env=clean_environment(PATH=f"{here}:{os.environ['PATH']}")), 0, "", "mine\n")


def check_run_puts_the_tracer_first_and_keeps_the_users_preload():
    library = any_tracer()
    env = run_env()
    assert pathlib.Path(env["LD_PRELOAD"]).name == "libmeridian.so" and env["MERIDIAN_RUN_PRELOAD"] == ""
    env = run_env("--mpi", library.parent.name, env=clean_environment(LD_PRELOAD="libc.so.6"))
    assert env["LD_PRELOAD"] == f"{library}:libc.so.6" and env["MERIDIAN_RUN_PRELOAD"] == "libc.so.6"


def check_run_inside_run_preloads_once():
    library = any_tracer()
    done = meridian("run", arguments.meridian, "run", "env")
    assert done.stdout.count(f"LD_PRELOAD={library}\n") >= 1 and f"{library}:{library}" not in done.stdout, done


def check_run_turns_options_into_variables():
    any_tracer()
    env = run_env("--buffer", "8M", "--clock=monotonic", "--verbose=no", "--enabled", "-o", "trace", "--max-threads", "7")
    assert env["MERIDIAN_BUFFER"] == "8M" and env["MERIDIAN_CLOCK"] == "monotonic" and env["MERIDIAN_VERBOSE"] == "no"
    assert env["MERIDIAN_ENABLED"] == "yes" and env["MERIDIAN_MAX_THREADS"] == "7"
    assert env["MERIDIAN_DIR"] == str(here / "trace"), "the program may change its directory before MPI_Init"


def check_options_of_run_go_before_the_environment():
    any_tracer()
    assert run_env("--buffer", "8M", env=clean_environment(MERIDIAN_BUFFER="4M"))["MERIDIAN_BUFFER"] == "8M"


def check_run_hands_the_configuration_file_on():
    any_tracer()
    (here / "meridian.conf").write_text("BUFFER = 4M\n")
    assert run_env()["MERIDIAN_CONFIG"] == str(here / "meridian.conf")


def check_run_names_the_writer():
    any_tracer()
    writer = pathlib.Path(arguments.meridian).parent.parent / "libexec" / "meridian" / "meridian-writer"
    if not writer.exists():
        skip("no meridian-writer in this build")
    assert run_env()["MERIDIAN_WRITER"] == str(writer)
    assert run_env(env=clean_environment(MERIDIAN_WRITER="none"))["MERIDIAN_WRITER"] == "none"


def check_a_program_without_mpi_runs_untouched_and_leaves_nothing():
    any_tracer()
    scratch = here / "scratch"
    scratch.mkdir()
    env = clean_environment(MERIDIAN_SCRATCH=scratch)
    expect(meridian("run", "sh", "-c", "echo out; echo err >&2; ls; exit 4", env=env), 4, "err\n", "out\nscratch\n")
    expect(meridian("run", "-o", here / "trace", "true", env=env), 0, "")
    assert list(here.iterdir()) == [scratch] and list(scratch.iterdir()) == []


def check_a_static_program_runs_untraced():
    message = f"meridian: cannot trace '{arguments.static}': it is statically linked; it runs untraced\n"
    expect(meridian("run", arguments.static), 3, message, "static\n")
    done = meridian("run", arguments.static, env=clean_environment(OMPI_COMM_WORLD_RANK=1))
    expect(done, 3, "", "static\n")


def check_a_set_uid_program_runs_untraced():
    copy = here / "copy"
    copy.write_bytes(pathlib.Path("/bin/true").read_bytes())
    copy.chmod(0o4755)
    reason = "it is set-user-ID, set-group-ID or has capabilities; it runs untraced"
    expect(meridian("run", copy), 0, f"meridian: cannot trace '{copy}': {reason}\n")


def check_run_sees_which_mpi_a_program_is_linked_with():
    any_tracer()
    pairs = (("openmpi", arguments.program_openmpi, "libmpi.so"), ("mpich", arguments.program_mpich, "libmpi"))
    for flavor, path, library in pairs:
        if path is None or tracer(flavor) is None:
            continue
        script = program("script-" + flavor, f"#!{path}\n")
        for target in (path, script):
            done = subprocess.run(
                [arguments.meridian, "run", "--verbose", "--writer", "none", target],
                env=clean_environment(
                    MERIDIAN_DIR=here / (flavor + pathlib.Path(target).name),
                    MERIDIAN_ENABLED="no",
                    OMPI_ALLOW_RUN_AS_ROOT=1,
                    OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1,
                    MERIDIAN_SCRATCH=here,
                ),
                cwd=here,
                capture_output=True,
                text=True,
                timeout=60,
            )
            first = done.stderr.splitlines()[0]
            assert f"'{tracer(flavor)}' (it is linked with {library}" in first, done


def check_run_takes_the_launchers_word_for_programs_that_load_mpi_later():
    for variable, flavor in (("OMPI_COMM_WORLD_RANK", "openmpi"), ("PMI_RANK", "mpich")):
        if tracer(flavor):
            assert run_env(env=clean_environment(**{variable: 0}))["LD_PRELOAD"] == str(tracer(flavor))


def check_mpi_option_overrides_everything():
    for flavor in ("openmpi", "mpich"):
        if tracer(flavor):
            env = clean_environment(OMPI_COMM_WORLD_RANK=0)
            assert run_env("--mpi", flavor, env=env)["LD_PRELOAD"] == str(tracer(flavor))


def check_a_flavor_without_a_tracer_is_an_error():
    prefix = here / "prefix"
    (prefix / "bin").mkdir(parents=True)
    copy = prefix / "bin" / "meridian"
    copy.write_bytes(pathlib.Path(arguments.meridian).read_bytes())
    copy.chmod(0o755)
    done = subprocess.run([copy, "run", "true"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1 and done.stderr.startswith("meridian: libmeridian.so is not installed beside this command\n")
    (prefix / "lib" / "meridian" / "openmpi").mkdir(parents=True)
    (prefix / "lib" / "meridian" / "openmpi" / "libmeridian.so").write_bytes(any_tracer().read_bytes())
    done = subprocess.run([copy, "run", "--mpi", "mpich", "true"], capture_output=True, text=True, env=clean_environment())
    assert done.returncode == 1
    assert done.stderr.startswith("meridian: there is no libmeridian.so for MPICH (as --mpi says)\n"), done


# merge, stats, check, info


def check_merge_says_what_is_wrong_with_the_directory():
    hint_latest = "hint: name the trace's directory, or go to where the program was started\n"
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
        "meridian: --clock-model liner: not a valid choice\nhint: did you mean 'linear'? Else give none, offset, linear\n",
    )


def check_stats_prints_what_is_in_the_merged_file():
    for name in ("empty_run", "one_rank", "ten_thousand_ranks"):
        merged = sample(name, here / "merged.h5")
        for form, option in (("text", ()), ("json", ("--json",)), ("csv", ("--csv",))):
            expected = subprocess.run([arguments.write_sample, name, form], capture_output=True, text=True).stdout
            expect(meridian("stats", merged, *option), 0, "", expected)
            expect(meridian("stats", here, *option), 0, "", expected)


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


def check_stats_says_what_to_type_when_nothing_was_merged():
    hint = "hint: name a directory that `meridian run` has made\n"
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
        "hint: name a file or directory that Meridian has made\n",
    )
    expect(meridian("info", "gone"), 1, "meridian: there is no 'gone'\nhint: check the name and the directory\n")
    expect(meridian("info", "/dev/null"), 1, "meridian: '/dev/null' is neither a file nor a directory\n")


def check_info_of_a_directory_counts_what_is_in_it():
    (here / "merged.h5").unlink(missing_ok=True)
    for name in ("rank-00000.h5", "rank-00001.h5", "rank-00002.ring", "rank-00002.spool"):
        (here / name).write_text("x")
    text = meridian("info", here).stdout
    assert text.startswith(f"trace directory '{here}'\n  rank files  2, 2 B\n"), text
    assert "unfinished  1 ranks have no rank file yet" in text and "merged      no: meridian merge" in text, text


# doctor, options


def check_doctor_has_a_remedy_for_everything_that_is_not_well():
    done = meridian("doctor", "--json")
    report = json.loads(done.stdout)
    assert report["schema"] == "meridian-doctor" and report["version"] == 1 and done.stderr == ""
    for row in report["checks"]:
        assert row["health"] in ("ok", "warn", "fail") and row["text"], row
        assert bool(row["remedy"]) == (row["health"] != "ok"), row
    names = {row["name"] for row in report["checks"]}
    assert {"launcher", "writer", "clock", "PAPI", "hardware counters", "HDF5", "scratch", "output", "settings"} <= names
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


def check_docs_options_is_what_the_command_prints():
    page = pathlib.Path(arguments.docs, "OPTIONS.md").read_text()
    assert meridian("options", "--markdown").stdout == page, "run: meridian options --markdown > docs/OPTIONS.md"


def check_docs_summary_names_every_member():
    page = pathlib.Path(arguments.docs, "SUMMARY.md").read_text()
    merged = sample("four_ranks", here / "merged.h5")
    summary = json.loads(meridian("stats", "--json", merged).stdout)

    def members(value):
        if isinstance(value, dict):
            for key, inner in value.items():
                yield key
                yield from members(inner)
        elif isinstance(value, list):
            for inner in value:
                yield from members(inner)

    for member in set(members(summary)):
        assert f"`{member}`" in page, member
    for line in meridian("stats", "--csv", merged).stdout.splitlines():
        if line.startswith("section,"):
            for column in line.split(",")[1:]:
                assert f"`{column}`" in page, column


globals()["check_" + arguments.check]()

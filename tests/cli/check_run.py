# SPDX-License-Identifier: Apache-2.0
"""Refusals, messages and environment of `meridian run`."""

import os
import pathlib
import shutil
import signal
import subprocess

from cli_harness import any_tracer, arguments, clean_environment, expect, here, meridian, program, run_env, skip, tracer


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
    expect(meridian("run", "/tmp"), 1, "meridian: cannot run '/tmp': it is a directory\nhint: name a program in it\n")
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
        "meridian: --mpi opnmpi: not a valid choice\nhint: did you mean 'openmpi'? Else give auto, openmpi, mpich, abi\n",
    )


def check_a_strict_run_refuses_an_output_directory_that_cannot_be_written():
    any_tracer()
    hint = "hint: choose another one with -o or MERIDIAN_DIR\n"
    plain = program("plain", "text", 0o644)
    message = f"meridian: cannot write to the output directory '{plain}/trace': '{plain}' is not a directory\n" + hint
    expect(meridian("run", "--strict", "-o", plain / "trace", "touch", here / "ran"), 1, message)
    done = meridian("run", "touch", here / "ran", env=clean_environment(MERIDIAN_DIR="/proc/meridian", MERIDIAN_STRICT="yes"))
    assert done.returncode == 1 and done.stderr.startswith("meridian: cannot write to the output directory '/proc/meridian': "), done
    assert done.stderr.endswith(hint)
    second = clean_environment(MERIDIAN_STRICT="yes", OMPI_COMM_WORLD_RANK=1)
    expect(meridian("run", "-o", plain / "trace", "touch", here / "ran", env=second), 1, "")
    assert not (here / "ran").exists(), "the program was started"


def check_a_program_without_mpi_needs_no_output_directory():
    any_tracer()
    plain = program("plain", "text", 0o644)
    expect(meridian("run", "-o", plain / "trace", "echo", "ran"), 0, "", "ran\n")


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


def check_address_sanitizer_is_told_not_to_mind_the_tracer():
    any_tracer()
    wanted = "verify_asan_link_order=0"
    for before, after in (("", wanted), ("detect_leaks=0", "detect_leaks=0:" + wanted), (wanted, wanted)):
        found = run_env(env=clean_environment(ASAN_OPTIONS=before))["ASAN_OPTIONS"]
        assert found == after, (before, found)


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


def check_a_program_of_the_standard_abi_runs_untraced_and_is_told():
    if shutil.which("cc") is None:
        skip("no C compiler named cc")
    prefix = here / "without_abi"  # this build may have that tracer
    for part in ("bin/meridian", f"lib/meridian/{any_tracer().parent.name}/libmeridian.so"):
        (prefix / part).parent.mkdir(parents=True)
        shutil.copy(pathlib.Path(arguments.meridian).parent.parent / part, prefix / part)
    command = prefix / "bin" / "meridian"
    library = here / "libmpi_abi.so.1"
    (here / "library.c").write_text("int MPI_Init(int* count, char*** words) { return count != 0 || words != 0; }\n")
    (here / "program.c").write_text(
        "#include <stdlib.h>\nint MPI_Init(int*, char***);\n"
        'int main(void) { return getenv("LD_PRELOAD") ? 1 : 7 + MPI_Init(0, 0); }\n'
    )
    subprocess.run(["cc", "-shared", "-fPIC", "-Wl,-soname,libmpi_abi.so.1", "-o", library, here / "library.c"], check=True)
    target = here / "of_the_abi"
    subprocess.run(["cc", "-o", target, here / "program.c", library, f"-Wl,-rpath,{here}"], check=True)
    message = (
        f"meridian: cannot trace '{target}': it is linked with libmpi_abi.so.1 (the standard ABI of MPI), for which there is no "
        "libmeridian.so; it runs untraced\nhint: compile it with the ordinary mpicc of Open MPI or MPICH to trace it\n"
    )
    for variable in ("OMPI_COMM_WORLD_RANK", "PMI_RANK"):
        expect(meridian("run", target, command=command, env=clean_environment(**{variable: 0})), 7, message)
        expect(meridian("run", target, command=command, env=clean_environment(**{variable: 1})), 7, "")
    done = meridian("doctor", target, command=command)
    assert done.returncode != 0 and "is linked with libmpi_abi.so.1" in " ".join(done.stdout.split()), done

# SPDX-License-Identifier: Apache-2.0
"""Help, manual pages and completions are made from the commands themselves, and work in the programs that read them."""

import os
import pathlib
import re
import shutil
import subprocess

from cli_harness import arguments, clean_environment, expect, here, meridian, skip


def commands():
    """Names of all commands, as --help lists them."""
    listed = meridian("--help").stdout.split("Subcommands:")[1]
    return re.findall(r"^  ([a-z]+)\b", listed, re.MULTILINE)


def options_of(command):
    """Long options of a command, as its --help lists them."""
    return set(re.findall(r"--[a-z][a-z-]*", "\n".join(re.findall(r"^  (-.*?)(?:  |$)", meridian(command, "--help").stdout, re.MULTILINE))))


def manual():
    folder = here / "share"
    expect(meridian("manual", folder), 0, "")
    return folder


def need(*programs):
    for program in programs:
        if shutil.which(program) is None:
            skip(f"there is no {program}")


def check_each_topic_has_a_text_within_the_width():
    topics = re.search(r"Topics: ([^.]*)\.", meridian("help", "--help").stdout)[1].replace("\n", " ").split(", ")
    documents = {path.stem.lower().replace("_", "-") for path in pathlib.Path(arguments.docs).glob("*.md")}
    assert set(map(str.strip, topics)) == documents | {"formats", "rank-file", "merged-file"}, topics
    for topic in topics:
        done = meridian("help", topic.strip())
        assert done.returncode == 0 and not done.stderr and len(done.stdout) > 300, (topic, done)
    text = meridian("help", "waits", "--width", "60").stdout
    prose = [line for line in text.splitlines() if not line.startswith("    ")]
    assert max(map(len, prose)) <= 60, max(prose, key=len)


def check_a_topic_with_the_name_of_a_command_follows_its_help():
    text = meridian("help", "clocks").stdout
    assert text.startswith(meridian("clocks", "--help").stdout)
    assert "ping-pong" in text[len(meridian("clocks", "--help").stdout):]


def check_formats_are_those_of_the_export():
    text = meridian("help", "formats").stdout
    for name in re.findall(r"^  (\w+)  ", meridian("export", "--help").stdout.split("Formats:")[1], re.MULTILINE):
        assert re.search(rf"^  {name}\b", text, re.MULTILINE), name


def check_an_unknown_topic_gets_the_nearest_name():
    expect(meridian("help", "critical-pat"), 1, "meridian: there is no command or topic 'critical-pat'\n"
           "hint: did you mean 'critical-path'? Else `meridian --help` lists them, and the topics\n")


def check_each_command_option_and_setting_has_its_manual_page():
    share = manual()
    program = (share / "man/man1/meridian.1").read_text()
    for command in commands():
        page = (share / f"man/man1/meridian-{command}.1").read_text()
        assert f"meridian\\-{command}(1)" in program, command
        for option in options_of(command):
            assert option.replace("-", "\\-") in page, (command, option)
    settings = (share / "man/man5/meridian.conf.5").read_text()
    for name in re.findall(r"^MERIDIAN_\w+$", meridian("options").stdout, re.MULTILINE):
        assert name in settings, name


def check_manual_pages_have_no_error_of_roff():
    need("groff")
    pages = list(manual().glob("man/man*/*"))
    assert len(pages) > 40, pages
    for page in pages:
        done = subprocess.run(["groff", "-man", "-Tutf8", "-ww", "-rLL=78n", page], capture_output=True, text=True, timeout=60, check=False)
        assert done.returncode == 0 and not done.stderr, (page, done.stderr[:2000])
        text = re.sub(r"\x1b\[[0-9;]*m|.\x08", "", done.stdout)
        assert "NAME" in text and len(text) > 300, page


def check_man_shows_a_page():
    need("man")
    share = manual()
    done = subprocess.run(["man", "-M", share / "man", "meridian-merge"], capture_output=True, text=True, timeout=60,
                          env=clean_environment(MANPAGER="cat", MANWIDTH="80", LC_ALL="C.UTF-8"), check=False)
    assert done.returncode == 0 and "meridian-merge - Merge all ranks" in done.stdout and "--clock-model NAME" in done.stdout, done


def check_completions_are_for_three_shells():
    for shell, path in {"bash": "bash-completion/completions/meridian", "zsh": "zsh/site-functions/_meridian",
                        "fish": "fish/vendor_completions.d/meridian.fish"}.items():
        done = meridian("completion", shell)
        assert done.returncode == 0 and done.stdout == (manual() / path).read_text(), shell
    expect(meridian("completion", "fis"), 1, "meridian: fis: not a valid choice\nhint: did you mean 'fish'? Else give bash, zsh, fish\n")


def offered_by_bash(script, *words):
    """What bash offers for the last word."""
    line = " ".join(f"'{word}'" for word in words)
    text = f"source {script}; COMP_WORDS=({line}); COMP_CWORD={len(words) - 1}; _meridian; printf '%s\\n' \"${{COMPREPLY[@]}}\""
    done = subprocess.run(["bash", "--norc", "-c", text], capture_output=True, text=True, cwd=here, timeout=60, check=True)
    assert not done.stderr, done.stderr
    return set(done.stdout.split("\n")) - {""}


def offered_by_fish(script, *words):
    line = " ".join(words)
    text = f"source {script}; complete -C '{line}'"
    env = clean_environment(HOME=here, XDG_CONFIG_HOME=here / "fish-config", XDG_DATA_HOME=here / "fish-data", TERM="dumb")
    done = subprocess.run(["fish", "--no-config", "-c", text], capture_output=True, text=True, cwd=here, timeout=60, env=env, check=True)
    return {line.split("\t")[0] for line in done.stdout.splitlines()}


def try_offers(offered, script):
    (here / "folder").mkdir(exist_ok=True)
    (here / "fine.txt").write_text("")
    assert set(commands()) <= offered(script, "meridian", ""), offered(script, "meridian", "")
    assert offered(script, "meridian", "snap") == {"snapshot"}
    for command in ("merge", "export", "run"):
        missing = options_of(command) - {word.split("=")[0] for word in offered(script, "meridian", command, "--")}
        assert not missing, (command, missing)
    assert offered(script, "meridian", "merge", "--clock-model", "h") == {"hull"}
    assert "overhead" in offered(script, "meridian", "stats", "--section", "ov")
    assert any(word.rstrip("/") == "folder" for word in offered(script, "meridian", "merge", "fo"))
    assert "fine.txt" in offered(script, "meridian", "run", "--quiet", "./app", "fi")


def check_bash_completes():
    try_offers(offered_by_bash, manual() / "bash-completion/completions/meridian")
    script = manual() / "bash-completion/completions/meridian"
    assert offered_by_bash(script, "meridian", "export", "--format", "=", "cs") == {"csv"}
    assert "fine.txt" in offered_by_bash(script, "meridian", "run", "--buffer", "4M", "./app", "fi")
    assert "--buffer" not in offered_by_bash(script, "meridian", "run", "./app", "--")


def check_fish_completes():
    need("fish")
    try_offers(offered_by_fish, manual() / "fish/vendor_completions.d/meridian.fish")



def check_colours_are_for_terminals_that_want_them():
    import pty

    def shown(**env):
        controller, terminal = pty.openpty()
        child = subprocess.Popen([arguments.meridian, "help", "waits"], stdout=terminal, env=clean_environment(**env))
        os.close(terminal)
        text = b""
        while True:
            try:
                piece = os.read(controller, 100_000)
            except OSError:
                break
            if not piece:
                break
            text += piece
        child.wait(timeout=60)
        return text

    assert b"\x1b[1m" in shown(TERM="xterm")
    assert b"\x1b" not in shown(TERM="xterm", NO_COLOR="1")
    assert b"\x1b" not in shown(TERM="dumb")
    assert "\x1b" not in meridian("help", "waits").stdout


def check_a_manual_that_cannot_be_written_is_an_error():
    (here / "taken").write_text("")
    done = meridian("manual", here / "taken")
    assert done.returncode == 1 and f"cannot write '{here}/taken/man/man1/meridian.1'" in done.stderr, done

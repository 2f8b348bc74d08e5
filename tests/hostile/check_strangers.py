# SPDX-License-Identifier: Apache-2.0
"""Files of other users that obstruct, and names in files that must not be opened.

check_strangers.py CHECK --meridian PATH --rank-file FILE --ring-file FILE

Some checks act as another user, which only root can do; for others they are skipped, with the reason.
"""

import argparse
import os
import pathlib
import resource
import shutil
import subprocess
import sys
import tempfile

import h5py
import numpy as np

NOBODY = 65534
TIME_S = 120

parser = argparse.ArgumentParser()
parser.add_argument("check")
for name in ("meridian", "rank-file", "ring-file"):
    parser.add_argument(f"--{name}", required=True, type=pathlib.Path)
parser.add_argument("--no-memory-limit", action="store_true", help="for a build with sanitizers")
arguments = parser.parse_args()
work = tempfile.TemporaryDirectory(prefix="meridian-strangers-")
here = pathlib.Path(work.name)


def skip(reason):
    print(reason)
    sys.exit(77)


def need_root():
    if os.geteuid() != 0:
        skip("only root can act as another user")


def become_nobody():
    os.setgroups([])
    os.setgid(NOBODY)
    os.setuid(NOBODY)


def meridian(*words, as_nobody=False, cwd=here, binary=None, **environment):
    env = {key: value for key, value in os.environ.items() if not key.startswith(("MERIDIAN_", "LD_"))}
    env |= {"MERIDIAN_QUIET": "yes"} | environment

    def prepare():
        if not arguments.no_memory_limit:
            resource.setrlimit(resource.RLIMIT_AS, (1 << 31, 1 << 31))
        if as_nobody:
            become_nobody()

    return subprocess.run(
        [binary or arguments.meridian, *map(str, words)], cwd=cwd, env=env, stdin=subprocess.DEVNULL, capture_output=True,
        text=True, timeout=TIME_S, preexec_fn=prepare,
    )  # fmt: skip


def in_one_line(done):
    return " ".join((done.stderr + done.stdout).split())


def binary_for_everybody():
    """Other users may not be allowed to enter the directory of the clone."""
    here.chmod(0o755)
    copy = here / "meridian"
    shutil.copy(arguments.meridian, copy)
    copy.chmod(0o755)
    return copy


def hostname():
    return os.uname().nodename


def ring_and_note(directory):
    """A ring, and a directory with the note that leads to it."""
    ring = here / "ours" / "some.ring"
    ring.parent.mkdir()
    shutil.copy(arguments.ring_file, ring)
    directory.mkdir()
    note = directory / "rank-00000.ring"
    note.write_text(f"{hostname()}\n{ring}\n")
    return ring, note


def environment_of_run(**options):
    done = meridian("run", "env", "-0", **options)
    return done, dict(entry.split("=", 1) for entry in done.stdout.split("\0") if "=" in entry)


def check_a_configuration_file_that_others_may_write_is_ignored_and_that_is_said():
    config = here / "meridian.conf"
    config.write_text("BUFFER = 4M\nWRITER = /bin/false\n")
    for mode, is_used in ((0o600, True), (0o644, True), (0o664, False), (0o646, False), (0o666, False)):
        config.chmod(mode)
        done, env = environment_of_run()
        said = "meridian: 'meridian.conf' is ignored: others may write to it\nhint: make it yours and `chmod go-w` it, or name it in MERIDIAN_CONFIG\n"
        assert done.returncode == 0 and done.stderr == ("" if is_used else said), (oct(mode), done)
        assert env.get("MERIDIAN_CONFIG") == (str(config) if is_used else None), (oct(mode), env)
    # A named file was requested by the user.
    done, env = environment_of_run(MERIDIAN_CONFIG="meridian.conf")
    assert done.returncode == 0 and done.stderr == "", done


def check_a_configuration_file_that_is_no_file_is_ignored_and_nothing_waits_for_it():
    os.mkfifo(here / "meridian.conf")
    done, env = environment_of_run()
    assert done.returncode == 0 and "'meridian.conf' is ignored: it is not a regular file" in done.stderr, done
    assert "MERIDIAN_CONFIG" not in env
    done, _ = environment_of_run(MERIDIAN_CONFIG="meridian.conf")
    assert done.returncode == 0 and "cannot read the configuration file 'meridian.conf': it is not a regular file" in done.stderr, done


def check_a_configuration_file_of_another_user_is_ignored():
    need_root()
    config = here / "meridian.conf"
    config.write_text("WRITER = /bin/false\n")
    config.chmod(0o644)
    os.chown(config, NOBODY, NOBODY)
    done, env = environment_of_run()
    assert "'meridian.conf' is ignored: it belongs to another user" in done.stderr and "MERIDIAN_CONFIG" not in env, done
    # Directories of root are trusted, as are the files in /etc.
    os.chown(config, 0, 0)
    done, env = environment_of_run()
    assert done.stderr == "" and env["MERIDIAN_CONFIG"] == str(config), done


def with_zeros(path, table, rows):
    """Replaces a table by one of zeros, which take next to no space in the file."""
    shutil.copy(arguments.rank_file, path)
    with h5py.File(path, "r+") as file:
        kind, attributes = file[table].dtype, dict(file[table].attrs)
        del file[table]
        made = file.create_dataset(table, shape=(rows,), dtype=kind, chunks=(65536,), compression="gzip", shuffle=True)
        for first in range(0, rows, 1 << 20):
            made[first : first + (1 << 20)] = np.zeros(min(1 << 20, rows - first), dtype=kind)
        made.attrs.update(attributes)


def with_long_segment(path, rows):
    with_zeros(path, "events/gap", rows)
    with h5py.File(path, "r+") as file:
        segments = file["segments"][:]
        for name in segments.dtype.names[2:]:
            segments[name] = rows if name == "events" else 0
        file["segments"][:] = segments


def with_size(path, size):
    shutil.copy(arguments.rank_file, path)
    with h5py.File(path, "r+") as file:
        file.attrs["size"] = size


def check_a_small_file_does_not_take_gigabytes():
    """Files that claim a world of 2^31 ranks, or far more rows than their size suggests."""
    trace = here / "trace"
    trace.mkdir()
    path = trace / "rank-00000.h5"
    most_mb = 4000 if arguments.no_memory_limit else 150
    for make in (
        lambda: with_size(path, (1 << 31) - 1),
        lambda: with_size(path, 1 << 24),
        lambda: with_long_segment(path, 1 << 22),
        *(lambda table=table: with_zeros(path, table, 1 << 22) for table in ("exchanges", "threads")),
    ):
        make()
        assert path.stat().st_size < 2 << 20
        for word in ("where", "merge"):
            done = meridian(word, trace)
            most = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss >> 10
            assert most < most_mb, (word, most, done)
            assert done.returncode in (0, 1, 2) and "out of memory" not in done.stderr, done
            (trace / "merged.h5").unlink(missing_ok=True)
    ring, note = ring_and_note(here / "live")
    with open(ring, "r+b") as file:
        file.seek(68)  # RingFileHeader::world_size
        file.write(((1 << 31) - 1).to_bytes(4, "little"))
    done = meridian("where", here / "live")
    assert "does not say which rank it is of" in in_one_line(done), done


def check_a_directory_that_may_not_be_read_is_not_called_empty():
    need_root()
    binary = binary_for_everybody()
    closed = here / "closed"
    inner = closed / "trace"
    inner.mkdir(parents=True)
    shutil.copy(arguments.rank_file, inner / "rank-00000.h5")
    for path, mode in ((inner, 0o700), (inner, 0o311), (closed, 0o600)):
        closed.chmod(0o755)
        inner.chmod(0o755)
        path.chmod(mode)
        for words in (("merge",), ("stats",), ("info",), ("where",)):
            done = meridian(*words, inner, as_nobody=True, binary=binary)
            said = in_one_line(done)
            assert done.returncode == 1 and "Permission denied" in said, (mode, done)
            assert "holds no" not in said and "there is no" not in said, (mode, done)


def check_a_note_of_another_user_does_not_lead_to_a_ring_of_ours():
    need_root()
    ring, note = ring_and_note(here / "trace")
    before = ring.read_bytes()
    os.chown(note, NOBODY, NOBODY)
    for words in (("merge",), ("where",)):
        done = meridian(*words, here / "trace")
        assert "which is of another user" in in_one_line(done), done
    for words in (("top", "--count", "1"), ("snapshot",), ("control",)):
        done = meridian(words[0], here / "trace", *words[1:], *(("off",) if words[0] == "control" else ()))
        assert done.returncode == 1, done
    assert ring.read_bytes() == before and note.exists() and list((here / "trace").iterdir()) == [note]
    os.chown(note, 0, 0)
    done = meridian("merge", here / "trace")
    assert (here / "trace" / "rank-00000.h5").exists(), done


def check_a_note_that_is_a_link_is_not_followed():
    ring, note = ring_and_note(here / "trace")
    note.rename(here / "note")
    note.symlink_to(here / "note")
    done = meridian("merge", here / "trace")
    assert done.returncode == 1 and "Too many levels of symbolic links" in done.stderr and ring.exists(), done


def check_nobody_else_controls_or_reads_a_ring_even_if_its_permissions_let_them():
    need_root()
    ring, note = ring_and_note(here / "trace")
    binary = binary_for_everybody()
    for path in (ring, ring.parent, note, note.parent):
        path.chmod(0o777)
    before = ring.read_bytes()
    for words in (("control", here / "trace", "off"), ("snapshot", here / "trace"), ("where", here / "trace"), ("merge", here / "trace")):
        done = meridian(*words, as_nobody=True, binary=binary)
        assert done.returncode == (0 if words[0] == "where" else 1) and "another user" in in_one_line(done), done
    assert ring.read_bytes() == before and not list((here / "trace").glob("*.h5"))


def put_texts(path, texts):
    """Replaces the texts of a rank file."""
    fields = [("first", "<u8"), ("bytes", "<u8"), ("handle", "<u8"), ("ticks", "<u8")]
    data, rows = b"", []
    for key, value in texts:
        text = key.encode() + b"\0" + value.encode()
        rows.append((len(data), len(text), 0, 0))
        data += text
    with h5py.File(path, "r+") as file:
        for name in ("texts", "text_bytes"):
            del file[name]
        file["texts"] = np.array(rows, dtype=fields)
        file["text_bytes"] = np.frombuffer(data, dtype="u1")


def check_modules_that_are_no_files_are_not_opened():
    os.mkfifo(here / "fifo")
    (here / "link").symlink_to(here / "fifo")
    (here / "text").write_text("no program")
    trace = here / "trace"
    trace.mkdir()
    for path in (here / "fifo", here / "link", here, "/dev/zero", "/dev/stdin", "/nowhere", here / "text", "\x1b[2J"):
        shutil.copy(arguments.rank_file, trace / "rank-00000.h5")
        put_texts(trace / "rank-00000.h5", [("run", "run"), ("module", f"400000 500000 0 0123456789abcdef - {path}")])
        done = meridian("merge", "--csv", trace)
        assert done.returncode in (0, 2) and "site." in done.stdout and "\x1b" not in done.stdout + done.stderr, done
        (trace / "merged.h5").unlink()


def check_the_merged_file_is_not_written_through_a_link():
    trace = here / "trace"
    trace.mkdir()
    shutil.copy(arguments.rank_file, trace / "rank-00000.h5")
    (here / "precious").write_text("precious")
    for name in ("merged.h5", "merged.h5.part"):
        (trace / name).symlink_to(here / "precious")
        done = meridian("merge", "--force", trace)
        assert done.returncode in (0, 2), done
        assert (here / "precious").read_text() == "precious"
        assert not (trace / "merged.h5").is_symlink() and not (trace / "merged.h5.part").exists()
        assert (trace / "merged.h5").stat().st_mode & 0o077 == 0
        (trace / "merged.h5").unlink()


if __name__ == "__main__":
    globals()["check_" + arguments.check]()

# SPDX-License-Identifier: Apache-2.0
"""What `meridian cut`, `filter`, `sort` and `aggregate` refuse, and what they leave behind then.

check_refusals.py CHECK --meridian M
"""

import argparse
import os
import pathlib
import resource
import subprocess
import sys
import tempfile

import h5py
import numpy as np

parser = argparse.ArgumentParser()
parser.add_argument("check")
parser.add_argument("--meridian", required=True)
options = parser.parse_args()
work = tempfile.TemporaryDirectory()
here = pathlib.Path(work.name)
EDITS = (["cut", "--from=0s"], ["filter", "--ranks=0"], ["sort"], ["aggregate"])


def meridian(*words, **more):
    return subprocess.run([options.meridian, *map(str, words)], cwd=here, capture_output=True, text=True, timeout=100, check=False, **more)


def make_trace(name="trace", ranks=4, calls=400):
    """A merged trace of a made-up halo exchange."""
    for words in (["generate", name, "--ranks", ranks, "--calls", calls], ["merge", "--quiet", name]):
        done = meridian(*words)
        assert done.returncode == 0, done
    return here / name / "merged.h5"


def refused(words, what, hint="", output="out"):
    done = meridian(*words, "-o", output)
    assert done.returncode == 1 and done.stdout == "", (words, done)
    assert done.stderr.startswith(f"meridian: {what}"), (words, done.stderr)
    assert hint in done.stderr, (words, done.stderr)
    assert "Traceback" not in done.stderr
    return done


def check_an_edit_never_replaces_its_own_input():
    merged = make_trace()
    before = merged.read_bytes()
    (here / "link").symlink_to("trace")
    (here / "hard").mkdir()
    os.link(merged, here / "hard" / "merged.h5")
    (here / "soft").mkdir()
    (here / "soft" / "merged.h5").symlink_to(merged)
    for words in EDITS:
        for output in ("trace", "link", "hard", "soft", "trace/../trace/."):
            refused([*words, "trace", "--force"], f"'{output}/merged.h5' is the trace itself", "choose another directory", output)
    assert merged.read_bytes() == before


def check_an_existing_output_is_replaced_only_by_force():
    make_trace()
    for words in EDITS:
        assert meridian(*words, "trace", "-o", "out", "--force").returncode == 0, words
        first = (here / "out" / "merged.h5").read_bytes()
        refused([*words, "trace"], "'out/merged.h5' exists", "--force")
        assert (here / "out" / "merged.h5").read_bytes() == first
        assert meridian(*words, "trace", "-o", "out", "--force").returncode == 0
        assert (here / "out" / "merged.h5").read_bytes() == first, "equal edits give equal bytes"
        assert [path.name for path in (here / "out").iterdir()] == ["merged.h5"]


def check_a_directory_with_rank_files_is_no_output():
    make_trace()
    make_trace("other")
    (here / "other" / "merged.h5").unlink()
    for words in EDITS:
        refused([*words, "trace", "--force"], "'other' holds the rank files of a trace", "choose another directory", "other")


def check_wrong_arguments_are_named_and_leave_no_directory():
    make_trace()
    (here / "file").write_text("")
    for words, what in (
        (["cut", "trace"], "nothing is selected: `meridian cut` would copy the trace"),
        (["filter", "trace"], "nothing is selected: `meridian filter` would copy the trace"),
        (["cut", "trace", "--from=soon"], "'soon' is not a time"),
        (["cut", "trace", "--from=2s", "--to=1s"], "--to 1s is not after --from 2s"),
        (["cut", "trace", "--from=100s"], "nothing of the trace is in this window of time: its first event begins at "),
        (["filter", "trace", "--to=0s", "--ranks=0"], "nothing of the trace is in this window of time: its first event begins at "),
        (["filter", "trace", "--ranks=7"], "--ranks 7: the trace has no such rank"),
        (["filter", "trace", "--functions=MPI_Sned"], "--functions MPI_Sned: the trace has no such function"),
        (["filter", "trace", "--regions=MPI_Send"], "--regions MPI_Send: the trace has no such region"),
        (["aggregate", "trace", "--shorter-than=short"], "--shorter-than short is not a length of time"),
        (["aggregate", "trace", "--shorter-than=0s"], "--shorter-than 0s is not a length of time"),
        (["sort", "nowhere"], "there is no 'nowhere'"),
    ):
        refused(words, what)
        assert not (here / "out").exists(), words
    for words in EDITS:
        refused([*words, "trace"], "cannot make the directory 'file'", "-o", "file")
        done = meridian(*words, "trace")
        assert done.returncode == 1 and "--output" in done.stderr, done


def check_a_closed_directory_is_named_and_left_empty():
    """As another user where this one may write everywhere."""
    make_trace()
    (here / "closed").mkdir()
    (here / "closed").chmod(0o500)
    more = {}
    if os.geteuid() == 0:
        for path in (here, here / "trace"):
            path.chmod(0o755)
        (here / "trace" / "merged.h5").chmod(0o644)
        (here / "closed").chmod(0o555)
        more = {"user": 65534, "group": 65534, "extra_groups": []}
    for words in EDITS:
        done = meridian(*words, "trace", "-o", "closed", **more)
        assert done.returncode == 1 and done.stderr.startswith("meridian: ") and "closed" in done.stderr, done
        assert list((here / "closed").iterdir()) == []


def check_a_full_disk_leaves_nothing():
    """A limit on the size of files stands for it: data are written until it is reached."""
    make_trace(calls=4000)
    for limit in (1, 16, 128):  # KiB
        def set_limit(size=limit << 10):
            resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))

        for words in EDITS:
            # Python ignores SIGXFSZ, and so does the command then: it sees the error.
            done = meridian(*words, "trace", "-o", "full", preexec_fn=set_limit, restore_signals=False)
            assert done.returncode == 1 and done.stdout == "", (limit, words, done)
            named = "full" in done.stderr or "a temporary file in" in done.stderr
            assert done.stderr.startswith("meridian: ") and named, (limit, words, done.stderr)
            assert not (here / "full").exists(), (limit, words)


def change_time(file):
    file["events/duration_ns"][10] = -5


def change_thread(file):
    file["events/location"][5] = 4711


def change_call(file):
    file["events/call"][0] = 1 << 20


def change_message(file):
    file["messages/completion"][3] = 1 << 40


def change_part(file):
    file["parts/completion"][0] = -(1 << 40)


def change_instances(file):
    file["collectives/parts"][0] = 1 << 30


def change_group(file):
    file["communicators/group"][0] = 4000


def remove_summary(file):
    del file["summary"]


def remove_calls(file):
    del file["calls"]


def shorten_messages(file):
    values = file["messages/post"][:-1]
    del file["messages/post"]
    file["messages/post"] = values


DAMAGE = (change_time, change_thread, change_call, change_message, change_part, change_instances, change_group, remove_summary, remove_calls,
          shorten_messages)


def check_damaged_traces_give_a_named_error_and_no_output():
    merged = make_trace()
    good = merged.read_bytes()
    for damage in DAMAGE:
        merged.write_bytes(good)
        with h5py.File(merged, "r+") as file:
            damage(file)
        for words in EDITS:
            done = meridian(*words, "trace", "-o", "out")
            assert done.returncode == 1 and done.stdout == "", (damage.__name__, words, done)
            assert done.stderr.startswith("meridian: ") and "trace/merged.h5" in done.stderr, (damage.__name__, words, done.stderr)
            assert not (here / "out").exists(), (damage.__name__, words)


def check_truncated_traces_give_a_named_error_and_no_output():
    merged = make_trace(calls=400)
    good = merged.read_bytes()
    random = np.random.default_rng(int(os.environ.get("TEST_SEED") or 1))
    for size in sorted(random.integers(0, len(good), 12).tolist()):
        merged.write_bytes(good[:size])
        for words in EDITS:
            done = meridian(*words, "trace", "-o", "out")
            assert done.returncode == 1 and done.stderr.startswith("meridian: ") and "trace/merged.h5" in done.stderr, (size, words, done)
            assert not (here / "out").exists(), (size, words)


def check_flipped_bytes_never_crash_an_edit():
    merged = make_trace(calls=400)
    good = merged.read_bytes()
    random = np.random.default_rng(int(os.environ.get("TEST_SEED") or 1))
    for _ in range(20):
        damaged = bytearray(good)
        for at in random.integers(0, len(good), 8).tolist():
            damaged[at] ^= 1 << int(random.integers(0, 8))
        merged.write_bytes(damaged)
        for words in EDITS:
            done = meridian(*words, "trace", "-o", "out", "--force")
            assert done.returncode in (0, 1, 2), (words, done)
            assert done.returncode == 0 or done.stderr.startswith("meridian: "), (words, done)


def check_sort_reports_messages_that_are_received_before_they_are_sent():
    """All calls of rank 1 are moved to the beginning."""
    merged = make_trace()
    with h5py.File(merged, "r+") as file:
        enter, location = np.cumsum(file["events/enter_step_ns"][:]), file["events/location"][:]
        rank = file["threads/rank"][:][location]
        enter[rank == 1] -= enter[rank == 1].max() - enter.min()
        file["events/enter_step_ns"][:] = np.diff(enter, prepend=0)
        send = np.cumsum(file["messages/send_step"][:])
        completion = send + file["messages/completion"][:]
        reversed_ = np.count_nonzero((enter + file["events/duration_ns"][:])[completion] <= enter[send])
    assert reversed_ > 10
    done = meridian("sort", "trace", "-o", "out")
    assert done.returncode == 2, done
    assert f"but {reversed_} messages are received before being sent" in done.stderr, (reversed_, done.stderr)
    assert meridian("check", "out").returncode == 2
    with h5py.File(here / "out" / "merged.h5") as file:
        assert np.all(np.diff(np.cumsum(file["events/enter_step_ns"][:])) >= 0)
        names = [name.decode() for name in file["findings/name"][:]]
        assert file["findings/count"][:][names.index("edit.reversed")] == reversed_


def check_a_window_in_which_a_function_is_not_called_is_a_trace_without_events():
    make_trace()
    done = meridian("filter", "trace", "--functions=MPI_Finalize", "--to=1us", "-o", "out")
    assert done.returncode == 0, done
    for words in (["info"], ["check"], ["stats"], ["events"], ["export"]):
        assert meridian(*words, "out").returncode == 0, (words, meridian(*words, "out"))
    with h5py.File(here / "out" / "merged.h5") as file:
        assert len(file["events/location"]) == 0
    for words in EDITS:
        assert meridian(*words, "out", "-o", "again", "--force").returncode == 0, (words, meridian(*words, "out", "-o", "again", "--force"))


def check_memory_does_not_grow_with_the_trace():
    """Peak memory of an edit of eight times as many calls."""
    def peak(words, name):
        code = ("import resource, subprocess, sys; done = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL); "
                "print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss); sys.exit(done.returncode)")
        done = subprocess.run([sys.executable, "-c", code, options.meridian, *words, name, "-o", f"{name}-{words[0]}"], cwd=here, capture_output=True,
                              text=True, check=True)
        return int(done.stdout) / 1024

    make_trace("small", calls=50_000)
    make_trace("large", calls=400_000)
    for words in (["filter", "--ranks=0-2"], ["sort"], ["aggregate"]):
        small, large = peak(words, "small"), peak(words, "large")
        print(words, f"{small:.0f} MB, {large:.0f} MB")
        assert large < small + 100, (words, small, large)


globals()[f"check_{options.check}"]()

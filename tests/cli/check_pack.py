# SPDX-License-Identifier: Apache-2.0
"""meridian pack, and the other commands on what it makes."""

import json

import h5py
from cli_harness import expect, here, meridian


def names(directory):
    return sorted(path.name for path in directory.iterdir())


def generated(ranks=4):
    trace = here / "trace"
    assert meridian("generate", trace, "--ranks", ranks, "--calls", 100).returncode == 0
    return trace


def summary(trace):
    done = meridian("merge", "--json", trace)
    assert (done.returncode, done.stderr) == (0, ""), done
    tables = json.loads(done.stdout)
    tables["run"].pop("trace_bytes")
    return tables


def check_pack_changes_the_files_and_nothing_else():
    trace = generated()
    (here / "latest").symlink_to("trace")
    files = {rank: h5py.File(trace / f"rank-{rank:05}.h5")["events/call"][:].tolist() for rank in range(4)}
    before = summary(trace)
    done = meridian("pack")
    assert done.returncode == 0 and done.stderr == "", done
    assert done.stdout.startswith("Packed 4 ranks of 'latest'; 4 ranks in 1 container ("), done
    assert names(trace) == ["merged.h5", "ranks-generated.h5"]
    with h5py.File(trace / "ranks-generated.h5") as container:
        assert {rank: container[f"rank-{rank:05}/events/call"][:].tolist() for rank in range(4)} == files
        assert container["rank-00002"].attrs["rank"] == 2
    assert summary(trace) == before
    expect(meridian("pack", trace), 0, "", f"'{trace}' is already packed: 4 ranks in 1 container\n")


def check_pack_is_followed_by_the_commands_that_take_a_directory():
    trace = generated()
    where = meridian("where", trace).stdout
    assert meridian("pack", trace).returncode == 0
    info = json.loads(meridian("info", "--json", trace / "ranks-generated.h5").stdout)
    assert (info["kind"], info["host"], info["ranks"]) == ("container of ranks", "generated", [0, 1, 2, 3]), info
    info = json.loads(meridian("info", "--json", trace).stdout)
    assert (info["containers"], info["packed_ranks"], info["rank_files"], info["ranks"]) == (1, 4, 0, 4), info
    expect(meridian("stats", trace), 1, f"meridian: '{trace}' has not been merged\nhint: meridian merge '{trace}'\n")
    expect(meridian("where", trace), 0, "", where)


def check_pack_names_what_it_leaves():
    trace = generated()
    damaged = trace / "rank-00001.h5"
    damaged.write_bytes(damaged.read_bytes()[:2000])
    done = meridian("pack", trace)
    assert done.returncode == 2 and done.stdout.startswith(f"Packed 3 ranks of '{trace}'"), done
    assert done.stderr.startswith("meridian: cannot open '") and f"{damaged}" in done.stderr, done
    assert "; it stays as it is\n" in done.stderr, done
    assert names(trace) == ["rank-00001.h5", "ranks-generated.h5"]


def check_pack_refuses_what_is_not_finished_or_no_trace():
    trace = generated()
    (trace / "rank-00003.ring").write_text("elsewhere\n/dev/shm/ring\n")
    what = f"meridian: '{trace}' holds recordings that are not finished: rank-00003.ring\n"
    expect(meridian("pack", trace), 1, what + f"hint: first complete them with: meridian merge '{trace}'\n")
    (here / "empty").mkdir()
    done = meridian("pack", here / "empty")
    assert done.returncode == 1 and done.stderr.startswith(f"meridian: directory '{here / 'empty'}' is empty\n"), done
    hint = "hint: name the trace's directory, or change to the directory in which the program was started\n"
    expect(meridian("pack"), 1, "meridian: there is no directory 'latest' here\n" + hint)

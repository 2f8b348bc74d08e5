# SPDX-License-Identifier: Apache-2.0
"""Pages of `meridian clocks` for merged traces of simulated hosts. Usage: check_clock_page.py MERIDIAN CLOCK_TRACES CHECK"""

import base64
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "report"))
from browser import Browser  # noqa: E402

MERIDIAN, CLOCK_TRACES = sys.argv[1:3]
HOSTILE = "n<script>alert(1)</script>&\"'\x1b[31m"


def run(*words, codes=(0,)):
    env = {key: value for key, value in os.environ.items() if not key.startswith("MERIDIAN_")}
    done = subprocess.run([str(word) for word in words], capture_output=True, text=True, env=env)
    assert done.returncode in codes, (words, done.returncode, done.stdout, done.stderr)
    return done


def trace(directory, scenario="ring", hosts=4, seconds=10, host_name=None):
    run(CLOCK_TRACES, "write", directory, scenario, 1, hosts, seconds)
    if host_name is not None:
        import h5py

        for number, path in enumerate(sorted(directory.glob("rank-*.h5"))):
            with h5py.File(path, "r+") as file:
                file.attrs["hostname"] = f"{host_name}{number // 2}"
    run(MERIDIAN, "merge", directory, "--quiet", codes=(0, 2))
    return directory


def page_of(directory):
    done = run(MERIDIAN, "clocks", directory)
    page = directory / "clocks.html"
    assert done.stdout.endswith(f"\nClock report in {page}\n"), done.stdout
    assert sorted(path.name for path in directory.iterdir() if not path.name.startswith("rank-")) == ["clocks.html", "merged.h5"]
    return page.read_text()


def data_of(page):
    """What the page holds: about, summary and timeline."""
    elements = re.findall(r'<script type="application/json" id="data-(\w+)">(.*?)</script>', page)
    data = {name: json.loads(text) for name, text in elements}
    data["summary"] = json.loads(zlib.decompress(base64.b64decode(data["summary"])))
    return data


GOOD_TO = r"95\.0 % of all times are good to [0-9.]+ [a-z]+ \(T1\); every time has bounds"


def check_the_page_holds_the_clocks_and_nothing_else():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        data = data_of(page_of(directory))
        stats = json.loads(run(MERIDIAN, "stats", directory, "--json").stdout)
        text = run(MERIDIAN, "stats", directory, "--section", "clocks").stdout
    assert data["about"]["shows"] == "clocks"
    assert [table["name"] for table in data["about"]["tables"]] == ["clocks", "clock_models"]
    assert sorted(data["timeline"]) == ["begin_ns", "bounds", "clocks", "end_ns"]
    clocks = data["timeline"]["clocks"]
    assert clocks["names"] == ["node0", "node1", "node2", "node3"]
    assert {row[0] for row in clocks["fit"]} == {row[0] for row in clocks["samples"]} == {1, 2, 3}
    assert len(data["timeline"]["bounds"]) == 4 and min(map(len, data["timeline"]["bounds"][1:])) > 3
    assert {row[1] for row in clocks["samples"]} == {0, 1, 2} and len(clocks["lengths"]) > 3
    begin, end = data["timeline"]["begin_ns"], data["timeline"]["end_ns"]
    assert end - begin > 9e9 and all(begin - 1e9 < row[1] < end + 1e9 for row in clocks["fit"]), (begin, end)
    # One verdict in all outputs.
    assert data["summary"] == stats and re.match(GOOD_TO, stats["clock_verdict"]), stats["clock_verdict"]
    assert stats["clock_verdict"] in " ".join(text.split())


def check_a_run_of_half_a_second_has_bounds_in_the_file_and_in_words():
    import h5py

    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), seconds=0.5)
        stats = json.loads(run(MERIDIAN, "stats", directory, "--json").stdout)
        with h5py.File(next(directory.glob("merged.h5"))) as file:
            knots = {name: file[f"clock_bounds/{name}"][:] for name in ("domain", "time_ns", "is_certified", "t1_early_ns", "t1_late_ns")}
    for clock in stats["clocks"][1:]:
        own = (knots["domain"] == clock["domain"]) & (knots["is_certified"] != 0)
        half = (knots["t1_early_ns"][own] + knots["t1_late_ns"][own]) / 2e9
        assert half.size >= 2 and clock["unbound_share"] == 0, clock
        # Between knots bounds are those of a knot and what the clock may drift since.
        assert half.min() * 0.99 <= clock["t1_s"] <= clock["t1_most_s"] <= 10 * half.max(), (clock, half)
    assert re.match(GOOD_TO, stats["clock_verdict"]), stats["clock_verdict"]


def check_the_page_needs_nothing_from_elsewhere():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work)))
    code = re.sub(r'<script type="application/json".*?</script>', "", page, flags=re.S)
    assert not re.search(r"\bsrc=|\bhref=|@import|url\(|https?://(?!www\.w3\.org/2000/svg)", code)
    assert "default-src 'none'" in code


def check_names_from_the_trace_are_text():
    with tempfile.TemporaryDirectory() as work:
        page = page_of(trace(pathlib.Path(work), host_name=HOSTILE))
    assert "<script>alert" not in page and "\x1b" not in page
    assert data_of(page)["timeline"]["clocks"]["names"][3] == HOSTILE + "3"


def check_one_clock_leaves_nothing_to_correct():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), hosts=1)
        page = data_of(page_of(directory))
        data = json.loads(run(MERIDIAN, "clocks", directory, "--json").stdout)
    assert page["summary"]["clock_verdict"] == data["verdict"] == "all ranks read the same clock: there is nothing to correct"
    assert data["domains"] == 1 and data["fit"]["time_ns"] == [] and data["samples"]["time_ns"] == []


def check_models_without_bounds_have_a_page_too():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        for model in ("none", "offset", "linear", "regression", "hull"):
            run(MERIDIAN, "merge", directory, "--quiet", "--clock-model", model)
            data = data_of(page_of(directory))
            assert data["summary"]["clock_verdict"] == "this model of the clocks gives no bounds for the error of the times", model
            assert len(data["timeline"]["clocks"]["samples"]) > 3 and data["timeline"]["bounds"] == [], model


def check_json_and_the_merged_file_agree():
    import h5py

    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        data = json.loads(run(MERIDIAN, "clocks", directory, "--json").stdout)
        assert not (directory / "clocks.html").exists()
        with h5py.File(directory / "merged.h5", "r") as file:
            for name, group in file["clocks"].items():
                columns = {column: values[:].tolist() for column, values in group.items()}
                assert columns == data[name], name
                assert len(next(iter(columns.values()))) >= 3, name
                assert all("unit" in values.attrs for column, values in group.items() if column.endswith(("_ns", "_ppm")))
            assert sorted(file["clocks"]) == ["fit", "loops", "round_trip_lengths", "round_trips", "samples"]
            fit = file["clocks/fit"]
            reference = data["reference"]
            assert reference not in fit["domain"][:] and len(set(fit["domain"][:])) == 3
            # The fit satisfies the limits of messages: received after sent.
            samples = file["clocks/samples"]
            kind, residual = samples["kind"][:], samples["residual_ns"][:]
            assert (residual[kind == 1] < 0).all() and (residual[kind == 2] > 0).all() and set(kind) == {0, 1, 2}
            worst = abs(residual[kind == 0]).max()
            assert worst < 2600, f"quick round trips take two latencies more than need be at most, and one is off by {worst} ns"
            trips = file["clocks/round_trips"]
            assert trips["count"][:].sum() == file["clocks/round_trip_lengths/count"][:].sum() == 3 * 200
            assert (trips["min_ns"][:] >= 2 * 1300).all(), "a round trip takes two latencies at least"
    assert data["schema"] == "meridian-clocks" and [m["name"] for m in data["models"] if m["is_chosen"]] == ["meridian"]
    assert len(data["bounds"]["time_ns"]) == len(data["bounds"]["t1_early_ns"]) > 30


def check_the_page_stays_small_however_many_hosts_there_are():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work), scenario="torus", hosts=128, seconds=3)
        page = page_of(directory)
        import h5py

        with h5py.File(directory / "merged.h5", "r") as file:
            rows = {name: len(next(iter(group.values()))) for name, group in file["clocks"].items()}
    assert len(page) < 1_000_000, len(page)
    assert max(rows.values()) < 200_000 and rows["fit"] > 127, rows


def check_a_page_replaces_a_page_and_nothing_else():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work))
        assert page_of(directory) == page_of(directory), "the same trace gives the same page"
        note = directory / "note.html"
        note.write_text("mine")
        done = run(MERIDIAN, "clocks", directory, "-o", note, codes=(1,))
        assert done.stderr == (
            f"meridian: '{note}' exists and is not a clock page\nhint: choose another file with --output, or remove it\n"
        ), done.stderr
        assert note.read_text() == "mine"
        done = run(MERIDIAN, "clocks", directory, "-o", directory / "gone" / "page.html", codes=(1,))
        assert done.stderr.startswith("meridian: cannot create '"), done.stderr
        done = run(MERIDIAN, "clocks", directory / "nowhere", codes=(1,))
        assert done.stderr.startswith("meridian: there is no '"), done.stderr


def check_a_browser_shows_the_page():
    with tempfile.TemporaryDirectory() as work:
        directory = trace(pathlib.Path(work, "trace"), host_name=HOSTILE)
        page_of(directory)
        with Browser() as browser:
            browser.open(f"file://{directory}/clocks.html")
            browser.frame()
            assert browser.evaluate("document.documentElement.dataset.ready") == "yes"
            assert browser.evaluate("[...document.querySelectorAll('main section')].map((s) => s.id)") == ["clocks", "tables"]
            headings = browser.evaluate("[...document.querySelectorAll('#clocks h3')].map((h) => h.textContent)")
            assert len(headings) == 7, headings
            assert browser.evaluate("document.querySelector('#clocks p').textContent").startswith("95.0 % of all times are good to ")
            assert "n<script>alert(1)</script>&\"'" in browser.evaluate("document.querySelector('#clocks').textContent")
            assert browser.evaluate("document.querySelectorAll('#main script').length") == 0
            assert browser.errors == [], browser.errors


if __name__ == "__main__":
    globals()["check_" + sys.argv[3]]()

// SPDX-License-Identifier: Apache-2.0
// The page on two runs: what changed, and both timelines, each in a frame of its own.
"use strict";
((m) => {
  const { element, section, say } = m.dom;
  const { duration, percent, bytes, count } = m.format;
  const MOST_ROWS = 10;
  const SUBJECTS = [
    ["problem", "Problems"],
    ["program_function", "Functions of the program"],
    ["state", "States of the threads"],
    ["function", "Functions of MPI"],
    ["site", "Call sites"],
    ["region", "Regions"],
    ["wait", "Waits"],
  ];

  const MANY_RANKS = 8; // from here on, frames are higher

  const signed = (value, text) => (value > 0 ? `+${text}` : text);

  /** rows: {cells: texts, of which the first is a name; title; choose: called when the name is clicked}. */
  function plainTable(titles, rows) {
    const cell = (text, i) => element("td", { class: i < 1 ? "" : "number", text });
    const body = rows.map(({ cells, title, choose }) => {
      const row = element("tr", { title }, ...cells.map(cell));
      if (!choose) return row;
      const button = { type: "button", class: "problem", text: cells[0], onclick: choose };
      row.firstChild.replaceChildren(element("button", button));
      return row;
    });
    const head = titles.map((text, i) => element("th", { scope: "col", class: i < 1 ? "" : "number", text }));
    return element(
      "div",
      { class: "map" },
      element("table", {}, element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...body)),
    );
  }

  const isShare = ({ name }) => /efficiency|share|balance|serialisation|transfer$/.test(name);

  /** A figure in its unit. */
  function figureText(value, figure) {
    if (value === null) return "-";
    if (figure.unit === "s") return duration(value);
    if (figure.unit === "bytes") return bytes(value);
    if (figure.unit !== "") return `${value < 1000 ? value.toPrecision(3) : Math.round(value)} ${figure.unit}`;
    return isShare(figure) ? percent(value) : count(value);
  }

  /** Shares change by points, other figures by a part of what they were. */
  function changeText(figure) {
    if (figure.change === null || figure.before === 0) return "-";
    const points = `${(100 * figure.change).toFixed(1)} points`;
    return signed(figure.change, isShare(figure) ? points : `${((100 * figure.change) / figure.before).toFixed(1)} %`);
  }

  function figures(list) {
    const rows = list
      .filter(({ before, after }) => (before ?? 0) !== 0 || (after ?? 0) !== 0)
      .map((figure) => ({
        cells: [
          figure.name,
          figureText(figure.before, figure),
          figureText(figure.after, figure),
          changeText(figure),
          ...(figure.p_value === null ? [] : [figure.p_value.toFixed(3)]),
        ],
      }));
    const hasTest = list.some(({ p_value: p }) => p !== null);
    return plainTable(["", "before", "after", "change", ...(hasTest ? ["p"] : [])], rows);
  }

  /** "MPI_Send at solve (halo.c:70)" */
  function nameOf({ subject, name, function: where, place }) {
    const at = subject === "function" || subject === "region" || subject === "state" ? "" : place || where;
    return at ? `${name} at ${at}` : name;
  }

  /** The changes of one subject that are worth a look; null: none. choose(text): a name to look for. */
  function changes(all, [subject, heading], choose) {
    const notable = all.filter((row) => row.subject === subject && row.notable);
    if (notable.length === 0) return null;
    const rows = notable.slice(0, MOST_ROWS).map((row) => ({
      title: row.caller ? `called by ${row.caller}` : false,
      cells: [
        nameOf(row),
        row.status === "appeared" ? "-" : duration(row.before_s),
        row.status === "gone" ? "gone" : duration(row.after_s),
        signed(row.change_s, duration(row.change_s)),
        percent(Math.abs(row.share)),
      ],
      choose: subject === "function" || subject === "site" ? () => choose(row.name) : null,
    }));
    const more = notable.length - rows.length;
    return element(
      "div",
      { "data-subject": subject },
      element("h3", { text: `${heading} (seconds a rank)` }),
      plainTable(["", "before", "after", "change", "of run"], rows),
      more > 0 ? element("p", { class: "faint", text: `${more} more: meridian compare --rows` }) : "",
    );
  }

  /** A frame for each run, whose views follow each other. */
  function frames(runs, pages) {
    const list = pages.map((text, i) =>
      element("iframe", {
        class: runs[i].runs[0].ranks > MANY_RANKS ? "run many" : "run",
        title: `timeline of ${runs[i].label}`,
        srcdoc: text,
      }),
    );
    globalThis.addEventListener("message", ({ source, data }) => {
      const from = list.findIndex((frame) => frame.contentWindow === source);
      if (from < 0 || !data || "range" in data) return;
      list.forEach((frame, i) => i !== from && frame.contentWindow.postMessage(data, "*"));
    });
    return list;
  }

  /** A choice of the iteration at which the timelines are aligned; 0: the end of MPI_Init. */
  function alignment(list) {
    const input = element("input", { id: "align", type: "number", min: "0", value: "0", size: "6" });
    const ranges = new Map(),
      tell = (message) => list.forEach((frame) => frame.contentWindow.postMessage(message, "*"));
    globalThis.addEventListener("message", ({ source, data }) => {
      if (!data || !("range" in data) || !list.some((frame) => frame.contentWindow === source)) return;
      ranges.set(source, data.range);
      if (ranges.size < list.length) return;
      const all = [...ranges.values()],
        isThere = !all.includes(null);
      input.setAttribute("aria-invalid", String(!isThere));
      if (isThere) tell({ limits: [Math.min(...all.map(([from]) => from)), Math.max(...all.map(([, to]) => to))] });
      else input.title = "one of the runs has no such iteration";
    });
    input.addEventListener("change", () => {
      ranges.clear();
      input.title = "";
      tell({ align: Math.max(0, Math.floor(input.valueAsNumber) || 0) });
    });
    return element(
      "p",
      { class: "tools" },
      element("label", { text: "aligned at iteration " }, input),
      element("span", { class: "faint", text: "0: at the end of MPI_Init" }),
    );
  }

  async function show(about, comparison, packed) {
    const decoder = new TextDecoder(),
      pages = await Promise.all(packed.map(async (text) => decoder.decode(await m.codec.inflate(text))));
    const { groups } = comparison,
      { figures: list, changes: all } = comparison.comparisons.at(-1),
      list_of_frames = frames(groups, pages);
    const choose = (find) => list_of_frames.forEach((frame) => frame.contentWindow.postMessage({ find }, "*"));
    const parts = SUBJECTS.map((subject) => changes(all, subject, choose)).filter(Boolean);
    document.title = `${about.title} - two runs`;
    document
      .getElementById("header")
      .replaceChildren(
        element("div", { class: "title" }, element("h1", { text: about.title })),
        element("p", { class: "headline", text: about.headline }),
        ...comparison.notes.map(say),
      );
    const ofRun = ({ label, runs }) =>
      `${label}: ${runs[0].executable}, ${runs[0].ranks} ranks, ${duration(runs[0].time_s)}` +
      (runs.length > 1 ? ` (the first of ${runs.length} repeats)` : "");
    document.getElementById("main").replaceChildren(
      section(
        "timelines",
        pages.length ? "Both timelines" : "Timelines",
        ...(pages.length
          ? [
              alignment(list_of_frames),
              ...list_of_frames.flatMap((frame, i) => [element("h3", { text: ofRun(groups[i]) }), frame]),
            ]
          : [say("A profile has none.")]),
      ),
      section(
        "changes",
        "What changed",
        parts.length ? element("div", { class: "pairs" }, ...parts) : say("Nothing by 0.1 % of the run or more."),
      ),
      section("figures", "Figures", figures(list)),
    );
    m.page = { about, comparison, frames: list_of_frames };
  }

  m.runs = { show, nameOf, figureText, changeText };
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
"use strict";
((m) => {
  const { element } = m.table;
  const { duration, count } = m.format;
  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  /** "0-3,8": whether a number is in the list; an empty list has all. */
  function inList(text) {
    const parts = text.split(",").map((part) => part.trim()).filter(Boolean).map((part) => part.split("-").map(Number));
    return (n) => parts.length === 0 || parts.some(([a, b = a]) => a <= n && n <= b);
  }

  function controls(line) {
    const data = line.data;
    const ranks = element("input", { type: "search", id: "filter-ranks", placeholder: "0-3,8", size: "8", oninput: () => {
      const has = inList(ranks.value), rows = data.rows.map((_, i) => i).filter((i) => (data.rows[i].members ?? [[data.rows[i].rank]]).some(([rank]) => has(rank)));
      line.setRows(rows);
    } });
    const threads = element("input", { type: "checkbox", id: "filter-threads", checked: true, onchange: () => line.setRows(data.rows.map((_, i) => i).filter((i) => threads.checked || data.rows[i].thread === 0)) });
    const region = element("select", { id: "filter-region", onchange: () => { line.wanted.region = region.value; line.redraw(); } }, element("option", { value: "", text: "any region" }));
    for (const name of new Set(Array.from(data.regionCall, (call) => data.calls[call]))) region.append(element("option", { value: name, text: name }));
    const search = element("input", { type: "search", id: "search", placeholder: "function or place", "aria-describedby": "found", oninput: () => {
      line.wanted.functions = search.value;
      found.textContent = search.value ? `${count(matches().length)} calls` : "";
      line.redraw();
    }, onkeydown: (event) => { if (event.key === "Enter") next(event.shiftKey ? -1 : 1); if (event.key === "Escape") line.canvas.focus(); } });
    const found = element("span", { id: "found", class: "faint", "aria-live": "polite" });
    const matches = () => data.sets.flatMap((set) => Array.from({ length: set.count }, (_, event) => event).filter((event) => line.overlay.matches(set, event)).map((event) => ({ set, event })))
      .sort((a, b) => a.set.enter[a.event] - b.set.enter[b.event]);
    const next = (direction) => {
      const all = matches();
      const at = all.findIndex(({ set, event }) => set === line.pin?.set && event === line.pin?.event);
      if (all.length) line.choose(all[(at + direction + all.length) % all.length], true);
    };
    const button = (text, title, act) => element("button", { type: "button", text, title, onclick: act });
    const help = element("dialog", { "aria-label": "keys" }, element("h2", { text: "Keys of the timeline" }), element("dl", {}, ...m.timeline.KEYS.flatMap(([key, text]) => [element("dt", { text: key }), element("dd", { text })])),
      element("form", { method: "dialog" }, element("button", { text: "close" })));
    document.addEventListener("keydown", (event) => {
      if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
      if (event.key === "/") { event.preventDefault(); search.focus(); }
      else if (event.key === "?") help.showModal();
      else if (event.target === document.body) line.key(event);
    });
    const label = (text, input) => element("label", { text: `${text} ` }, input);
    const hasThreads = data.rows.some((row) => row.thread !== 0);
    return element("div", { class: "tools" }, button("whole run", "f", () => line.fit()), button("+", "w", () => line.zoom(0.5)), button("\u2212", "s", () => line.zoom(2)),
      button("keys", "?", () => help.showModal()), label("search", search), found, label("ranks", ranks),
      hasThreads ? label("threads", threads) : "", region.options.length > 1 ? label("region", region) : "", help);
  }

  function legend(data) {
    return element("p", { class: "legend" }, ...data.classes.map((name, i) => element("span", { class: `key c${i}`, text: name })));
  }

  /** "exact for 3 of 812 s" */
  function whatThePageHolds(data) {
    const shown = data.sets[0].windows.reduce((sum, [from, to]) => sum + Math.min(to, data.end_ns) - Math.max(from, data.begin_ns), 0), all = data.end_ns - data.begin_ns;
    if (data.sets[0].count >= data.total_events || shown >= all) return "The page holds every call.";
    return `The page holds each call of ${duration(shown / 1e9)} of ${duration(all / 1e9)} (${count(data.sets[0].count)} of ${count(data.total_events)} events), around what costs most; elsewhere what threads did in bins of ${duration(data.bin_ns / 1e9)}.`;
  }

  async function start() {
    const about = read("data-about"), raw = read("data-timeline");
    const summary = JSON.parse(new TextDecoder().decode(await m.codec.inflate(read("data-summary"))));
    const data = await m.timeline.TimelineData.read(raw);
    const line = new m.timeline.Timeline(data, summary), s = m.sections;
    /** The longest wait of a function at a place, else the first call there that the page holds. */
    const show = (row) => {
      const wait = data.waits.find((w) => w.function === row.function && (row.place === undefined || w.place === row.place) && (row.pattern === undefined || w.kind === row.pattern));
      if (wait) {
        const length = wait.end_ns - wait.begin_ns;
        line.show(wait.begin_ns - 2 * length, wait.end_ns + 2 * length);
        line.choose(line.find(...wait.at, wait.begin_ns));
      } else {
        const { set, event } = data.sets.flatMap((each) => { const e = each.call.findIndex((c, i) => data.calls[c] === row.function && (!row.place || data.places[each.place[i]] === row.place)); return e < 0 ? [] : [{ set: each, event: e }]; })[0] ?? {};
        if (set) line.choose({ set, event }, true);
      }
      line.element.scrollIntoView({ block: "nearest" });
    };
    const tables = s.tables(about, summary, show);
    const problems = s.problems(summary, (problem) => {
      show(problem);
      tables.open("waits", `${problem.function} ${problem.place}`);
    });
    line.details = element("div", { class: "details", "aria-live": "polite" });
    const curves = s.windowCurves(summary, data), curveBox = element("div", { class: "under" });
    const drawCurves = () => { if (curves.from) curveBox.replaceChildren(curves.from(line.view)); };
    let isAsked = false;
    line.onview = () => { if (!isAsked) { isAsked = true; requestAnimationFrame(() => { isAsked = false; drawCurves(); }); } };
    const timeline = element("section", { id: "timeline", "aria-labelledby": "timeline-title" }, element("h2", { id: "timeline-title", text: "Timeline" }), controls(line), line.element, curveBox, legend(data), line.details, element("p", { class: "faint", id: "holds", text: whatThePageHolds(data) }));
    document.getElementById("header").replaceChildren(...s.header(about, summary));
    document.getElementById("main").replaceChildren(element("div", { class: "first" }, s.efficiency(summary), problems), timeline, s.ranks(summary), s.communication(summary), s.waiting(summary), s.iterations(summary), s.callPaths(summary), s.clocks(summary, data), s.findings(summary), tables);
    document.getElementById("footer").textContent = `Made by Meridian ${about.version}. Each number is that of meridian stats --json.`;
    line.resize();
    drawCurves();
    m.page = { about, summary, data, line, tables, show };
    document.documentElement.dataset.ready = "yes";
  }

  m.main = { start, inList };
  if (globalThis.document) start().catch((problem) => {
    document.getElementById("main").textContent = `This page cannot be shown: ${problem.message}. It needs a browser of 2023 or later.`;
    document.documentElement.dataset.ready = "no";
    throw problem;
  });
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// Puts the page together.
"use strict";
((m) => {
  const { element } = m.dom;
  const { duration, count } = m.format;
  const CURVE_PX = 46;
  const read = (id) => JSON.parse(document.getElementById(id).textContent);

  /** What rows are coloured by, and its colours; a click on one takes it out of the picture, or brings it back. */
  function legend(line) {
    const key = ({ name, slot, class: own }) =>
      element("button", {
        type: "button",
        class: `key ${own}`,
        text: name,
        title: `${name}: show or hide it`,
        "aria-pressed": String(!line.colouring.hidden.has(slot)),
        onclick: ({ currentTarget: button }) => {
          const { hidden } = line.colouring;
          if (!hidden.delete(slot)) hidden.add(slot);
          button.setAttribute("aria-pressed", String(!hidden.has(slot)));
          line.redraw();
        },
      });
    const keys = element("span", {});
    const choice = element(
      "select",
      {
        id: "colour",
        onchange: () => {
          line.colouring = line.data.colourings.find(({ name }) => name === choice.value);
          keys.replaceChildren(...line.colouring.keys.map(key));
          line.recolour();
        },
      },
      ...line.data.colourings.map(({ name, text }) => element("option", { value: name, text })),
    );
    keys.append(...line.colouring.keys.map(key));
    return element(
      "p",
      { class: "legend" },
      element("label", { text: "colour by " }, choice),
      " ",
      keys,
      m.controls.rowReset(line),
    );
  }

  /** "each call of 3 s of 812 s" */
  function whatThePageHolds(data, source) {
    if (source.isServer)
      return `Every call is there: the page reads the merged file as needed (${count(data.total_events)} events).`;
    const [set] = data.sets,
      all = data.end_ns - data.begin_ns;
    const shown = set.windows.reduce(
      (sum, [from, to]) => sum + Math.min(to, data.end_ns) - Math.max(from, data.begin_ns),
      0,
    );
    const hasGroups = data.rows.some((row) => row.members);
    if (!hasGroups && (set.count >= data.total_events || shown >= all)) return "The page holds every call.";
    const of = hasGroups ? ", of the threads that rows are named after," : "";
    return (
      `The page holds${of} each call of ${duration(shown / 1e9)} of ${duration(all / 1e9)} ` +
      `(${count(set.count)} of ${count(data.total_events)} events), around what costs most; ` +
      `elsewhere what threads did in bins of ${duration(data.bin_ns / 1e9)}. meridian view shows all.`
    );
  }

  /** What the page lacks of the view comes from the source; the chosen call, too. */
  function connect(line, source) {
    const { data } = line;
    const take = async (asked) => {
      try {
        const raw = await asked;
        if (!raw) return;
        await data.addPart(raw);
        line.onparts?.();
        const wanted = line.awaited,
          found = wanted && line.find(wanted.rank, wanted.thread, wanted.enter);
        if (found) {
          line.awaited = null;
          line.choose(found);
        }
        line.redraw();
      } catch (problem) {
        line.tip.say(`The server does not answer: ${problem.message}`);
      }
    };
    line.onrest = () => {
      line.onparts?.();
      line.onkeep?.();
      return take(
        source.part(
          data,
          line.view,
          line.widthNs / line.plotPx,
          line.idsInView().filter((id) => id >= 0),
        ),
      );
    };
    line.onmissing = (rank, enter) => {
      if (!source.isServer) return false;
      line.awaited = { rank, thread: 0, enter };
      const width = line.widthNs / 2,
        own = data.ids(rank, 0).at(0) ?? data.row(rank, 0);
      line.show(enter - width, enter + width);
      take(
        source.around(
          data,
          enter,
          width,
          [...new Set([own, ...line.idsInView()])].filter((id) => id >= 0),
        ),
      );
      return true;
    };
  }

  async function start() {
    const about = read("data-about"),
      raw = read("data-timeline");
    const summary = JSON.parse(new TextDecoder().decode(await m.codec.inflate(read("data-summary"))));
    const isOnRuns = about.shows === "runs";
    document.getElementById("footer").textContent =
      `Made by Meridian ${about.version}. Each number is that of meridian ${isOnRuns ? "compare" : "stats"} --json.`;
    if (isOnRuns) await m.runs.show(about, summary, raw);
    else if (about.shows === "clocks") m.clocks.show(about, summary, raw);
    else await showReport(about, summary, raw);
    document.documentElement.dataset.ready = "yes";
  }

  async function showReport(about, summary, raw) {
    const data = await m.data.TimelineData.read(raw),
      source = about.is_served ? new m.source.ServerSource() : new m.source.FileSource();
    const line = new m.timeline.Timeline(data, summary),
      s = m.sections,
      shares = await m.instances.readShares(raw.rank_shares);
    connect(line, source);
    const show = (row) => {
      m.instances.show(line, row);
      line.element.scrollIntoView({ block: "nearest" });
    };
    const tables = s.tables(about, summary, show);
    const problems = m.first.problems(summary, (problem) => {
      show(problem);
      tables.open(...m.instances.tableOf(summary, problem));
    });
    line.details = element("div", { class: "details", "aria-live": "polite" });
    const curves = m.sections.curvesOf(summary, data),
      curveBox = element("div", { class: "under" });
    const counter = element(
      "select",
      { id: "counter", onchange: () => drawCurves() },
      ...data.counterCurves.map(({ name }, i) => element("option", { value: String(i), text: name })),
    );
    const drawCurves = () => curveBox.replaceChildren(...curves(line.view, CURVE_PX, Number(counter.value)));
    let isAsked = false;
    line.onview = () => {
      if (!isAsked) {
        isAsked = true;
        requestAnimationFrame(() => {
          isAsked = false;
          drawCurves();
        });
      }
    };
    const inView = new m.inView.InView(line);
    line.onparts = () => inView.update();
    const timeline = element(
      "section",
      { id: "timeline", "aria-labelledby": "timeline-title" },
      m.controls.controls(line, data.counterCurves.length > 1 ? counter : null),
      line.element,
      curveBox,
      legend(line),
      inView.element,
      line.details,
      element("p", { class: "faint", id: "holds", text: whatThePageHolds(data, source) }),
    );
    if (about.is_profile)
      timeline.replaceChildren(
        m.dom.say(
          "This is a profile: it has sums over calls, and no timeline. Who waits for whom is not known; " +
            "a trace of a shorter run shows it.",
        ),
      );
    document.title = `${about.title} - Meridian report`;
    document.getElementById("header").replaceChildren(...m.first.header(about, summary));
    const sections = [
      s.ranks(summary),
      s.communication(summary, await m.matrix.read(raw.matrix)),
      s.waiting(summary),
      s.locks(summary),
      s.iterations(summary),
      s.callPaths(summary),
      s.counters(summary),
      m.clocks.clocks(summary, data),
      s.overhead(summary),
      s.findings(summary),
      s.circumstances(summary),
      tables,
    ].filter(Boolean);
    if (about.beside) document.body.classList.add("beside");
    document.getElementById("main").replaceChildren(
      element(
        "div",
        { class: "first" },
        m.first.efficiency(summary, shares, (rank) => line.reveal(rank, 0)),
        problems,
      ),
      timeline,
      s.contents(sections),
      ...sections,
    );
    drawCurves();
    line.spaceBelow = curveBox.offsetHeight + 50;
    line.resize();
    inView.update();
    if (about.beside) m.beside.connect(line, about.beside);
    else {
      const address = new m.address.Address(line);
      address.follow();
      line.onkeep = () => address.keep();
    }
    m.page = { about, summary, data, line, tables, show, source, inView };
  }

  m.main = { start, whatThePageHolds };
  if (globalThis.document)
    start().catch((problem) => {
      document.getElementById("main").textContent =
        `This page cannot be shown: ${problem.message}. It needs a browser of 2023 or later.`;
      document.documentElement.dataset.ready = "no";
      throw problem;
    });
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// Numbers of a span of time on the rows in view: states, functions, waits, messages.
"use strict";
((m) => {
  const { element } = m.dom;
  const { duration, bytes, count, counted, percent } = m.format;
  const LEAST_BINS = 64, // of a span: fewer say too little of its ends
    LEAST_SHARE = 0.005,
    MOST_ROWS = 8,
    MOST_LETTERS = 60; // of a name in the line: those of C++ are long

  /**
   * How many threads each row stands for: id -> number. A host that is unfolded and a group whose members are shown do
   * not count.
   */
  function weightsOf(data, lanes) {
    const unfolded = new Set(lanes.filter(({ kind }) => kind === "member").map(({ id }) => data.threads[id].row));
    const weights = new Map();
    for (const lane of lanes)
      if (lane.kind === "host") {
        if (lane.isFolded) for (const id of lane.ids) weights.set(id, 1);
      } else if (lane.kind !== "group") weights.set(lane.id, 1);
      else if (!unfolded.has(lane.id)) weights.set(lane.id, data.rows[lane.id].members.length);
    return weights;
  }

  /** The events of each row: id -> set; null: not every call of the span is known. */
  function setsOf(data, weights, { from, to }) {
    const sets = new Map();
    for (const [id, weight] of weights) {
      const holds = (set) => set.has(id) && set.windows.some(([begin, end]) => begin <= from && to <= end);
      const set = weight === 1 ? data.sets.find(holds) : undefined;
      if (!set) return null;
      sets.set(id, set);
    }
    return sets;
  }

  /** The narrowest bins of a thread that have a whole span: {levels, row}; null: none. */
  function binsOf(data, id, { from, to }) {
    const part = data.parts.findLast(
      (each) => each.from <= from && to <= each.to && each.place.has(id) && !each.quiet.has(id),
    );
    if (part) return { levels: part.levels, row: part.place.get(id) };
    return data.binsOf({ kind: "thread", id });
  }

  const clip = (span, from, to) => Math.max(0, Math.min(to, span.to) - Math.max(from, span.from));

  /** Adds what the calls of a row do in the span. */
  function addEvents(data, id, set, span, sums) {
    const range = set.range(id, span.from, span.to),
      [begin, end] = data.life(id);
    let inCalls = 0;
    for (let i = range.first; i < range.last; ++i) {
      data.states(set, i, (state, from, to) => {
        const ns = clip(span, from, to);
        sums.exact[state] += ns;
        inCalls += ns;
      });
      if ((data.call_classes[set.call[i]] ?? 0) < 0) continue; // an event of the program's own
      const isBegun = set.enter[i] >= span.from,
        inside = Math.min(set.leave(i), set.enter[i] + set.outside[i]);
      const row = sums.functions.get(set.call[i]) ?? { calls: 0, ns: 0, sent: 0, received: 0 };
      row.calls += isBegun ? set.calls[i] : 0;
      row.ns += clip(span, inside, set.leave(i));
      row.sent += isBegun ? set.bytes_sent[i] : 0;
      row.received += isBegun ? set.bytes_received[i] : 0;
      sums.functions.set(set.call[i], row);
      const wait = set.waitOf.get(i);
      if (wait === undefined || data.isUnfinished(set, i)) continue;
      const ns = clip(span, inside, Math.min(set.leave(i), inside + set.wait_ns[wait]));
      const kind = sums.waits.get(set.wait_kind[wait]) ?? { ns: 0, causers: new Map() };
      kind.ns += ns;
      kind.causers.set(set.causer_rank[wait], (kind.causers.get(set.causer_rank[wait]) ?? 0) + ns);
      sums.waits.set(set.wait_kind[wait], kind);
    }
    sums.exact[0] += Math.max(0, clip(span, begin, end) - inCalls);
  }

  /** Messages whose sending call begins in the span, on these rows; filter: those of them that it accepts. */
  function messagesOf(data, sets, span, filter) {
    const found = { count: 0, longest: 0 };
    for (const set of new Set(sets.values()))
      for (let k = 0; k < set.message_from.length; ++k) {
        const at = set.enter[set.message_from[k]];
        if (at < span.from || at >= span.to || sets.get(set.rowOf(set.message_from[k])) !== set) continue;
        if (filter && !filter.accepts(data, set, k)) continue;
        found.count += 1;
        found.longest = Math.max(found.longest, set.leave(set.message_to[k]) - at);
      }
    return found;
  }

  /**
   * {threads, ns: of all of them, states: ns of each class}; and if every call is known, the largest first,
   * {functions: [{name, calls, ns, sent, received}], waits: [{name, ns, rank: most was for it}],
   * messages: {count, longest: ns}}.
   */
  function numbersOf(data, lanes, span, filter) {
    const weights = weightsOf(data, lanes),
      sets = setsOf(data, weights, span),
      classes = data.classes.length;
    const sums = { exact: new Float64Array(classes), functions: new Map(), waits: new Map() },
      binned = new Float64Array(classes);
    let threads = 0,
      leastBins = Infinity;
    for (const [id, weight] of weights) {
      threads += weight;
      if (sets) addEvents(data, id, sets.get(id), span, sums);
      const bins = binsOf(data, id, span);
      if (!bins) continue;
      leastBins = Math.min(leastBins, (span.to - span.from) / bins.levels.levels[0].binNs);
      bins.levels.times(bins.row, span.from, span.to).forEach((ns, c) => (binned[c] += ns * weight));
    }
    const states = sets && leastBins < LEAST_BINS ? sums.exact : binned,
      found = { threads, ns: threads * (span.to - span.from), states: Array.from(states) };
    if (!sets) return found;
    const largest = (rows) => rows.sort((a, b) => b.ns - a.ns || b.calls - a.calls);
    found.functions = largest([...sums.functions].map(([call, row]) => ({ name: data.calls[call], ...row })));
    found.waits = largest(
      [...sums.waits].map(([kind, { ns, causers }]) => ({
        name: data.wait_kinds[kind],
        ns,
        rank: [...causers].sort((a, b) => b[1] - a[1])[0][0],
      })),
    );
    found.messages = messagesOf(data, sets, span, filter);
    return found;
  }

  /** ns of each slot of a colouring, over all rows. */
  function timesByColour(data, colouring, lanes, span) {
    const weights = weightsOf(data, lanes),
      sums = new Float64Array(colouring.names.length);
    let sets;
    for (const [id, weight] of weights) {
      const bins = colouring.binsOf({ kind: "thread", id });
      if (bins && colouring.hasPieces && span.to - span.from < LEAST_BINS * bins.levels.levels[0].binNs)
        sets ??= setsOf(data, weights, span) ?? new Map();
      if (sets?.has(id)) addPieces(data, colouring, id, sets.get(id), span, sums);
      else if (bins) bins.levels.times(bins.row, span.from, span.to).forEach((ns, slot) => (sums[slot] += ns * weight));
    }
    return Array.from(sums);
  }
  function addPieces(data, colouring, id, set, span, sums) {
    const put = (slot, from, to, share = 1) => (sums[slot] += clip(span, from, to) * share),
      { first, last } = set.range(id, span.from, span.to),
      [begin, end] = data.life(id);
    let at = Math.max(begin, span.from);
    for (let i = first; i < last; ++i) {
      if (set.enter[i] > at) colouring.between(at, set.enter[i], put, id);
      colouring.pieces(set, i, put);
      at = Math.max(at, set.leave(i));
    }
    if (at < Math.min(end, span.to)) colouring.between(at, Math.min(end, span.to), put, id);
  }

  const shortened = (name) => (name.length > MOST_LETTERS ? `${name.slice(0, MOST_LETTERS - 1)}\u2026` : name);
  const cells = (name, row) =>
    element("tr", {}, ...row.map((text, i) => element(name, i ? { class: "number", text } : { text })));
  function table(heads, rows) {
    const more =
      rows.length > MOST_ROWS ? [[`${count(rows.length - MOST_ROWS)} more`, ...heads.slice(1).fill("")]] : [];
    return element(
      "table",
      {},
      element("thead", {}, cells("th", heads)),
      element("tbody", {}, ...[...rows.slice(0, MOST_ROWS), ...more].map((row) => cells("td", row))),
    );
  }

  /** A line with the states, which unfolds to tables. */
  class InView {
    constructor(line) {
      this.line = line;
      this.title = element("summary", {});
      this.tables = element("div", { class: "side" });
      this.element = element("details", { id: "in-view" }, this.title, this.tables);
      this.element.addEventListener("toggle", () => this.update());
    }

    update() {
      const { line } = this,
        { data } = line,
        span = line.span ?? line.view;
      const lanes = line.placesInView().map((place) => line.lanes[place]),
        { colouring } = line,
        found = numbersOf(data, lanes, span, line.messages);
      if (colouring.name !== "state") found.states = timesByColour(data, colouring, lanes, span);
      const share = (ns) => (found.ns > 0 ? ns / found.ns : 0),
        time = (ns) => duration(ns / 1e9);
      const states = colouring.names
        .map((name, c) => ({ name, ns: found.states[c] }))
        .filter(({ ns }) => ns > 0)
        .sort((a, b) => b.ns - a.ns);
      this.title.textContent =
        `${line.span ? "Selected" : "In view"}: ${counted(found.threads, "row")}, ${time(span.to - span.from)}` +
        states
          .filter(({ ns }) => share(ns) >= LEAST_SHARE)
          .map(({ name, ns }) => `, ${percent(share(ns))} ${shortened(name)}`)
          .join("");
      if (!this.element.open) return;
      this.tables.replaceChildren(
        table(
          [colouring.text, "time", "share"],
          states.map(({ name, ns }) => [name, time(ns), percent(share(ns))]),
        ),
      );
      if (!found.functions)
        return this.tables.append(
          element("p", {
            class: "faint",
            text: "The page does not hold every call of this span and these rows: zoom in, or meridian view.",
          }),
        );
      this.tables.append(
        table(
          ["function", "calls", "time", "share", "sent", "received"],
          found.functions.map((row) => [
            row.name,
            count(row.calls),
            time(row.ns),
            percent(share(row.ns)),
            bytes(row.sent),
            bytes(row.received),
          ]),
        ),
        table(
          ["wait", "time", "share", "most for"],
          found.waits.map((row) => [row.name, time(row.ns), percent(share(row.ns)), `rank ${row.rank}`]),
        ),
        element("p", {
          class: "faint",
          text:
            `${counted(found.messages.count, "message")} sent` +
            (found.messages.count ? `; the longest was under way for ${time(found.messages.longest)}.` : "."),
        }),
      );
    }
  }

  m.inView = { InView, numbersOf, timesByColour, weightsOf, binsOf };
})((globalThis.meridian ??= {}));

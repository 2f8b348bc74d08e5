// SPDX-License-Identifier: Apache-2.0
// The timeline: rows x time, zoomed and panned by wheel, drag and keys.
"use strict";
((m) => {
  const { element } = m.table;
  const LABELS_PX = 132, AXIS_PX = 22, LEAST_NS = 10;
  const KEYS = [["w + / s -", "zoom in / out"], ["a d / left right", "pan"], ["up down", "scroll the rows"], ["f 0", "whole run"],
    ["n p", "next / previous call of the same function"], ["c", "to the call that was waited for"], ["m", "messages on / off"],
    ["x", "critical path on / off"], ["/", "search"], ["Esc", "let go of the chosen call"], ["?", "these keys"]];

  class TimelineData {
    static async read(raw) {
      const data = new TimelineData();
      Object.assign(data, raw);
      const { inflate, column, signedColumn, sums } = m.codec;
      data.levels = new m.levels.Levels({
        rows: raw.rows.length, classes: raw.classes.length, bins: raw.bins, binNs: raw.bin_ns, beginNs: raw.begin_ns,
        shares: await inflate(raw.shares), calls: await column(raw.bin_calls), longest: await signedColumn(raw.bin_longest),
      });
      data.sets = [await m.events.EventSet.read(raw.events, raw.windows, raw.rows.length)];
      const regions = raw.regions;
      data.regionRow = sums(await column(regions.row));
      data.regionCall = await column(regions.call);
      data.regionDepth = await column(regions.depth);
      data.regionBegin = sums(await signedColumn(regions.begin));
      data.regionEnd = (await signedColumn(regions.length)).map((v, i) => v + data.regionBegin[i]);
      data.rowOf = new Map();
      raw.rows.forEach((row, i) => {
        for (const [rank, thread] of row.members ?? [[row.rank, row.thread]]) data.rowOf.set(`${rank}.${thread}`, i);
      });
      data.lives = raw.rows.map((_, row) => data.#life(row));
      return data;
    }

    /** When a row begins and ends, to a bin. */
    #life(row) {
      const { bins, binNs, shares } = this.levels.levels[0], classes = this.levels.classes;
      const isBusy = (bin) => { for (let c = 0; c < classes; ++c) if (shares[(row * classes + c) * bins + bin]) return true; return false; };
      let first = 0, last = bins - 1;
      while (first < bins && !isBusy(first)) ++first;
      while (last >= first && !isBusy(last)) --last;
      return [this.begin_ns + first * binNs, this.begin_ns + (last + 1) * binNs];
    }

    row(rank, thread) { return this.rowOf.get(`${rank}.${thread}`) ?? -1; }
    label(row) {
      const { rank, thread, members } = this.rows[row];
      const own = thread === 0 ? `rank ${rank}` : `rank ${rank}, thread ${thread}`;
      return members ? `${members.length} like ${own}` : own;
    }
    /** Half width of T1 of a row at a time, ns; null: unknown or none. */
    bound(row, time) {
      const knots = this.bounds[this.rows[row].clock];
      if (!knots?.length) return null;
      let k = 0;
      while (k + 1 < knots.length && knots[k + 1][0] <= time) ++k;
      return knots[k][1];
    }
    isUnfinished(set, i) { return Math.floor(set.flags[i] / this.unfinished_flag) % 2 === 1; }

    /** Calls put(class, from, to) for each state of an event. */
    states(set, i, put) {
      const enter = set.enter[i], leave = set.leave(i), state = this.call_classes[set.call[i]] ?? 7;
      if (state < 0 || leave <= enter) return;
      if (this.isUnfinished(set, i)) return put(7, enter, leave);
      let from = enter;
      if (set.outside[i] > 0) put(0, enter, (from = Math.min(leave, enter + set.outside[i])));
      const wait = set.waitOf.get(i);
      if (wait !== undefined) {
        const to = Math.min(leave, from + set.wait_ns[wait]);
        put(this.wait_classes[set.wait_kind[wait]], from, to);
        from = to;
      }
      if (from < leave) put(state, from, leave);
    }
  }

  class Timeline {
    constructor(data, summary) {
      this.data = data;
      this.summary = summary;
      this.view = { from: data.begin_ns, to: data.end_ns };
      this.rows = data.rows.map((_, i) => i);
      this.top = 0; // px that the rows are scrolled by
      this.pin = null; // {set, event}
      this.shows = { messages: true, path: true };
      this.wanted = { functions: "", region: "" };
      this.frames = { count: 0, ms: 0 };
      this.listeners = [];
      this.canvas = element("canvas", { tabindex: "0", class: "timeline", role: "application", "aria-roledescription": "timeline",
        "aria-label": "Timeline of ranks and threads. Keys: w and s zoom, a and d pan, question mark for all keys." });
      this.tip = element("div", { class: "tip", role: "status", "aria-live": "polite", hidden: true });
      this.element = element("div", { class: "timeline-box" }, this.canvas, this.tip);
      this.overlay = new m.overlay.Overlay(this);
      this.#listen();
      new ResizeObserver(() => this.resize()).observe(this.element);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    }

    get widthNs() { return this.view.to - this.view.from; }
    get plotPx() { return this.width - LABELS_PX; }
    x(time) { return LABELS_PX + ((time - this.view.from) / this.widthNs) * this.plotPx; }
    time(x) { return this.view.from + ((x - LABELS_PX) / this.plotPx) * this.widthNs; }
    /** Top of the place-th row that is shown, in px. */
    y(place) { return AXIS_PX + place * this.rowPx - this.top; }
    rowAt(y) { return y < AXIS_PX ? -1 : this.rows[Math.floor((y - AXIS_PX + this.top) / this.rowPx)] ?? -1; }
    place(row) { return this.rows.indexOf(row); }

    resize() {
      this.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      this.painter = new m.paint.Painter(this.isDark);
      this.width = Math.max(320, Math.floor(this.element.clientWidth));
      const space = Math.max(160, Math.min(560, Math.floor(globalThis.innerHeight * 0.5)));
      this.rowPx = Math.max(6, Math.min(26, Math.floor((space - AXIS_PX) / Math.max(1, this.rows.length))));
      this.height = Math.min(space, AXIS_PX + this.rows.length * this.rowPx + 2);
      this.canvas.width = this.width;
      this.canvas.height = this.height;
      this.context = this.canvas.getContext("2d", { alpha: false });
      this.image = this.context.createImageData(Math.max(1, this.plotPx), Math.max(1, this.height - AXIS_PX));
      this.pixels = new Uint32Array(this.image.data.buffer);
      this.redraw();
    }

    redraw() {
      if (this.isAsked) return;
      this.isAsked = true;
      requestAnimationFrame(() => { this.isAsked = false; this.draw(); });
    }

    /** Paints everything once. */
    draw() {
      if (!this.context) return;
      const begin = performance.now();
      this.pixels.fill(this.painter.background);
      const first = Math.max(0, Math.floor(this.top / this.rowPx)), last = Math.min(this.rows.length, Math.ceil((this.top + this.height) / this.rowPx));
      for (let place = first; place < last; ++place) this.#drawRow(place);
      this.context.fillStyle = this.isDark ? "#14181e" : "#ffffff";
      this.context.fillRect(0, 0, this.width, this.height);
      this.context.putImageData(this.image, LABELS_PX, AXIS_PX);
      this.overlay.draw(first, last);
      this.frames.count += 1;
      this.frames.ms += performance.now() - begin;
      for (const listener of this.listeners) listener();
    }

    #drawRow(place) {
      const row = this.rows[place], full = Math.round(this.y(place)) - AXIS_PX;
      const gap = this.rowPx >= 10 ? 2 : 1, top = Math.max(0, full), bottom = Math.min(this.image.height, full + this.rowPx - gap);
      if (bottom <= top) return;
      const width = this.image.width, height = bottom - top, nsPerPixel = this.widthNs / width;
      this.painter.bins(this.pixels, width, top, height, this.data.levels, row, this.view);
      if (nsPerPixel >= this.data.levels.levels[0].binNs) return;
      const life = this.data.lives[row];
      for (const set of this.data.sets)
        for (const [from, to] of set.covering(this.view.from, this.view.to)) {
          const span = { from: Math.max(from, this.view.from, life[0]), to: Math.min(to, this.view.to, life[1]) };
          if (span.to <= span.from) continue;
          const range = set.range(row, span.from, span.to);
          range.times = (i) => [set.enter[i], set.leave(i)];
          this.#clear(top, height, span);
          this.painter.events(this.pixels, width, top, height, this.view, span, range, () => 0, (i, put) => this.data.states(set, i, put));
        }
    }

    #clear(top, height, span) {
      const width = this.image.width, nsPerPixel = this.widthNs / width;
      const from = Math.max(0, Math.floor((span.from - this.view.from) / nsPerPixel));
      const to = Math.min(width, Math.ceil((span.to - this.view.from) / nsPerPixel));
      for (let y = top; y < top + height; ++y) this.pixels.fill(this.painter.background, y * width + from, y * width + to);
    }

    /** Shows a time span; it stays within the run, and at least a few ns wide. */
    show(from, to) {
      const { begin_ns: begin, end_ns: end } = this.data, width = Math.min(end - begin, Math.max(LEAST_NS, to - from));
      from = Math.min(Math.max((from + to - width) / 2, begin), end - width);
      this.view = { from, to: from + width };
      this.onview?.(this.view);
      this.redraw();
    }
    zoom(factor, at = (this.view.from + this.view.to) / 2) {
      this.show(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
    }
    pan(share) { this.show(this.view.from + share * this.widthNs, this.view.to + share * this.widthNs); }
    fit() { this.show(this.data.begin_ns, this.data.end_ns); }
    scroll(px) {
      const most = Math.max(0, this.rows.length * this.rowPx - (this.height - AXIS_PX));
      this.top = Math.min(most, Math.max(0, this.top + px));
      this.redraw();
    }
    /** Shows only these rows of the data. */
    setRows(rows) {
      this.rows = rows;
      this.top = 0;
      this.resize();
    }

    /** The event under a point of the canvas; null: none is known there. */
    eventAt(x, y) {
      const row = this.rowAt(y);
      if (row < 0 || x < LABELS_PX) return null;
      const time = this.time(x), reach = (3 * this.widthNs) / this.plotPx;
      for (const set of [...this.data.sets].reverse()) {
        if (!set.covers(time)) continue;
        const event = set.at(row, time, reach);
        if (event >= 0) return { set, event };
      }
      return null;
    }
    choose(pin, isCentred = false) {
      this.pin = pin;
      if (pin && isCentred) {
        const { set, event } = pin, middle = (set.enter[event] + set.leave(event)) / 2;
        const width = Math.max(Math.min(this.widthNs, 40 * set.duration[event]), 4 * set.duration[event], LEAST_NS);
        this.show(middle - width / 2, middle + width / 2);
        const place = this.place(set.rowOf(event));
        if (place >= 0) this.scroll(Math.min(0, this.y(place) - AXIS_PX) + Math.max(0, this.y(place + 1) - this.height));
      }
      this.overlay.describePin();
      this.redraw();
    }
    /** The call that begins at a time on a thread; null: the page does not hold it. */
    find(rank, thread, enter) {
      const row = this.data.row(rank, thread);
      for (const set of row < 0 ? [] : this.data.sets) {
        const event = set.find(row, enter);
        if (event >= 0) return { set, event };
      }
      return null;
    }
    /** To the next (1) or previous (-1) call of the same function in its row. */
    step(direction) {
      if (!this.pin) return;
      const { set, event } = this.pin, row = set.rowOf(event);
      for (let i = event + direction; i >= set.first[row] && i < set.first[row + 1]; i += direction)
        if (set.call[i] === set.call[event]) return this.choose({ set, event: i }, true);
    }
    toCauser() {
      const wait = this.pin?.set.waitOf.get(this.pin.event);
      if (wait === undefined) return;
      const { set, event } = this.pin, enter = set.enter[event] + set.causer_enter[wait];
      const row = this.data.rows.findIndex((_, i) => this.data.rows[i].rank === set.causer_rank[wait] && set.find(i, enter) >= 0);
      if (row >= 0) this.choose({ set, event: set.find(row, enter) }, true);
      else this.overlay.say("The page does not hold the call that was waited for.");
    }

    #listen() {
      const canvas = this.canvas;
      let drag = null;
      canvas.addEventListener("wheel", (event) => {
        event.preventDefault();
        if (event.shiftKey) this.pan(Math.sign(event.deltaY || event.deltaX) * 0.1);
        else if (event.altKey) this.scroll(event.deltaY);
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) this.pan((event.deltaX / this.plotPx) * 0.8);
        else this.zoom(Math.exp(event.deltaY * 0.0016), this.time(event.offsetX));
      }, { passive: false });
      canvas.addEventListener("pointerdown", (event) => {
        canvas.setPointerCapture(event.pointerId);
        drag = { x: event.offsetX, y: event.offsetY, view: { ...this.view }, top: this.top, isMoved: false };
      });
      canvas.addEventListener("pointermove", (event) => {
        if (!drag) return this.overlay.hover(event.offsetX, event.offsetY);
        const dx = event.offsetX - drag.x, dy = event.offsetY - drag.y;
        drag.isMoved ||= Math.abs(dx) + Math.abs(dy) > 3;
        const shift = (-dx / this.plotPx) * (drag.view.to - drag.view.from);
        this.top = drag.top;
        this.scroll(-dy);
        this.show(drag.view.from + shift, drag.view.to + shift);
      });
      canvas.addEventListener("pointerup", (event) => {
        if (drag && !drag.isMoved) this.choose(this.eventAt(event.offsetX, event.offsetY));
        drag = null;
      });
      canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
      canvas.addEventListener("dblclick", () => this.fit());
      canvas.addEventListener("keydown", (event) => this.key(event));
    }

    key(event) {
      if (event.ctrlKey || event.metaKey || event.altKey) return;
      const actions = { w: () => this.zoom(0.7), "+": () => this.zoom(0.7), "=": () => this.zoom(0.7), s: () => this.zoom(1 / 0.7), "-": () => this.zoom(1 / 0.7),
        a: () => this.pan(-0.15), ArrowLeft: () => this.pan(-0.15), d: () => this.pan(0.15), ArrowRight: () => this.pan(0.15),
        ArrowUp: () => this.scroll(-this.rowPx), ArrowDown: () => this.scroll(this.rowPx), f: () => this.fit(), 0: () => this.fit(),
        n: () => this.step(1), p: () => this.step(-1), c: () => this.toCauser(), Escape: () => this.choose(null),
        m: () => { this.shows.messages = !this.shows.messages; this.redraw(); }, x: () => { this.shows.path = !this.shows.path; this.redraw(); } };
      const action = actions[event.key];
      if (!action) return;
      event.preventDefault();
      action();
    }
  }

  m.timeline = { TimelineData, Timeline, KEYS, LABELS_PX, AXIS_PX };
})((globalThis.meridian ??= {}));

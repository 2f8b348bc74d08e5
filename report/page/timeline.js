// SPDX-License-Identifier: Apache-2.0
// The timeline: rows x time, zoomed and panned by wheel, drag and keys.
"use strict";
((m) => {
  const { element } = m.dom;
  const LABELS_PX = 148,
    AXIS_PX = 22,
    INDENT_PX = 10,
    LEAST_NS = 10,
    FRAME_MS = 1000 / 60,
    REST_MS = 120,
    LEAST_ROW_PX = 3,
    MOST_ROW_PX = 40;
  class Timeline {
    constructor(data, summary) {
      this.data = data;
      this.summary = summary;
      this.zero = data.begin_ns; // of the axis
      this.limits = { from: data.begin_ns, to: data.end_ns };
      this.view = { from: data.begin_ns, to: data.end_ns };
      this.tree = new m.lanes.LaneTree(data);
      this.order = new m.rowOrder.RowOrder(data, summary);
      this.#arrange();
      this.top = 0; // px that the rows are scrolled by
      this.pin = null; // {set, event}
      this.span = null; // {from, to}: a time span that was chosen
      this.messages = new m.messages.MessageFilter();
      this.shows = { messages: true, path: true };
      this.colouring = data.colourings[0];
      this.wanted = { functions: "", region: "" };
      this.frames = { count: 0, ms: 0, coarse: 0 };
      this.isMoving = false; // by wheel, drag or keys, just now
      this.exactMs = 0; // what the last frame with events one by one took
      this.canvas = element("canvas", {
        tabindex: "0",
        class: "timeline",
        role: "application",
        "aria-roledescription": "timeline",
        "aria-label":
          "Timeline of ranks and threads. Keys: w and s zoom, a and d pan, n and p go from call to call, " +
          "question mark for all keys.",
      });
      this.tip = new m.tip.Tip(this);
      this.element = element("div", { class: "timeline-box" }, this.canvas, this.tip.element);
      this.overlay = new m.overlay.Overlay(this);
      m.input.listen(this);
      new ResizeObserver(() => this.resize()).observe(this.element);
      matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.resize());
    }

    /** Ids of the rows that are shown. */
    get rows() {
      return this.lanes.map((lane) => lane.id);
    }
    get widthNs() {
      return this.view.to - this.view.from;
    }
    get plotPx() {
      return this.width - LABELS_PX;
    }
    x(time) {
      return LABELS_PX + ((time - this.view.from) / this.widthNs) * this.plotPx;
    }
    time(x) {
      return this.view.from + ((x - LABELS_PX) / this.plotPx) * this.widthNs;
    }
    /** px that the rows below the pinned ones are scrolled by: whole rows, so that none is half covered. */
    get shift() {
      return this.pinned ? Math.floor(this.top / this.rowPx) * this.rowPx : this.top;
    }
    /** Top of the place-th lane that is shown, in px. Rows that pinned ones cover are at the edge of these. */
    y(place) {
      const y = AXIS_PX + place * this.rowPx;
      if (place < this.pinned) return y;
      return this.pinned ? Math.max(y - this.shift, AXIS_PX + (this.pinned - 0.5) * this.rowPx) : y - this.top;
    }
    laneAt(y) {
      const place = Math.floor((y - AXIS_PX) / this.rowPx);
      if (place < 0) return undefined;
      return this.lanes[place < this.pinned ? place : Math.floor((y - AXIS_PX + this.shift) / this.rowPx)];
    }
    place(id) {
      return this.places.get(id) ?? -1;
    }

    resize() {
      this.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
      this.painter = this.colouring.painter(this.isDark);
      this.width = Math.max(320, Math.floor(this.element.clientWidth));
      // The first screen has all of it.
      const above = this.element.getBoundingClientRect().top + globalThis.scrollY,
        below = this.spaceBelow ?? 60;
      const space = Math.max(200, Math.min(620, globalThis.innerHeight - above - below));
      this.rowPx = Math.max(
        LEAST_ROW_PX,
        Math.min(MOST_ROW_PX, Math.floor((space - AXIS_PX) / Math.max(1, this.lanes.length))),
      );
      this.height = Math.floor(Math.min(space, AXIS_PX + this.lanes.length * this.rowPx + 2));
      if (this.canvas.width !== this.width || this.canvas.height !== this.height || !this.context) {
        this.canvas.width = this.width;
        this.canvas.height = this.height;
        this.context = this.canvas.getContext("2d", { alpha: false });
        this.image = this.context.createImageData(Math.max(1, this.plotPx), Math.max(1, this.height - AXIS_PX));
        this.pixels = new Uint32Array(this.image.data.buffer);
      }
      this.draw(); // at once: a canvas of another size is empty
    }

    /** After a change of what rows are coloured by. */
    recolour() {
      this.painter = this.colouring.painter(this.isDark);
      this.exactMs = 0;
      this.#moved();
      this.redraw();
    }
    redraw() {
      if (this.isAsked) return;
      this.isAsked = true;
      requestAnimationFrame(() => {
        this.isAsked = false;
        this.draw();
      });
    }

    /** Paints everything once. */
    draw() {
      if (!this.context) return;
      const begin = performance.now();
      this.pixels.fill(this.painter.background);
      const places = this.placesInView();
      // While it moves, a frame that would come too late shows bins only.
      const isCoarse = this.isMoving && this.exactMs > FRAME_MS;
      for (const place of places) this.#drawLane(place, isCoarse);
      this.context.fillStyle = this.isDark ? "#14181e" : "#ffffff";
      this.context.fillRect(0, 0, this.width, this.height);
      this.context.putImageData(this.image, LABELS_PX, AXIS_PX);
      this.overlay.draw(places);
      const took = performance.now() - begin;
      if (!isCoarse) this.exactMs = took;
      this.frames.count += 1;
      this.frames.coarse += isCoarse;
      this.frames.ms += took;
    }
    isSeen(place) {
      const first = this.pinned + Math.floor(this.shift / this.rowPx),
        last = Math.min(this.lanes.length, Math.ceil((this.shift + this.height - AXIS_PX) / this.rowPx));
      return (place >= 0 && place < this.pinned) || (first <= place && place < last);
    }
    placesInView() {
      return Array.from(this.lanes.keys()).filter((place) => this.isSeen(place));
    }
    /** Ids of the threads that are in view. */
    idsInView() {
      return [...new Set(this.placesInView().flatMap((place) => this.lanes[place].ids))];
    }

    /** Called as the view changes: a while after the last change everything is drawn again. */
    #moved() {
      this.isMoving = true;
      clearTimeout(this.rest);
      this.rest = setTimeout(() => {
        this.isMoving = false;
        this.redraw();
        this.#sortAgain();
        this.onrest?.();
      }, REST_MS);
    }

    #drawLane(place, isCoarse) {
      const { data } = this,
        lane = this.lanes[place],
        full = Math.round(this.y(place)) - AXIS_PX;
      const gap = this.rowPx >= 10 ? 2 : this.rowPx >= 5 ? 1 : 0,
        top = Math.max(0, full),
        bottom = Math.min(this.image.height, full + this.rowPx - gap);
      if (bottom <= top) return;
      const width = this.image.width,
        height = bottom - top,
        nsPerPixel = this.widthNs / width,
        bins = this.colouring.binsOf(lane);
      if (bins) this.painter.bins(this.pixels, width, top, height, bins.levels, bins.row, this.view);
      if (isCoarse || !this.colouring.hasPieces || (bins && nsPerPixel >= bins.levels.levels[0].binNs)) return;
      for (const part of data.parts) {
        const own = part.from < this.view.to && part.to > this.view.from ? this.colouring.binsIn(part, lane) : null;
        if (!own) continue;
        const span = { from: Math.max(part.from, this.view.from), to: Math.min(part.to, this.view.to) };
        const [from, to] = this.#clear(top, height, span);
        this.painter.bins(this.pixels, width, top, height, own.levels, own.row, this.view, from, to);
      }
      if (lane.kind === "host") return;
      const life = data.life(lane.id);
      for (const set of data.sets)
        for (const [from, to] of set.has(lane.id) ? set.covering(this.view.from, this.view.to) : []) {
          const span = { from: Math.max(from, this.view.from, life[0]), to: Math.min(to, this.view.to, life[1]) };
          if (span.to <= span.from) continue;
          const range = set.range(lane.id, span.from, span.to);
          range.times = (i) => [set.enter[i], set.leave(i)];
          this.#clear(top, height, span);
          this.painter.events(
            this.pixels,
            width,
            top,
            height,
            this.view,
            span,
            range,
            (begin, end, put) => this.colouring.between(begin, end, put, lane.id),
            (i, put) => this.colouring.pieces(set, i, put),
          );
        }
    }

    #clear(top, height, span) {
      const width = this.image.width,
        nsPerPixel = this.widthNs / width;
      const from = Math.max(0, Math.floor((span.from - this.view.from) / nsPerPixel));
      const to = Math.min(width, Math.ceil((span.to - this.view.from) / nsPerPixel));
      for (let y = top; y < top + height; ++y)
        this.pixels.fill(this.painter.background, y * width + from, y * width + to);
      return [from, to];
    }

    /** Shows a time span; it stays within the limits, and at least a few ns wide. */
    show(from, to) {
      const { from: begin, to: end } = this.limits,
        width = Math.min(end - begin, Math.max(LEAST_NS, to - from));
      from = Math.min(Math.max((from + to - width) / 2, begin), end - width);
      this.view = { from, to: from + width };
      this.onview?.(this.view);
      this.#moved();
      this.redraw();
    }
    zoom(factor, at = (this.view.from + this.view.to) / 2) {
      this.show(at - (at - this.view.from) * factor, at + (this.view.to - at) * factor);
    }
    pan(share) {
      this.show(this.view.from + share * this.widthNs, this.view.to + share * this.widthNs);
    }
    fit() {
      this.show(this.limits.from, this.limits.to);
    }
    scroll(px) {
      const most = Math.max(0, this.lanes.length * this.rowPx - (this.height - AXIS_PX));
      this.top = Math.min(most, Math.max(0, this.top + px));
      this.#moved();
      this.redraw();
    }
    /** After a change of the tree or of the order. */
    layLanes() {
      this.#arrange();
      this.resize();
      this.scroll(0);
      this.onlanes?.();
    }
    #arrange() {
      Object.assign(this, this.order.arrange(this.tree.lanes())); // lanes, pinned
      this.places = m.lanes.placesOf(this.data, this.lanes);
    }
    /** Values are those of the chosen span. */
    #sortAgain() {
      const [from, to] = [this.order.span?.from, this.order.span?.to];
      if (this.span?.from === from && this.span?.to === to) return;
      this.order.span = this.span;
      if (this.order.by) this.layLanes();
    }
    /** The lane that a key means: the one under the pointer, else that of the chosen call, else the first. */
    get meant() {
      const place = this.pin ? this.place(this.pin.set.rowOf(this.pin.event)) : -1;
      return this.laneAt(this.pointedY ?? -1) ?? this.lanes[place] ?? this.lanes[this.placesInView()[0]];
    }
    hideRow(lane = this.meant) {
      if (!lane) return;
      this.order.hide(lane);
      this.layLanes();
    }
    pinRow(lane = this.meant) {
      if (!lane) return;
      this.order.pin(lane);
      this.layLanes();
    }
    resetRows() {
      this.order.reset();
      this.layLanes();
    }
    /** Shows only ranks for which accepts(rank) is true; null: all. */
    filterRanks(accepts) {
      this.tree.accepts = accepts;
      this.top = 0;
      this.layLanes();
    }
    reveal(rank, thread) {
      const isShown = this.order.show(rank, thread);
      if (this.tree.reveal(rank, thread) || isShown) this.layLanes();
      this.bringIntoView(this.data.memberOf.get(`${rank}.${thread}`) ?? this.data.row(rank, thread));
    }
    bringIntoView(id) {
      const place = this.place(id);
      if (place < this.pinned) return;
      const y = place * this.rowPx - this.top;
      this.scroll(Math.min(0, y - this.pinned * this.rowPx) + Math.max(0, y + this.rowPx - (this.height - AXIS_PX)));
    }

    /** Chooses a time span; null: none. */
    select(span) {
      this.span = span && {
        from: Math.max(this.data.begin_ns, Math.min(span.from, span.to)),
        to: Math.min(this.data.end_ns, Math.max(span.from, span.to)),
      };
      this.#moved();
      this.redraw();
    }

    /** The event under a point of the canvas; null: none is known there. */
    eventAt(x, y) {
      const lane = this.laneAt(y);
      if (!lane || lane.kind === "host" || x < LABELS_PX) return null;
      const time = this.time(x),
        reach = (3 * this.widthNs) / this.plotPx;
      for (const set of [...this.data.sets].reverse()) {
        if (!set.has(lane.id) || !set.covers(time)) continue;
        const event = set.at(lane.id, time, reach);
        if (event >= 0) return { set, event };
      }
      return null;
    }
    choose(pin, isCentred = false) {
      this.pin = pin;
      if (pin && isCentred) {
        const { set, event } = pin,
          middle = (set.enter[event] + set.leave(event)) / 2;
        const width = Math.max(Math.min(this.widthNs, 40 * set.duration[event]), 4 * set.duration[event], LEAST_NS);
        this.show(middle - width / 2, middle + width / 2);
        this.bringIntoView(set.rowOf(event));
      }
      this.tip.describePin();
      this.redraw();
    }
    /** The call that begins at a time on a thread; null: the page does not hold it. */
    find(rank, thread, enter) {
      for (const id of this.data.ids(rank, thread))
        for (const set of this.data.sets) {
          const event = set.find(id, enter);
          if (event >= 0) return { set, event };
        }
      return null;
    }
    /** A click at a point of the canvas: chooses a call, or folds a row by its label. */
    click(x, y) {
      const lane = this.laneAt(y);
      if (x >= LABELS_PX) return this.choose(this.eventAt(x, y));
      if (lane?.isFolded === undefined) return;
      this.tree.toggle(lane);
      this.layLanes();
    }
    foldChosen() {
      const lane = this.lanes[this.pin ? this.place(this.pin.set.rowOf(this.pin.event)) : this.placesInView()[0]];
      if (lane?.isFolded === undefined) return;
      this.tree.toggle(lane);
      this.layLanes();
    }
  }

  m.timeline = { Timeline, LABELS_PX, AXIS_PX, INDENT_PX };
})((globalThis.meridian ??= {}));

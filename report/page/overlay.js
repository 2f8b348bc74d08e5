// SPDX-License-Identifier: Apache-2.0
// What is drawn over the states: axis, names, regions, messages, critical path, bounds, the chosen call.
"use strict";
((m) => {
  const { duration } = m.format;
  const MOST_FOUND = 4000,
    MOST_EVENTS = 6000,
    HATCH_PX = 4;

  /** Steps of 1, 2 or 5 times a power of ten: at most `most` in a span. */
  function step(span, most) {
    const power = 10 ** Math.floor(Math.log10(span / most));
    return [1, 2, 5, 10].map((k) => k * power).find((s) => span / s <= most);
  }

  class Overlay {
    constructor(timeline) {
      this.line = timeline;
      this.data = timeline.data;
      this.drawn = { messages: 0, collectives: 0, bounds: 0, wide: 0 }; // in the last frame
      this.messages = []; // those that are drawn
      this.ends = new m.ends.Ends(timeline);
      this.path = (timeline.summary.critical_line ?? []).map((part) => ({
        row: this.data.row(part.rank, part.thread),
        from: part.begin_ns,
        to: part.end_ns,
      }));
    }

    get ink() {
      return this.line.isDark ? "#e6e9ee" : "#1d2430";
    }
    get faint() {
      return this.line.isDark ? "#9aa4b2" : "#5d6673";
    }

    /** places: of the lanes in view. */
    draw(places) {
      const { context, width, height } = this.line,
        { LABELS_PX, AXIS_PX } = m.timeline;
      context.font = "12px system-ui, sans-serif";
      context.textBaseline = "middle";
      this.#axis();
      context.fillStyle = this.ink;
      this.#names(places);
      context.save();
      context.beginPath();
      context.rect(LABELS_PX, AXIS_PX, width - LABELS_PX, height - AXIS_PX);
      context.clip();
      this.drawn = { messages: 0, collectives: 0, bounds: 0, wide: 0 };
      this.#veil();
      this.#regions();
      m.callNames.drawNames(this.line, this.#eventsInView(places, MOST_EVENTS));
      if (this.line.shows.path) this.#critical();
      this.messages = [];
      if (this.line.shows.messages) {
        m.messages.draw(this.line);
        this.drawn.collectives = m.collectives.draw(this.line, this.#eventsInView(places, MOST_EVENTS));
      }
      this.ends.draw();
      this.#edge();
      this.#bounds();
      this.#span();
      this.#pin();
      context.restore();
    }

    #names(places) {
      const { context, rowPx } = this.line,
        { LABELS_PX, AXIS_PX, INDENT_PX } = m.timeline,
        every = Math.ceil(13 / rowPx);
      for (const place of places) {
        const y = this.line.y(place),
          lane = this.line.lanes[place];
        if (place % every !== 0 || y <= AXIS_PX - rowPx / 2) continue;
        const x = 4 + lane.depth * INDENT_PX,
          sign = lane.isFolded === undefined ? "" : lane.isFolded ? "\u25b8 " : "\u25be ";
        context.fillStyle = lane.kind === "host" ? this.faint : this.ink;
        context.fillText(sign + lane.label, x, y + rowPx / 2, LABELS_PX - x - 4);
      }
    }

    #axis() {
      const { context, view, width } = this.line,
        { LABELS_PX, AXIS_PX } = m.timeline;
      const by = step(this.line.widthNs, Math.max(2, Math.floor((width - LABELS_PX) / 110))),
        begin = this.line.zero;
      const digits = Math.max(0, -Math.floor(Math.log10(by / 1e9)));
      context.fillStyle = this.faint;
      context.strokeStyle = this.faint;
      for (let t = Math.ceil((view.from - begin) / by) * by; t <= view.to - begin; t += by) {
        const x = Math.round(this.line.x(begin + t)) + 0.5;
        context.fillText(`${(t / 1e9).toFixed(Math.min(9, digits))} s`, x + 3, AXIS_PX / 2);
        context.beginPath();
        context.moveTo(x, 4);
        context.lineTo(x, AXIS_PX);
        context.stroke();
      }
      context.fillText(duration(this.line.widthNs / 1e9), 4, AXIS_PX / 2);
    }

    /** Everything but the wanted functions and region is pale. */
    #veil() {
      const { functions, region } = this.line.wanted;
      if (!functions && !region) return;
      const { context, view, width, height } = this.line;
      context.fillStyle = this.line.isDark ? "rgba(20,24,30,0.75)" : "rgba(255,255,255,0.75)";
      context.fillRect(0, 0, width, height);
      context.fillStyle = this.ink;
      let left = MOST_FOUND;
      this.line.lanes.forEach((lane, place) => {
        if (functions && lane.kind !== "host")
          for (const set of this.data.sets) {
            const range = set.range(lane.id, view.from, view.to);
            for (let i = range.first; i < range.last && left > 0; ++i) {
              if (!this.matches(set, i)) continue;
              --left;
              this.#box(place, set.enter[i], set.leave(i), true);
            }
          }
      });
      if (region)
        for (let i = 0; i < this.data.regionRow.length; ++i)
          if (this.data.calls[this.data.regionCall[i]] === region)
            this.#box(this.line.place(this.data.regionRow[i]), this.data.regionBegin[i], this.data.regionEnd[i], false);
    }

    matches(set, i) {
      const words = this.line.wanted.functions.toLowerCase();
      return `${this.data.calls[set.call[i]]} ${this.data.places[set.place[i]]}`.toLowerCase().includes(words);
    }

    #box(place, from, to, isFilled) {
      const { context } = this.line,
        left = this.line.x(from),
        right = this.line.x(to);
      if (!this.line.isSeen(place) || right < 0 || left > this.line.width) return;
      const y = this.line.y(place);
      if (isFilled) {
        context.fillStyle = this.line.isDark ? "#ffd24a" : "#7a4a00";
        context.fillRect(left, y, Math.max(1, right - left), this.line.rowPx - 2);
      } else {
        context.strokeStyle = this.ink;
        context.strokeRect(left, y + 0.5, Math.max(1, right - left), this.line.rowPx - 3);
      }
    }

    #regions() {
      if (this.line.rowPx < 14) return;
      const { context, view } = this.line;
      for (let i = 0; i < this.data.regionRow.length; ++i) {
        if (this.data.regionEnd[i] < view.from || this.data.regionBegin[i] > view.to) continue;
        const place = this.line.place(this.data.regionRow[i]);
        if (!this.line.isSeen(place)) continue;
        const left = Math.max(this.line.x(this.data.regionBegin[i]), m.timeline.LABELS_PX),
          right = this.line.x(this.data.regionEnd[i]);
        if (right - left < 2) continue;
        const y = this.line.y(place) + this.data.regionDepth[i] * 3;
        context.fillStyle = this.ink;
        context.fillRect(left, y, right - left - 1, 1);
        if (right - left <= 60 || this.line.rowPx < 20) continue;
        const name = this.data.calls[this.data.regionCall[i]],
          width = Math.min(right - left - 6, context.measureText(name).width);
        context.globalAlpha = 0.75;
        context.fillStyle = this.line.isDark ? "#14181e" : "#ffffff";
        context.fillRect(left + 2, y + 2, width + 2, 12);
        context.globalAlpha = 1;
        context.fillStyle = this.ink;
        context.fillText(name, left + 3, y + 8, width);
      }
    }

    #critical() {
      const { context, view } = this.line;
      context.strokeStyle = this.line.isDark ? "#ff6b6b" : "#b00020";
      context.lineWidth = 1.5;
      context.beginPath();
      let isBegun = false;
      for (const part of this.path) {
        if (part.to < view.from || part.from > view.to) {
          isBegun = false;
          continue;
        }
        const place = this.line.place(part.row);
        if (place < 0) {
          isBegun = false;
          continue;
        }
        const y = this.line.y(place) + this.line.rowPx / 2;
        if (isBegun) context.lineTo(this.line.x(part.from), y);
        else context.moveTo(this.line.x(part.from), y);
        context.lineTo(this.line.x(part.to), y);
        isBegun = true;
      }
      context.stroke();
      context.lineWidth = 1;
    }

    /** Events of the lanes in view, as [set, place, first, last]; nothing if there are too many. */
    #eventsInView(places, most) {
      const { view, lanes } = this.line,
        found = [];
      let count = 0;
      for (const set of this.data.sets) {
        if (set.covering(view.from, view.to).length === 0) continue;
        for (const place of places) {
          if (lanes[place].kind === "host" || !set.has(lanes[place].id)) continue;
          const range = set.range(lanes[place].id, view.from, view.to);
          if (range.last === range.first) continue;
          count += range.last - range.first;
          if (count > most) return [];
          found.push([set, place, range.first, range.last]);
        }
      }
      return found;
    }

    /** Half width of T1 of a call in px; 0: less than one, or unknown. */
    boundPx(set, event) {
      const bound = this.data.bound(set.rowOf(event), set.enter[event]),
        px = bound ? (bound / this.line.widthNs) * this.line.plotPx : 0;
      return px > 1 ? px : 0;
    }
    /** From the earliest to the latest true time of one end of a call: hatched. */
    #bound(time, px, y, height) {
      const { context } = this.line,
        x = this.line.x(time);
      context.save();
      context.beginPath();
      context.rect(x - px, y, 2 * px, height);
      context.stroke();
      context.clip();
      context.beginPath();
      for (let at = -height; at < 2 * px; at += HATCH_PX) {
        context.moveTo(x - px + at, y + height);
        context.lineTo(x - px + at + height, y);
      }
      context.stroke();
      context.restore();
      this.drawn.bounds += 1;
    }
    /** Where the times of the call under the pointer and of the chosen one may be, if that is more than a pixel. */
    #bounds() {
      const { context, rowPx, pin, tip, plotPx } = this.line,
        seen = [pin, tip.under].filter((each, i, all) => each && !(i && this.isSame(each, all[0])));
      context.strokeStyle = this.ink;
      context.globalAlpha = 0.8;
      for (const { set, event } of seen) {
        const px = this.boundPx(set, event),
          place = this.line.place(set.rowOf(event));
        if (px === 0 || !this.line.isSeen(place)) continue;
        const y = this.line.y(place),
          height = Math.max(3, rowPx / 2 - 1);
        if (2 * px > plotPx) {
          this.drawn.wide += 1;
          continue;
        }
        this.#bound(set.enter[event], px, y, height);
        if (set.duration[event] > 0) this.#bound(set.leave(event), px, y + height, height);
      }
      context.globalAlpha = 1;
    }
    isSame(one, other) {
      return one?.set === other?.set && one?.event === other?.event;
    }

    /** Below the pinned rows. */
    #edge() {
      const { context, pinned, rowPx, width } = this.line;
      if (pinned === 0) return;
      context.fillStyle = this.faint;
      context.fillRect(0, m.timeline.AXIS_PX + pinned * rowPx - 1, width, 1);
    }

    /** The chosen time span, with its length. */
    #span() {
      const { context, span, height } = this.line;
      if (!span) return;
      const left = this.line.x(span.from),
        right = this.line.x(span.to),
        text = duration((span.to - span.from) / 1e9);
      context.fillStyle = this.line.isDark ? "#7ab8ff" : "#0b57a4";
      context.globalAlpha = 0.15;
      context.fillRect(left, 0, Math.max(1, right - left), height);
      context.globalAlpha = 1;
      for (const x of [left, right]) context.fillRect(x, 0, 1, height);
      const width = context.measureText(text).width + 6,
        x = Math.max(m.timeline.LABELS_PX, (left + right - width) / 2);
      context.fillRect(x, height - 17, width, 15);
      context.fillStyle = this.line.isDark ? "#14181e" : "#ffffff";
      context.fillText(text, x + 3, height - 9);
    }

    #pin() {
      const pin = this.line.pin;
      if (!pin) return;
      const { set, event } = pin,
        place = this.line.place(set.rowOf(event)),
        { context } = this.line;
      if (!this.line.isSeen(place)) return;
      const left = this.line.x(set.enter[event]),
        right = this.line.x(set.leave(event)),
        y = this.line.y(place);
      context.strokeStyle = this.ink;
      context.lineWidth = 2;
      context.strokeRect(left, y, Math.max(2, right - left), this.line.rowPx - 1);
      context.strokeStyle = this.line.isDark ? "#7ab8ff" : "#0b57a4";
      context.beginPath();
      for (let k = 0; k < set.message_from.length; ++k)
        if (set.message_from[k] === event || set.message_to[k] === event) m.messages.drawOne(this.line, set, k);
      context.stroke();
      context.lineWidth = 1;
      // The other participants of its collective.
      if (set.collective[event] > 0)
        for (let i = 0; i < set.count; ++i)
          if (i !== event && set.collective[i] === set.collective[event])
            this.#box(this.line.place(set.rowOf(i)), set.enter[i], set.leave(i), false);
    }
  }

  m.overlay = { Overlay, step };
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// What is drawn over the states of the timeline: axis, names, regions, messages, the critical path, bounds, the chosen call.
"use strict";
((m) => {
  const { element } = m.table;
  const { duration, bytes, count, percent } = m.format;
  const MOST_MESSAGES = 2000, MOST_FOUND = 4000;

  /** Steps of 1, 2 or 5 times a power of ten: at most `most` in a span. */
  function step(span, most) {
    const power = 10 ** Math.floor(Math.log10(span / most));
    return [1, 2, 5, 10].map((k) => k * power).find((s) => span / s <= most);
  }

  class Overlay {
    constructor(timeline) {
      this.line = timeline;
      this.data = timeline.data;
      this.path = (timeline.summary.critical_line ?? []).map((part) => ({ row: this.data.row(part.rank, part.thread), from: part.begin_ns, to: part.end_ns }));
    }

    get ink() { return this.line.isDark ? "#e6e9ee" : "#1d2430"; }
    get faint() { return this.line.isDark ? "#9aa4b2" : "#5d6673"; }

    draw(first, last) {
      const { context, width, height } = this.line, { LABELS_PX, AXIS_PX } = m.timeline;
      context.font = "12px system-ui, sans-serif";
      context.textBaseline = "middle";
      this.#axis();
      context.fillStyle = this.ink;
      for (let place = first; place < last; ++place) {
        const y = this.line.y(place), every = Math.ceil(13 / this.line.rowPx);
        if (place % every === 0 && y > AXIS_PX - this.line.rowPx / 2) context.fillText(this.data.label(this.line.rows[place]), 4, y + this.line.rowPx / 2, LABELS_PX - 8);
      }
      context.save();
      context.beginPath();
      context.rect(LABELS_PX, AXIS_PX, width - LABELS_PX, height - AXIS_PX);
      context.clip();
      this.#veil();
      this.#regions(first, last);
      if (this.line.shows.path) this.#critical();
      if (this.line.shows.messages) this.#messages();
      this.#pin();
      context.restore();
    }

    #axis() {
      const { context, view, width } = this.line, { LABELS_PX, AXIS_PX } = m.timeline;
      const by = step(this.line.widthNs, Math.max(2, Math.floor((width - LABELS_PX) / 110))), begin = this.data.begin_ns;
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
      this.line.rows.forEach((row, place) => {
        if (functions)
          for (const set of this.data.sets) {
            const range = set.range(row, view.from, view.to);
            for (let i = range.first; i < range.last && left > 0; ++i) {
              if (!this.matches(set, i)) continue;
              --left;
              this.#box(place, set.enter[i], set.leave(i), true);
            }
          }
      });
      if (region)
        for (let i = 0; i < this.data.regionRow.length; ++i)
          if (this.data.calls[this.data.regionCall[i]] === region) this.#box(this.line.place(this.data.regionRow[i]), this.data.regionBegin[i], this.data.regionEnd[i], false);
    }

    matches(set, i) {
      const words = this.line.wanted.functions.toLowerCase();
      return `${this.data.calls[set.call[i]]} ${this.data.places[set.place[i]]}`.toLowerCase().includes(words);
    }

    #box(place, from, to, isFilled) {
      const { context } = this.line, left = this.line.x(from), right = this.line.x(to);
      if (place < 0 || right < 0 || left > this.line.width) return;
      const y = this.line.y(place);
      if (isFilled) {
        context.fillStyle = this.line.isDark ? "#ffd24a" : "#7a4a00";
        context.fillRect(left, y, Math.max(1, right - left), this.line.rowPx - 2);
      } else {
        context.strokeStyle = this.ink;
        context.strokeRect(left, y + 0.5, Math.max(1, right - left), this.line.rowPx - 3);
      }
    }

    #regions(first, last) {
      if (this.line.rowPx < 14) return;
      const { context, view } = this.line;
      for (let i = 0; i < this.data.regionRow.length; ++i) {
        if (this.data.regionEnd[i] < view.from || this.data.regionBegin[i] > view.to) continue;
        const place = this.line.place(this.data.regionRow[i]);
        if (place < first || place >= last) continue;
        const left = Math.max(this.line.x(this.data.regionBegin[i]), m.timeline.LABELS_PX), right = this.line.x(this.data.regionEnd[i]);
        if (right - left < 2) continue;
        const y = this.line.y(place) + this.data.regionDepth[i] * 3;
        context.fillStyle = this.ink;
        context.fillRect(left, y, right - left - 1, 1);
        if (right - left > 60 && this.line.rowPx >= 20) context.fillText(this.data.calls[this.data.regionCall[i]], left + 3, y + 8, right - left - 6);
      }
    }

    #critical() {
      const { context, view } = this.line;
      context.strokeStyle = this.line.isDark ? "#ff6b6b" : "#b00020";
      context.lineWidth = 1.5;
      context.beginPath();
      let isBegun = false;
      for (const part of this.path) {
        if (part.to < view.from || part.from > view.to) { isBegun = false; continue; }
        const place = this.line.place(part.row);
        if (place < 0) { isBegun = false; continue; }
        const y = this.line.y(place) + this.line.rowPx / 2;
        if (isBegun) context.lineTo(this.line.x(part.from), y);
        else context.moveTo(this.line.x(part.from), y);
        context.lineTo(this.line.x(part.to), y);
        isBegun = true;
      }
      context.stroke();
      context.lineWidth = 1;
    }

    #messages() {
      const { context, view } = this.line;
      for (const set of this.data.sets) {
        const seen = [];
        for (let k = 0; k < set.message_from.length && seen.length <= MOST_MESSAGES; ++k)
          if (set.leave(set.message_to[k]) > view.from && set.enter[set.message_from[k]] < view.to) seen.push(k);
        if (seen.length > MOST_MESSAGES) continue;
        context.strokeStyle = this.ink;
        context.globalAlpha = seen.length > 300 ? 0.25 : 0.7;
        context.beginPath();
        for (const k of seen) {
          const from = this.line.place(set.rowOf(set.message_from[k])), to = this.line.place(set.rowOf(set.message_to[k]));
          if (from < 0 || to < 0) continue;
          context.moveTo(this.line.x(set.enter[set.message_from[k]]), this.line.y(from) + this.line.rowPx / 2);
          context.lineTo(this.line.x(set.leave(set.message_to[k])), this.line.y(to) + this.line.rowPx / 2);
        }
        context.stroke();
        context.globalAlpha = 1;
      }
    }

    #pin() {
      const pin = this.line.pin;
      if (!pin) return;
      const { set, event } = pin, row = set.rowOf(event), place = this.line.place(row), { context } = this.line;
      if (place < 0) return;
      const left = this.line.x(set.enter[event]), right = this.line.x(set.leave(event)), y = this.line.y(place);
      context.strokeStyle = this.ink;
      context.lineWidth = 2;
      context.strokeRect(left, y, Math.max(2, right - left), this.line.rowPx - 1);
      context.lineWidth = 1;
      // The other participants of its collective.
      if (set.collective[event] > 0)
        for (let i = 0; i < set.count; ++i)
          if (i !== event && set.collective[i] === set.collective[event]) this.#box(this.line.place(set.rowOf(i)), set.enter[i], set.leave(i), false);
      // Where its times are uncertain by more than a pixel.
      const bound = this.data.bound(row, set.enter[event]);
      if (bound && (bound / this.line.widthNs) * this.line.plotPx > 1)
        for (const time of [set.enter[event], set.leave(event)]) {
          context.beginPath();
          context.moveTo(this.line.x(time - bound), y + this.line.rowPx / 2);
          context.lineTo(this.line.x(time + bound), y + this.line.rowPx / 2);
          context.stroke();
        }
    }

    /** Lines that describe a call. */
    describe(set, i) {
      const data = this.data, row = set.rowOf(i), call = data.calls[set.call[i]];
      const place = data.places[set.place[i]], lines = [place ? `${call} (${place})` : call];
      const isPhase = set.calls[i] > 1;
      lines.push(`${data.label(row)}, at ${((set.enter[i] - data.begin_ns) / 1e9).toFixed(9)} s, ` +
        (data.isUnfinished(set, i) ? "has not returned" : `for ${duration(set.duration[i] / 1e9)}`));
      if (isPhase) lines.push(`${count(set.calls[i])} polls that found nothing`);
      if (set.peer[i] >= 0) lines.push(`peer ${set.peer[i]}${set.tag[i] >= 0 ? `, tag ${set.tag[i]}` : ""}`);
      if (set.bytes_sent[i] || set.bytes_received[i]) lines.push(`${bytes(set.bytes_sent[i])} sent, ${bytes(set.bytes_received[i])} received`);
      const wait = set.waitOf.get(i);
      if (wait !== undefined) {
        const of = data.places[set.causer_place[wait]];
        lines.push(`${data.wait_kinds[set.wait_kind[wait]]}: ${duration(set.wait_ns[wait] / 1e9)}, for ` +
          `${data.calls[set.causer_call[wait]]}${of ? ` (${of})` : ""} of rank ${set.causer_rank[wait]}`);
      }
      const bound = data.bound(row, set.enter[i]);
      if (bound) lines.push(`times are certain within ${duration(bound / 1e9)} (T1)`);
      return lines;
    }

    /** Lines that describe what a row does around a time, from its bins. */
    describeBins(row, time) {
      const half = (2 * this.line.widthNs) / this.line.plotPx, shares = this.data.levels.shares(row, time - half, time + half);
      const parts = this.data.classes.map((name, c) => [name, shares[c]]).filter(([, share]) => share > 0.005).sort((a, b) => b[1] - a[1]);
      return [this.data.label(row), ...parts.map(([name, share]) => `${percent(share)} ${name}`)];
    }

    hover(x, y) {
      const row = this.line.rowAt(y), tip = this.line.tip;
      if (row < 0 || x < m.timeline.LABELS_PX) { tip.hidden = true; return; }
      const found = this.line.eventAt(x, y);
      const lines = found ? this.describe(found.set, found.event) : this.describeBins(row, this.line.time(x));
      tip.replaceChildren(...lines.map((text) => element("div", { text })));
      tip.hidden = false;
      tip.style.left = `${Math.min(x + 14, this.line.width - 320)}px`;
      tip.style.top = `${y + 16}px`;
    }

    say(text) {
      this.line.tip.replaceChildren(element("div", { text }));
      this.line.tip.hidden = false;
      this.line.tip.style.left = `${m.timeline.LABELS_PX + 20}px`;
      this.line.tip.style.top = "30px";
    }

    describePin() {
      const pin = this.line.pin, box = this.line.details;
      if (!box) return;
      box.replaceChildren(...(pin ? this.describe(pin.set, pin.event) : []).map((text) => element("div", { text })));
    }
  }

  m.overlay = { Overlay, step };
})((globalThis.meridian ??= {}));

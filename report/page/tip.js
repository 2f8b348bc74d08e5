// SPDX-License-Identifier: Apache-2.0
// The words beside the timeline: of what is under the pointer, of the chosen call, and what the timeline has to say.
"use strict";
((m) => {
  const { element } = m.dom;
  const { describeCall, describeBins } = m.describe;
  const { messageAt, describeMessage } = m.messages;
  const SAID_MS = 6000;

  class Tip {
    constructor(timeline) {
      this.line = timeline;
      this.data = timeline.data;
      this.element = element("div", { class: "tip", role: "status", "aria-live": "polite", hidden: true });
    }

    hide() {
      this.element.hidden = true;
      this.#look(null);
    }
    /** The call under the pointer, whose bounds are drawn. */
    #look(under) {
      const { overlay } = this.line,
        before = this.under;
      if (overlay.isSame(under, before)) return;
      this.under = under;
      if ([under, before].some((each) => each && overlay.boundPx(each.set, each.event) > 0)) this.line.redraw();
    }

    /** Of what is under a point of the canvas. */
    hover(x, y) {
      this.line.pointedY = y;
      const lane = this.line.laneAt(y),
        tip = this.element;
      if (!lane) return this.hide();
      const found = this.line.eventAt(x, y);
      this.#look(found);
      const message = x < m.timeline.LABELS_PX ? null : messageAt(this.line.overlay.messages, x, y);
      const lines =
        x < m.timeline.LABELS_PX
          ? this.#describeLane(lane)
          : message
            ? describeMessage(this.data, message.set, message.k)
            : found
              ? describeCall(this.data, found.set, found.event)
              : describeBins(this.line, lane, this.line.time(x));
      clearTimeout(this.said);
      tip.replaceChildren(...lines.map((text) => element("div", { text })));
      tip.hidden = false;
      tip.style.left = `${Math.min(x + 14, this.line.width - 320)}px`;
      tip.style.top = `${y + 16}px`;
    }

    #describeLane(lane) {
      const of = lane.id < 0 ? null : this.data.threads[lane.id],
        row = lane.kind === "group" ? this.data.rows[lane.id] : null,
        lines = [lane.label];
      if (of?.host) lines.push(`on ${of.host}`);
      if (row)
        lines.push(`calls shown: those of rank ${of.rank}, the typical one; least like it: rank ${row.outlier[0]}`);
      const words = this.line.order.words(lane);
      if (words) lines.push(words);
      lines.push(this.line.order.pinned.includes(lane.key) ? "pinned; t lets it go" : "t pins it, h hides it");
      if (lane.isFolded !== undefined) lines.push(lane.isFolded ? "a click unfolds it" : "a click folds it");
      return lines;
    }

    /** A message of the timeline, for some seconds. */
    say(text) {
      this.element.replaceChildren(element("div", { text }));
      this.element.hidden = false;
      this.element.style.left = `${m.timeline.LABELS_PX + 20}px`;
      this.element.style.top = "30px";
      clearTimeout(this.said);
      this.said = setTimeout(() => this.hide(), SAID_MS);
    }

    /** The chosen call, below the timeline. */
    describePin() {
      const pin = this.line.pin,
        box = this.line.details;
      if (!box) return;
      const lines = pin ? describeCall(this.data, pin.set, pin.event) : [];
      const place = pin ? this.line.place(pin.set.rowOf(pin.event)) : -1,
        act = (text, done) => element("button", { type: "button", text, onclick: () => done(this.line.lanes[place]) });
      const acts =
        place < 0
          ? []
          : [
              " ",
              act("pin row", (lane) => this.line.pinRow(lane)),
              " ",
              act("hide row", (lane) => this.line.hideRow(lane)),
            ];
      box.replaceChildren(
        ...lines.flatMap((text, i) => [i ? " \u00b7 " : "", element(i ? "span" : "b", { text })]),
        ...acts,
      );
    }
  }

  m.tip = { Tip };
})((globalThis.meridian ??= {}));

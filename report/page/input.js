// SPDX-License-Identifier: Apache-2.0
// What wheel, pointer and keys do to the timeline.
"use strict";
((m) => {
  const LEAST_PINCH_PX = 8; // between two fingers
  const KEYS = [
    ["w + / s -", "zoom in / out"],
    ["a d / left right", "pan"],
    ["up down", "scroll the rows"],
    ["f 0", "whole run"],
    ["shift + drag", "choose a time span: its length and numbers"],
    ["z", "zoom to the chosen span"],
    ["n p", "next / previous call of the same function"],
    ["c", "to the call that was waited for"],
    ["e", "unfold or fold the row of the chosen call"],
    ["t", "pin the row under the pointer to the top, or let it go"],
    ["h / H", "hide the row under the pointer / show all rows, none pinned"],
    ["m", "messages and collectives on / off"],
    ["x", "critical path on / off"],
    ["/", "search"],
    ["Esc", "let go of the chosen call and span"],
    ["?", "these keys"],
  ];

  /** Two fingers: what was between them stays between them. */
  class Pinch {
    constructor(line) {
      this.line = line;
      this.fingers = new Map();
    }
    get xs() {
      return [...this.fingers.values()];
    }
    begin(event) {
      if (event.pointerType !== "touch") return;
      this.fingers.set(event.pointerId, event.offsetX);
      if (this.fingers.size === 2) this.times = this.xs.map((x) => this.line.time(x));
    }
    /** Whether the event is one of two fingers. */
    move(event) {
      if (!this.fingers.has(event.pointerId)) return false;
      this.fingers.set(event.pointerId, event.offsetX);
      if (this.fingers.size !== 2) return false;
      const [x0, x1] = this.xs,
        [t0, t1] = this.times;
      if (Math.abs(x1 - x0) < LEAST_PINCH_PX) return true;
      const nsPerPx = (t1 - t0) / (x1 - x0),
        from = t0 - (x0 - m.timeline.LABELS_PX) * nsPerPx;
      if (nsPerPx > 0) this.line.show(from, from + nsPerPx * this.line.plotPx);
      return true;
    }
    end(event) {
      this.fingers.delete(event.pointerId);
    }
  }

  /** Zoom, pan, scroll, choice and keys of a timeline. */
  function listen(line) {
    const canvas = line.canvas;
    const pinch = new Pinch(line);
    let drag = null;
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        if (event.shiftKey) line.pan(Math.sign(event.deltaY || event.deltaX) * 0.1);
        else if (event.altKey) line.scroll(event.deltaY);
        else if (Math.abs(event.deltaX) > Math.abs(event.deltaY)) line.pan((event.deltaX / line.plotPx) * 0.8);
        else line.zoom(Math.exp(event.deltaY * 0.0016), line.time(event.offsetX));
      },
      { passive: false },
    );
    canvas.addEventListener("pointerdown", (event) => {
      canvas.setPointerCapture(event.pointerId);
      pinch.begin(event);
      drag = { x: event.offsetX, y: event.offsetY, view: { ...line.view }, top: line.top, isMoved: false };
      if (event.shiftKey) drag.begin = line.time(event.offsetX);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (pinch.move(event)) {
        if (drag) drag.isPinched = true;
        return;
      }
      if (drag?.isPinched) return;
      if (!drag) return line.tip.hover(event.offsetX, event.offsetY);
      const dx = event.offsetX - drag.x,
        dy = event.offsetY - drag.y;
      drag.isMoved ||= Math.abs(dx) + Math.abs(dy) > 3;
      if (drag.begin !== undefined) return line.select({ from: drag.begin, to: line.time(event.offsetX) });
      const shift = (-dx / line.plotPx) * (drag.view.to - drag.view.from);
      if (event.pointerType !== "touch") {
        line.top = drag.top;
        line.scroll(-dy);
      }
      line.show(drag.view.from + shift, drag.view.to + shift);
    });
    canvas.addEventListener("pointerup", (event) => {
      pinch.end(event);
      if (drag && !drag.isMoved && !drag.isPinched) line.click(event.offsetX, event.offsetY);
      drag = null;
    });
    canvas.addEventListener("pointercancel", (event) => {
      pinch.end(event);
      drag = null;
    });
    canvas.addEventListener("pointerleave", () => {
      line.pointedY = undefined;
      line.tip.hide();
    });
    canvas.addEventListener("dblclick", () => line.fit());
    canvas.addEventListener("keydown", (event) => key(line, event));
  }

  function key(line, event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const actions = {
      w: () => line.zoom(0.7),
      "+": () => line.zoom(0.7),
      "=": () => line.zoom(0.7),
      s: () => line.zoom(1 / 0.7),
      "-": () => line.zoom(1 / 0.7),
      a: () => line.pan(-0.15),
      ArrowLeft: () => line.pan(-0.15),
      d: () => line.pan(0.15),
      ArrowRight: () => line.pan(0.15),
      ArrowUp: () => line.scroll(-line.rowPx),
      ArrowDown: () => line.scroll(line.rowPx),
      f: () => line.fit(),
      0: () => line.fit(),
      n: () => m.steps.step(line, 1),
      p: () => m.steps.step(line, -1),
      c: () => m.steps.toCauser(line),
      e: () => line.foldChosen(),
      z: () => line.span && line.show(line.span.from, line.span.to),
      Escape: () => {
        line.choose(null);
        line.select(null);
      },
      t: () => line.pinRow(),
      h: () => line.hideRow(),
      H: () => line.resetRows(),
      m: () => {
        line.shows.messages = !line.shows.messages;
        line.redraw();
      },
      x: () => {
        line.shows.path = !line.shows.path;
        line.redraw();
      },
    };
    const action = actions[event.key];
    if (!action) return;
    event.preventDefault();
    action();
  }

  m.input = { listen, key, KEYS };
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// Messages: their lines, which of them are wanted, and what is known of the one under the pointer.
"use strict";
((m) => {
  const { element } = m.dom;
  const { duration, bytes, counted } = m.format;
  const MOST_MESSAGES = 2000, // that are drawn
    MOST_COMMUNICATORS = 500, // to choose from
    NEAR_PX = 4;

  /** "0-3,8": whether a number is in the list; an empty list has all. */
  function inList(text) {
    const parts = text
      .split(",")
      .map((part) => part.trim())
      .filter(Boolean)
      .map((part) => part.split("-").map(Number));
    return (n) => parts.length === 0 || parts.some(([a, b = a]) => a <= n && n <= b);
  }
  const isList = (text) => /^\s*(\d+(-\d+)?\s*(,\s*|$))*$/.test(text);

  const FACTORS = { "": 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
  /** "1000", "64 KiB", "2m" in bytes; NaN: something else. */
  function sizeOf(text) {
    const found = /^\s*(\d+(?:\.\d+)?)?\s*([kmg]?)i?b?\s*$/i.exec(text);
    return found ? Number(found[1] ?? 0) * FACTORS[found[2].toLowerCase()] : NaN;
  }

  /** The messages that are drawn and counted: those that pass every filter. */
  class MessageFilter {
    constructor() {
      this.texts = { from: "", to: "", tag: "", comm: "", bytes: "" };
      this.#understand();
    }
    get isEmpty() {
      return Object.values(this.texts).every((text) => text === "");
    }
    static isValid(name, text) {
      if (name === "comm") return true;
      return name === "bytes" ? !Number.isNaN(sizeOf(text)) : isList(text);
    }
    set(name, text) {
      this.texts[name] = text.trim();
      this.#understand();
    }
    #understand() {
      const { from, to, tag, comm, bytes: least } = this.texts;
      this.wanted = { from: inList(from), to: inList(to), tag: inList(tag), bytes: sizeOf(least) };
      this.comm = comm === "" ? null : Number(comm);
    }
    accepts(data, set, k) {
      if (this.isEmpty) return true;
      const send = set.message_from[k],
        { wanted } = this;
      return (
        wanted.from(data.threads[set.rowOf(send)].rank) &&
        wanted.to(data.threads[set.rowOf(set.message_to[k])].rank) &&
        wanted.tag(set.tag[send]) &&
        (this.comm === null || this.comm === set.comm[send]) &&
        set.bytes_sent[send] >= wanted.bytes
      );
    }
  }

  /** The lines of the messages in view, unless there are too many. */
  function draw(line) {
    const { context, view, data } = line;
    for (const set of data.sets) {
      const seen = [];
      for (let k = 0; k < set.message_from.length && seen.length <= MOST_MESSAGES; ++k)
        if (
          set.leave(set.message_to[k]) > view.from &&
          set.enter[set.message_from[k]] < view.to &&
          line.messages.accepts(data, set, k)
        )
          seen.push(k);
      if (seen.length > MOST_MESSAGES) continue;
      context.strokeStyle = line.overlay.ink;
      context.globalAlpha = Math.max(0.1, Math.min(0.7, 100 / seen.length));
      context.beginPath();
      for (const k of seen) drawOne(line, set, k);
      context.stroke();
      context.globalAlpha = 1;
    }
  }
  function drawOne(line, set, k) {
    const { context, overlay } = line,
      send = set.message_from[k],
      receive = set.message_to[k];
    const from = line.place(set.rowOf(send)),
      to = line.place(set.rowOf(receive)),
      half = line.rowPx / 2;
    if (from < 0 || to < 0) return;
    const ends = [line.x(set.enter[send]), line.y(from) + half, line.x(set.leave(receive)), line.y(to) + half];
    context.moveTo(ends[0], ends[1]);
    context.lineTo(ends[2], ends[3]);
    overlay.messages.push({ set, k, ends });
    overlay.drawn.messages += 1;
  }

  /** Distance of a point from a line between two points, in px. */
  function distance(x, y, [x0, y0, x1, y1]) {
    const dx = x1 - x0,
      dy = y1 - y0,
      length = dx * dx + dy * dy,
      at = length > 0 ? Math.min(1, Math.max(0, ((x - x0) * dx + (y - y0) * dy) / length)) : 0;
    return Math.hypot(x - x0 - at * dx, y - y0 - at * dy);
  }

  /** shown: [{set, k, ends: [x0, y0, x1, y1]}]; the message whose line is nearest to a point; null: none is near. */
  function messageAt(shown, x, y) {
    let best = null,
      away = NEAR_PX;
    for (const each of shown) {
      const own = distance(x, y, each.ends);
      if (own <= away) {
        away = own;
        best = each;
      }
    }
    return best;
  }

  /** "MPI_COMM_WORLD", "communicator 3 (intra)"; "": none. */
  function commName(data, comm) {
    const own = data.communicators?.find(({ first, count }) => first <= comm && comm < first + count);
    if (!own) return "";
    return own.name || `communicator ${comm} (${own.kind})`;
  }

  /** The communicators that messages can be on, but for those that a rank has for itself. */
  function communicators(data) {
    const list = [];
    for (const { first, count, kind } of data.communicators)
      for (let i = 0; i < count && kind !== "self" && list.length < MOST_COMMUNICATORS; ++i) list.push(first + i);
    return list;
  }

  /** Lines that describe a message. */
  function describeMessage(data, set, k) {
    const send = set.message_from[k],
      receive = set.message_to[k];
    const call = (i) => {
      const place = data.places[set.place[i]];
      return data.calls[set.call[i]] + (place ? ` (${place})` : "");
    };
    const lines = [`message from ${data.name(set.rowOf(send))} to ${data.name(set.rowOf(receive))}`];
    const facts = [
      set.tag[send] >= 0 ? `tag ${set.tag[send]}` : "",
      bytes(set.bytes_sent[send]),
      commName(data, set.comm[send]),
    ];
    lines.push(facts.filter(Boolean).join(", "));
    lines.push(`${duration((set.leave(receive) - set.enter[send]) / 1e9)} from ${call(send)} to ${call(receive)}`);
    return lines;
  }

  /** The filters of messages, folded. */
  function filters(line) {
    const { data } = line,
      found = element("span", { class: "faint", "aria-live": "polite" });
    const count = () => {
      let all = 0,
        passed = 0;
      for (const set of data.sets)
        for (let k = 0; k < set.message_from.length; ++k, ++all) passed += line.messages.accepts(data, set, k);
      found.textContent = line.messages.isEmpty ? "" : `${passed} of ${counted(all, "message")}`;
      summary.textContent = line.messages.isEmpty ? "messages" : "messages (filtered)";
    };
    const take = ({ currentTarget: input }) => {
      const { name, value } = input,
        isValid = MessageFilter.isValid(name, value);
      input.setAttribute("aria-invalid", String(!isValid));
      if (!isValid) return;
      line.messages.set(name, value);
      count();
      line.onparts?.();
      line.redraw();
    };
    const field = (name, text, placeholder) =>
      element(
        "label",
        { text: `${text} ` },
        element("input", {
          type: "search",
          id: `message-${name}`,
          name,
          placeholder,
          size: "7",
          oninput: (event) => {
            take(event);
            line.onkeep?.();
          },
        }),
      );
    const choices = communicators(data).map((comm) => [String(comm), commName(data, comm)]);
    const comm = element(
      "select",
      {
        id: "message-comm",
        name: "comm",
        onchange: (event) => {
          take(event);
          line.onkeep?.();
        },
      },
      ...[["", "any"], ...choices].map(([value, text]) => element("option", { value, text })),
    );
    const summary = element("summary", { text: "messages" });
    return element(
      "details",
      { class: "messages" },
      summary,
      element(
        "div",
        { class: "tools" },
        field("from", "from ranks", "0-3,8"),
        field("to", "to ranks", "0-3,8"),
        field("tag", "tags", "0-9"),
        element("label", { text: "communicator " }, comm),
        field("bytes", "at least", "64 KiB"),
        found,
      ),
    );
  }

  m.messages = {
    MessageFilter,
    draw,
    drawOne,
    messageAt,
    describeMessage,
    commName,
    communicators,
    filters,
    inList,
    isList,
    sizeOf,
  };
})((globalThis.meridian ??= {}));

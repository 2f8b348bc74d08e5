// SPDX-License-Identifier: Apache-2.0
// Who sends to whom, between ranks and between hosts; neighbours are taken together where there are many.
"use strict";
((m) => {
  const { bytes, count } = m.format;

  /** [{from, to, messages, bytes}] by the numbers of groups; raw: a side of `matrix` of docs/REPORT.md. */
  async function readCells(raw) {
    const [from, to, messages, size] = await Promise.all(
      ["from", "to", "messages", "bytes"].map((name) => m.codec.column(raw[name])),
    );
    return Array.from(from, (source, i) => ({ from: source, to: to[i], messages: messages[i], bytes: size[i] }));
  }

  async function read(raw) {
    const side = async (own, name) => ({ count: own.count, group: own.group, cells: await readCells(own), name });
    const range = (word, group) => (n) =>
      group === 1 ? `${word} ${n}` : `${word}s ${n * group} to ${(n + 1) * group - 1}`;
    const { names } = raw.hosts;
    return {
      ranks: await side(raw.ranks, range("rank", raw.ranks.group)),
      hosts: await side(
        raw.hosts,
        raw.hosts.group === 1 ? (n) => names[n] || "unknown host" : range("host", raw.hosts.group),
      ),
    };
  }

  /** Cells of a heat map. what: "bytes" or "messages". */
  function cellsOf(side, what) {
    return side.cells.map((cell) => ({
      x: cell.to,
      y: cell.from,
      value: cell[what],
      text: `${side.name(cell.from)} to ${side.name(cell.to)}: ${count(cell.messages)} messages, ${bytes(cell.bytes)}`,
    }));
  }

  m.matrix = { read, cellsOf };
})((globalThis.meridian ??= {}));

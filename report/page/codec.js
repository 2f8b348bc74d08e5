// SPDX-License-Identifier: Apache-2.0
// Columns of numbers as the page holds them: varints, deflated, as base64 text.
"use strict";
((m) => {
  /** The bytes of a column. */
  async function inflate(text) {
    const packed = Uint8Array.from(atob(text), (c) => c.charCodeAt(0));
    const stream = new Blob([packed]).stream().pipeThrough(new DecompressionStream("deflate"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  }

  /** Numbers of up to 53 bits from bytes of seven bits each, the lowest first. */
  function varints(bytes) {
    const values = [];
    let value = 0,
      factor = 1;
    for (const byte of bytes) {
      value += (byte & 127) * factor;
      factor *= 128;
      if (byte < 128) {
        values.push(value);
        value = 0;
        factor = 1;
      }
    }
    return Float64Array.from(values);
  }

  /** 0, 1, 2, 3 ... stand for 0, -1, 1, -2 ... */
  function signed(values) {
    return values.map((v) => (v % 2 === 0 ? v / 2 : -(v + 1) / 2));
  }

  /** From differences to values. */
  function sums(values) {
    let sum = 0;
    return values.map((v) => (sum += v));
  }

  const column = async (text) => varints(await inflate(text));
  const signedColumn = async (text) => signed(await column(text));

  m.codec = { inflate, varints, signed, sums, column, signedColumn };
})((globalThis.meridian ??= {}));

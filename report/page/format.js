// SPDX-License-Identifier: Apache-2.0
// Numbers for people, as summary/units.cpp writes them.
"use strict";
((m) => {
  const MOST = 999.5; // larger values round to four digits

  function threeDigits(value) {
    const size = Math.abs(value);
    return value.toFixed(size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
  }

  function duration(seconds) {
    if (!Number.isFinite(seconds)) return "-";
    if (seconds === 0) return "0 s";
    const size = Math.abs(seconds);
    for (const [name, unit] of [
      ["ns", 1e-9],
      ["us", 1e-6],
      ["ms", 1e-3],
      ["s", 1],
    ])
      if (size / unit < MOST) return `${threeDigits(seconds / unit)} ${name}`;
    if (size < 1e5) return `${seconds.toFixed(0)} s`;
    const hours = seconds / 3600;
    return Math.abs(hours) < MOST ? `${threeDigits(hours)} h` : `${hours.toFixed(0)} h`;
  }

  function bytes(value) {
    if (!Number.isFinite(value) || value < 0) return "-";
    if (value < 1000) return `${Math.round(value)} B`;
    for (const unit of ["KiB", "MiB", "GiB", "TiB", "PiB", "EiB"]) {
      value /= 1024;
      if (value < MOST) return `${threeDigits(value)} ${unit}`;
    }
    return "> 999 EiB";
  }

  function count(value) {
    if (value < 1e7) return String(value);
    value /= 1e6;
    for (const unit of ["M", "G", "T", "P"]) {
      if (value < MOST) return `${threeDigits(value)} ${unit}`;
      value /= 1e3;
    }
    return `${threeDigits(value)} E`;
  }

  /** "1 rank", "2 ranks". */
  function counted(value, noun) {
    return `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
  }

  function percent(share) {
    if (!Number.isFinite(share)) return "-";
    const value = share * 100;
    if (value === 0) return "0 %";
    if (Math.abs(value) < 0.05) return value < 0 ? "> -0.1 %" : "< 0.1 %";
    return `${value.toFixed(1)} %`;
  }

  /** A cell of a table by the unit and the name of its column. */
  function cell(value, column) {
    if (value === null || value === undefined) return "";
    if (typeof value !== "number") return Array.isArray(value) ? value.join(", ") : String(value);
    if (column.unit === "s") return duration(value);
    if (column.unit === "ns") return column.name.includes("realtime") ? String(value) : duration(value * 1e-9);
    if (column.unit === "bytes") return bytes(value);
    if (
      /(^|_)share$|^parallel$|balance$|^communication$|serialisation$|^transfer$|^processor$|factor$/.test(column.name)
    )
      return percent(value);
    return Number.isInteger(value) ? count(value) : String(Number(value.toPrecision(4)));
  }

  m.format = { duration, bytes, count, counted, percent, cell };
})((globalThis.meridian ??= {}));

// SPDX-License-Identifier: Apache-2.0
// Elements. Texts are set as text, never as markup.
"use strict";
((m) => {
  const SVG = "http://www.w3.org/2000/svg";

  /** attributes: `text`, listeners ("onclick"), and attributes; false and undefined ones are left out. */
  function element(name, attributes = {}, ...children) {
    const made = document.createElement(name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") made.textContent = value;
      else if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
      else if (value !== false && value !== undefined) made.setAttribute(key, value === true ? "" : value);
    }
    made.append(...children);
    return made;
  }

  function svg(name, attributes, ...children) {
    const made = document.createElementNS(SVG, name);
    for (const [key, value] of Object.entries(attributes)) {
      if (key === "text") made.textContent = value;
      else made.setAttribute(key, value);
    }
    made.append(...children);
    return made;
  }

  const section = (id, name, ...content) =>
    element(
      "section",
      { id, "aria-labelledby": `${id}-title` },
      element("h2", { id: `${id}-title`, text: name }),
      ...content,
    );
  const say = (text) => element("p", { text });

  m.dom = { element, svg, section, say };
})((globalThis.meridian ??= {}));

// Written by scripts/generate-console-markdown.ts.
/** A code fence that a text opens and does not close. */

/** Reads line by line, without parsing: it is called for each snapshot of a growing text. */
export function openFence(text) {
  let open;
  let next = 0;
  for (const line of text.split("\n")) {
    const start = next;
    next += line.length + 1;
    const [, before = "", opener = "", marker = "", info = ""] = fenceLine.exec(line) ?? [];
    if (marker === "") continue;
    if (open === undefined) {
      if (marker.startsWith("`") && info.includes("`")) continue;
      open = { prefix: before.replaceAll(/[^\s>]/g, " "), marker, opener, start };
    } else if (marker.startsWith(open.marker) && info.trim() === "" && /^[\s>]*$/.test(before)) {
      open = undefined;
    }
  }
  return open;
}

/** Containers, then a marker with its info string. */
const fenceLine = /^((?:[\s>]|(?:[-+*]|\d{1,9}[.)])\s)*)((`{3,}|~{3,})(.*))$/;

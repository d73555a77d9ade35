/** A code fence that a text opens and does not close. */
export interface OpenFence {
  /** What stands before the marker on lines of the same container. */
  readonly prefix: string;
  readonly marker: string;
  /** The marker with its info string. */
  readonly opener: string;
  /** Where its line begins. */
  readonly start: number;
}

/** Reads line by line, without parsing: it is called for each snapshot of a growing text. */
export function openFence(text: string): OpenFence | undefined {
  let open: OpenFence | undefined;
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

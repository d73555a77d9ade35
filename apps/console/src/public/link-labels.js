// Written by scripts/generate-console-markdown.ts.
/** How links by name are told apart. */
export function normalized(label) {
  return label.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** What the definitions of a text define, also where it stands in code. */
export function labelsIn(text) {
  if (!text.includes("]:")) return new Set();
  return new Set([...text.matchAll(definition)].map(([, label = ""]) => normalized(label)));
}

const definition = /^[ \t>]{0,40}\[([^[\]\n]{1,300})\]:[ \t]*\S/gm;

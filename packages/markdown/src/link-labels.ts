/** How links by name are told apart. */
export function normalized(label: string): string {
  return label.trim().replaceAll(/\s+/g, " ").toLowerCase();
}

/** What the definitions of a text define, also where it stands in code. */
export function labelsIn(text: string): ReadonlySet<string> {
  if (!text.includes("]:")) return new Set();
  return new Set([...text.matchAll(definition)].map(([, label = ""]) => normalized(label)));
}

const definition = /^[ \t>]{0,40}\[([^[\]\n]{1,300})\]:[ \t]*\S/gm;

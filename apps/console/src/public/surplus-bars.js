// Written by scripts/generate-console-markdown.ts.
/**
 * Where bars of a table's row stand that would make more cells than the head has, which GFM (its section 4.10) drops: those in
 * code, and of the others those from the last cell on. In the order of the row.
 */
export function surplusBars(row, columns) {
  const bars = barsBetween(row);
  if (bars.length < columns) return [];
  const others = outOfCode(bars, codeIn(row));
  const kept = new Set(others.slice(0, Math.max(0, columns - 1)));
  return bars.filter((bar) => !kept.has(bar));
}

/** Where the bars between the cells of a row stand: without those at its ends and escaped ones. */
function barsBetween(row) {
  const bars = [...row.matchAll(/\\[\\|]|\|/g)].filter(([sign]) => sign === "|").map(({ index }) => index);
  const first = row.search(/\S/);
  const last = row.trimEnd().length - 1;
  return bars.filter((bar) => bar !== first && bar !== last);
}

function outOfCode(bars, code) {
  let next = 0;
  return bars.filter((bar) => {
    while ((code[next]?.[1] ?? bar) < bar) next += 1;
    return bar < (code[next]?.[0] ?? Number.POSITIVE_INFINITY);
  });
}

/** Pieces between two runs of backticks of one length. */
function codeIn(row) {
  const found = [];
  const runs = [...row.matchAll(/\\[^`]|\\?`+/g)].filter(([sign]) => sign.endsWith("`"));
  for (let at = 0; at < runs.length; at += 1) {
    const [opening = ""] = runs[at] ?? [];
    const end = opening.startsWith("\\") ? -1 : nextRun(runs, at + 1, opening.length);
    if (end === -1) continue;
    found.push([runs[at]?.index ?? 0, runs[end]?.index ?? 0]);
    at = end;
  }
  return found;
}

/** A backslash before the run that ends code is part of the code. */
function nextRun(runs, from, length) {
  for (let at = from; at < runs.length; at += 1) if (runs[at]?.[0].replace("\\", "").length === length) return at;
  return -1;
}

import { numbered } from "./numbered.ts";

const around = 2;
const mostLines = 16;
/** Lines that stand in a file more often tell nothing about the place. */
const commonLine = 200;
const comparedLines = 20_000;
const comparedChars = 200;

/** The part of a file that is most like what was looked for, with line numbers; a sentence when nothing is. */
export function nearestPlace(lines: readonly string[], wanted: readonly string[]): string {
  const place = placeOfSameLines(lines, wanted) ?? placeOfLikeLine(lines, wanted);
  if (place === undefined) return "Nothing in the file is like it. Read the file again.";
  const from = Math.max(0, place - around);
  const to = Math.min(lines.length, place + Math.min(wanted.length, mostLines - 2 * around) + around);
  return `Nearest place:\n${numbered(lines.slice(from, to), from + 1)}`;
}

/** Where most of the wanted lines stand at their distance from each other. */
function placeOfSameLines(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const offsets = new Map(wanted.map((line, offset) => [line.trim(), offset] as const).reverse());
  const places = Map.groupBy(lines.keys(), (index) => lines[index]?.trim() ?? "");
  const starts = [...offsets].flatMap(([key, offset]) => {
    const found = key.length > 2 ? (places.get(key) ?? []) : [];
    return found.length > commonLine ? [] : found.map((index) => index - offset);
  });
  const votes = Map.groupBy(starts, (start) => start);
  const [best] = [...votes].sort(([, one], [, other]) => other.length - one.length);
  return best === undefined ? undefined : Math.max(0, best[0]);
}

/** The line that shares most pairs of letters with the first wanted one, if it shares half of them. */
function placeOfLikeLine(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const pairs = pairsOf(wanted.find((line) => line.trim() !== "") ?? "");
  let best: number | undefined;
  let bestShare = 0.5;
  for (const [index, line] of lines.slice(0, comparedLines).entries()) {
    const own = pairsOf(line);
    const shared = [...own].filter((pair) => pairs.has(pair)).length;
    const share = (2 * shared) / (own.size + pairs.size || 1);
    if (share > bestShare) [best, bestShare] = [index, share];
  }
  return best;
}

function pairsOf(line: string): ReadonlySet<string> {
  const text = line.trim().slice(0, comparedChars);
  return new Set(Array.from({ length: Math.max(0, text.length - 1) }, (_, index) => text.slice(index, index + 2)));
}

import { GatewayError } from "@talaria/protocol";
import { findLines } from "./find-lines.ts";
import { nearestPlace } from "./nearest-place.ts";
import { withIndentOf } from "./with-indent-of.ts";

const shownPlaces = 5;
/** A block is found by its first and last line only from this length on. */
const shortestAnchored = 3;

export interface Replacement {
  readonly oldText: string;
  readonly newText: string;
  /** Every exact occurrence instead of the only one. */
  readonly replaceAll: boolean;
}

export interface Replaced {
  readonly text: string;
  readonly count: number;
  /** How the place was found, in words for the model. */
  readonly found:
    | "exactly"
    | "apart from spaces at line ends"
    | "apart from indentation"
    | "by its first and last line";
}

/**
 * Replaces a part of a text. What is looked for must stand there once: exactly, or else apart from spaces at line ends, or else
 * apart from indentation, or else as the only block of that length with the same first and last line and half of the others.
 * Throws `invalid_request` that shows the places, or the nearest one.
 */
export function replaceText(text: string, replacement: Replacement): Replaced {
  const { oldText, newText, replaceAll } = replacement;
  if (oldText === "") throw invalid("oldText is empty: give the lines to replace, or use write_file");
  if (oldText === newText) throw invalid("oldText and newText are the same");
  const places = occurrences(text, oldText, replaceAll ? Number.POSITIVE_INFINITY : shownPlaces + 1);
  if (places.length === 1 || (replaceAll && places.length > 0)) {
    return { text: spliced(text, places, oldText.length, newText), count: places.length, found: "exactly" };
  }
  const lines = text.split("\n");
  if (places.length > 1)
    throw ambiguous(
      places.slice(0, shownPlaces).map((place) => lineAt(text, place)),
      places.length,
    );
  return replaceLines(lines, replacement);
}

function replaceLines(lines: readonly string[], { oldText, newText }: Replacement): Replaced {
  const wanted = linesOf(oldText);
  const ladder = [
    { found: "apart from spaces at line ends", key: (line: string) => line.trimEnd(), indents: false },
    { found: "apart from indentation", key: (line: string) => line.trim(), indents: true },
  ] as const;
  for (const { found, key, indents } of ladder) {
    const places = findLines(lines.map(key), wanted.map(key), shownPlaces + 1);
    if (places.length > 1)
      throw ambiguous(
        places.slice(0, shownPlaces).map((place) => place + 1),
        places.length,
      );
    const [place] = places;
    if (place === undefined) continue;
    const there = lines.slice(place, place + wanted.length);
    const coming = linesOf(newText);
    return put(lines, place, wanted.length, indents ? withIndentOf(coming, wanted, there) : coming, found);
  }
  const place = anchoredPlace(lines, wanted);
  if (place !== undefined) return put(lines, place, wanted.length, linesOf(newText), "by its first and last line");
  throw invalid(`oldText is not in the file, also not apart from spaces.\n${nearestPlace(lines, wanted)}`);
}

function put(
  lines: readonly string[],
  place: number,
  length: number,
  coming: readonly string[],
  found: Replaced["found"],
): Replaced {
  return {
    text: lines.toSpliced(place, length, ...[coming.join("\n")].slice(coming.length === 0 ? 1 : 0)).join("\n"),
    count: 1,
    found,
  };
}

/** The only block of this length whose first and last line are these, and that has at least half of the others. */
function anchoredPlace(lines: readonly string[], wanted: readonly string[]): number | undefined {
  const trimmed = wanted.map((line) => line.trim());
  const [first, last] = [trimmed.at(0), trimmed.at(-1)];
  if (wanted.length < shortestAnchored || first === "" || last === "") return undefined;
  const places: number[] = [];
  for (let place = 0; place + wanted.length <= lines.length; place += 1) {
    if (lines[place]?.trim() !== first || lines[place + wanted.length - 1]?.trim() !== last) continue;
    places.push(place);
    if (places.length > 1) return undefined;
  }
  const [place] = places;
  if (place === undefined) return undefined;
  const same = trimmed.filter((line, index) => lines[place + index]?.trim() === line).length - 2;
  return same * 2 >= wanted.length - 2 ? place : undefined;
}

function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  return (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");
}

function occurrences(text: string, part: string, limit: number): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at !== -1 && places.length < limit; at = text.indexOf(part, at + part.length)) {
    places.push(at);
  }
  return places;
}

function spliced(text: string, places: readonly number[], length: number, coming: string): string {
  const pieces: string[] = [];
  let from = 0;
  for (const place of places) {
    pieces.push(text.slice(from, place), coming);
    from = place + length;
  }
  return pieces.join("") + text.slice(from);
}

function lineAt(text: string, place: number): number {
  return text.slice(0, place).split("\n").length;
}

function ambiguous(lines: readonly number[], count: number): GatewayError {
  const places = `${lines.join(", ")}${count > lines.length ? " and more" : ""}`;
  return invalid(
    `oldText stands there more than once, at lines ${places}. Give more lines around it, or set replaceAll.`,
  );
}

function invalid(message: string): GatewayError {
  return new GatewayError(message, { code: "invalid_request" });
}

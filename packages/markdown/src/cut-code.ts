import { type Cut, inside, type Room } from "./cut.ts";
import { boundaryBefore } from "./graphemes.ts";
import { largestCount } from "./largest-count.ts";
import type { Steps } from "./steps.ts";

/** Cuts a code block between two lines. `alone` allows a cut inside the first line if that is too long. */
export function* cutCode(source: string, room: Room, alone: boolean): Steps<Cut | undefined> {
  const lines = source.split("\n");
  const [opener = ""] = lines;
  const [, indent = "", marker = ""] = /^( *)(`{3,}|~{3,})/.exec(opener) ?? [];
  return marker === ""
    ? yield* cutLines(lines, { before: [], after: [], indent: "    " }, room, alone)
    : yield* cutLines(lines.slice(1), { before: [opener], after: [indent + marker], indent, marker }, room, alone);
}

interface Frame {
  /** Lines that stand before and after each piece. */
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly indent: string;
  readonly marker?: string;
}

function* cutLines(lines: readonly string[], frame: Frame, room: Room, alone: boolean): Steps<Cut | undefined> {
  const framed = (body: readonly string[]) => [...frame.before, ...body, ...frame.after].join("\n");
  const reopened = (body: readonly string[]) => [...frame.before, ...body].join("\n");
  const count = yield* largestCount(lines.length - 1, (some) => framed(lines.slice(0, some)), room);
  if (count > 0) {
    const end = lines.slice(0, count).some((line) => line.trim() !== "") ? blankLineBefore(lines, count) : count;
    return { head: framed(lines.slice(0, end)), tail: reopened(lines.slice(end)) };
  }
  if (!alone) return undefined;
  const [first = "", ...others] = lines;
  const line = inside(room, (part) => framed([part]));
  const width = yield* widthThatFits(first, frame, line);
  if (width === 0) return undefined;
  return { head: framed([first.slice(0, width)]), tail: reopened([frame.indent + first.slice(width), ...others]) };
}

/** After an empty line in the last third, if there is one: such lines separate units of code. */
function blankLineBefore(lines: readonly string[], count: number): number {
  for (let at = count; at > (count * 2) / 3; at -= 1) if (lines[at - 1]?.trim() === "") return at;
  return count;
}

/** How many units of a line fit. Neither side of the cut may look like the closing fence. 0 if there is no such place. */
function* widthThatFits(line: string, { marker, indent }: Frame, room: Room): Steps<number> {
  const isFence = (part: string) =>
    marker !== undefined && part.trim().startsWith(marker) && /^(?:`+|~+)$/.test(part.trim());
  const most = yield* largestCount(line.length - 1, (count) => line.slice(0, count), room);
  let width = boundaryBefore(line, most);
  while (width > indent.length && (isFence(line.slice(0, width)) || isFence(line.slice(width)))) width -= 1;
  return line.slice(0, width).trim() === "" ? 0 : width;
}

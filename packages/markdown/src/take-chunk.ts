import { type Cut, fits, type Room } from "./cut.ts";
import { cutPlain } from "./cut-plain.ts";
import { cutText } from "./cut-text.ts";
import { withInlineLinks } from "./inline-links.ts";
import type { Ruler } from "./ruler.ts";
import { spreadTags } from "./spread-tags.ts";
import type { Steps } from "./steps.ts";

/** The first chunk of a text and the rest, which is empty after the last chunk. */
export interface FirstChunk {
  readonly chunk: string;
  readonly rest: string;
}

/**
 * Cuts Markdown into chunks that fit and are complete on their own: fences and emphasis that a cut would break are closed
 * and reopened, table headers are repeated, links by name get their address. Nothing a reader sees is lost. A text that fits comes
 * back unchanged.
 * A chunk exceeds the limit only if a single character does. Each step parses or measures once, about as much as fits in a
 * message and never more than `longestWindow`; it announces how much.
 */
export function* takeChunk(markdown: string, ruler: Ruler): Steps<FirstChunk> {
  const room: Room = { ruler, whole: (piece) => piece };
  if ((yield* windowLength(markdown, room)) === undefined) return { chunk: markdown, rest: "" };
  yield markdown.length;
  for (let text = withInlineLinks(spreadTags(markdown)); ; ) {
    const length = yield* windowLength(text, room);
    if (length === undefined) return { chunk: text, rest: "" };
    const { head, tail, seen } = yield* cutWindow(text, length, room);
    const rest = withoutBlankLines(tail + text.slice(seen));
    const chunk = head.trimEnd();
    if (chunk !== "") return { chunk, rest };
    text = rest;
  }
}

/** How far to look for the end of one long list item. */
const longestWindow = 24 * 1024;

function* cutWindow(markdown: string, length: number, room: Room): Steps<Cut & { readonly seen: number }> {
  for (let least = length; ; least *= 2) {
    const seen = behindBlanks(markdown, least);
    const text = markdown.slice(0, seen);
    const found = yield* cutText(text, room);
    const cut = found !== undefined && found.tail.length < text.length ? found : yield* cutPlain(text, room);
    const goesOn = seen < markdown.length && least * 2 <= longestWindow;
    if (!cut.dedented || !goesOn) return { ...cut, seen };
  }
}

/** Blanks at the end of a window may indent what follows it: they would be lost where an item is written anew. */
function behindBlanks(markdown: string, from: number): number {
  let end = Math.min(from, markdown.length);
  while (end < markdown.length && markdown.charAt(end - 1).trim() === "") end += 1;
  return end;
}

/** Enough of a text to learn how its Markdown and its measure compare. */
const sampleLength = 1_024;
/** How far to look beyond what is likely to fit, at least, to see what is open at the cut close. */
const margin = 1_024;

/** How much to look at: clearly more than fits. Undefined if all of the text fits. */
function* windowLength(markdown: string, room: Room): Steps<number | undefined> {
  let length = Math.ceil(1.1 * (yield* unitsThatFit(markdown, room.ruler)));
  while (length < markdown.length && (yield* fits(room, markdown.slice(0, length)))) length *= 2;
  if (length >= markdown.length && (yield* fits(room, markdown))) return undefined;
  return Math.min(length + Math.max(margin, Math.ceil(length / 4)), markdown.length);
}

function* unitsThatFit(markdown: string, ruler: Ruler): Steps<number> {
  if (ruler.unitsThatFit === undefined && markdown.length > ruler.limit)
    yield* ruler.share(markdown.slice(0, Math.min(sampleLength, ruler.limit)));
  return Math.min(ruler.unitsThatFit ?? ruler.limit, 4 * ruler.limit);
}

function withoutBlankLines(text: string): string {
  return text.replace(/^(?:[^\S\n]*\n)+/, "");
}

import { closeMarkdown, nothingYet } from "./close-markdown.ts";
import { boundaryBefore } from "./graphemes.ts";
import { type OpenFence, openFence } from "./open-fence.ts";
import type { Ruler } from "./ruler.ts";
import { spreadTags } from "./spread-tags.ts";
import type { Steps } from "./steps.ts";

/** Room for the fence or the sign that opens the end of a text. */
const roomForOpening = 32;

/**
 * The last part of a growing text that fits one message, closed; a text that fits comes back whole. Measures two or three texts,
 * each about as long as what fits, because it is called again and again while a text grows: keep the ruler between calls.
 */
export function* tailThatFits(partial: string, ruler: Ruler): Steps<string> {
  const expected = ruler.unitsThatFit ?? ruler.limit;
  const whole = closed(partial);
  if (whole.length <= wholeUpTo * expected && (yield* ruler.share(whole)) <= 1) return whole;
  const text = partial.trimEnd();
  const first = Math.min(ruler.unitsThatFit ?? ruler.limit, text.length) - roomForOpening;
  for (let length = Math.max(1, Math.floor(first)); length > 1; length = Math.floor(length * 0.75)) {
    const tail = endOf(text, beginning(text, Math.max(0, text.length - length)));
    if ((yield* ruler.share(tail)) <= 1) return tail;
  }
  return nothingYet;
}

/** A text this many times longer than what is likely to fit is not measured whole. */
const wholeUpTo = 1.5;

/** After the next line break, else the next blank, of the first half of what fits; else between two graphemes. */
function beginning(text: string, from: number): number {
  const half = from + (text.length - from) / 2;
  for (const gap of ["\n", " "]) {
    const at = text.indexOf(gap, from);
    if (at >= 0 && at < half) return at + 1;
  }
  let at = from;
  while (at < text.length && boundaryBefore(text, at) !== at) at += 1;
  return at;
}

function endOf(text: string, from: number): string {
  const fence: OpenFence | undefined = openFence(text.slice(0, from));
  return closed(fence === undefined ? `…\n${text.slice(from)}` : `${fence.prefix}${fence.opener}\n${text.slice(from)}`);
}

function closed(text: string): string {
  return spreadTags(closeMarkdown(text), true);
}

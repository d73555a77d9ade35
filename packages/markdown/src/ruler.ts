import { parseAhead } from "./parse-markdown.ts";
import type { Steps } from "./steps.ts";

/** Length of a text as its platform counts it. A text must be at least as long as any beginning of it. */
export type Measure = (markdown: string) => number;

/** How many measured texts are remembered: a cut asks about the same few again. */
const maxRemembered = 16;

/** How much less time it takes to write a parsed text than to parse it. */
const writingShare = 4;

/**
 * Measures the texts of one conversation against what one message takes. Measuring means converting the text, which
 * takes time; so a ruler remembers its last measurements and learns how many units of Markdown are likely to fit.
 */
export class Ruler {
  readonly #measure: Measure;
  readonly #limit: number;
  readonly #shares = new Map<string, number>();
  #unitsThatFit: number | undefined;

  /** `limit`: the longest a message may be, in the units of `measure`. */
  constructor(measure: Measure, limit: number) {
    this.#measure = measure;
    this.#limit = limit;
  }

  /** About how many UTF-16 units of Markdown fit, judging by the text measured last; undefined before the first. */
  get unitsThatFit(): number | undefined {
    return this.#unitsThatFit;
  }

  /** How many UTF-16 units of a text would fit if its measure were its length. */
  get limit(): number {
    return this.#limit;
  }

  /** The share of a message that the text takes: up to 1 it fits; at 0 none of it would be shown. */
  *share(markdown: string): Steps<number> {
    const known = this.#shares.get(markdown);
    if (known !== undefined) return known;
    yield* parseAhead(markdown);
    yield Math.ceil(markdown.length / writingShare);
    const share = this.#measure(markdown) / this.#limit;
    this.#shares.set(markdown, share);
    const [oldest] = this.#shares.keys();
    if (this.#shares.size > maxRemembered && oldest !== undefined) this.#shares.delete(oldest);
    if (share > 0 && Number.isFinite(share)) this.#unitsThatFit = markdown.length / share;
    return share;
  }
}

import { type Declaration, declarationsOf } from "./declarations.ts";
import { hasMarks, type IndexedRule, type Marks, RuleIndex } from "./rule-index.ts";
import { type Sight, sightWithin } from "./sight.ts";
import type { StyleSheets } from "./style-rules.ts";

/** Characters of rules that are applied to all elements together. Behind that, what a rule may be about counts as hidden. */
const maxApplied = 10_000_000;
/** What a declaration costs besides its characters. */
const costOfOne = 10;
const maxKeyChars = 2_000;

/** What of an element bears on its sight. */
export interface SeenElement extends Marks {
  readonly hidden: string | undefined;
  readonly color: string | undefined;
  readonly bgcolor: string | undefined;
  readonly style: string | undefined;
  /** Whether a selector is about it that asks what stands around it. Without it such rules are not followed. */
  readonly matches?: (selector: string, declarations: readonly Declaration[]) => boolean;
}

interface Found {
  readonly rules: readonly IndexedRule[];
  /** Other rules have another one. */
  readonly key: string;
}

/**
 * How the elements of one document are seen, by their attributes and by its style sheets. The time is bounded: what can no longer be
 * judged counts as hidden, and so does all of a document whose sheets are too long to be read.
 */
export class Sights {
  readonly #index: RuleIndex;
  readonly #isWhole: boolean;
  readonly #found = new Map<string, Found>();
  readonly #known = new WeakMap<Sight, Map<string, Sight>>();
  #left = maxApplied;
  #work = 0;

  constructor({ rules, isWhole }: StyleSheets) {
    this.#index = new RuleIndex(rules);
    this.#isWhole = isWhole && this.#index.isWhole;
  }

  /** Whether the style sheets could be read as a whole. */
  get isWhole(): boolean {
    return this.#isWhole;
  }

  within(outer: Sight, element: SeenElement): Sight {
    if (outer.isGone) return outer;
    if (!this.#isWhole) return { ...outer, isGone: true };
    const found = this.#rulesFor(element);
    const { hidden, color, bgcolor, style } = element;
    const key = JSON.stringify([found?.key, hidden !== undefined, color, bgcolor, style]);
    const seen = this.#known.get(outer) ?? new Map<string, Sight>();
    const sight = seen.get(key) ?? this.#look(outer, found?.rules, element);
    if (key.length < maxKeyChars) this.#known.set(outer, seen.set(key, sight));
    return sight;
  }

  /** Characters that were read since this was asked last. */
  takeWork(): number {
    const work = this.#work;
    this.#work = 0;
    return work;
  }

  #look(outer: Sight, rules: readonly IndexedRule[] | undefined, element: SeenElement): Sight {
    const { hidden, color, bgcolor, style = "" } = element;
    const declarations = rules?.flatMap((rule) => rule.declarations) ?? [];
    const cost = declarations.reduce((sum, { value }) => sum + value.length + costOfOne, 0);
    const isKnown = rules !== undefined && this.#spend(cost);
    this.#work += style.length;
    return sightWithin(outer, {
      isHidden: hidden !== undefined || !isKnown,
      declarations: [...(isKnown ? declarations : []), ...declarationsOf(style)],
      color,
      bgcolor,
    });
  }

  /** Undefined where there are some that can't be looked at any more. */
  #rulesFor(element: SeenElement): Found | undefined {
    const marks = this.#index.known(element);
    const key = JSON.stringify(marks);
    const known = this.#found.get(key);
    if (known !== undefined) return known;
    const near = this.#index.near(marks);
    if (!this.#spend(near.length)) return undefined;
    const rules = near.filter((rule) => hasMarks(marks, rule)).sort((one, other) => one.order - other.order);
    const { matches } = element;
    if (matches !== undefined && rules.some(({ selector }) => selector !== undefined)) {
      const matching = rules.filter((rule) => rule.selector === undefined || matches(rule.selector, rule.declarations));
      return { rules: matching, key: matching.map(({ order }) => order).join() };
    }
    const found = { rules: rules.filter(({ selector }) => selector === undefined), key };
    if (key.length < maxKeyChars) this.#found.set(key, found);
    return found;
  }

  #spend(cost: number): boolean {
    if (cost === 0) return true;
    this.#left -= cost;
    this.#work += cost;
    return this.#left >= 0;
  }
}

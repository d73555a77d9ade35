import {
  type Declaration,
  declarationsOf,
  type Sight,
  type StyleRule,
  sightWithin,
  styleRuleSteps,
} from "@talaria/foreign-content";
import { type Attributes, othersTurn, readTokens } from "./html-tokens.ts";

const maxSheetChars = 200_000;
/** Of all rules together, so that an element costs little. */
const maxDeclarations = 200;
/** Characters of rules that are applied to all elements together. Behind that, what a rule is about counts as hidden. */
const maxApplied = 10_000_000;
/** What a declaration costs besides its characters, and a rule that is compared. */
const costOfOne = 10;
const maxKeyChars = 500;

/** How an element is seen within another one, by its attributes and by the style sheets of its mail. */
export interface SightOf {
  (outer: Sight, name: string, attributes: Attributes): Sight;
  /** Characters that were read since this was asked last. */
  takeWork(): number;
}

interface Rule {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly declarations: readonly Declaration[];
  readonly cost: number;
}

/**
 * Reads the style sheets of a mail. Rules whose selector is one element, class or id, or several of them together, are followed;
 * selectors that ask what stands around an element are not.
 */
export async function readStyles(html: string): Promise<SightOf> {
  const rules = /<style/i.test(html) ? bounded((await rulesOf(await sheetsOf(html))).flatMap(simpleRules)) : [];
  let left = maxApplied;
  let work = 0;
  const ids = new Set(rules.map(({ id }) => id));
  const classes = new Set(rules.flatMap((rule) => rule.classes));
  const sightOf = remembering(
    (outer, { name, id, classes: own, attributes }) => {
      const ownClasses = new Set(own);
      const matching = rules.filter(
        (rule) =>
          (rule.name === "" || rule.name === name) &&
          (rule.id === "" || rule.id === id) &&
          rule.classes.every((one) => ownClasses.has(one)),
      );
      const cost = matching.reduce((sum, rule) => sum + rule.cost, 0);
      const ruled = left < cost ? [] : matching.flatMap(({ declarations }) => declarations);
      left -= cost;
      const { hidden, color, bgcolor, style = "" } = attributes;
      work += Math.min(cost, maxSheetChars) + rules.length * costOfOne + style.length;
      return sightWithin(outer, {
        isHidden: hidden !== undefined || (left < 0 && matching.length > 0),
        declarations: [...ruled, ...declarationsOf(style)],
        color,
        bgcolor,
      });
    },
    { ids, classes },
  );
  const takeWork = () => {
    const taken = work;
    work = 0;
    return taken;
  };
  return Object.assign(sightOf, { takeWork });
}

/** What of an element bears on its sight. */
interface Seen {
  readonly name: string;
  /** Those that a rule names. */
  readonly id: string;
  readonly classes: readonly string[];
  readonly attributes: { readonly [Name in "hidden" | "color" | "bgcolor" | "style"]?: string | undefined };
}

/** Elements that are alike, within the same one, are looked at once: a mail may hold a hundred thousand of them. */
function remembering(
  sightOf: (outer: Sight, seen: Seen) => Sight,
  { ids, classes }: { readonly ids: ReadonlySet<string>; readonly classes: ReadonlySet<string> },
): (outer: Sight, name: string, attributes: Attributes) => Sight {
  const known = new WeakMap<Sight, Map<string, Sight>>();
  return (outer, name, given) => {
    const id = given.get("id") ?? "";
    const seen: Seen = {
      name,
      id: ids.has(id) ? id : "",
      classes: [...new Set((given.get("class") ?? "").split(/\s+/).filter((one) => classes.has(one)))],
      attributes: {
        hidden: given.get("hidden"),
        color: given.get("color"),
        bgcolor: given.get("bgcolor"),
        style: given.get("style"),
      },
    };
    const key = JSON.stringify(seen);
    const within = known.get(outer) ?? new Map<string, Sight>();
    const sight = within.get(key) ?? sightOf(outer, seen);
    if (key.length < maxKeyChars) known.set(outer, within.set(key, sight));
    return sight;
  };
}

async function rulesOf(sheets: string): Promise<readonly StyleRule[]> {
  const steps = styleRuleSteps(sheets);
  let step = steps.next();
  for (; step.done !== true; step = steps.next()) await othersTurn();
  return step.value;
}

async function sheetsOf(html: string): Promise<string> {
  let sheets = "";
  let isStyle = false;
  let foreign = 0;
  await readTokens(html, {
    begin: (name) => {
      isStyle = name === "style";
      if (isStyle) sheets += "\n";
      if (name === "svg" || name === "math") foreign += 1;
      return 0;
    },
    end: (name) => {
      isStyle = false;
      if (name === "svg" || name === "math") foreign = Math.max(0, foreign - 1);
    },
    text: (text) => {
      if (isStyle && sheets.length < maxSheetChars) sheets += text;
    },
    isForeign: () => foreign > 0,
  });
  return sheets;
}

function simpleRules({ selector, declarations }: StyleRule): readonly Rule[] {
  const cost = declarations.reduce((sum, { value }) => sum + value.length + costOfOne, 0);
  return selector.split(",", maxDeclarations).flatMap((one) => {
    const [, name = "", rest = ""] = /^([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)$/i.exec(one.trim()) ?? [];
    if (name === "" && rest === "") return [];
    const parts = rest.match(/[.#][\w-]+/g) ?? [];
    const ids = parts.filter((part) => part.startsWith("#"));
    if (ids.length > 1) return [];
    return {
      name: name === "*" ? "" : name.toLowerCase(),
      id: ids[0]?.slice(1) ?? "",
      classes: [...new Set(parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1)))],
      declarations,
      cost,
    };
  });
}

function bounded(rules: readonly Rule[]): readonly Rule[] {
  let left = maxDeclarations;
  return rules.filter(({ declarations }) => {
    left -= declarations.length;
    return left >= 0;
  });
}

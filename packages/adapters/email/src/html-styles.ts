import {
  type Declaration,
  declarationsOf,
  type Sight,
  type StyleRule,
  sightWithin,
  styleRules,
} from "@talaria/foreign-content";
import { type Attributes, readTokens } from "./html-tokens.ts";

const maxSheetChars = 200_000;
/** Of all rules together, so that an element costs little. */
const maxDeclarations = 200;
/** Of rules, to all elements together. Behind that, what a rule is about counts as hidden. */
const maxApplied = 500_000;
const maxKeyChars = 500;

/** How an element is seen within another one, by its attributes and by the style sheets of its mail. */
export type SightOf = (outer: Sight, name: string, attributes: Attributes) => Sight;

interface Rule {
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
  readonly declarations: readonly Declaration[];
}

/**
 * Reads the style sheets of a mail. Rules whose selector is one element, class or id, or several of them together, are followed;
 * selectors that ask what stands around an element are not.
 */
export async function readStyles(html: string): Promise<SightOf> {
  const rules = /<style/i.test(html) ? bounded(styleRules(await sheetsOf(html)).flatMap(simpleRules)) : [];
  let left = maxApplied;
  const ids = new Set(rules.map(({ id }) => id));
  const classes = new Set(rules.flatMap((rule) => rule.classes));
  return remembering(
    (outer, { name, id, classes: own, attributes }) => {
      const matching = rules.filter(
        (rule) =>
          (rule.name === "" || rule.name === name) &&
          (rule.id === "" || rule.id === id) &&
          rule.classes.every((one) => own.includes(one)),
      );
      const ruled = matching.flatMap(({ declarations }) => declarations);
      left -= ruled.length;
      const { hidden, color, bgcolor, style = "" } = attributes;
      return sightWithin(outer, {
        isHidden: hidden !== undefined || (left < 0 && matching.length > 0),
        declarations: [...(left < 0 ? [] : ruled), ...declarationsOf(style)],
        color,
        bgcolor,
      });
    },
    { ids, classes },
  );
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
): SightOf {
  const known = new WeakMap<Sight, Map<string, Sight>>();
  return (outer, name, given) => {
    const id = given.get("id") ?? "";
    const seen: Seen = {
      name,
      id: ids.has(id) ? id : "",
      classes: (given.get("class") ?? "").split(/\s+/).filter((one) => classes.has(one)),
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

async function sheetsOf(html: string): Promise<string> {
  let sheets = "";
  let isStyle = false;
  let foreign = 0;
  await readTokens(html, {
    begin: (name) => {
      isStyle = name === "style";
      if (isStyle) sheets += "\n";
      if (name === "svg" || name === "math") foreign += 1;
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
  return selector.split(",").flatMap((one) => {
    const [, name = "", rest = ""] = /^([a-z][a-z0-9]*|\*)?((?:[.#][\w-]+)*)$/i.exec(one.trim()) ?? [];
    if (name === "" && rest === "") return [];
    const parts = rest.match(/[.#][\w-]+/g) ?? [];
    const ids = parts.filter((part) => part.startsWith("#"));
    if (ids.length > 1) return [];
    return {
      name: name === "*" ? "" : name.toLowerCase(),
      id: ids[0]?.slice(1) ?? "",
      classes: parts.filter((part) => part.startsWith(".")).map((part) => part.slice(1)),
      declarations,
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

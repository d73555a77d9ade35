import type { StyleRule } from "./style-rules.ts";

/** What a selector asks of an element. */
export interface Marks {
  /** In lower case. */
  readonly name: string;
  readonly id: string;
  readonly classes: readonly string[];
}

/** One selector of a rule. */
export interface IndexedRule extends Pick<StyleRule, "declarations"> {
  /** Its place among all. */
  readonly order: number;
  readonly marks: Marks;
  /** The whole selector where it asks for more than name, id and classes of the element itself. */
  readonly selector?: string;
}

/** More selectors are not kept. */
const maxSelectors = 50_000;

/** Finds the rules that may be about an element, by what the end of their selector asks for: an id, else a class, else a name. */
export class RuleIndex {
  /** Whether it has all selectors of the rules. */
  readonly isWhole: boolean;
  readonly #byKey = new Map<string, IndexedRule[]>();
  readonly #asked = new Set<string>();

  constructor(rules: readonly StyleRule[]) {
    let count = 0;
    for (const { selector, declarations } of rules)
      for (const one of partsOf(selector)) {
        count += 1;
        if (count <= maxSelectors) this.#add({ ...endOf(one.trim()), order: count, declarations });
      }
    this.isWhole = count <= maxSelectors;
  }

  #add(rule: IndexedRule): void {
    const keys = keysOf(rule.marks);
    for (const key of keys) this.#asked.add(key);
    const key = keys.at(-1) ?? "";
    const rules = this.#byKey.get(key);
    if (rules === undefined) this.#byKey.set(key, [rule]);
    else rules.push(rule);
  }

  /** The marks of an element without ids and classes that no rule asks for. */
  known({ name, id, classes }: Marks): Marks {
    const own = [...new Set(classes)].filter((one) => this.#asked.has(`.${one}`));
    return { name, id: this.#asked.has(`#${id}`) ? id : "", classes: own };
  }

  /** Those that are found by the marks of an element: what else they ask for is not looked at. In no order. */
  near(marks: Marks): readonly IndexedRule[] {
    return keysOf(marks).flatMap((key) => this.#byKey.get(key) ?? []);
  }
}

/** Whether an element has all marks that a rule asks for. */
export function hasMarks({ name, id, classes }: Marks, { marks }: IndexedRule): boolean {
  return (
    (marks.name === "" || marks.name === name) &&
    (marks.id === "" || marks.id === id) &&
    marks.classes.every((one) => classes.includes(one))
  );
}

/** From the most general to the most special one. A rule stands under its last one. */
function keysOf({ name, id, classes }: Marks): readonly string[] {
  const [first, ...others] = classes.map((one) => `.${one}`);
  return [
    "",
    ...(name === "" ? [] : [name]),
    ...others,
    ...(first === undefined ? [] : [first]),
    ...(id === "" ? [] : [`#${id}`]),
  ];
}

const parts = /(?:[^,()[\]{}"'\\]|\([^()]*\)|\[[^[\]]*\]|"[^"]*"|'[^']*')+/g;

/** A comma within brackets or a text parts nothing; where that can't be told, the whole is one selector. */
function partsOf(selector: string): readonly string[] {
  if (!/[()[\]{}"'\\]/.test(selector)) return selector.split(",");
  const found = selector.match(parts) ?? [];
  return found.join(",") === selector ? found : [selector];
}

const simple = /^([a-z][a-z0-9-]*|\*)?((?:[.#][\w-]+)*)$/i;
/** The element that a longer selector is about: what stands behind the last combinator, before attributes and states. */
const lastElement = /(?:^|[\s>+~])([a-z][a-z0-9-]*|\*)?((?:[.#][\w-]+)*)(?:\[[^[\]]*\]|::?[a-z-]+(?:\([^()]*\))?)*$/i;
/** Of a longer one it is not looked for. */
const longestSelector = 500;

function endOf(selector: string): Pick<IndexedRule, "marks" | "selector"> {
  const own = simple.exec(selector);
  const isLong = selector.length > longestSelector || /\\|\([^)]*[,(]/.test(selector);
  const [, name = "", rest = ""] = own ?? (isLong ? [] : (lastElement.exec(selector) ?? []));
  const marks = {
    name: name === "*" ? "" : name.toLowerCase(),
    id: rest.match(/#[\w-]+/)?.[0].slice(1) ?? "",
    classes: [...new Set(rest.match(/\.[\w-]+/g) ?? [])].map((one) => one.slice(1)),
  };
  const isSimple = own !== null && selector !== "" && rest.split("#").length <= 2;
  return isSimple ? { marks } : { marks, selector };
}

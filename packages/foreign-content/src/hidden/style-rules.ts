import { blanked, type Declaration, readDeclarations } from "./declarations.ts";

const maxSheetChars = 1_000_000;
const maxRules = 20_000;

export interface StyleRule {
  readonly selector: string;
  readonly declarations: readonly Declaration[];
}

export interface StyleSheets {
  readonly rules: readonly StyleRule[];
  /** False where they are longer, or have more rules, than is read. */
  readonly isWhole: boolean;
}

/** Read between two pauses. */
const signsPerTurn = 5_000;

/** Conditions that hold on every screen. */
const always = /^@(?:media\s+(?:only\s+)?(?:all|screen)|layer(?:\s+[\w.-]+)?)$/i;

/**
 * What the rules of a page's style sheets declare about what is seen, at most 20,000 rules of the first million characters. Those
 * within `@media` and other conditions are left out where those may not hold on a screen, and so are rules within rules.
 */
export function styleRules(sheets: string): StyleSheets {
  const steps = styleRuleSteps(sheets);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/** The same with pauses, some milliseconds apart. */
export function* styleRuleSteps(sheets: string): Generator<void, StyleSheets, void> {
  // Selectors ask for attributes by strings.
  const { text, readable } = yield* blanked(sheets.slice(0, maxSheetChars));
  const rules: StyleRule[] = [];
  let depth = 0;
  let start = 0;
  let selector = "";
  const add = (end: number) => {
    const declarations = selector.startsWith("@") ? [] : readDeclarations(text.slice(start, end));
    if (declarations.length > 0) rules.push({ selector, declarations });
  };
  let signs = 0;
  for (const { 0: sign, index } of text.matchAll(/[{};]/g)) {
    signs += 1;
    yield* pauseAfter(signs);
    if (rules.length > maxRules) return { rules, isWhole: false };
    if (sign === "{" && depth === 0) {
      selector = readable
        .slice(start, index)
        .replace(/<!--|-->/g, "")
        .trim();
      start = index + 1;
      if (always.test(selector)) continue;
    }
    if (sign === "{") depth += 1;
    else if (sign === "}" && depth === 1) add(index);
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (sign !== "{" && depth === 0) start = index + 1;
  }
  // What does not end reaches to the end.
  if (depth === 1) add(text.length);
  return { rules, isWhole: sheets.length <= maxSheetChars };
}

function* pauseAfter(signs: number): Generator<void, void, void> {
  if (signs % signsPerTurn === 0) yield;
}

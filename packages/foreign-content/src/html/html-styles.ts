import type { Sight } from "../hidden/sight.ts";
import { Sights } from "../hidden/sights.ts";
import { type StyleSheets, styleRuleSteps } from "../hidden/style-rules.ts";
import { type Attributes, othersTurn, readTokens } from "./html-tokens.ts";

/** Longer ones are not judged. */
const maxSheetChars = 1_000_000;

/** How an element is seen within another one, by its attributes and by the style sheets of its mail. */
export interface SightOf {
  (outer: Sight, name: string, attributes: Attributes): Sight;
  /** Characters that were read since this was asked last. */
  takeWork(): number;
}

/**
 * Reads the style sheets of a mail. Rules whose selector is one element, class or id, or several of them together, are followed;
 * selectors that ask what stands around an element are not.
 */
export async function readStyles(html: string): Promise<SightOf> {
  const sights = new Sights(/<style/i.test(html) ? await rulesOf(await sheetsOf(html)) : noSheets);
  const sightOf = (outer: Sight, name: string, given: Attributes) =>
    sights.within(outer, {
      name,
      id: given.get("id") ?? "",
      classes: (given.get("class") ?? "").split(/\s+/),
      hidden: given.get("hidden"),
      color: given.get("color"),
      bgcolor: given.get("bgcolor"),
      style: given.get("style"),
    });
  return Object.assign(sightOf, { takeWork: () => sights.takeWork() });
}

const noSheets: StyleSheets = { rules: [], isWhole: true };

async function rulesOf(sheets: string): Promise<StyleSheets> {
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
      if (isStyle && sheets.length <= maxSheetChars) sheets += text;
    },
    isForeign: () => foreign > 0,
  });
  return sheets;
}

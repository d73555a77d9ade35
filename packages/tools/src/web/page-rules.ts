import {
  type Declaration,
  declarationsOf,
  hidesText,
  openSight,
  type Sight,
  type StyleRule,
  sightWithin,
  styleRules,
} from "@talaria/foreign-content";
import type { PageDocument } from "./parse-page.ts";

/** Of rules that only show again what others hide. */
const maxShowing = 100;
/** Of an unknown page: what a rule hides alone, it hides whatever stands behind. */
const anywhere: Sight = { ...openSight, background: undefined };

/**
 * The rules of a page's own style sheets that hide, and those that may show again what stands inside of something hidden. All others
 * are left out, since each has to be looked for in the whole page.
 */
export function pageRules(document: PageDocument): readonly StyleRule[] {
  const rules = styleRules([...document.querySelectorAll("style")].map((style) => style.textContent ?? "").join("\n"));
  const hiding = new Set(rules.filter(({ declarations }) => hides(declarations)));
  const undoable = new Set<string>();
  const note = (declarations: readonly Declaration[]) => {
    const sight = sightWithin(anywhere, { declarations });
    if (sight.isGone || !hidesText(sight)) return;
    for (const { name } of declarations) undoable.add(name === "font" ? "font-size" : name);
  };
  for (const { declarations } of hiding) note(declarations);
  for (const element of document.querySelectorAll("[style]")) note(declarationsOf(element.getAttribute("style") ?? ""));
  let left = maxShowing;
  return rules.filter((rule) => {
    if (hiding.has(rule)) return true;
    if (
      !rule.declarations.some(({ name }) => inherited.has(name) && undoable.has(name === "font" ? "font-size" : name))
    )
      return false;
    left -= 1;
    return left >= 0;
  });
}

const inherited: ReadonlySet<string> = new Set(["visibility", "font-size", "font", "text-indent", "color"]);

function hides(declarations: readonly Declaration[]): boolean {
  return hidesText(sightWithin(anywhere, { declarations }));
}

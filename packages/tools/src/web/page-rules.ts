import {
  type Declaration,
  declarationsOf,
  hidesText,
  openSight,
  type Sight,
  type StyleSheets,
  sightWithin,
  styleRules,
} from "@talaria/foreign-content";
import type { PageDocument } from "./parse-page.ts";

/** Of an unknown page: what a rule hides alone, it hides whatever stands behind. */
const anywhere: Sight = { ...openSight, background: undefined };

/**
 * The rules of a page's own style sheets that hide, and those that may show again what stands inside of something hidden. All others
 * are left out.
 */
export function pageRules(document: PageDocument): StyleSheets {
  const { rules, isWhole } = styleRules(
    [...document.querySelectorAll("style")].map((style) => style.textContent ?? "").join("\n"),
  );
  const hiding = new Set(rules.filter(({ declarations }) => hides(declarations)));
  const undoable = new Set<string>();
  const note = (declarations: readonly Declaration[]) => {
    const sight = sightWithin(anywhere, { declarations });
    if (sight.isGone || !hidesText(sight)) return;
    for (const { name } of declarations) undoable.add(name === "font" ? "font-size" : name);
  };
  for (const { declarations } of hiding) note(declarations);
  for (const element of document.querySelectorAll("[style]")) note(declarationsOf(element.getAttribute("style") ?? ""));
  const shows = (name: string) => inherited.has(name) && undoable.has(name === "font" ? "font-size" : name);
  const kept = rules.filter((rule) => hiding.has(rule) || rule.declarations.some(({ name }) => shows(name)));
  return { rules: kept, isWhole };
}

const inherited: ReadonlySet<string> = new Set(["visibility", "font-size", "font", "text-indent", "color"]);

/** Whether what is declared hides by itself. */
export function hides(declarations: readonly Declaration[]): boolean {
  return hidesText(sightWithin(anywhere, { declarations }));
}

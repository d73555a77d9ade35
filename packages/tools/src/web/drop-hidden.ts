import {
  type Declaration,
  declarationsOf,
  hidesPictures,
  hidesText,
  openSight,
  type Sight,
  sightWithin,
} from "@talaria/foreign-content";
import { pageRules } from "./page-rules.ts";
import type { PageDocument, PageElement } from "./parse-page.ts";

const neverShown = "script, style, noscript, template, iframe, object, embed, svg, canvas, input[type=hidden]";

/**
 * Removes what people don't see on the page: by element, by attribute, by inline style, and by rules of the page's own style
 * sheets. Outside style sheets are not seen through, and where the colour behind a text comes from a sheet, the text counts as seen.
 */
export function dropHidden(document: PageDocument): void {
  const declared = new Map<PageElement, Declaration[]>();
  for (const { selector, declarations } of pageRules(document)) {
    for (const element of selected(document, selector)) {
      const before = declared.get(element);
      if (before === undefined) declared.set(element, [...declarations]);
      else before.push(...declarations);
    }
  }
  const root = document.documentElement;
  const outermost: Sight = hasSheets(document) ? { ...openSight, background: undefined } : openSight;
  for (const element of [...document.querySelectorAll(neverShown)]) element.remove();
  if (root !== null) walk(root, outermost, declared, document);
}

/** In a loop: pages nest deeper than functions may. */
function walk(
  root: PageElement,
  outermost: Sight,
  declared: ReadonlyMap<PageElement, readonly Declaration[]>,
  { body }: PageDocument,
): void {
  const open: { readonly element: PageElement; readonly outer: Sight }[] = [{ element: root, outer: outermost }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, outer } = next;
    const own = sightOf(element, outer, declared.get(element) ?? []);
    // A page that hides itself whole waits for its script.
    const sight = (element === body || element === root) && hidesText(own) ? outer : own;
    if (sight.isGone) {
      element.remove();
      continue;
    }
    if (element.localName === "img" && hidesPictures(sight)) element.remove();
    if (hidesText(sight)) dropTexts(element);
    for (const child of element.children) open.push({ element: child, outer: sight });
  }
}

function sightOf(element: PageElement, outer: Sight, declarations: readonly Declaration[]): Sight {
  const style = element.getAttribute("style");
  return sightWithin(outer, {
    declarations: style === null ? declarations : [...declarations, ...declarationsOf(style)],
    isHidden: element.getAttribute("hidden") !== null,
    color: element.getAttribute("color") ?? undefined,
    bgcolor: element.getAttribute("bgcolor") ?? undefined,
  });
}

function dropTexts(element: PageElement): void {
  const text = 3;
  for (const node of [...element.childNodes]) if (node.nodeType === text) node.remove();
}

/** Whether a sheet may colour what stands behind a text. */
function hasSheets(document: PageDocument): boolean {
  if (document.querySelector("link[rel~=stylesheet]") !== null) return true;
  return [...document.querySelectorAll("style")].some((style) => /background|@import/i.test(style.textContent ?? ""));
}

function selected(document: PageDocument, selector: string): readonly PageElement[] {
  try {
    return [...document.querySelectorAll(selector)];
  } catch {
    return [];
  }
}

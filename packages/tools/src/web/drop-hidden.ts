import { hidesPictures, hidesText, openSight, type SeenElement, type Sight, Sights } from "@talaria/foreign-content";
import { hides, pageRules } from "./page-rules.ts";
import type { PageDocument, PageElement, PageNode } from "./parse-page.ts";

const neverShown = "script, style, noscript, template, iframe, object, embed, svg, canvas, input[type=hidden]";

/**
 * Removes what people don't see on the page: by element, by attribute, by inline style, and by rules of the page's own style
 * sheets. Outside style sheets are not seen through, and where the colour behind a text comes from a sheet, the text counts as seen.
 */
export function dropHidden(document: PageDocument): void {
  const sights = new Sights(pageRules(document));
  const matches = matchingIn(document);
  const root = document.documentElement;
  const outermost: Sight = hasSheets(document) ? { ...openSight, background: undefined } : openSight;
  const sightOf = (outer: Sight, element: PageElement) => sights.within(outer, seen(element, matches));
  const hidden: PageNode[] = [...document.querySelectorAll(neverShown)];
  if (root !== null) for (const node of hiddenIn(root, outermost, document, sightOf)) hidden.push(node);
  for (const node of hidden) node.remove();
}

/** In a loop: pages nest deeper than functions may. Changes nothing, since selectors ask what stands around an element. */
function hiddenIn(
  root: PageElement,
  outermost: Sight,
  { body }: PageDocument,
  sightOf: (outer: Sight, element: PageElement) => Sight,
): readonly PageNode[] {
  const hidden: PageNode[] = [];
  const open: { readonly element: PageElement; readonly outer: Sight }[] = [{ element: root, outer: outermost }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, outer } = next;
    const own = sightOf(outer, element);
    // A page that hides itself whole waits for its script.
    const sight = (element === body || element === root) && hidesText(own) ? outer : own;
    if (sight.isGone) {
      hidden.push(element);
      continue;
    }
    if (element.localName === "img" && hidesPictures(sight)) hidden.push(element);
    if (hidesText(sight)) for (const text of textsOf(element)) hidden.push(text);
    for (const child of element.children) open.push({ element: child, outer: sight });
  }
  return hidden;
}

type Matches = (element: PageElement, ...asked: Parameters<NonNullable<SeenElement["matches"]>>) => boolean;

function seen(element: PageElement, matches: Matches): SeenElement {
  const value = (name: string) => element.getAttribute(name) ?? undefined;
  return {
    name: element.localName.toLowerCase(),
    id: value("id") ?? "",
    classes: (value("class") ?? "").split(/\s+/),
    hidden: value("hidden"),
    color: value("color"),
    bgcolor: value("bgcolor"),
    style: value("style"),
    matches: (...asked) => matches(element, ...asked),
  };
}

/** Elements that are compared with longer selectors, all together: about two seconds. Behind that, what such a rule may hide is hidden. */
const maxCompared = 1_000_000;
/** So many siblings take as long as one element. */
const siblingsAsOne = 100;

/** Looks for each selector once in the whole page. */
function matchingIn(document: PageDocument): Matches {
  const found = new Map<string, ReadonlySet<PageElement>>();
  const elements = [...document.querySelectorAll("*")];
  const most = elements.reduce((most, { children }) => Math.max(most, [...children].length), 0);
  let left = maxCompared;
  return (element, selector, declarations) => {
    const known = found.get(selector);
    if (known !== undefined) return known.has(element);
    // Where a selector asks for siblings the library goes through all of them for each element.
    left -= elements.length * (/[+~:]/.test(selector) ? 1 + most / siblingsAsOne : 1);
    if (left < 0) return hides(declarations);
    const matching = new Set(selected(document, selector));
    found.set(selector, matching);
    return matching.has(element);
  };
}

function textsOf(element: PageElement): readonly PageNode[] {
  const text = 3;
  return [...element.childNodes].filter(({ nodeType }) => nodeType === text);
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

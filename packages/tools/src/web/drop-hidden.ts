import type { PageDocument, PageElement } from "./parse-page.ts";

const neverShown =
  "script, style, noscript, template, iframe, object, embed, svg, canvas, [hidden], input[type=hidden]";
const mostStyleChars = 200_000;
const mostRules = 2_000;

/** Declarations, without spaces, that take an element out of sight. */
const hiding =
  /(?:^|;)(?:display:none|visibility:(?:hidden|collapse)|opacity:0?\.?0*(?:%|;|!|$)|font-size:0?\.?0*(?:px|r?em|pt|%)?(?:;|!|$)|(?:left|top|right|bottom|text-indent|margin-left|margin-top):-\d{3,}|color:transparent|clip-path:inset\((?:50|100)%|clip:rect\((?:0|1px)|transform:scale\(0)/;

/**
 * Removes what people don't see on the page: by element, by attribute, by inline style, and by rules of the page's own style
 * sheets. Outside style sheets, and a colour on the same colour, are not seen through.
 */
export function dropHidden(document: PageDocument): void {
  const hidden = new Set<PageElement>();
  for (const selector of hidingSelectors(document)) {
    for (const element of selected(document, selector)) hidden.add(element);
  }
  for (const element of document.querySelectorAll("[style]")) {
    if (hiding.test(compact(element.getAttribute("style") ?? ""))) hidden.add(element);
  }
  for (const element of document.querySelectorAll(neverShown)) hidden.add(element);
  for (const element of hidden) {
    if (element !== document.body && element !== document.documentElement) element.remove();
  }
}

/** Selectors of rules that hide, outside of `@media` and other conditions, which may not hold on a screen. */
function hidingSelectors(document: PageDocument): readonly string[] {
  const styles = [...document.querySelectorAll("style")].map((style) => style.textContent ?? "").join("\n");
  const rules = topRules(styles.slice(0, mostStyleChars));
  return rules
    .filter(({ selector, body }) => !selector.startsWith("@") && hiding.test(compact(body)))
    .map(({ selector }) => selector);
}

interface Rule {
  readonly selector: string;
  readonly body: string;
}

/** The rules that stand in no other one, at most 2,000. */
function topRules(styles: string): readonly Rule[] {
  const rules: Rule[] = [];
  let depth = 0;
  let start = 0;
  let selector = "";
  for (const { 0: sign, index } of styles.matchAll(/[{};]/g)) {
    if (sign === "{") {
      if (depth === 0) selector = styles.slice(start, index).trim();
      if (depth === 0) start = index + 1;
      depth += 1;
    }
    if (sign === "}") depth = Math.max(0, depth - 1);
    if (sign === "{" || depth > 0) continue;
    if (sign === "}" && rules.push({ selector, body: styles.slice(start, index) }) === mostRules) break;
    start = index + 1;
  }
  return rules;
}

function selected(document: PageDocument, selector: string): readonly PageElement[] {
  try {
    return [...document.querySelectorAll(selector.replace(/\/\*[^*]*\*\//g, ""))];
  } catch {
    return [];
  }
}

function compact(style: string): string {
  return style.toLowerCase().replace(/\s+|\/\*[^*]*\*\//g, "");
}

import type { PageDocument, PageElement } from "./parse-page.ts";

const deepest = 128;

/**
 * Replaces what lies deeper than 128 elements by its text. Readability and the printers walk trees by recursion and again and
 * again: 22 kilobytes of nested elements take them minutes.
 */
export function flatten(document: PageDocument): void {
  const open: { readonly element: PageElement; readonly depth: number }[] = [];
  if (document.documentElement !== null) open.push({ element: document.documentElement, depth: 1 });
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { element, depth } = next;
    if (depth >= deepest && element.firstElementChild !== null) {
      element.replaceChildren(document.createTextNode(element.textContent ?? ""));
      continue;
    }
    for (const child of element.children) open.push({ element: child, depth: depth + 1 });
  }
}

import { parseHTML } from "linkedom";

/** What we use of the DOM. Its whole types would bring a browser's globals into every file of the repository. */
export interface PageNode {
  /** 1: an element. 3: a text. */
  readonly nodeType: number;
  readonly textContent: string | null;
  remove(): void;
}

interface PageParent {
  querySelector(selector: string): PageElement | null;
  querySelectorAll(selector: string): Iterable<PageElement>;
}

export interface PageElement extends PageNode, PageParent {
  readonly localName: string;
  readonly children: Iterable<PageElement>;
  readonly childNodes: Iterable<PageNode>;
  readonly innerHTML: string;
  readonly firstElementChild: PageElement | null;
  readonly classList: { contains(name: string): boolean };
  getAttribute(name: string): string | null;
  setAttribute(name: string, value: string): void;
  removeAttribute(name: string): void;
  replaceChildren(...nodes: readonly PageNode[]): void;
}

export interface PageDocument extends PageParent {
  readonly body: PageElement | null;
  readonly documentElement: PageElement | null;
  createTextNode(text: string): PageNode;
}

/** The tree of a page. A piece without `<html>` gets one, since the parser takes its first element for the whole. */
export function parsePage(html: string): PageDocument {
  const isWhole = /<html[\s>]/i.test(html) && /<body[\s>]/i.test(html);
  const { document } = parseHTML(isWhole ? html : `<!doctype html><html><head></head><body>${html}</body></html>`);
  return document as unknown as PageDocument;
}

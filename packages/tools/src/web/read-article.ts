import { Readability } from "@mozilla/readability";
import TurndownService from "turndown";
import { gfm } from "turndown-plugin-gfm";
import { dropHidden } from "./drop-hidden.ts";
import { flatten } from "./flatten.ts";
import { type PageDocument, parsePage } from "./parse-page.ts";

const mostElements = 100_000;
const mostChars = 1_000_000;
/** An article that keeps less of the page than this is probably not what the page is about. */
const smallestShare = 0.1;

/**
 * The article of a page in Markdown, and what the page says about itself, one line each. Runs in a thread of its own: a hostile
 * page may take any time.
 */
export function readArticle(
  html: string,
  url: string,
): { readonly facts: readonly string[]; readonly markdown: string } {
  const document = parsePage(html);
  dropHidden(document);
  flatten(document);
  resolveLinks(document, url);
  const title = document.querySelector("title")?.textContent ?? "";
  const bodyText = document.body?.textContent?.trim() ?? "";
  const body = document.body?.innerHTML ?? "";
  const article = new Readability(document as never, { maxElemsToParse: mostElements, keepClasses: true }).parse();
  const isArticle = (article?.textContent ?? "").trim().length >= bodyText.length * smallestShare;
  const markdown = toMarkdown((isArticle && article?.content) || body);
  const facts = [
    ["title", article?.title || title],
    ["by", article?.byline],
    ["site", article?.siteName],
    ["published", article?.publishedTime],
  ] as const;
  return {
    facts: facts.flatMap(([name, value]) =>
      value ? [`${name}: ${value.replace(/\s+/g, " ").trim().slice(0, 300)}`] : [],
    ),
    markdown: markdown.slice(0, mostChars).toWellFormed(),
  };
}

/** Takes text: the printer brings a parser of its own, whose tables know their rows. */
function toMarkdown(html: string): string {
  const service = new TurndownService({ headingStyle: "atx", codeBlockStyle: "fenced", bulletListMarker: "-" });
  service.use(gfm);
  return service.turndown(html).trim();
}

/** Links lead where they lead on the page; those that lead nowhere on the web become their text. */
function resolveLinks(document: PageDocument, base: string): void {
  for (const [name, selector] of [
    ["href", "a[href]"],
    ["src", "img[src]"],
  ] as const) {
    for (const element of document.querySelectorAll(selector)) {
      const value = element.getAttribute(name) ?? "";
      const target = URL.canParse(value, base) ? new URL(value, base) : undefined;
      if (target !== undefined && /^(https?|mailto):$/.test(target.protocol)) element.setAttribute(name, target.href);
      else if (name === "src") element.remove();
      else element.removeAttribute(name);
    }
  }
}

import { parsePage } from "./parse-page.ts";
import type { SearchHit } from "./search-provider.ts";

/**
 * The results on a page of DuckDuckGo's HTML version. There is no document of it: the classes `result`, `result__a` and
 * `result__snippet`, the redirect `/l/?uddg=` and the class `result--ad` are as the page has them. Undefined when it asks for a
 * proof that a person searches (`anomaly-modal`).
 */
export function readResults(html: string): readonly SearchHit[] | undefined {
  const document = parsePage(html);
  if (document.querySelector(".anomaly-modal__modal, .anomaly-modal, #challenge-form") !== null) {
    return undefined;
  }
  return [...document.querySelectorAll(".result")].flatMap((result) => {
    if (result.classList.contains("result--ad")) return [];
    const link = result.querySelector("a.result__a");
    const url = targetOf(link?.getAttribute("href") ?? undefined);
    if (url === undefined) return [];
    const snippet = oneSpace(result.querySelector(".result__snippet")?.textContent ?? "");
    return [{ title: oneSpace(link?.textContent ?? ""), url, snippet }];
  });
}

function targetOf(href: string | undefined): string | undefined {
  if (href === undefined || !URL.canParse(href, "https://duckduckgo.com/")) return undefined;
  const url = new URL(href, "https://duckduckgo.com/");
  const isRedirect = url.hostname.endsWith("duckduckgo.com") && url.pathname === "/l/";
  const target = isRedirect ? url.searchParams.get("uddg") : url.href;
  return target !== null && /^https?:/.test(target) ? target : undefined;
}

function oneSpace(text: string): string {
  return text.replace(/\s+/g, " ").trim();
}

import { defineTool, type Tool } from "@talaria/agent";
import { z } from "zod";
import type { SearchHit, SearchProvider } from "./search-provider.ts";

const mostHits = 20;
const titleChars = 200;
const snippetChars = 600;

/** Asks a search service. */
export function createWebSearch(provider: SearchProvider): Tool {
  return defineTool({
    name: "web_search",
    description:
      `Searches the web: titles, addresses and short excerpts, up to ${mostHits}. Read a page with web_extract before you rely on it, ` +
      "and try other words if little comes back.",
    effect: "read",
    permissions: ["net"],
    timeoutMs: 40_000,
    input: z.strictObject({
      query: z.string().trim().min(1).max(400),
      limit: z.int().min(1).max(mostHits).default(8),
    }),
    resources: () => [],
    // What the model puts into the query reaches the service that the operator chose, and nobody whom the model could name.
    targets: () => [{ kind: "url", url: provider.address, sendsBody: false, isKnown: true }],
    async execute({ query, limit }, { signal }) {
      const hits = await provider.search(query, { limit, signal });
      const content = hits.length === 0 ? "Nothing found." : hits.map(shown).join("\n\n");
      return { content, untrusted: true, details: { provider: provider.name, hits: hits.length } };
    },
  });
}

function shown({ title, url, snippet, age }: SearchHit, index: number): string {
  const name = oneLine(title, titleChars) || url;
  const lines = [
    `${index + 1}. ${name}`,
    url,
    ...(age === undefined ? [] : [oneLine(age, 60)]),
    oneLine(snippet, snippetChars),
  ];
  return lines.filter((line) => line !== "").join("\n   ");
}

function oneLine(text: string, most: number): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > most ? `${line.slice(0, most).toWellFormed()}…` : line;
}

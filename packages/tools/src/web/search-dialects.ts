import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { inThread } from "./extraction.ts";
import type { SearchHit, SearchProvider, SecretText } from "./search-provider.ts";
import type { ServiceRequest } from "./service-request.ts";

const text = z
  .string()
  .nullish()
  .transform((value) => value ?? "");
const json = { accept: "application/json" };

/**
 * `GET /search?q=&format=json` (SearXNG documentation, developer, Search API): a format that the instance's `search.formats` does
 * not list is answered with 403. The number of results can't be chosen.
 */
export function searxng(ask: ServiceRequest): SearchProvider {
  const hit = z.object({ url: z.url(), title: text, content: text, publishedDate: z.string().nullish() });
  return {
    name: "searxng",
    address: ask.base,
    async search(query, { limit, signal }) {
      const path = `/search?${new URLSearchParams({ q: query, format: "json" })}`;
      const refusals = {
        403: ["forbidden", "does not give JSON: add json to search.formats in its settings.yml"],
      } as const;
      const answer = parsed("searxng", await ask({ method: "GET", path, headers: json, signal, refusals }));
      const { results } = answered("searxng", z.object({ results: z.array(z.unknown()) }), answer);
      return readable(hit, results, limit, ({ url, title, content, publishedDate }) => ({
        ...{ url, title, snippet: content },
        ...(publishedDate && { age: publishedDate }),
      }));
    },
  };
}

/**
 * `GET /res/v1/web/search?q=&count=` with the key in `X-Subscription-Token` (Brave Search API documentation, Web Search): `count` at
 * most 20, `q` at most 400 characters and 50 words; results in `web.results`; a wrong key is answered with 422.
 */
export function brave(ask: ServiceRequest, apiKey: SecretText): SearchProvider {
  const hit = z.object({ url: z.url(), title: text, description: text, age: z.string().nullish() });
  const shape = z.object({ web: z.object({ results: z.array(z.unknown()) }).nullish() });
  return {
    name: "brave",
    address: ask.base,
    async search(query, { limit, signal }) {
      const q = query.split(/\s+/).slice(0, 50).join(" ").slice(0, 400).toWellFormed();
      const parameters = { q, count: String(Math.min(20, limit)), text_decorations: "false" };
      const headers = { ...json, "x-subscription-token": reveal(apiKey) };
      const refusals = { 422: ["unauthorized", "rejected the request or the key"] } as const;
      const path = `/res/v1/web/search?${new URLSearchParams(parameters)}`;
      const answer = parsed("brave", await ask({ method: "GET", path, headers, signal, refusals }));
      const results = answered("brave", shape, answer).web?.results ?? [];
      return readable(hit, results, limit, ({ url, title, description, age }) => ({
        ...{ url, title, snippet: description },
        ...(age && { age }),
      }));
    },
  };
}

/**
 * `POST /search` with the key as bearer token (Tavily API reference, Search): `max_results` 0 to 20; 432 and 433 say that the plan's
 * or the pay-as-you-go limit is used up.
 */
export function tavily(ask: ServiceRequest, apiKey: SecretText): SearchProvider {
  const hit = z.object({ url: z.url(), title: text, content: text, published_date: z.string().nullish() });
  return {
    name: "tavily",
    address: ask.base,
    async search(query, { limit, signal }) {
      const headers = { ...json, "content-type": "application/json", authorization: `Bearer ${reveal(apiKey)}` };
      const body = JSON.stringify({ query, max_results: Math.min(20, limit), search_depth: "basic" });
      const usedUp = ["forbidden", "has no searches left in the plan of this key"] as const;
      const refusals = { 432: usedUp, 433: usedUp };
      const answer = parsed("tavily", await ask({ method: "POST", path: "/search", headers, body, signal, refusals }));
      const { results } = answered("tavily", z.object({ results: z.array(z.unknown()) }), answer);
      return readable(hit, results, limit, ({ url, title, content, published_date }) => ({
        ...{ url, title, snippet: content },
        ...(published_date && { age: published_date }),
      }));
    },
  };
}

/**
 * `POST /html/` with the form field `q`, read from the page. It needs no key and has no document: for trying out. Too many searches
 * are answered with 202 and a question whether a person searches.
 */
export function duckDuckGo(ask: ServiceRequest): SearchProvider {
  return {
    name: "duckduckgo",
    address: ask.base,
    async search(query, { limit, signal }) {
      const headers = { "content-type": "application/x-www-form-urlencoded", accept: "text/html" };
      const tooMany = ["rate_limited", "takes no more searches from here for now"] as const;
      const refusals = { 202: tooMany, 403: tooMany };
      const body = new URLSearchParams({ q: query, b: "", kl: "" }).toString();
      const html = await ask({ method: "POST", path: "/html/", headers, body, signal, refusals });
      const hits = await inThread({ kind: "results", html }, signal);
      if (hits === undefined) throw new GatewayError(`duckduckgo ${tooMany[1]}`, { code: tooMany[0], effect: "none" });
      return hits.slice(0, limit);
    },
  };
}

/** Results that can be read; others are passed over. */
function readable<Hit>(
  schema: z.ZodType<Hit>,
  results: readonly unknown[],
  limit: number,
  toHit: (hit: Hit) => SearchHit,
): readonly SearchHit[] {
  const hits = results.flatMap((one) => {
    const { success, data } = schema.safeParse(one);
    return success ? [toHit(data)] : [];
  });
  return hits.slice(0, limit);
}

function answered<Shape extends z.ZodType>(name: string, shape: Shape, answer: unknown): z.output<Shape> {
  const { success, data } = shape.safeParse(answer);
  if (success) return data;
  throw unreadable(name);
}

function parsed(name: string, body: string): unknown {
  try {
    return JSON.parse(body);
  } catch (cause) {
    throw unreadable(name, cause);
  }
}

function unreadable(name: string, cause?: unknown): GatewayError {
  return new GatewayError(`${name} gave an answer that can't be read`, { code: "unavailable", effect: "none", cause });
}

function reveal(secret: SecretText): string {
  return typeof secret === "string" ? secret : secret.reveal();
}

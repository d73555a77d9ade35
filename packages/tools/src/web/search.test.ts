import assert from "node:assert/strict";
import type { IncomingMessage, ServerResponse } from "node:http";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { type ErrorCode, isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { call, contextOf } from "../testing/tool-call.ts";
import { createSearch } from "./create-search.ts";
import { createWebTools } from "./index.ts";
import type { SearchConfig } from "./search-provider.ts";

const key = "tvly-or-brave-secret";

/** Each service as strict as its document says: method, path, parameters, key; then the answer it shows there. */
const services: Readonly<
  Record<string, (request: IncomingMessage, body: string, url: URL) => readonly [number, unknown]>
> = {
  searxng: (request, _body, url) => {
    if (request.method !== "GET" || url.pathname !== "/search" || !url.searchParams.get("q")) return [400, "bad"];
    if (url.searchParams.get("format") !== "json") return [403, "format"];
    const hit = (n: number) => ({
      url: `https://example.org/${n}`,
      title: `T${n}`,
      content: `S${n}`,
      engine: "x",
      score: 1,
    });
    const odd = { url: "not an address", title: null };
    return [
      200,
      { query: "q", number_of_results: 0, results: [hit(1), odd, { ...hit(2), content: null }, hit(3)], answers: [] },
    ];
  },
  brave: (request, _body, url) => {
    if (request.headers["x-subscription-token"] !== key)
      return [422, { error: { code: "SUBSCRIPTION_TOKEN_INVALID" } }];
    const [q = "", count] = [url.searchParams.get("q") ?? "", Number(url.searchParams.get("count"))];
    const isValid = q !== "" && q.length <= 400 && q.split(" ").length <= 50 && count >= 1 && count <= 20;
    if (url.pathname !== "/res/v1/web/search" || !isValid) return [422, { error: { code: "VALIDATION" } }];
    const hit = { title: "T", url: "https://example.org/1", description: "S", age: "2 days ago", profile: {} };
    return [200, { type: "search", web: { type: "search", results: [hit] } }];
  },
  tavily: (request, body, url) => {
    if (request.headers.authorization !== `Bearer ${key}`) return [401, { detail: { error: "Unauthorized" } }];
    const { query, max_results } = JSON.parse(body) as { query: string; max_results: number };
    if (request.method !== "POST" || url.pathname !== "/search" || max_results > 20) return [400, { detail: "bad" }];
    if (query === "too much") return [432, { detail: { error: "plan" } }];
    const hit = { title: "T", url: "https://example.org/1", content: "S", score: 0.9, raw_content: null };
    return [200, { query, results: [hit], response_time: "1.2", answer: null }];
  },
  duckduckgo: (request, body, url) => {
    const q = new URLSearchParams(body).get("q");
    if (request.method !== "POST" || url.pathname !== "/html/" || q === null) return [400, "bad"];
    if (q === "too much")
      return [202, '<div class="anomaly-modal__modal">Unfortunately, bots use DuckDuckGo too.</div>'];
    if (q === "a person?") return [200, '<form id="challenge-form"></form>'];
    const target = encodeURIComponent("https://example.org/?a=1&b=2");
    const hit = `<div class="result results_links web-result"><h2 class="result__title"><a rel="nofollow" class="result__a"
      href="//duckduckgo.com/l/?uddg=${target}&amp;rut=1">The <b>title</b></a></h2>
      <a class="result__snippet" href="x">A  <b>short</b>
      text</a></div>`;
    const ad = hit.replace("web-result", "web-result result--ad").replace("example.org", "ads.example");
    return [200, `<html><body><div id="links">${ad}${hit}<div class="result">odd</div></div></body></html>`];
  },
};

async function world(name: keyof typeof services) {
  const seen: string[] = [];
  const answer = async (request: IncomingMessage, response: ServerResponse) => {
    const [status, body] = services[name]?.(request, await text(request), new URL(request.url ?? "", "http://x")) ?? [
      500,
      "",
    ];
    seen.push(request.url ?? "");
    response.writeHead(status, { "retry-after": "7" }).end(typeof body === "string" ? body : JSON.stringify(body));
  };
  const server = await LoopbackServer.listen((request, response) => void answer(request, response));
  const config = { provider: name, baseUrl: `${server.url}/`, apiKey: { reveal: () => key } } as SearchConfig;
  return { server, config, seen, [Symbol.asyncDispose]: () => server.stop() };
}

async function search(config: SearchConfig, query: string, limit = 10) {
  return await createSearch(config).search(query, { limit, signal: new AbortController().signal });
}

function failsWith(code: ErrorCode, message: RegExp) {
  return (error: unknown) => isGatewayError(error, code) && message.test(error.message) && !error.message.includes(key);
}

describe("web_search", () => {
  it("reads SearXNG and passes over results that make no sense", async () => {
    await using here = await world("searxng");
    assert.deepEqual(await search(here.config, "q", 2), [
      { title: "T1", url: "https://example.org/1", snippet: "S1" },
      { title: "T2", url: "https://example.org/2", snippet: "" },
    ]);
    const elsewhere = { provider: "searxng", baseUrl: `${here.server.url}/elsewhere` } as const;
    await assert.rejects(search(elsewhere, "q"), failsWith("invalid_request", /searxng rejected/));
  });

  it("asks Brave within its limits", async () => {
    await using here = await world("brave");
    const found = await search(here.config, "word ".repeat(200), 50);
    assert.deepEqual(found, [{ title: "T", url: "https://example.org/1", snippet: "S", age: "2 days ago" }]);
    const wrong = { ...here.config, apiKey: "wrong" } as SearchConfig;
    await assert.rejects(search(wrong, "q"), failsWith("unauthorized", /brave rejected the request or the key/));
  });

  it("asks Tavily, and knows a used-up plan from a wrong key", async () => {
    await using here = await world("tavily");
    assert.deepEqual(await search(here.config, "q", 50), [{ title: "T", url: "https://example.org/1", snippet: "S" }]);
    await assert.rejects(search(here.config, "too much"), failsWith("forbidden", /no searches left/));
    const wrong = { ...here.config, apiKey: "wrong" } as SearchConfig;
    await assert.rejects(search(wrong, "q"), failsWith("unauthorized", /does not take the key/));
  });

  it("reads DuckDuckGo's page without its advertisements", async () => {
    await using here = await world("duckduckgo");
    assert.deepEqual(await search(here.config, "q"), [
      { title: "The title", url: "https://example.org/?a=1&b=2", snippet: "A short text" },
    ]);
    await assert.rejects(search(here.config, "too much"), failsWith("rate_limited", /takes no more searches/));
    await assert.rejects(search(here.config, "a person?"), failsWith("rate_limited", /takes no more searches/));
  });

  it("says what is wrong with a service that is away, slow down, or talks nonsense", async () => {
    let status = 429;
    const server = await LoopbackServer.listen((_request, response) => {
      response.writeHead(status, { "retry-after": "7" }).end("<html>");
    });
    const config = { provider: "searxng", baseUrl: server.url } as const;
    await assert.rejects(
      search(config, "q"),
      (error) => isGatewayError(error, "rate_limited") && error.retryAfterMs === 7_000,
    );
    status = 200;
    await assert.rejects(search(config, "q"), failsWith("unavailable", /can't be read/));
    status = 503;
    await assert.rejects(search(config, "q"), failsWith("unavailable", /status 503/));
    status = 302;
    await assert.rejects(search(config, "q"), failsWith("unavailable", /status 302|cannot be reached/));
    await server.stop();
    await assert.rejects(search(config, "q"), failsWith("unavailable", /cannot be reached/));
  });

  it("shows hits by number, marked as strangers' words", async () => {
    await using here = await world("searxng");
    const tool = createWebTools({ search: createSearch(here.config) }).find(({ name }) => name === "web_search");
    assert.ok(tool);
    const { content, untrusted } = await call(tool, { query: "q", limit: 2 }, contextOf());
    assert.equal(content, "1. T1\n   https://example.org/1\n   S1\n\n2. T2\n   https://example.org/2");
    assert.equal(untrusted, true);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fileIdOf, inboxPathOf } from "@talaria/agent";
import { type ErrorCode, isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { call, contextOf, mediaInMemory } from "../testing/tool-call.ts";
import { inThread } from "./extraction.ts";
import { createGuardedFetch } from "./guarded-fetch.ts";
import { createWebTools } from "./index.ts";

const signal = new AbortController().signal;

type Pages = Readonly<Record<string, readonly [type: string, body: string | Uint8Array]>>;

async function world(pages: Pages) {
  const server = await LoopbackServer.listen(({ url = "" }, response) => {
    const [type, body] = pages[url] ?? ["text/plain", "not here"];
    response.writeHead(url in pages ? 200 : 404, { "content-type": type }).end(body);
  });
  const fetch = createGuardedFetch({ permits: (address) => address === "127.0.0.1" });
  const tools = new Map(createWebTools({ fetch }).map((tool) => [tool.name, tool]));
  const media = mediaInMemory();
  return {
    url: server.url,
    media,
    ask: async (name: string, path: string) => {
      const tool = tools.get(name);
      assert.ok(tool);
      return await call(tool, { url: `${server.url}${path}` }, contextOf({ media }));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

function failsWith(code: ErrorCode) {
  return (error: unknown) => isGatewayError(error, code);
}

const words = "These are words of the article that people came for. ".repeat(20);

const page = `<!doctype html><html><head><meta charset="iso-8859-1"><title>Grüße</title>
<style>/* a */ .gone , #also { color : red; display : none !important } @media print { article { display: none } }</style></head>
<body><nav><a href="/menu">Menu</a></nav><article><h1>Heading</h1>
<p>${words}<a href="../next?x=1#y">next</a> <a href="javascript:alert(1)">bad</a></p>
<p class="gone">INJECTED-1</p><p id="also">INJECTED-2</p><p style="DISPLAY : none">INJECTED-3</p><div hidden>INJECTED-4</div>
<span style="font-size:0px">INJECTED-5</span><p style="position:absolute;left:-9999px">INJECTED-6</p><!-- INJECTED-7 -->
<noscript>INJECTED-8</noscript><p style="opacity:0">INJECTED-9</p><p style="opacity:0.8">half seen</p>
<table><thead><tr><th>a</th><th>b</th></tr></thead><tbody><tr><td>1</td><td>2</td></tr></tbody></table>
<pre><code class="language-ts">const x = 1;</code></pre></article><script>INJECTED-10</script></body></html>`;

describe("web_fetch", () => {
  it("gives text as it is, marked as a stranger's, with its status", async () => {
    await using here = await world({ "/a.json": ["application/json", '{"a":1}'] });
    const found = await here.ask("web_fetch", "/a.json");
    assert.deepEqual(
      [found.content, found.untrusted],
      [`${here.url}/a.json\nstatus 200, application/json, 7 bytes\n\n{"a":1}`, true],
    );
    assert.match((await here.ask("web_fetch", "/gone")).content, /status 404[\s\S]*not here/);
  });

  it("keeps what is no text as a file with an id", async () => {
    const picture = Buffer.from([0x89, 0x50, 0x4e, 0x47]);
    await using here = await world({ "/p.png": ["image/png", picture] });
    const { content, kept = [] } = await here.ask("web_fetch", "/p.png");
    const [file] = kept;
    assert.ok(file);
    const id = fileIdOf(file.ref);
    const place = `tools that work in a workspace find it at ${inboxPathOf(file)}`;
    assert.ok(content.endsWith(`kept as file ${id}, image/png; ${place}`), content);
    assert.match(place, /inbox\/[0-9a-f]{8}\/p\.png$/);
    assert.deepEqual(here.media.kept.get(file.ref)?.bytes, picture);
  });
});

describe("web_extract", () => {
  it("gives the article as Markdown without what people don't see", async () => {
    await using here = await world({ "/a/b.html": ["text/html", Buffer.from(page, "latin1")] });
    const { content, untrusted } = await here.ask("web_extract", "/a/b.html");
    assert.equal(untrusted, true);
    assert.match(content, /title: Grüße\n/);
    assert.match(content, /# Heading\n\nThese are words/);
    assert.ok(content.includes(`[next](${here.url}/next?x=1#y) bad`));
    assert.match(content, /\| a \| b \|\n\| --- \| --- \|\n\| 1 \| 2 \|/);
    assert.match(content, /```ts\nconst x = 1;\n```/);
    assert.match(content, /half seen/);
    assert.doesNotMatch(content, /INJECTED|Menu|javascript/);
  });

  it("gives a short page whole, plain text as it is, and no picture", async () => {
    await using here = await world({
      "/short": ["text/html; charset=utf-8", "<p>Just this.</p>"],
      "/text": ["text/plain", "plain <b>"],
      "/p.png": ["image/png", "x"],
    });
    assert.equal((await here.ask("web_extract", "/short")).content, `${here.url}/short\n\nJust this.`);
    assert.equal((await here.ask("web_extract", "/text")).content, `${here.url}/text\n\nplain <b>`);
    await assert.rejects(here.ask("web_extract", "/p.png"), failsWith("unsupported"));
  });
});

describe("the thread that reads pages", () => {
  it("takes nested elements that hang Readability, while everything else goes on", async () => {
    let turns = 0;
    const beat = setInterval(() => (turns += 1), 5);
    const html = `${"<div>".repeat(4_000)}deep words`;
    const { markdown } = await inThread({ kind: "article", html, url: "https://example.org/" }, signal);
    clearInterval(beat);
    assert.equal(markdown, "deep words");
    assert.ok(turns > 3);
  });

  it("is killed when a page takes too long or too much memory, and the next page is read", async () => {
    const selector = `${":is(* *, * *) ".repeat(12)}x{display:none}`;
    const hostile = `<html><head><style>${selector.repeat(1_000)}</style></head><body>${"<p><b>".repeat(300_000)}</body></html>`;
    await assert.rejects(
      inThread({ kind: "article", html: hostile, url: "https://example.org/" }, signal),
      failsWith("too_large"),
    );
    const next = await inThread({ kind: "article", html: "<p>fine</p>", url: "https://example.org/" }, signal);
    assert.equal(next.markdown, "fine");
  });

  it("is ended with the turn, also while it waits for its place", async () => {
    const stop = new AbortController();
    const all = Array.from({ length: 4 }, () =>
      inThread({ kind: "article", html: "<p>x", url: "https://example.org/" }, stop.signal),
    );
    stop.abort();
    for (const result of await Promise.allSettled(all)) {
      assert.ok(result.status === "rejected" && isGatewayError(result.reason, "aborted"));
    }
  });
});

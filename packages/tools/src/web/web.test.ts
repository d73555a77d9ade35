import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { Readable } from "node:stream";
import { describe, it } from "node:test";
import { fileIdOf, inboxPathOf, type MediaAccess } from "@talaria/agent";
import { type ErrorCode, GatewayError, isGatewayError, systemClock } from "@talaria/protocol";
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
  const pieces: number[] = [];
  const memory = mediaInMemory();
  const counted = async function* (content: AsyncIterable<Uint8Array>) {
    for await (const piece of content) {
      pieces.push(piece.byteLength);
      yield piece;
    }
  };
  const put: MediaAccess["put"] = (content, type, stop) =>
    memory.put(content instanceof Uint8Array ? content : counted(content), type, stop);
  const media = { ...memory, put };
  return {
    url: server.url,
    media,
    /** Bytes of what was kept, as they came. */
    pieces,
    ask: async (name: string, path: string) => {
      const tool = tools.get(name);
      assert.ok(tool);
      return await call(tool, { url: `${server.url}${path}` }, contextOf({ media }));
    },
    [Symbol.asyncDispose]: () => server.stop(),
  };
}

async function* endless() {
  for (;;) yield Buffer.alloc(100_000, 1);
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
    const place = `4 bytes; tools that work in a workspace find it at ${inboxPathOf(file)}`;
    assert.ok(content.endsWith(`kept as file ${id}, image/png, ${place}`), content);
    assert.match(place, /inbox\/[0-9a-f]{8}\/p\.png$/);
    assert.deepEqual(here.media.kept.get(file.ref)?.bytes, picture);
  });

  it("keeps a large file as it comes, never whole in memory", async () => {
    const bytes = randomBytes(12_000_000);
    await using here = await world({ "/data/all.zip": ["application/zip", bytes] });
    const { content, kept = [], details } = await here.ask("web_fetch", "/data/all.zip");
    assert.match(
      content,
      /status 200, application\/zip, 12000000 bytes\nkept as file [\s\S]*inbox\/[0-9a-f]{8}\/all\.zip$/,
    );
    assert.deepEqual(details, { url: `${here.url}/data/all.zip`, status: 200, bytes: 12_000_000 });
    assert.ok(bytes.equals(here.media.kept.get(kept[0]?.ref ?? "")?.bytes ?? Buffer.alloc(0)));
    assert.ok(here.pieces.length > 10 && Math.max(...here.pieces) < 1_000_000, "piece by piece");
  });

  it("shows the beginning of a large text and keeps all of it", async () => {
    const text = "month,amount\n".repeat(500_000);
    await using here = await world({ "/table.csv": ["text/csv; charset=utf-8", text] });
    const { content, kept = [] } = await here.ask("web_fetch", "/table.csv");
    assert.match(
      content,
      /6500000 bytes\nkept as file \w+, text\/csv, 6500000 bytes; [^\n]*\/table\.csv\n\[the first 20000/,
    );
    assert.ok(content.length < 21_000);
    assert.equal(here.media.kept.get(kept[0]?.ref ?? "")?.bytes.byteLength, text.length);
  });

  it("stops at what may be kept, and says whose limit it is", async () => {
    let isCut = false;
    const server = await LoopbackServer.listen((_, response) => {
      response.writeHead(200, { "content-type": "application/zip" }).on("close", () => (isCut = true));
      Readable.from(endless()).pipe(response);
    });
    try {
      const fetch = createGuardedFetch({ permits: (address) => address === "127.0.0.1" });
      const tool = createWebTools({ fetch }).find(({ name }) => name === "web_fetch");
      assert.ok(tool);
      const put: MediaAccess["put"] = async (content) => {
        let length = 0;
        for await (const piece of content as AsyncIterable<Uint8Array>) {
          length += piece.byteLength;
          if (length > 3_000_000) break;
        }
        const details = { reason: "bytes", limit: 3_000_000 };
        throw new GatewayError("a file is larger than allowed", { code: "too_large", details });
      };
      const context = contextOf({ media: { ...mediaInMemory(), put } });
      await assert.rejects(call(tool, { url: `${server.url}/10GB` }, context), (error) => {
        assert.ok(isGatewayError(error, "too_large"));
        return /more than 3000000 bytes, and no larger one is kept \(media\.maxBytes\)/.test(error.message);
      });
      for (let left = 600; !isCut && left > 0; left -= 1) await systemClock.sleep(50);
      assert.equal(isCut, true, "the rest is not fetched");
    } finally {
      await server.stop();
    }
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

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type ErrorCode, isGatewayError, systemClock } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { browserWorld, elementIn, startCells } from "../testing/browser-world.ts";

const cells = await startCells(process.env);
after(() => cells.stop());

function failsWith(code: ErrorCode, text = /./) {
  return (error: unknown) => isGatewayError(error, code) && text.test(error.message);
}

const many = `<script>document.write("<p>row </p>".repeat(21000))</script>`;
const pages: Readonly<Record<string, string>> = {
  "/": "<title>plain</title><p>A plain page",
  "/many": `<p>first words</p><p style="display:none">HIDDEN</p>${many}`,
  "/long": `<h1>first words</h1><p>${"word ".repeat(200_000)}</p>${"<p>line of some length</p>".repeat(5_000)}`,
  "/busy": "<button onclick='for (;;);'>Spin</button>",
};

async function serve() {
  const server = await LoopbackServer.listen(({ url = "" }, response) => {
    if (url === "/endless") {
      response.writeHead(200, { "content-type": "text/html" }).write("<p>the beginning");
      return;
    }
    if (url === "/silent") return;
    response.writeHead(200, { "content-type": "text/html" }).end(pages[url] ?? "");
  });
  return { url: server.url, [Symbol.asyncDispose]: () => server.stop() };
}

describe("the limits of a browser", { skip: cells.missing }, () => {
  it("gives a page of very many elements as the beginning of its text", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const { content } = await here.ask("open", { url: `${site.url}/many` });
    assert.match(content, /too many to describe[\s\S]*first words\nrow\nrow/);
    assert.ok(content.length < 14_000);
    assert.doesNotMatch(content, /HIDDEN/);
  });

  it("gives a very long page in parts, and its end not at all", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const url = `${site.url}/long`;
    const { content } = await here.ask("open", { url });
    assert.match(content, /part 1 of \d+; browser_read with part 2 goes on[\s\S]*first words/);
    const last = await here.ask("read", { url, part: 100 });
    for (const part of [content, last.content]) assert.ok(part.length < 14_000);
    assert.match(last.content, /part (\d+) of \1\]\n\n- paragraph: line of some length/);
  });

  it("takes a page that never ends loading as far as it came, and gives up on one that says nothing", async () => {
    await using site = await serve();
    await using here = browserWorld(cells, { loadMs: 10_000 });
    const { content } = await here.ask("open", { url: `${site.url}/endless` });
    assert.match(content, /had not loaded whole after 10 s\]\n\n- paragraph: the beginning/);
    await assert.rejects(here.ask("open", { url: `${site.url}/silent` }), failsWith("unavailable", /in time/));
  });

  it("ends a browser that a page keeps busy, says so, and begins a new one", async () => {
    await using site = await serve();
    await using here = browserWorld(cells, { actionMs: 40_000 });
    const url = `${site.url}/busy`;
    const page = await here.ask("open", { url });
    await assert.rejects(
      here.ask("click", { url, ...elementIn(page, "Spin") }),
      failsWith("unavailable", /gone: a page's scripts kept it busy/),
    );
    assert.match((await here.ask("open", { url: `${site.url}/` })).content, /A plain page/);
  });

  it("tells of a browser that crashed, and begins a new one", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    const url = `${site.url}/`;
    await here.ask("open", { url });
    await here.programs[0]?.kill("it used more memory than it may");
    await assert.rejects(here.ask("read", { url }), failsWith("unavailable", /gone: killed: it used more memory/));
    assert.match((await here.ask("open", { url })).content, /A plain page/);
    assert.equal((await cells.folders()).length, 1);
  });

  it("stops with the turn", async () => {
    await using site = await serve();
    await using here = browserWorld(cells);
    await here.ask("open", { url: `${site.url}/` });
    const stop = new AbortController();
    const opening = here.ask("open", { url: `${site.url}/silent` }, "s", stop.signal);
    stop.abort();
    await assert.rejects(opening, failsWith("aborted"));
    assert.match((await here.ask("read", { url: `${site.url}/` })).content, /A plain page/);
  });

  it("is one for each session, so many at a time, and each only as long as it is used", async () => {
    await using site = await serve();
    await using here = browserWorld(cells, { most: 1, idleMs: 2_000 });
    await using other = browserWorld(cells, { most: 1 });
    const url = `${site.url}/`;
    await other.ask("open", { url }, "one");
    await assert.rejects(other.ask("open", { url }, "two"), failsWith("rate_limited", /browser\.limits\.browsers/));
    await here.ask("open", { url });
    for (let left = 600; (await cells.folders()).length > 1 && left > 0; left -= 1) await systemClock.sleep(100);
    assert.equal((await cells.folders()).length, 1);
    await assert.rejects(here.ask("read", { url }), failsWith("not_found"));
  });
});

import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { type ErrorCode, isGatewayError } from "@talaria/protocol";
import { LoopbackServer } from "@talaria/testkit";
import { browserWorld, elementIn, serveAt, startCells } from "../testing/browser-world.ts";

const cells = await startCells(process.env);
after(() => cells.stop());

function failsWith(code: ErrorCode, text = /./) {
  return (error: unknown) => isGatewayError(error, code) && text.test(error.message);
}

function v4(address: string) {
  return { address, family: 4 };
}

/** A server of this machine that nobody may reach, and one that all may. */
async function startServers(pages: (trapUrl: string) => Readonly<Record<string, string>>) {
  const visits: string[] = [];
  const trap = await serveAt("127.0.0.2", ({ url = "" }, response) => {
    visits.push(url);
    response.writeHead(200, { "access-control-allow-origin": "*", "content-type": "text/html" }).end("secret");
  });
  const site = await LoopbackServer.listen(({ url = "" }, response) => {
    if (url.startsWith("/to?"))
      return void response.writeHead(302, { location: decodeURIComponent(url.slice(4)) }).end();
    response.writeHead(200, { "content-type": "text/html" }).end(pages(trap.url)[url] ?? "<p>nothing here");
  });
  return {
    trap,
    visits,
    url: site.url,
    port: new URL(site.url).port,
    async [Symbol.asyncDispose]() {
      await site.stop();
      await trap[Symbol.asyncDispose]();
    },
  };
}

/** Scripts in it write down what became of each of their attempts. What is blind learns nothing, not even of a refusal. */
const attempts = (trap: string) => `<!doctype html><pre id="log"></pre><script>
const say = (text) => { log.textContent += text + ";" };
fetch("${trap}/fetch").then(() => say("fetch through"), () => say("fetch refused"));
fetch("${trap}/blind", { mode: "no-cors" }).finally(() => say("blind done"));
fetch("/to?" + encodeURIComponent("${trap}/redirected"), { mode: "no-cors" }).finally(() => say("redirect done"));
const socket = new WebSocket("${trap.replace("http", "ws")}/socket");
socket.onerror = () => say("socket refused");
const picture = new Image(); picture.onerror = () => say("picture refused"); picture.src = "${trap}/picture";
fetch("file:///etc/passwd").then(() => say("file through"), () => say("file refused"));
</script><iframe src="${trap}/frame"></iframe><script src="${trap}/script"></script><link rel=stylesheet href="${trap}/style">`;

describe("the network of a browser", { skip: cells.missing }, () => {
  it("leads to no private address, neither directly nor behind a redirect", async () => {
    await using site = await startServers(() => ({}));
    await using here = browserWorld(cells);
    const hosts = ["10.0.0.1", "169.254.169.254", "127.0.0.2", "0x7f.2", "[::1]", "[::ffff:127.0.0.2]"];
    for (const host of hosts) {
      const refused = failsWith("forbidden", /leads to this machine, or to an address that is not public/);
      await assert.rejects(here.ask("open", { url: `http://${host}:${site.trap.port}/` }), refused, host);
    }
    await assert.rejects(here.ask("open", { url: "https://10.0.0.1/" }), failsWith("forbidden"));
    for (const target of [site.trap.url, "http://192.168.1.1/", "https://[fd00::1]/"]) {
      const url = `${site.url}/to?${encodeURIComponent(target)}`;
      await assert.rejects(here.ask("open", { url }), failsWith("forbidden"), target);
    }
    assert.deepEqual(site.visits, []);
  });

  it("leads nowhere else for the scripts, frames and pictures of a page", async () => {
    await using site = await startServers((trap) => ({ "/page": attempts(trap) }));
    // A quarter of it is how long a frame that was refused may keep the description of its page waiting.
    await using here = browserWorld(cells, { actionMs: 60_000 });
    const url = `${site.url}/page`;
    let { content } = await here.ask("open", { url });
    const wanted = [
      "fetch refused",
      "blind done",
      "redirect done",
      "socket refused",
      "picture refused",
      "file refused",
    ];
    for (let left = 30; left > 0 && !wanted.every((one) => content.includes(one)); left -= 1)
      ({ content } = await here.ask("read", { url }));
    for (const one of wanted) assert.ok(content.includes(one), `${one} in ${content}`);
    assert.doesNotMatch(content, /through|secret/);
    assert.deepEqual(site.visits, []);
  });

  it("follows a name to the very addresses that were checked, each time anew", async () => {
    const answers = [[v4("127.0.0.1")], [v4("127.0.0.2")], [v4("127.0.0.1"), v4("127.0.0.2")]];
    const resolve = async (name: string) => (name === "rebound.example" && answers.shift()) || [v4("127.0.0.2")];
    await using site = await startServers(() => ({ "/": "<p>public" }));
    await using here = browserWorld(cells, { guard: { resolve, permits: (address) => address === "127.0.0.1" } });
    const first = await here.ask("open", { url: `http://rebound.example:${site.port}/` });
    assert.match(first.content, /public/);
    for (let again = 0; again < 3; again += 1) {
      await assert.rejects(
        here.ask("open", { url: `http://rebound.example:${site.trap.port}/again` }),
        failsWith("forbidden", /rebound\.example/),
      );
    }
    assert.deepEqual(site.visits, []);
  });

  it("opens no file, no setting and no other scheme, also for a page", async () => {
    const page = `<a href="file:///etc/passwd">File</a><button onclick="location.href='file:///etc/passwd'">Go</button>
      <button onclick="open('chrome://version')">Settings</button><a href="view-source:about:blank">Source</a>`;
    await using site = await startServers(() => ({ "/": page }));
    await using here = browserWorld(cells, { actionMs: 60_000 });
    for (const url of [
      "file:///etc/passwd",
      "chrome://version",
      "javascript:alert(1)",
      "data:text/html,x",
      "about:blank",
    ])
      await assert.rejects(here.ask("open", { url }), failsWith("invalid_request"), url);
    await assert.rejects(here.ask("open", { url: "http://me:secret@example.org/" }), failsWith("invalid_request"));
    const url = `${site.url}/`;
    for (const name of ["File", "Go", "Settings", "Source"]) {
      const opened = await here.ask("open", { url });
      const after = await here.ask("click", { url, ...elementIn(opened, `"${name}"`) }).catch((error: Error) => error);
      const text = after instanceof Error ? after.message : after.content;
      assert.doesNotMatch(text, /root:|Executable Path|chrome:\/\//, name);
    }
  });
});

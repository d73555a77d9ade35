import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { LoopbackServer } from "@talaria/testkit";
import { maskedFetch, maskedSpawn } from "./mcp-masked.ts";

const canary = "canary-0123456789abcdef";
const base64 = (words: string) => Buffer.from(words).toString("base64");

describe("what an MCP server says", () => {
  it("has stars for what its requests carried, however it is cut, and nothing else changed", async () => {
    const server = await LoopbackServer.listen(({ headers, url }, response) => {
      response.writeHead(200, { "content-type": "text/event-stream", "x-kept": "yes" });
      const echo = `data: ${JSON.stringify({ url, headers, again: base64(`me:${canary}`) })}\n\n`;
      for (const sign of echo) response.write(sign);
      response.end();
    });
    try {
      const fetch = maskedFetch(globalThis.fetch);
      for (const headers of [
        { authorization: `Bearer ${canary}` },
        { "x-api-key": canary },
        { "x-token": canary, "x-project": "projected" },
      ] as Record<string, string>[]) {
        const answer = await fetch(`${server.url}/a`, { headers });
        assert.deepEqual([answer.status, answer.url, answer.headers.get("x-kept")], [200, `${server.url}/a`, "yes"]);
        const said = await answer.text();
        assert.ok(!said.includes(canary) && !said.includes(base64(`me:${canary}`)), said);
        assert.match(said, /\*{23}/);
        assert.equal(said.includes("projected"), "x-project" in headers, "a word that is no secret stays");
        JSON.parse(said.slice("data: ".length));
      }
      const plain = await (await fetch(`${server.url}/`, { headers: { "mcp-session-id": canary } })).text();
      assert.ok(plain.includes(canary), "a session is no secret of the operator's");
    } finally {
      await server.stop();
    }
  });

  it("has stars for secrets among a program's variables, also where it complains", async () => {
    const run = maskedSpawn(async ({ command: [program, ...words], variables }) => {
      const child = spawn(program, words, { env: variables, stdio: "pipe" });
      const ended = new Promise<string>((resolve) => child.once("exit", (code) => resolve(`exit code ${code}`)));
      return {
        stdin: child.stdin,
        stdout: child.stdout,
        stderr: child.stderr,
        ended,
        kill: async () => void child.kill(),
      };
    });
    const script = `const { API_TOKEN: token, PLACE: place } = process.env;
process.stdin.once("data", () => { for (const sign of JSON.stringify({ token, place }) + "\\n") process.stdout.write(sign); console.error("no", token); process.exit(3); });`;
    const child = await run({
      ...{ server: "own", command: [process.execPath, "-e", script], readable: [] },
      variables: { API_TOKEN: canary, PLACE: "somewhere" },
    });
    child.stdin.write("go\n");
    const [out, complaint, end] = await Promise.all([text(child.stdout), text(child.stderr), child.ended]);
    assert.deepEqual(JSON.parse(out), { token: "*".repeat(23), place: "somewhere" });
    assert.deepEqual([complaint, end], [`no ${"*".repeat(23)}\n`, "exit code 3"]);
  });
});

import assert from "node:assert/strict";
import { mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { runTalaria } from "../../../../tests/support/run-talaria.ts";

describe("the token of the console", () => {
  let talaria: Installation;
  before(async () => {
    talaria = await Installation.start({ database: "shared", port: 0 });
  });
  after(() => talaria.remove());

  async function gateway(): Promise<string> {
    return (await readFile(join(talaria.home, "gateway.url"), "utf8")).trim();
  }

  it("is shown, and stands in the address of the console at the port that is really used", async () => {
    assert.equal(await talaria.talaria("token", "show"), `${talaria.token}\n`);
    const { port } = new URL(await gateway());
    assert.notEqual(port, "0");
    assert.equal(await talaria.talaria("open"), `http://127.0.0.1:${port}/console/#token=${talaria.token}\n`);
    assert.match(talaria.output, new RegExp(`ready after .*: http://127.0.0.1:${port}/console/ \\(token: `));
    assert.match(await talaria.talaria("status"), new RegExp(`^console +http://127.0.0.1:${port}/console/$`, "m"));
  });

  it("is rotated while it runs: the former one is refused and its open streams end", async () => {
    const former = { authorization: `Bearer ${talaria.token}` };
    const stream = await fetch(`${await gateway()}/api/conversations/here/stream`, { headers: former });
    assert.equal(stream.status, 200);
    const ended = (async () => {
      for await (const _ of stream.body ?? []);
    })().catch(() => undefined);
    assert.match(
      await talaria.talaria("token", "rotate"),
      /The former one no longer works, .*: `talaria token show` prints it, `talaria open`/,
    );
    await ended;
    const file = join(talaria.home, "token");
    const token = (await readFile(file, "utf8")).trim();
    assert.notEqual(token, talaria.token);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const url = `${await gateway()}/api/connections`;
    assert.equal((await fetch(url, { headers: former })).status, 401);
    assert.equal((await fetch(url, { headers: { authorization: `Bearer ${token}` } })).status, 200);
  });
});

it("a token that the configuration sets is not rotated, and the remedy is named", async () => {
  const home = await mkdtemp(join(tmpdir(), "talaria-token-"));
  await writeFile(join(home, "config.yaml"), "auth: { token: a-token-of-the-configuration }\n", { mode: 0o600 });
  const { code, stderr } = await runTalaria(["token", "rotate", "--home", home]);
  assert.deepEqual([code, /auth\.token of the configuration sets the token/.test(stderr)], [1, true]);
  await rm(home, { recursive: true });
});

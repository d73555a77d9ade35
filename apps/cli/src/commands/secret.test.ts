import assert from "node:assert/strict";
import { once } from "node:events";
import { chmod, mkdir, mkdtemp, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";

const [one, two, three] = ["a-token-of-the-first-days", "a-token-of-the-second-days", "a-token-of-the-third-days"];

describe("secrets of a running installation", () => {
  let talaria: Installation;
  let home: string;
  before(async () => {
    home = await mkdtemp(join(tmpdir(), "talaria-secret-"));
    await mkdir(join(home, "secrets"));
    await writeFile(join(home, "secrets", "console"), `${one}\n`, { mode: 0o600 });
    const config = `auth: { token: { file: secrets/console } }
accounts:
  lacking: { platform: telegram, token: { file: secrets/lacking } }
`;
    talaria = await Installation.start({ home, config, database: "shared" });
  });
  after(async () => {
    await talaria.remove();
    await rm(home, { recursive: true, force: true });
  });

  async function statusWith(token: string): Promise<number | undefined> {
    const headers = { authorization: `Bearer ${token}` };
    const response = await fetch(`${talaria.url}/api/connections`, { headers }).catch(() => undefined);
    await response?.body?.cancel();
    return response?.status;
  }

  async function set(name: string, text: string) {
    const child = talaria.command("secret", "set", name);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
    child.stdin.end(text);
    const [code] = await once(child, "close");
    return { code, output };
  }

  it("are set from standard input, private, and in use without a restart, although another account lacks its own", async () => {
    assert.equal(await statusWith(one), 200);
    const { code, output } = await set("console", `${two}\n`);
    const file = join(home, "secrets", "console");
    assert.deepEqual([code, output], [0, `written: ${file}\nTalaria takes it into use within seconds\n`]);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    await waitFor(async () => (await statusWith(two)) === 200, "the new token");
    assert.equal(await statusWith(one), 401);
    await waitFor(() => talaria.output.includes("the new secrets are in use"), "the line");
    assert.ok(talaria.output.includes(`${file} has changed: gateway and workers restart one after another\n`));
    assert.ok(!talaria.output.includes(two));
  });

  it("stay as they are when the new file can't be used, and count when it can", async () => {
    const file = join(home, "secrets", "console");
    await chmod(file, 0o644);
    await writeFile(file, three);
    await waitFor(() => talaria.output.includes("secret file secrets/console is open to other users"), "the refusal");
    assert.equal(await statusWith(two), 200);
    await chmod(file, 0o600);
    await waitFor(async () => (await statusWith(three)) === 200, "the third token");
  });

  it("are refused when they are empty, too large or have a name that leads elsewhere", async () => {
    for (const [name, text, says] of [
      ["console", "\n", /is empty: nothing was written/],
      ["console", "x".repeat(70_000), /at most 64 KiB/],
      ["../config.yaml", "x", /the name of a secret must be/],
    ] as const) {
      const { code, output } = await set(name, text);
      assert.equal(code, 1);
      assert.match(output, says);
    }
    assert.equal(await readFile(join(home, "secrets", "console"), "utf8"), three);
  });

  it("are not written under a name that is nearly one of the configuration's, unless one wants it so", async () => {
    const { code, output } = await set("Console", "a key");
    assert.equal(code, 1);
    assert.match(output, /names no secret Console: did you mean "console"\? Nothing was written/);
    assert.match(output, /It names console, lacking;/);
    await assert.rejects(readFile(join(home, "secrets", "consol")));
    const wanted = talaria.command("secret", "set", "consol", "--new");
    wanted.stdin.end("a key");
    assert.deepEqual(await once(wanted, "close"), [0, null]);
    assert.equal(await readFile(join(home, "secrets", "consol"), "utf8"), "a key\n");
  });

  it("are listed by their names, with those that are missing", async () => {
    assert.equal(await talaria.talaria("secret", "list"), "console\nlacking (missing)\n");
  });

  it("are written where the configuration does not name them yet, and it is said", async () => {
    const { output } = await set("later", "a key");
    assert.match(output, /does not name it yet: write \{ file: secrets\/later \} where/);
    assert.equal(await readFile(join(home, "secrets", "later"), "utf8"), "a key\n");
  });
});

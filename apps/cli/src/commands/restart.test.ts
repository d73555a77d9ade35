import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { Installation } from "../../../../tests/support/installation.ts";
import { waitFor } from "../../../../tests/support/wait-for.ts";

const fault = /config\.yaml:\d+:\d+ agent\.nmae: unknown key; did you mean "name"\?/;

describe("a configuration that was broken while Talaria runs", () => {
  let talaria: Installation;
  let file: string;
  let valid: string;
  before(async () => {
    talaria = await Installation.start({ config: "agent: { name: First }\n", database: "shared" });
    file = join(talaria.home, "config.yaml");
    valid = await readFile(file, "utf8");
  });
  after(() => talaria.remove());

  const broken = () => writeFile(file, valid.replace("name: First", "nmae: Hermes"));

  async function run(...words: readonly string[]) {
    const child = talaria.command(...words);
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream.on("data", (part) => (output += part));
    child.stdin.end("a key");
    const [code] = await once(child, "close");
    return { code, output };
  }

  it("is the first that `status` says, and stands in the log as a warning", async () => {
    await talaria.say("office", "/sethome");
    await talaria.waitForLine("office", /I'll ask you here/);
    await broken();
    const first = async () => (await run("status")).output.split("\n")[0] ?? "";
    await waitFor(async () => fault.test(await first()), "the problem");
    assert.match(await first(), /^PROBLEM +the changed configuration is not in use.*`.*talaria.* check` tries it$/);
    const { output } = await run("logs", "--level", "warn");
    assert.match(output, /WARN +start +the new configuration is not used/);
    assert.match(output, fault);
  });

  it("is told to owners at home and in the console, with file, line and key", async () => {
    const told = await talaria.waitForLine(
      "office",
      /^Something needs mending\. The changed configuration is not in use/,
    );
    assert.match(told.markdown, fault);
    assert.match(told.markdown, /`\. Mend the file; `talaria check` tries it\.\n/);
    const answer = await talaria.fetch("/api/connections");
    const { problems } = (await answer.json()) as { problems: readonly { kind: string; line: string }[] };
    assert.equal(problems[0]?.kind, "configuration");
    assert.match(problems[0]?.line ?? "", fault);
  });

  it("is refused by `restart` with the words of `check`, and nothing is stopped", async () => {
    const before = (await talaria.processes()).map(({ pid }) => pid);
    const { code, output } = await run("restart");
    const { output: checked } = await run("check");
    assert.equal(code, 1);
    assert.ok(output.startsWith("talaria: nothing was stopped"), output);
    assert.match(checked, fault);
    assert.ok(output.endsWith(checked), output);
    assert.deepEqual(
      (await talaria.processes()).map(({ pid }) => pid),
      before,
    );
  });

  it("keeps a secret from being used, which `secret set` says", async () => {
    const { code, output } = await run("secret", "set", "later");
    assert.equal(code, 0);
    assert.match(output, /it is not used while the configuration is wrong:\n/);
    assert.match(output, fault);
    assert.doesNotMatch(output, /within seconds/);
  });

  it("is no problem any more once the file is mended", async () => {
    await writeFile(file, valid);
    await waitFor(async () => !/not in use/.test((await run("status")).output), "the end of the problem");
    await talaria.waitForLine("office", /^It's over: I use what my configuration file says again/);
  });

  it("that fails a restart all the same is told at once, with the reason", async () => {
    const elsewhere = await mkdtemp(join(tmpdir(), "talaria-restart-"));
    await writeFile(join(elsewhere, "valid.yaml"), valid);
    await broken();
    const { code, output } = await run("restart", "--config", join(elsewhere, "valid.yaml"));
    await rm(elsewhere, { recursive: true });
    assert.equal(code, 1);
    assert.match(
      output,
      /^talaria: Talaria was stopped and did not start again on .*: the configuration has 1 problem/,
    );
    assert.match(output, fault);
  });
});

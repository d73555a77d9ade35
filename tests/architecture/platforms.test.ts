import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { loadPlatform, ownPlatforms, platformNames } from "@talaria/platforms";
import { platformOf } from "@talaria/protocol";
import { z } from "zod";
import { root } from "./repository.ts";

const run = promisify(execFile);

/** What an operator looks for in every guide: how a heading of it reads. */
const sections: readonly RegExp[] = [/what works/i, /what does not/i, /^When something is wrong$/, /^Capabilities$/];

/** What the guide of a platform lacks. */
function faultsOf(guide: string, name: string): readonly string[] {
  const headings = [...guide.matchAll(/^## (.+)$/gm)].map(([, heading = ""]) => heading);
  const missing = sections.filter((section) => !headings.some((heading) => section.test(heading)));
  const [, capabilities = ""] = guide.split(/^## Capabilities$/m);
  return [
    ...missing.map((section) => `no section ${section.source}`),
    ...(/^# \S/.test(guide) ? [] : ["no title"]),
    ...(guide.includes(`platform: ${name}\n`) ? [] : ["no account to copy"]),
    ...(/^\| `maxTextLength` /m.test(capabilities) ? [] : ["no table of capabilities"]),
  ];
}

for (const name of platformNames)
  describe(`the platform ${name}`, () => {
    it("has a guide with the sections that every guide has", () => {
      const guide = readFileSync(new URL(`packages/adapters/${name}/GUIDE.md`, root), "utf8");
      assert.deepEqual(faultsOf(guide, name), []);
    });

    it("is described under its own name, by a key that its settings have", async () => {
      const module = (await loadPlatform(name)) ?? assert.fail();
      assert.equal(module.name, name);
      assert.equal(platformOf(name), name);
      const settings = JSON.stringify(z.toJSONSchema(module.configSchema, { io: "input", unrepresentable: "any" }));
      assert.ok(settings.includes(`"${module.identityKey}":`), module.identityKey);
      for (const { key } of module.setup.questions) assert.ok(settings.includes(`"${key.split(".")[0]}":`), key);
    });

    it("says of ids what its example shows, and takes no names", async () => {
      const { ids } = (await loadPlatform(name)) ?? assert.fail();
      for (const entry of ids.example.split(", ")) {
        const [, kind, id = ""] = new RegExp(`^${name}:(user|group):(.+)$`).exec(entry) ?? assert.fail(entry);
        assert.match(id, kind === "user" ? ids.user : ids.group);
      }
      for (const form of [ids.user, ids.group]) assert.doesNotMatch("Ada Lovelace", form);
    });

    it("tells the operator and the agent what they need", async () => {
      const { setup, hint } = (await loadPlatform(name)) ?? assert.fail();
      assert.ok(setup.steps.length > 0 && setup.questions.length > 0 && setup.greet !== "");
      assert.match(hint, /^Your answer .+\.$/);
    });
  });

describe("the list of platforms", () => {
  it("is what the schema, the table of keys and README.md list", async () => {
    const script = fileURLToPath(new URL("scripts/generate-schema.ts", root));
    const { stdout, stderr } = await run(process.execPath, [script, "--check"]);
    assert.equal(stdout + stderr, "");
  });

  it("has none of the gateway's own", async () => {
    for (const load of Object.values(ownPlatforms)) assert.ok(!platformNames.includes((await load()).name));
  });
});

describe("a guide", () => {
  it("is caught when it lacks something", () => {
    assert.deepEqual(faultsOf("## What works, and what does not\n\n## Capabilities\n\nnone\n", "x"), [
      "no section ^When something is wrong$",
      "no title",
      "no account to copy",
      "no table of capabilities",
    ]);
  });
});

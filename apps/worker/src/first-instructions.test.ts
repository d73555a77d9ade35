import assert from "node:assert/strict";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { holdsInstructions, instructionsBlock } from "@talaria/agent";
import { brandAs, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import { createSandbox } from "@talaria/sandbox";
import { createFirstInstructions, type FirstInstructionsOptions } from "./first-instructions.ts";

const sessionKey = brandAs<SessionKey>("telegram-main/42");

async function world(sandbox: object = {}, agent: object = {}) {
  const folder = await mkdtemp(join(tmpdir(), "talaria-first-"));
  const config = {
    agent: { workspaceInstructions: true, ...agent },
    sandbox: { backend: "local", ...sandbox },
  } as unknown as FirstInstructionsOptions["config"];
  return {
    folder,
    instructions: createFirstInstructions({ config, workspaceFolder: folder, clock: systemClock, log: silentLog }),
    /** As a turn leaves it. */
    write: async (path: string, text: string) => {
      const inside = createSandbox({ backend: "local", unsafe: true, folder }, { clock: systemClock, log: silentLog });
      await inside.start();
      await (await inside.open(sessionKey)).write(path, Buffer.from(text));
      await inside.stop();
    },
    [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }),
  };
}

describe("what a workspace says to agents when a memory begins", () => {
  it("is found without opening the workspace, by the order of the names", async () => {
    await using here = await world();
    assert.equal(await here.instructions(sessionKey), "", "nothing was ever written here");
    await here.write(".github/copilot-instructions.md", "use hooks");
    assert.match(await here.instructions(sessionKey), /path=".github\/copilot-instructions.md">\nuse hooks\n/);
    await here.write("AGENTS.md", "use tabs\n");
    const found = await here.instructions(sessionKey);
    assert.equal(holdsInstructions(found), true);
    const bytes = Buffer.from("use tabs\n");
    assert.ok(found.endsWith(`\n\n${instructionsBlock({ path: "AGENTS.md", bytes, size: bytes.length })}`));
    assert.equal(await here.instructions(brandAs("telegram-main/43")), "", "another session's");
  });

  it("is not looked for where the operator doesn't want it, or the folder is elsewhere", async () => {
    for (const [sandbox, agent] of [
      [{}, { workspaceInstructions: false }],
      [{ backend: "off" }, {}],
      [{ backend: "ssh" }, {}],
    ] as const) {
      await using here = await world(sandbox, agent);
      await here.write("AGENTS.md", "use tabs");
      assert.equal(await here.instructions(sessionKey), "");
    }
  });

  it("keeps no message waiting when nothing can be read", async () => {
    await using here = await world({ folder: "/proc/self/mem" });
    assert.equal(await here.instructions(sessionKey), "");
    await using file = await world();
    await mkdir(file.folder, { recursive: true });
    await writeFile(join(file.folder, "x"), "");
    await using below = await world({ folder: join(file.folder, "x") });
    assert.equal(await below.instructions(sessionKey), "");
  });
});

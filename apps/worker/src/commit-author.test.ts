import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Workspace } from "@talaria/agent";
import {
  type Asker,
  brandAs,
  type Sender,
  type SessionKey,
  silentLog,
  systemClock,
  type UserId,
} from "@talaria/protocol";
import { createSandbox, type Sandbox } from "@talaria/sandbox";
import { type Requested, withCommitAuthor } from "./commit-author.ts";

const authors = {
  "telegram:user:1": { name: `Ada "A" O'Hara $(id)`, email: "ada@example.org" },
  "telegram:user:2": { name: "Bob", email: "bob@example.org" },
};
const options = { timeoutMs: 120_000, signal: new AbortController().signal, maxOutputChars: 10_000 };
const commit = "git commit -q --allow-empty -m x && git log -1 --format='%an <%ae> %cn'";

describe("commits that the agent makes for somebody", () => {
  let folder: string;
  let sandbox: Sandbox;
  let workspace: Workspace;
  let requested: Requested;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), "commits-"));
    const author = { name: "Talaria", email: "talaria@localhost" };
    sandbox = createSandbox({ backend: "local", folder, unsafe: true, author }, { clock: systemClock, log: silentLog });
    await sandbox.start();
    const opened = await sandbox.open(brandAs<SessionKey>("a"));
    workspace = withCommitAuthor(opened, () => requested);
    await opened.run("git init -q g && cd g", options);
  });
  after(async () => {
    await sandbox?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const asker = (id: string, more: Partial<Sender> = {}): Asker => ({
    sender: {
      userId: brandAs<UserId>(id),
      role: "person",
      displayName: "Mallory <m@x>",
      assurance: "platform",
      ...more,
    },
    role: "member",
  });

  const made = async (askers: readonly Asker[], platform: Requested["platform"] = "telegram") => {
    requested = { askers, platform, authors };
    return (await workspace.run(commit, options)).output;
  };

  it("are theirs while they alone ask, as the operator names them, and of nobody else", async () => {
    assert.equal(await made([asker("1")]), `Ada "A" O'Hara $(id) <ada@example.org> Talaria\n`);
    assert.equal(await made([asker("2"), asker("2")]), "Bob <bob@example.org> Talaria\n");
    const agents = "Talaria <talaria@localhost> Talaria\n";
    for (const askers of [
      [],
      [asker("1"), asker("2")],
      [asker("3")],
      [asker("constructor")],
      [asker("1", { assurance: "claimed" })],
      [asker("1", { role: "system" })],
      [asker("1", { role: "bot" })],
    ])
      assert.equal(await made(askers), agents);
    assert.equal(await made([asker("1")], "discord"), agents);
  });

  it("are theirs from programs without the shell, and the agent's where it says so itself", async () => {
    requested = { askers: [asker("2")], platform: "telegram", authors };
    const { output } = await workspace.exec({ command: commit, folder: "g" }, options);
    assert.equal(output, "Bob <bob@example.org> Talaria\n");
    const own = commit.replace("-m x", "-m x --author='Eve <eve@example.org>'");
    assert.equal((await workspace.run(own, options)).output, "Eve <eve@example.org> Talaria\n");
  });
});

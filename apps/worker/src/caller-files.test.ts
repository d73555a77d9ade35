import assert from "node:assert/strict";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { it, type TestContext } from "node:test";
import { type AskedCall, defineTool, type KnownFile, type ToolResultEntry } from "@talaria/agent";
import { loadConfig } from "@talaria/config";
import { brandAs, type MediaRef, type SessionKey, silentLog, systemClock } from "@talaria/protocol";
import type { MarkedFiles } from "@talaria/store";
import { z } from "zod";
import { callerFiles } from "./caller-files.ts";
import { CallerJournal } from "./caller-journal.ts";
import { commandReach } from "./command-reach.ts";
import { createWorkspaces } from "./workspaces.ts";

const words = Buffer.from("words of a page");
const file: KnownFile = {
  id: "a".repeat(12),
  ref: brandAs<MediaRef>(`sha256:${"a".repeat(64)}`),
  mimeType: "text/plain",
  byteLength: words.length,
  name: "page",
  kind: "file",
  isSent: true,
};
const reads = defineTool({
  name: "reads",
  description: "Reads.",
  effect: "read",
  permissions: ["fs.read"],
  input: z.object({ path: z.string() }),
  targets: ({ path }) => [{ kind: "path", path, isInWorkspace: true }],
  execute: async () => ({ content: "" }),
});
const key = brandAs<SessionKey>("mcp/ide-1");

/** A caller's workspace on this machine, and the marks that are kept of it. */
async function caller(test: TestContext, isKept: () => boolean = () => true) {
  const folder = await mkdtemp(join(tmpdir(), "talaria-caller-files-"));
  const { sandbox } = loadConfig("sandbox: { backend: local, unsafe: true }\n", {
    file: "talaria.yaml",
    env: {},
  }).config;
  const workspaces = createWorkspaces({
    ...{ config: sandbox, folder, hidden: [], clock: systemClock, log: silentLog },
  });
  test.after(async () => {
    await workspaces.stop();
    await rm(folder, { recursive: true, force: true });
  });
  assert.ok(await workspaces.usable());
  const kept: { marks: MarkedFiles | undefined } = { marks: undefined };
  const journal = new CallerJournal({ name: "ide", role: "owner" }, 0);
  const asked = (one: Pick<AskedCall, "tool" | "call" | "input">): AskedCall => ({
    ...{ ...one, conversation: journal.conversation, tools: new Map([["reads", reads]]) },
    ...{ history: [], journal: journal.entries },
  });
  const begin = () =>
    callerFiles(
      {
        ...{ workspace: key, workspaces, commands: commandReach(sandbox), log: silentLog },
        store: {
          ofCaller: async () => kept.marks,
          markOfCaller: async (_, files) => {
            if (!isKept()) throw new Error("the database is away");
            kept.marks = files === "all" || kept.marks === "all" ? "all" : [...(kept.marks ?? []), ...files];
          },
        },
      },
      asked,
    );
  const media = {
    read: async () => words,
    put: async () => ({ ref: file.ref, mimeType: file.mimeType, byteLength: words.length }),
  };
  const open = (files: readonly KnownFile[], path: string, given = begin()) => {
    const call = { callId: "c", name: "reads", arguments: "{}" };
    const ready = { status: "ready", call, tool: reads, input: { path } } as const;
    return given.open(files, media)(ready, test.signal);
  };
  return { begin, open, kept, workspaces };
}

it("what a tool has kept lies in the caller's inbox before a call works there, and is marked", async (test) => {
  const { begin, open, kept } = await caller(test);
  const files = begin();
  const both = await Promise.all([open([file], "inbox", files), open([file], "inbox", files)]);
  for (const opened of both) {
    assert.ok("missing" in opened && opened.workspace !== undefined, JSON.stringify(opened));
    const [folder] = await opened.workspace.list("inbox", 5);
    const found = await opened.workspace.list(`inbox/${folder?.name}`, 5);
    assert.equal(found.length, 1);
  }
  assert.deepEqual(kept.marks, ["inbox"]);
  assert.equal(files.files.brings({ tool: reads, input: { path: "inbox/x" } }), true);
  assert.equal(files.files.brings({ tool: reads, input: { path: "other" } }), false);
});

it("what an older release left there, without marks, counts as a stranger's; an empty place does not", async (test) => {
  const { begin, open, kept, workspaces } = await caller(test);
  await open([], "a.txt");
  assert.deepEqual(kept.marks, []);
  await (await workspaces.open(key)).write("a.txt", words);
  const known = begin();
  await open([], "a.txt", known);
  assert.equal(known.files.brings({ tool: reads, input: { path: "a.txt" } }), false);
  kept.marks = undefined;
  const older = begin();
  await open([], "a.txt", older);
  assert.equal(kept.marks, "all");
  assert.equal(older.files.brings({ tool: reads, input: { path: "a.txt" } }), true);
});

it("a call whose files can't be marked does not run, and the next one may", async (test) => {
  let isThere = false;
  const { begin, open } = await caller(test, () => isThere);
  const files = begin();
  const refused = (await open([], "a.txt", files)) as ToolResultEntry;
  assert.match(refused.content, /^Error: not run, because the database does not answer/);
  isThere = true;
  assert.ok("missing" in (await open([], "a.txt", files)));
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AskedCall, defineTool, type TranscriptEntry } from "@talaria/agent";
import { brandAs, type Conversation, type Permission, type Role, type SessionKey } from "@talaria/protocol";
import type { MarkedFiles } from "@talaria/store";
import { messageFrom } from "@talaria/testkit";
import { z } from "zod";
import { createFileTaint } from "./file-taint.ts";

function toolOf(name: string, permissions: readonly Permission[]) {
  return defineTool({
    name,
    description: name,
    effect: "write",
    permissions,
    input: z.object({ path: z.string().optional() }),
    targets: ({ path }) => (path === undefined ? [] : [{ kind: "path", path, isInWorkspace: true }]),
    execute: () => Promise.resolve({ content: "" }),
  });
}

const tools = {
  writes: toolOf("writes", ["fs.read", "fs.write"]),
  reads: toolOf("reads", ["fs.read"]),
  runs: toolOf("runs", ["exec"]),
  fetches: toolOf("fetches", ["net"]),
};

function saidBy(role: Role): TranscriptEntry {
  const { id, message, sender, occurredAt } = messageFrom({ from: role, text: "Go on." });
  const { markdown } = message;
  return { kind: "user", eventId: id, sender, markdown, attachments: [], at: occurredAt, role };
}

const page = { kind: "tool.result", callId: "p", name: "web", content: "", isError: false, untrusted: true } as const;

/** A session whose files are marked so far. */
function session(marked: MarkedFiles = [], hasNetwork = false) {
  const wrote: MarkedFiles[] = [];
  const taint = createFileTaint({
    sessionKey: brandAs<SessionKey>("s"),
    of: async () => marked,
    keep: async (files) => {
      wrote.push(files);
    },
    commands: { isSandboxed: true, hasNetwork },
    patiently: (work) => work(false),
    folder: () => "/workspace",
  });
  const asked = (tool: keyof typeof tools, path?: string, more: Partial<AskedCall> = {}): AskedCall => ({
    tool: tools[tool],
    call: { callId: "c", name: tool, arguments: "{}" },
    input: path === undefined ? {} : { path },
    conversation: conversationOf("direct"),
    tools: new Map(Object.values(tools).map((one) => [one.name, one])),
    history: [],
    journal: [saidBy("owner")],
    ...more,
  });
  return { taint, wrote, asked };
}

function conversationOf(kind: Conversation["kind"]): Conversation {
  return { ...messageFrom({ text: "" }).conversation, kind };
}

const tainted = { journal: [saidBy("owner"), page] };

describe("which files may hold words of strangers", () => {
  it("are those of a marked folder, for whoever reads below it or runs a command", async () => {
    const { taint, wrote, asked } = session();
    await taint.markPath("inbox");
    await taint.markPath("inbox");
    assert.deepEqual(wrote, [["inbox"]]);
    await taint.mark(asked("reads", "inbox/aa/table.csv"), false);
    assert.equal(taint.brings(asked("reads", "inbox/aa/table.csv")), true);
    assert.equal(taint.brings(asked("reads", "clean.csv")), false);
    assert.equal(taint.brings(asked("runs")), true);
  });

  it("are those that a tainted turn writes, and all of them once it runs something", async () => {
    const { taint, wrote, asked } = session();
    await taint.mark(asked("writes", "own.txt"), false);
    await taint.mark(asked("runs"), false);
    await taint.mark(asked("reads", "own.txt", tainted), false);
    assert.deepEqual(wrote, []);
    await taint.mark(asked("writes", "/workspace/a/../b.txt", tainted), false);
    await taint.mark(asked("writes", "./b.txt", tainted), false);
    assert.deepEqual(wrote, [["b.txt"]], "each once");
    const odd = session();
    await odd.taint.mark(odd.asked("writes", "a\0b", tainted), false);
    assert.deepEqual(odd.wrote, [["."]]);
    await taint.mark(asked("runs", undefined, tainted), false);
    await taint.mark(asked("writes", "c.txt", tainted), false);
    assert.deepEqual(wrote, [["b.txt"], "all"]);
  });

  it("are all of them once a command ran that has network, or may have copied one", async () => {
    const open = session([], true);
    await open.taint.mark(open.asked("runs"), false);
    assert.deepEqual(open.wrote, ["all"]);
    const copying = session(["x.txt"]);
    await copying.taint.mark(copying.asked("runs"), false);
    assert.deepEqual(copying.wrote, ["all"]);
  });

  it("are all of them once code has fetched something", async () => {
    const { taint, wrote, asked } = session();
    await taint.mark(asked("fetches"), false);
    assert.deepEqual(wrote, []);
    await taint.mark(asked("fetches"), true);
    assert.deepEqual(wrote, ["all"]);
  });

  it("are those of people with fewer rights in a conversation of several people", async () => {
    const member = { journal: [saidBy("member")] };
    const alone = session();
    await alone.taint.mark(alone.asked("writes", "a.txt", member), false);
    assert.deepEqual(alone.wrote, []);
    const shared = session();
    const group = { conversation: conversationOf("group") };
    await shared.taint.mark(shared.asked("writes", "a.txt", group), false);
    assert.deepEqual(shared.wrote, []);
    await shared.taint.mark(shared.asked("writes", "a.txt", { ...member, ...group }), false);
    assert.deepEqual(shared.wrote, [["a.txt"]]);
  });

  it("taint by being read, by their folder's listing, and by any command", async () => {
    const { taint, asked } = session(["notes/a.txt"]);
    await taint.mark(asked("reads", "b.txt"), false);
    const brings = (path?: string, tool: keyof typeof tools = "reads") => taint.brings(asked(tool, path));
    assert.deepEqual(
      ["notes/a.txt", "/workspace/notes/a.txt", "notes", ".", "notes/a.txt/x"].map((path) => brings(path)),
      [true, true, true, true, true],
    );
    assert.deepEqual(
      ["b.txt", "notes/ab.txt", "note", "other/notes/a.txt"].map((path) => brings(path)),
      [false, false, false, false],
    );
    assert.equal(brings(undefined, "runs"), true);
    const clean = session();
    await clean.taint.mark(clean.asked("runs"), false);
    assert.equal(clean.taint.brings(clean.asked("runs")), false);
  });
});

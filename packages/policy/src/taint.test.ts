import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { type Assurance, brandAs, type EventId, type Instant, type Role, type UserId } from "@talaria/protocol";
import { bringsContent, type Entered, type TaintSettings, taintOf, untainted } from "./index.ts";
import { command, path } from "./testing/requests.ts";

const settings: TaintSettings = {
  role: "owner",
  isTrustedTool: (name) => name === "current_time",
  isOwn: ({ userId }) => userId === "bot",
};

function words(role: Role | undefined, more: object = {}, assurance: Assurance = "platform") {
  return {
    kind: "user" as const,
    eventId: brandAs<EventId>("e"),
    sender: { userId: brandAs<UserId>("ada"), role: "person" as const, displayName: "Ada", assurance },
    ...(role === undefined ? {} : { role }),
    markdown: "hello",
    attachments: [],
    at: brandAs<Instant>("2026-01-01T00:00:00.000Z"),
    ...more,
  } satisfies TranscriptEntry;
}

function sources(entries: readonly Entered[], more: Partial<TaintSettings> = {}): readonly string[] {
  const { isTainted, sources: found } = taintOf(entries, { ...settings, ...more });
  assert.equal(isTainted, found.length > 0);
  return found.map(({ kind, name }) => `${kind} ${name}`);
}

describe("taint", () => {
  it("is not there when only the ones who ask and the agent itself have spoken", () => {
    const entries: readonly TranscriptEntry[] = [
      words("owner"),
      { kind: "assistant", content: "", toolCalls: [], model: "m", stop: "stop" as never },
      { kind: "tool.started", callId: "1", name: "current_time" },
      { kind: "tool.result", callId: "1", name: "current_time", content: "noon", isError: false },
      { kind: "note", text: "restarted" },
    ];
    assert.deepEqual(taintOf(entries, settings), untainted);
  });

  const cases: readonly (readonly [string, Entered, string])[] = [
    ["overheard words", { kind: "overheard", sender: words("owner").sender }, "overheard ada"],
    ["the result of a tool that brings content", { kind: "tool.result", name: "web_fetch" }, "tool web_fetch"],
    [
      "a result that is marked, of a tool that brings no content",
      { kind: "tool.result", name: "current_time", untrusted: true },
      "tool current_time",
    ],
    [
      "a result that is marked, though nothing came",
      { kind: "tool.result", name: "web_fetch", untrusted: true, nothingCame: true },
      "tool web_fetch",
    ],
    [
      "a quote of somebody else",
      words("owner", { quote: { userId: "eve", displayName: "", markdown: "" } }),
      "quote eve",
    ],
    ["a webhook's values", words("owner", { values: [{ name: "body.x", start: 0, end: 1 }] }), "webhook ada"],
    ["a file", words("owner", { attachments: [{ kind: "file" }] }), "attachment ada"],
    [
      "a file of a quoted message, also of one's own",
      words("owner", { quote: { userId: "ada", displayName: "", markdown: "", attachments: [{ kind: "image" }] } }),
      "attachment ada",
    ],
    [
      "speech in somebody else's quoted message",
      words("owner", {
        quote: { userId: "eve", displayName: "", markdown: "", attachments: [{ kind: "audio", voice: true }] },
      }),
      "quote eve",
    ],
    ["words of somebody with fewer rights", words("member"), "weaker ada"],
    ["words of somebody without a role", words(undefined), "weaker ada"],
    ["an owner's name that nobody checked", words("owner", {}, "claimed"), "weaker ada"],
    ["a kind of entry from the future", { kind: "dream" }, "unknown dream"],
    ["a note of the memory that is marked", { kind: "note", name: "n1", isUntrusted: true }, "memory n1"],
  ];
  for (const [name, entry, found] of cases)
    it(`comes from ${name}`, () => assert.deepEqual(sources([words("owner"), entry]), [found]));

  it("does not come from speech, a quote of one's own or of the agent, and what is known to be clean", () => {
    const clean = [
      words("owner", { attachments: [{ kind: "audio", voice: true }] }),
      words("owner", { quote: { userId: "slack", displayName: "", markdown: "", fact: true } }),
      words("owner", { quote: { userId: "ada", displayName: "", markdown: "" } }),
      words("owner", { quote: { userId: "bot", displayName: "", markdown: "" } }),
      { kind: "tool.result", name: "read_file", isUntrusted: false },
      { kind: "tool.result", name: "web_fetch", nothingCame: true as const },
    ];
    assert.deepEqual(sources(clean), []);
  });

  it("does not come from a guest where the turn has a guest's rights anyway", () => {
    assert.deepEqual(sources([words("guest"), words("owner")], { role: "guest" }), []);
  });

  it("names each source once, at most twenty", () => {
    const many = Array.from({ length: 90 }, (_, index) => ({ kind: "tool.result", name: `t${index % 45}` }));
    assert.equal(sources(many).length, 20);
  });
});

describe("a call", () => {
  it("brings content from the network and from other places, not from the session's own workspace", () => {
    assert.equal(bringsContent(["net"], []), true);
    assert.equal(bringsContent(["conversation.read"], []), true);
    assert.equal(bringsContent(["exec"], []), true);
    assert.equal(bringsContent(["exec"], [command("ls", { hasNetwork: true })]), true);
    assert.equal(bringsContent(["exec"], [command("ls", { isSandboxed: false })]), true);
    assert.equal(bringsContent(["fs.read"], [path("/etc/hosts", false)]), true);
    assert.equal(bringsContent(["exec"], [command("ls")]), false);
    assert.equal(bringsContent(["fs.read", "fs.write"], [path("a")]), false);
    assert.equal(bringsContent(["clock", "send"], []), false);
  });
});

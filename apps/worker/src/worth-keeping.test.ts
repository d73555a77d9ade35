import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import { brandAs, type Conversation, instantOf, type Role } from "@talaria/protocol";
import { worthKeeping } from "./worth-keeping.ts";

const conversation: Conversation = {
  ...{ accountId: brandAs("a"), platform: "telegram", conversationId: brandAs("1"), kind: "direct" },
};

const asks = (role: Role = "member"): TranscriptEntry => ({
  ...{ kind: "user", eventId: brandAs("e"), role, markdown: "hi", attachments: [], at: instantOf(0) },
  sender: { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" },
});

const answers = (...names: readonly string[]): TranscriptEntry => ({
  ...{ kind: "assistant", content: "x", model: "m", stop: names.length === 0 ? "end" : "tool_calls" },
  toolCalls: names.map((name, n) => ({ callId: `${name}-${n}`, name, arguments: "{}" })),
});

const calls = (count: number) => Array.from({ length: count }, () => answers("terminal"));
const noted = (history: readonly TranscriptEntry[], role?: Role, where = conversation) =>
  worthKeeping(where, history, [asks(role)]).length;

describe("that something may be worth keeping", () => {
  it("is said after a turn of eight calls that has ended well", () => {
    assert.equal(noted([asks(), ...calls(8), answers()]), 1);
    assert.equal(noted([asks(), answers("a", "b", "c", "d"), ...calls(4), answers()]), 1);
    assert.equal(noted([asks(), ...calls(7), answers()]), 0);
    assert.equal(noted([asks(), ...calls(8), answers(), asks(), answers()]), 0, "of the last turn alone");
    assert.equal(noted([asks(), ...calls(8), { kind: "note", text: "the answer was cut short: stopped" }]), 0);
    assert.equal(noted([]), 0);
  });

  it("is said once, and not where it was kept", () => {
    const history = [asks(), ...calls(8), answers()];
    const [note] = worthKeeping(conversation, history, [asks()]);
    assert.ok(note);
    assert.match(note.text, /write_skill/);
    assert.equal(noted([...history, note, asks(), ...calls(9), answers()]), 0);
    assert.equal(noted([asks(), ...calls(8), answers("write_skill"), answers()]), 0);
  });

  it("is said to nobody who can have nothing kept", () => {
    const history = [asks(), ...calls(8), answers()];
    assert.equal(noted(history, "guest"), 0);
    assert.equal(noted(history, "member", { ...conversation, platform: "webhook" }), 0);
    assert.equal(noted(history, "member", { ...conversation, kind: "group" }), 1);
  });
});

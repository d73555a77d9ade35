import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "@talaria/agent";
import type { PolicySettings } from "@talaria/policy";
import { brandAs, type Conversation, instantOf, type Role } from "@talaria/protocol";
import { describedTools } from "@talaria/tools";
import { createAuthorise } from "./authorise.ts";

const everywhere: Omit<Conversation, "kind"> = {
  accountId: brandAs("a"),
  platform: "web",
  conversationId: brandAs("c"),
};
const tools = new Map(describedTools().map((tool) => [tool.name, tool]));
const page: TranscriptEntry = {
  ...{ kind: "tool.result", callId: "s", name: "web_extract", content: "x", isError: false, untrusted: true },
};
const uses = {
  web_fetch: { url: "https://api.example.org/a", secret: "example" },
  execute_code: { language: "python", code: "print(1)", secrets: ["example"] },
  run_with_secrets: { command: "true", secrets: ["example"] },
};

interface Circumstances {
  readonly role?: Role;
  readonly kind?: Conversation["kind"];
  readonly rules?: PolicySettings["rules"];
  readonly openHosts?: readonly string[];
  readonly read?: readonly TranscriptEntry[];
}

function decided(
  name: keyof typeof uses,
  { role = "owner", kind = "direct", rules = [], openHosts = [], read = [] }: Circumstances = {},
) {
  const authorise = createAuthorise({
    policy: { rules, trusted: [], approvals: { expiresMinutes: 60 } },
    commands: { isSandboxed: true, hasNetwork: false, openHosts },
    clock: { now: () => 0 },
  });
  const tool = tools.get(name);
  assert.ok(tool, name);
  const asked: TranscriptEntry = {
    ...{
      kind: "user",
      eventId: brandAs("e"),
      markdown: `use it at ${uses.web_fetch.url}`,
      attachments: [],
      at: instantOf(0),
    },
    ...{ sender: { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" }, role },
  };
  const call = { callId: "c", name, arguments: JSON.stringify(uses[name]) };
  const about = { tool, call, input: tool.input.parse(uses[name]), conversation: { ...everywhere, kind }, tools };
  return authorise({ ...about, history: [], journal: [asked, ...read] }, { grants: [], homes: [] });
}

const secret = { allow: "as me", permission: "secret", target: "example" } as const;
const opened = { rules: [secret], openHosts: ["api.example.org"] };

describe("a secret", () => {
  for (const name of Object.keys(uses) as (keyof typeof uses)[])
    it(`is asked about by the same rules wherever it is used: ${name}`, () => {
      for (const role of ["owner", "member"] as const) {
        const verdict = decided(name, { role });
        assert.ok(verdict.decision === "ask" && verdict.approver === "owner", JSON.stringify(verdict));
        assert.match(verdict.shown, /- With the secret: `example, at api\.example\.org`/);
        assert.doesNotMatch(verdict.shown, /without network/);
      }
      for (const nobody of [{ role: "guest" }, { role: "unverified" }, { kind: "group" }] as const)
        assert.equal(decided(name, nobody).decision, "deny", JSON.stringify(nobody));
      assert.equal(decided(name, opened).decision, "allow");
      assert.equal(decided(name, { ...opened, read: [page] }).decision, "ask", "untrusted content has entered");
      const denied = { deny: "not this one", permission: "secret", target: "example" } as const;
      assert.equal(decided(name, { rules: [denied] }).decision, "deny");
    });

  it("opens no host to a command: one that the operator has not opened is asked about, too", () => {
    assert.equal(decided("run_with_secrets", { rules: [secret] }).decision, "ask");
    assert.equal(decided("execute_code", { rules: [secret] }).decision, "ask");
  });
});

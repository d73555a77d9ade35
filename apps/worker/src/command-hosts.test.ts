import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AskedCall, TranscriptEntry, Verdict } from "@talaria/agent";
import { type Grant, grantSchema, type RuleSettings } from "@talaria/policy";
import { brandAs, type Conversation, instantOf } from "@talaria/protocol";
import { describedTools } from "@talaria/tools";
import { createAuthorise, taintIn } from "./authorise.ts";

const conversation: Conversation = {
  ...{ accountId: brandAs("a"), platform: "web", conversationId: brandAs("c"), kind: "direct" },
};
const asked: TranscriptEntry = {
  ...{ kind: "user", eventId: brandAs("e"), role: "owner", markdown: "install it", attachments: [], at: instantOf(0) },
  sender: { userId: brandAs("1"), role: "person", displayName: "Ada", assurance: "platform" },
};
const tools = new Map(describedTools().map((tool) => [tool.name, tool]));
const fetching = tools.get("web_fetch");
assert.ok(fetching);
/** With one of a server that nobody trusts. */
const told = new Map([...tools, ["mcp_desk_pay", { ...fetching, describedBy: "https://desk.example/mcp" }]]);
const commands = { isSandboxed: true, hasNetwork: false, openHosts: ["open.example.org", "*.mirror.example.org"] };

interface Situation {
  readonly rules?: readonly RuleSettings[];
  readonly grants?: readonly Grant[];
  readonly entries?: readonly TranscriptEntry[];
  readonly reach?: typeof commands;
  readonly tool?: string;
  /** Whether the model also has a tool that strangers describe. */
  readonly isTold?: boolean;
}

function verdictOn(network: readonly string[], situation: Situation = {}): Verdict {
  const { rules = [], grants = [], entries = [asked], reach = commands, tool: name = "terminal", isTold } = situation;
  const policy = { rules, trusted: [], approvals: { expiresMinutes: 60 } };
  const tool = tools.get(name);
  assert.ok(tool);
  const input = tool.input.parse({ command: "pip install x", network, ...(name === "process" && { action: "start" }) });
  const call: AskedCall = {
    ...{ tool, input, conversation, history: [], journal: entries },
    tools: isTold ? told : tools,
    call: { callId: "c", name, arguments: JSON.stringify(input) },
  };
  return createAuthorise({ policy, commands: reach, clock: { now: () => 0 } })(call, { grants, homes: [] });
}

function agreedTo(verdict: Verdict): Grant {
  assert.ok(verdict.decision === "ask" && verdict.offer !== undefined);
  return grantSchema.parse({ ...verdict.offer.terms, byRole: "owner" });
}

describe("a command that names its hosts", () => {
  it("is asked about once, and somebody may agree to these hosts for the conversation or for ever", () => {
    const verdict = verdictOn(["pypi.org", "files.example.org:8443"]);
    assert.ok(verdict.decision === "ask");
    assert.match(verdict.shown, /Sends to and reads from: `pypi\.org \(https and http\)`\n/);
    assert.match(
      verdict.shown,
      /Sends to and reads from: `files\.example\.org:8443`\n[\s\S]*with these hosts:\n\n```\npip install x/,
    );
    assert.deepEqual(verdict.offer?.scopes, ["session", "always"]);
    assert.equal(verdict.offer?.covers, "terminal: `pypi.org` (https and http), `files.example.org:8443`");
    const grants = [agreedTo(verdict)];
    assert.equal(verdictOn(["pypi.org"], { grants }).decision, "allow");
    assert.equal(verdictOn(["pypi.org", "other.example.org"], { grants }).decision, "ask");
    assert.equal(verdictOn(["pypi.org"], { grants, tool: "process" }).decision, "ask");
    // What was agreed to lifts no rule that came later, and is nobody's with fewer rights.
    const deny = { deny: "no registries", permission: "net", target: "pypi.org" } as const;
    assert.equal(verdictOn(["pypi.org"], { grants, rules: [deny] }).decision, "deny");
    const byMember = { ...asked, role: "member" } as const;
    assert.equal(verdictOn(["pypi.org"], { grants, entries: [byMember] }).decision, "ask");
    assert.equal(verdictOn(["pypi.org"], { grants, entries: [{ ...asked, role: "guest" }] }).decision, "deny");
  });

  it("asks nobody without hosts, nor for those that the operator has opened", () => {
    for (const hosts of [[], ["open.example.org"], ["a.mirror.example.org"]])
      assert.equal(verdictOn(hosts).decision, "allow", hosts.join());
    assert.equal(verdictOn(["open.example.org:22"]).decision, "ask");
    const everywhere = { isSandboxed: true, hasNetwork: true, openHosts: [] };
    assert.equal(verdictOn([], { reach: everywhere }).decision, "ask");
  });

  it("taints with what a host has said, and not with what was refused", () => {
    const ran = { kind: "tool.result", callId: "1", name: "terminal", content: "x", isError: false } as const;
    assert.deepEqual(taintIn([ran], tools, { commands }), []);
    const foreign = { ...ran, untrusted: true } as const;
    assert.deepEqual(taintIn([foreign], tools, { commands }), [{ kind: "tool", name: "terminal" }]);
    assert.equal(verdictOn(["open.example.org"], { entries: [asked, ran] }).decision, "allow");
    assert.equal(verdictOn(["open.example.org"], { entries: [asked, foreign] }).decision, "ask");
    assert.equal(verdictOn([], { entries: [asked, foreign] }).decision, "allow");
    const after = verdictOn(["pypi.org"], { entries: [asked, foreign] });
    assert.ok(after.decision === "ask");
    assert.deepEqual(after.offer?.scopes, ["session"]);
    const grants = [agreedTo(after)];
    assert.equal(verdictOn(["pypi.org"], { grants, entries: [asked, foreign] }).decision, "allow");
  });

  it("stays agreed to beside tools that strangers describe, where they did so when somebody agreed", () => {
    const ran = { kind: "tool.result", callId: "1", name: "terminal", content: "x", isError: false } as const;
    const foreign = { ...ran, untrusted: true } as const;
    const decided = (grant: Grant, ...entries: readonly TranscriptEntry[]) =>
      verdictOn(["pypi.org"], { grants: [grant], entries: [asked, ...entries], isTold: true }).decision;
    const besides: Grant = { ...agreedTo(verdictOn(["pypi.org"], { isTold: true })), scope: "session" };
    assert.equal(decided(besides), "allow");
    assert.equal(decided(besides, foreign), "allow");
    assert.equal(decided(besides, foreign, { ...foreign, name: "web_fetch" }), "ask");
    assert.equal(decided(besides, foreign, { ...foreign, name: "mcp_desk_pay" }), "ask", "a result is no description");
    const before: Grant = { ...agreedTo(verdictOn(["pypi.org"])), scope: "session" };
    assert.equal(decided(before), "ask", "nobody knew of them");
    assert.equal(decided(before, foreign), "ask");
  });

  it("stays agreed to, for the conversation or always, after what its commands have brought, and after nothing else", () => {
    const ran = { kind: "tool.result", callId: "1", name: "terminal", content: "x", isError: false } as const;
    const foreign = { ...ran, untrusted: true } as const;
    const before = agreedTo(verdictOn(["pypi.org"]));
    const decided = (scope: "session" | "always", ...entries: readonly TranscriptEntry[]) =>
      verdictOn(["pypi.org"], { grants: [{ ...before, scope }], entries: [asked, ...entries] }).decision;
    assert.equal(decided("session", foreign), "allow");
    assert.equal(decided("always", foreign), "allow");
    assert.equal(decided("always", foreign, { ...foreign, name: "web_fetch" }), "ask");
    assert.equal(decided("always", foreign, { ...foreign, name: "execute_code" }), "ask", "it may have read a page");
    assert.equal(decided("always", { ...asked, role: "guest" }), "deny");
    assert.equal(decided("session", foreign, { ...foreign, name: "web_fetch" }), "ask");
    assert.equal(decided("session", { ...asked, role: "guest" }), "deny");
    assert.equal(
      decided("session", { ...asked, attachments: [{ kind: "file", mimeType: "text/plain" }] } as never),
      "ask",
    );
    assert.equal(
      verdictOn(["other.example.org"], { grants: [{ ...before, scope: "session" }], entries: [asked, foreign] })
        .decision,
      "ask",
    );
    assert.equal(
      verdictOn(["pypi.org"], { grants: [agreedTo(verdictOn(["pypi.org"]))], entries: [asked, foreign] }).decision,
      "ask",
    );
  });
});

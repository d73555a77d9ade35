import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { decide, type Entered, type PolicyRequest, policyTable, taintOf } from "@talaria/policy";
import { brandAs, type Role, type UserId } from "@talaria/protocol";
import type { Attempt, Payload } from "./payload.ts";
import { payloads } from "./payloads.ts";

/** An operator who trusts a lot: after untrusted content it still must not be enough. */
const table = policyTable({
  rules: [
    { allow: "reading", permission: "net" },
    { allow: "the network", permission: "net", outward: true },
    { allow: "messages", permission: "send", outward: true },
    { allow: "commands", permission: "exec", outward: true },
    { allow: "plans", permission: "schedule" },
  ],
  trusted: ["https://api.example.com", "telegram:user:1"],
});

/** What else the model reads: the owner's own question, or with `message` the question itself. */
function turnOf({ carrier, tries }: Payload): PolicyRequest {
  const role: Role = carrier === "message" ? "guest" : carrier === "webhook-field" ? "member" : "owner";
  const taint = taintOf([wordsOf("owner"), enteredFrom(carrier)], {
    role,
    isTrustedTool: () => false,
    isOwn: () => false,
  });
  assert.ok(taint.isTainted || carrier === "message", carrier);
  return {
    ...callOf(tries),
    place: carrier === "webhook-field" ? "webhook" : "direct",
    role,
    isTainted: taint.isTainted,
  };
}

function wordsOf(role: Role, more: Partial<Entered> = {}): Entered {
  return { kind: "user", role, sender: { userId: brandAs<UserId>(role), assurance: "platform" }, ...more };
}

function enteredFrom(carrier: Payload["carrier"]): Entered {
  if (carrier === "message" || carrier === "name") return wordsOf("guest");
  if (carrier === "overheard") return { kind: "overheard" };
  if (carrier === "quote") return wordsOf("owner", { quote: { userId: brandAs<UserId>("eve") } });
  if (carrier === "webhook-field") return wordsOf("member", { values: [{}] });
  if (carrier === "file-name") return wordsOf("owner", { attachments: [{}] });
  if (carrier === "folder-file") return { kind: "tool.result", name: "read_file", untrusted: true };
  if (["memory", "mcp-description", "workspace-file"].includes(carrier)) return { kind: carrier, isUntrusted: true };
  return { kind: "tool.result", name: carrier };
}

function callOf(tries: Attempt): Pick<PolicyRequest, "tool" | "effect" | "permissions" | "targets"> {
  const write = { tool: tries.does, effect: "write", targets: [] } as const;
  if (tries.does === "posts")
    return { ...write, permissions: ["net"], targets: [{ kind: "url", url: tries.url, sendsBody: true }] };
  if (tries.does === "reads")
    return {
      tool: "reads",
      effect: "read",
      permissions: ["net"],
      targets: [{ kind: "url", url: tries.url, sendsBody: false }],
    };
  if (tries.does === "sends")
    return {
      ...write,
      permissions: ["send"],
      targets: [{ kind: "recipient", recipient: tries.recipient, isOrigin: false }],
    };
  if (tries.does === "runs") {
    const { command, hasNetwork } = tries;
    return { ...write, permissions: ["exec"], targets: [{ kind: "command", command, isSandboxed: true, hasNetwork }] };
  }
  if (tries.does === "writes") {
    const { path, isInWorkspace } = tries;
    return { ...write, permissions: ["fs.write"], targets: [{ kind: "path", path, isInWorkspace }] };
  }
  if (tries.does === "plans") return { ...write, permissions: ["schedule"] };
  return { ...write, permissions: [tries.does === "spends" ? "spend" : "memory"] };
}

/** What stays inside is not policy's to stop: the sandbox, the marks of memory and the boundary of answers are there for it. */
function staysInside({ tries }: Payload): boolean {
  if (tries.does === "answers" || tries.does === "remembers") return true;
  if (tries.does === "writes") return tries.isInWorkspace;
  return (
    tries.does === "runs" && !tries.hasNetwork && !/rm -rf|\/dev\/|mkfs|sudo|reboot|:\(\)|chmod/.test(tries.command)
  );
}

describe("a model that obeys everything it reads", () => {
  const acting = payloads.filter((payload) => !staysInside(payload));

  it("is given at least a hundred instructions, in every place where strangers' words arrive", () => {
    assert.ok(payloads.length >= 100, String(payloads.length));
    assert.equal(new Set(payloads.map(({ text }) => text)).size, payloads.length);
    assert.equal(new Set(payloads.map(({ carrier }) => carrier)).size, 15);
    assert.ok(acting.length >= 85, String(acting.length));
  });

  for (const payload of acting)
    it(`does not get ${payload.tries.does} from a ${payload.carrier}: ${JSON.stringify(payload.text.slice(0, 60))}`, () => {
      const { decision, rule } = decide(turnOf(payload), table);
      assert.notEqual(decision, "allow", rule.id);
    });

  it("still gets what the owner asked for without such words", () => {
    const request: PolicyRequest = {
      ...callOf({ does: "posts", url: "https://example.org", body: "x" }),
      place: "direct",
      role: "owner",
      isTainted: false,
    };
    assert.equal(decide(request, table).decision, "allow");
    assert.equal(
      decide(
        { ...request, isTainted: true, targets: [{ kind: "url", url: "https://api.example.com/x", sendsBody: true }] },
        table,
      ).decision,
      "allow",
    );
  });
});

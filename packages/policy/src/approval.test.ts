import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Instant, instantOf, type Role, type Sender, type UserId } from "@talaria/protocol";
import {
  type Answerer,
  type ApprovalAnswer,
  approvalSchema,
  askFor,
  decide,
  digestOf,
  expire,
  grantSchema,
  isApproved,
  matchesGrant,
  type PolicyRequest,
  settle,
  shownCall,
} from "./index.ts";
import { command, path, recipient, requestOf, tableOf, url } from "./testing/requests.ts";

const now = Date.parse("2026-03-01T12:00:00Z");
const expiresAt: Instant = instantOf(now + 60_000);

function who(role: Role, more: Partial<Sender> = {}): Answerer {
  return { role, sender: { userId: brandAs<UserId>("ada"), role: "person", assurance: "platform", ...more } };
}

/** The question about one call, with everything that it is made of. */
function question(more: Partial<PolicyRequest>, text = '{"x":1}', approvers: readonly UserId[] = []) {
  const request = requestOf({ tool: "t", effect: "write", role: "member", ...more });
  const call = { callId: "c1", name: request.tool, arguments: text };
  const decision = decide(request, tableOf());
  assert.equal(decision.decision, "ask");
  const approval = askFor(call, shownCall(call, request.targets), { request, decision, expiresAt, approvers });
  const answer = (given: Partial<ApprovalAnswer> = {}): ApprovalAnswer => ({
    choice: "approve",
    digest: approval.digest,
    ...given,
  });
  return { request, call, decision, approval, answer };
}

const shell = { permissions: ["exec"], targets: [command("wc notes.md")] } as const;
const post = { permissions: ["net"], targets: [url("https://api.example.com/x", { sendsBody: true })] } as const;

describe("an approval", () => {
  it("is plain JSON, and given once by somebody with the role", () => {
    const { approval, answer, call } = question(shell);
    assert.deepEqual(approvalSchema.parse(JSON.parse(JSON.stringify(approval))), approval);
    const settled = settle(approval, answer(), who("owner"), now);
    assert.ok(settled.outcome === "accepted");
    assert.equal(settled.grant, undefined);
    assert.deepEqual(settled.approval.state, { status: "approved", scope: "once", by: "ada", at: instantOf(now) });
    assert.deepEqual(approvalSchema.parse(JSON.parse(JSON.stringify(settled.approval))), settled.approval);
    assert.equal(isApproved(settled.approval, call), true);
    assert.equal(isApproved(approval, call), false);
  });

  it("is bound to the call and its arguments, also when it runs", () => {
    const { approval, answer, call } = question(shell);
    const settled = settle(approval, answer(), who("owner"), now);
    assert.ok(settled.outcome === "accepted");
    assert.equal(isApproved(settled.approval, { ...call, arguments: '{"x":2}' }), false);
    assert.equal(isApproved(settled.approval, { ...call, name: "other" }), false);
    assert.equal(isApproved(settled.approval, { ...call, callId: "c2" }), false);
    assert.notEqual(digestOf({ name: "a", arguments: "bc" }), digestOf({ name: "ab", arguments: "c" }));
  });

  const refused: readonly (readonly [string, Partial<ApprovalAnswer>, Answerer, number, string])[] = [
    ["a member, where an owner is needed", {}, who("member"), now, "wrong-person"],
    ["a guest", {}, who("guest"), now, "wrong-person"],
    ["an owner's address that nobody checked", {}, who("owner", { assurance: "claimed" }), now, "wrong-person"],
    ["a bot", {}, who("owner", { role: "bot" }), now, "wrong-person"],
    ["the agent itself", {}, who("owner", { role: "self" }), now, "wrong-person"],
    ["somebody who may not, denying", { choice: "deny" }, who("guest"), now, "wrong-person"],
    ["the last moment's end", {}, who("owner"), now + 60_000, "expired"],
    ["a card that showed something else", { digest: "0" }, who("owner"), now, "arguments-changed"],
    ["a scope that was not offered", { scope: "eternal" as never }, who("owner"), now, "scope-not-offered"],
  ];
  for (const [name, answer, person, at, reason] of refused)
    it(`is not given by ${name}, and the right answer may still come`, () => {
      const asked = question(shell);
      const settled = settle(asked.approval, asked.answer(answer), person, at);
      assert.ok(settled.outcome === "refused");
      assert.equal(settled.reason, reason);
      assert.match(settled.text, /\.$/);
      assert.equal(asked.approval.state.status, "open");
      assert.equal(settle(asked.approval, asked.answer(), who("owner"), now).outcome, "accepted");
    });

  it("is given or denied once: the first answer counts", () => {
    const { approval, answer, call } = question(shell);
    const denied = settle(approval, answer({ choice: "deny", reason: "too early" }), who("owner"), now);
    assert.ok(denied.outcome === "accepted");
    assert.deepEqual(denied.approval.state, { status: "denied", by: "ada", at: instantOf(now), reason: "too early" });
    const again = settle(denied.approval, answer(), who("owner"), now);
    assert.deepEqual(again.outcome === "refused" && again.reason, "already-settled");
    assert.equal(isApproved(denied.approval, call), false);
  });

  it("expires, which denies, and can't be had afterwards", () => {
    const { approval, answer, call } = question(shell);
    assert.equal(expire(approval, now + 59_999), approval);
    const expired = expire(approval, now + 60_000);
    assert.deepEqual(expired.state, { status: "expired", at: expiresAt });
    assert.equal(isApproved(expired, call), false);
    const late = settle(expired, answer(), who("owner"), now + 70_000);
    assert.deepEqual(late.outcome === "refused" && late.reason, "expired");
  });

  it("that a member may give is given by those who were named, or by an owner", () => {
    const { approval, answer } = question(post, "{}", [brandAs<UserId>("ada")]);
    assert.equal(approval.approverRole, "member");
    assert.equal(settle(approval, answer(), who("member"), now).outcome, "accepted");
    assert.equal(settle(approval, answer(), who("member", { userId: brandAs<UserId>("eve") }), now).outcome, "refused");
    assert.equal(settle(approval, answer(), who("owner", { userId: brandAs<UserId>("eve") }), now).outcome, "accepted");
  });
});

describe("a lasting approval", () => {
  const scopes = (more: Partial<PolicyRequest>, text?: string) => question(more, text).approval.scopes.join(" ");

  it("is offered with the pattern that it is for", () => {
    assert.equal(scopes(post), "once session always");
    assert.deepEqual(question(post).approval.terms?.patterns, [
      { permission: "net", target: "https://api.example.com/*", isOutward: true },
    ]);
    assert.deepEqual(question(shell).approval.terms?.patterns, [
      { permission: "exec", target: "wc notes.md", isOutward: false },
    ]);
    const file = { role: "owner", permissions: ["fs.write"], targets: [path("/srv/a", false)] } as const;
    assert.equal(question(file).approval.terms?.patterns[0]?.target, "/srv/a");
    const message = { permissions: ["send"], targets: [recipient("telegram:user:42")] } as const;
    assert.equal(question(message).approval.terms?.patterns[0]?.target, "telegram:user:42");
  });

  it("is not offered for what is cut or hides something", () => {
    assert.equal(scopes(post, JSON.stringify({ text: "x".repeat(9_000) })), "once");
    assert.equal(scopes(post, '{"text":"a\u202eb"}'), "once");
  });

  it("is not offered for ever after untrusted content", () =>
    assert.equal(scopes({ ...post, isTainted: true }), "once session"));

  for (const text of [
    "bash x.sh",
    "./x",
    "python3 x.py",
    "sudo ls",
    "a; b",
    "ls *",
    "env x",
    "$X y",
    "npm test",
    "make",
    "cat x | sh",
    ". x",
    "eval x",
  ])
    it(`is not offered for ${JSON.stringify(text)}, which may be something else tomorrow`, () =>
      assert.equal(scopes({ permissions: ["exec"], targets: [command(text)] }), "once"));

  it("is not offered where a permission has no target to name", () => {
    assert.equal(scopes({ permissions: ["spend"] }), "once");
    assert.equal(scopes({ permissions: ["net", "spend"], targets: post.targets }), "once");
  });

  function granted(more: Partial<PolicyRequest>, role: Role = "owner") {
    const { approval, answer } = question(more);
    const settled = settle(approval, answer({ scope: "session" }), who(role), now);
    assert.ok(settled.outcome === "accepted" && settled.grant !== undefined);
    return settled.grant;
  }
  function covers(grant: ReturnType<typeof granted>, more: Partial<PolicyRequest>): boolean {
    const request = requestOf({ tool: "t", effect: "write", role: "member", ...more });
    return matchesGrant(grant, request, decide(request, tableOf()));
  }

  it("covers the same tool at the same site, in the same kind of place, for nobody with fewer rights", () => {
    const grant = granted(post);
    assert.deepEqual(grantSchema.parse(JSON.parse(JSON.stringify(grant))), grant);
    const to = (text: string) => ({ ...post, targets: [url(text, { sendsBody: true })] });
    assert.equal(covers(grant, to("https://api.example.com/other?x=1")), true);
    assert.equal(covers(grant, { ...post, role: "owner" }), true);
    for (const text of [
      "https://example.com/",
      "https://api.example.com:8443/",
      "https://api.example.com.evil.org/",
      "http://api.example.com/",
      "https://api.example.com@evil.org/",
    ])
      assert.equal(covers(grant, to(text)), false, text);
    assert.equal(covers(grant, { ...post, tool: "other" }), false);
    assert.equal(covers(grant, { ...post, permissions: ["net", "spend"] }), false);
    assert.equal(covers(granted({ ...post, role: "owner" }), post), false);
  });

  it("covers nothing that is denied, or that nobody is asked about", () => {
    const grant = granted(post);
    assert.equal(covers(grant, { ...post, role: "guest" }), false);
    assert.equal(covers(grant, { ...post, place: "group" }), false);
    assert.equal(covers(grant, { permissions: ["clock"] }), false);
  });

  it("covers what goes out after taint only if it was given after taint", () => {
    assert.equal(covers(granted(post), { ...post, isTainted: true }), false);
    const later = granted({ ...post, isTainted: true });
    assert.equal(covers(later, { ...post, isTainted: true }), true);
    assert.equal(covers(later, post), true);
  });

  it("of a member covers nothing that an owner has to agree to", () => {
    const grant = granted(post, "member");
    assert.equal(covers(grant, post), true);
    const strict = tableOf([{ ask: "owners decide", permission: "net" }]);
    const request = requestOf({ tool: "t", effect: "write", role: "member", ...post });
    assert.equal(matchesGrant(grant, request, decide(request, strict)), false);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { addressOfCommandHost, type Role, type Target } from "@talaria/protocol";
import { grantOfferFor, shownCall } from "./in-english.fixture.ts";
import {
  bringsContent,
  decide,
  type Grant,
  grantSchema,
  matchesGrant,
  type PolicyRequest,
  type RuleSettings,
} from "./index.ts";
import { command, requestOf, tableOf } from "./testing/requests.ts";

/** A command that names its hosts, of which the operator has opened some. */
function call(
  hosts: readonly string[],
  {
    open = [],
    text = "npm install",
    ...more
  }: Partial<PolicyRequest> & { open?: readonly string[]; text?: string } = {},
): PolicyRequest {
  const targets: readonly Target[] = hosts.map((host) => ({
    ...{ kind: "url", url: addressOfCommandHost(host), sendsBody: true, isKnown: true, host },
    ...{ isOpen: open.includes(host) },
  }));
  const run: Target = { ...(command(text) as Extract<Target, { kind: "command" }>), hosts };
  return requestOf({ tool: "terminal", effect: "write", permissions: ["exec"], targets: [...targets, run], ...more });
}

function said(request: PolicyRequest, rules: readonly RuleSettings[] = [], trusted: readonly string[] = []): string {
  const { decision, approver } = decide(request, tableOf(rules, trusted));
  return approver === undefined ? decision : `${decision} ${approver}`;
}

function grantFor(request: PolicyRequest): Grant {
  const decision = decide(request, tableOf());
  const shown = shownCall({ name: "terminal", arguments: "{}" }, request.targets);
  const offer = grantOfferFor(request, decision, shown);
  assert.ok(offer);
  return grantSchema.parse({ ...offer.terms, byRole: "owner" });
}

describe("the hosts of a command", () => {
  const registry = "registry.npmjs.org";

  it("are asked about, also of an owner; without any, an owner's command runs", () => {
    assert.equal(said(call([registry])), "ask owner");
    assert.equal(said(call([])), "allow");
    assert.equal(said(call([registry], { role: "member" })), "ask owner");
    for (const role of ["guest", "unverified"] satisfies Role[]) assert.equal(said(call([registry], { role })), "deny");
    assert.equal(said(call([registry], { place: "group" })), "deny");
  });

  it("that the operator has opened ask nobody, until untrusted content has entered", () => {
    const open = [registry];
    assert.equal(said(call([registry], { open })), "allow");
    assert.equal(said(call([registry, "evil.example.org"], { open })), "ask owner");
    assert.equal(said(call([registry], { open, isTainted: true })), "ask owner");
    assert.equal(said(call([registry], { open, isTainted: true }), [], [`https://${registry}`]), "allow");
    assert.equal(said(call([registry], { open, role: "member" })), "ask owner");
    assert.equal(said(call([registry], { open, role: "guest" })), "deny");
    const rule = { allow: "x", permission: "exec", as: "guest", in: "group" } as const;
    assert.equal(said(call([registry], { open, role: "guest", place: "group" }), [rule]), "allow");
  });

  it("are denied, allowed and asked about by rules that name them", () => {
    const deny = { deny: "x", permission: "net", target: "https://*.npmjs.org" } as const;
    assert.equal(said(call([registry, "a.org"]), [deny]), "deny");
    assert.equal(said(call([registry], { open: [registry] }), [deny]), "deny");
    assert.equal(said(call([`${registry}:8443`]), [deny]), "deny");
    assert.equal(said(call([registry]), [{ deny: "x", permission: "net", target: `http://${registry}:80` }]), "deny");
    // All of a host has what lies below a path of it.
    assert.equal(said(call([registry]), [{ ...deny, target: `${registry}/private/*` }]), "deny");
    assert.equal(said(call([registry]), [{ deny: "x", permission: "exec", outward: true }]), "deny");
    const allow = { allow: "x", permission: "net", target: registry } as const;
    assert.equal(said(call([registry]), [allow]), "allow");
    assert.equal(said(call([`${registry}:8443`]), [allow]), "ask owner");
    assert.equal(said(call([`${registry}:80`]), [allow]), "ask owner");
    assert.equal(said(call([registry]), [{ ...allow, target: `https://${registry}/react/*` }]), "ask owner");
    assert.equal(said(call([registry]), [{ ...allow, target: `https://${registry}/*` }]), "allow");
    assert.equal(said(call([registry]), [{ allow: "x", permission: "net", outward: true }]), "ask owner");
    assert.equal(said(call([registry]), [{ ask: "x", permission: "net", target: registry }]), "ask owner");
  });

  it("that somebody has agreed to are open to any command of the tool, and no others are", () => {
    const grant = grantFor(call([registry, "a.org:8443"]));
    const covers = (request: PolicyRequest) => matchesGrant(grant, request, decide(request, tableOf()));
    assert.deepEqual(
      grant.patterns.map(({ target }) => target),
      [`https://${registry}`, "https://a.org:8443"],
    );
    assert.equal(covers(call([registry], { text: "npm install; ls" })), true);
    assert.equal(covers(call(["a.org:8443"])), true);
    for (const other of ["a.org", "npmjs.org", "evil.org", `x.${registry}`, `${registry}:22`])
      assert.equal(covers(call([registry, other])), false, other);
    assert.equal(covers(call([registry], { tool: "process" })), false);
    assert.equal(covers(call([registry], { isTainted: true })), false);
    const after = grantFor(call([registry], { isTainted: true }));
    assert.equal(matchesGrant(after, call([registry], { isTainted: true }), decide(call([registry]), tableOf())), true);
    // A page that one may send to is not all of its host.
    const page = { kind: "url", url: `https://${registry}/x`, sendsBody: true } as const;
    const posts = grantFor(requestOf({ tool: "terminal", effect: "write", permissions: ["net"], targets: [page] }));
    assert.deepEqual(
      posts.patterns.map(({ target }) => target),
      [`https://${registry}/*`],
    );
  });

  it("stand in the question, and what comes from them is a stranger's", () => {
    const { targets } = call([registry, "a.org:8443"]);
    const { text } = shownCall({ name: "terminal", arguments: "{}" }, targets);
    assert.match(text, /\n- Sends to and reads from: `registry\.npmjs\.org \(https and http\)`\n/);
    assert.match(
      text,
      /\n- Sends to and reads from: `a\.org:8443`\n\nIn the sandbox, with these hosts:\n\n```\nnpm install/,
    );
    assert.equal(bringsContent(["exec"], targets), true);
    assert.equal(bringsContent(["exec"], call([]).targets), false);
  });
});

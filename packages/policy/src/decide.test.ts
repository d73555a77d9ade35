import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type Permission, roles, type Target } from "@talaria/protocol";
import { decide, type Place, placeOf, places, type RuleSettings, rightsOf } from "./index.ts";
import { command, path, recipient, requestOf, tableOf, url } from "./testing/requests.ts";

/** `owner member guest unverified` in one place, as letters: allow, ask (`o`: an owner, `m`: a member), deny. */
function row(
  effect: "read" | "write",
  permission: Permission | undefined,
  target: Target | undefined,
  place: Place,
): string {
  return roles
    .toReversed()
    .map((role) => {
      const permissions = permission === undefined ? [] : [permission];
      const targets = target === undefined ? [] : [target];
      const made = decide(requestOf({ effect, permissions, targets, place, role }), tableOf());
      return made.decision === "ask" ? `ask:${made.approver?.charAt(0)}` : made.decision;
    })
    .join(" ");
}

describe("a webhook's route that acts for an owner", () => {
  const of = (permission: Permission, target: Target, more: object = {}, rules: readonly RuleSettings[] = []) =>
    decide(
      requestOf({ effect: "write", permissions: [permission], targets: [target], place: "webhook", ...more }),
      tableOf(rules),
    );

  it("may do what that owner may in a direct conversation, and asks that owner", () => {
    for (const target of [command("ls"), command("ls", { hasNetwork: true }), command("ls", { isSandboxed: false })])
      assert.equal(of("exec", target).decision, of("exec", target, { place: "direct" }).decision);
    const sent = of("send", recipient("telegram:user:2"));
    assert.deepEqual([sent.decision, sent.approver], ["ask", "owner"]);
    assert.equal(of("fs.write", path("a")).decision, "allow");
    assert.equal(of("fs.write", path("a"), { role: "member" }).decision, "deny", "another route does not");
  });

  it("is bound by what the operator says of webhooks, and gets nothing of what is said of direct conversations", () => {
    const denied: RuleSettings = { deny: "none", permission: "exec", in: "webhook" };
    assert.equal(of("exec", command("ls"), {}, [denied]).decision, "deny");
    const allowed: RuleSettings = { allow: "ours", permission: "send", target: "telegram:user:2" };
    assert.equal(of("send", recipient("telegram:user:2"), {}, [allowed]).decision, "ask");
    assert.equal(of("send", recipient("telegram:user:2"), {}, [{ ...allowed, in: "webhook" }]).decision, "allow");
    const tainted = of("send", recipient("telegram:user:2"), { isTainted: true }, [{ ...allowed, in: "webhook" }]);
    assert.deepEqual([tainted.decision, tainted.approver], ["ask", "owner"]);
  });
});

describe("without rules of the operator", () => {
  const cases: readonly (readonly [
    string,
    "read" | "write",
    Permission | undefined,
    Target | undefined,
    string,
    string,
  ])[] = [
    ["tells the time", "read", "clock", undefined, "allow allow allow allow", "allow allow allow allow"],
    ["answers where it was asked", "read", "send", undefined, "allow allow allow allow", "allow allow allow allow"],
    ["reads the workspace", "read", "fs.read", path("a"), "allow allow allow deny", "allow allow allow deny"],
    ["reads elsewhere", "read", "fs.read", path("/etc/hosts", false), "ask:o deny deny deny", "deny deny deny deny"],
    ["writes the workspace", "write", "fs.write", path("a"), "allow allow deny deny", "deny deny deny deny"],
    ["runs a command", "write", "exec", command("ls"), "allow ask:o deny deny", "deny deny deny deny"],
    [
      "runs a command with network",
      "write",
      "exec",
      command("ls", { hasNetwork: true }),
      "ask:o ask:o deny deny",
      "deny deny deny deny",
    ],
    [
      "runs a command unboxed",
      "write",
      "exec",
      command("ls", { isSandboxed: false }),
      "ask:o deny deny deny",
      "deny deny deny deny",
    ],
    ["runs who knows what", "write", "exec", undefined, "ask:o ask:o deny deny", "deny deny deny deny"],
    [
      "reads from the network",
      "read",
      "net",
      url("https://example.org"),
      "allow allow ask:m deny",
      "allow allow ask:m deny",
    ],
    [
      "posts",
      "write",
      "net",
      url("https://example.org", { sendsBody: true }),
      "ask:o ask:m deny deny",
      "deny deny deny deny",
    ],
    [
      "writes to somebody else",
      "write",
      "send",
      recipient("telegram:user:1"),
      "ask:o ask:m deny deny",
      "deny deny deny deny",
    ],
    ["remembers", "read", "memory", undefined, "allow allow allow deny", "allow allow allow deny"],
    ["plans", "write", "schedule", undefined, "allow allow deny deny", "deny deny deny deny"],
    ["spends", "write", "spend", undefined, "ask:o ask:o deny deny", "deny deny deny deny"],
    [
      "uses a secret",
      "write",
      "secret",
      { kind: "secret", name: "a", hosts: ["b.c"] },
      "ask:o ask:o deny deny",
      "deny deny deny deny",
    ],
    ["changes it does not say what", "write", undefined, undefined, "ask:o ask:o deny deny", "deny deny deny deny"],
  ];
  for (const [name, effect, permission, target, direct, elsewhere] of cases)
    it(`a tool that ${name} is decided by role and place`, () => {
      assert.equal(row(effect, permission, target, "direct"), direct);
      assert.equal(row(effect, permission, target, "group"), elsewhere);
      const [owner, ...others] = [direct.split(" ")[0], ...elsewhere.split(" ").slice(1)];
      assert.equal(row(effect, permission, target, "webhook"), [owner, ...others].join(" "), "a route with a mandate");
    });

  it("a tool that learns is for owners and members, in groups too, and asks after untrusted content", () => {
    const learns = ["write", "memory", undefined] as const;
    assert.equal(row(...learns, "direct"), "allow allow deny deny");
    assert.equal(row(...learns, "group"), "allow allow deny deny");
    assert.equal(row(...learns, "webhook"), "deny deny deny deny");
  });

  it("the strictest of several permissions counts, and all that is asked is listed", () => {
    const both = requestOf({ effect: "write", permissions: ["net", "exec", "clock"], role: "member" });
    const made = decide(both, tableOf());
    assert.deepEqual([made.decision, made.approver], ["ask", "owner"]);
    assert.deepEqual(
      made.asks.map(({ act }) => act.permission),
      ["net", "exec"],
    );
    assert.equal(decide({ ...both, permissions: ["net", "fs.write"], place: "group" }, tableOf()).decision, "deny");
  });

  it("a secret is allowed by its name, apart from the command, and asked about again after untrusted content", () => {
    const targets = [
      command("git push", { hasNetwork: true }),
      { kind: "secret", name: "github", hosts: ["github.com"] },
    ] as const;
    const push = requestOf({ effect: "write", permissions: ["exec", "secret"], targets, role: "owner" });
    const network = { allow: "pushing", permission: "exec", target: "git push" };
    const [own, other] = ["github", "gitlab"].map((target) => ({ allow: "as me", permission: "secret", target }));
    const by = (...rules: object[]) => decide(push, tableOf(rules as never));
    assert.deepEqual(
      by(network).asks.map(({ act }) => act.permission),
      ["secret"],
    );
    assert.equal(by(network, other as object).decision, "ask");
    assert.equal(by(network, { allow: "all", permission: "secret" }).decision, "ask");
    assert.equal(by(network, own as object).decision, "allow");
    assert.equal(decide({ ...push, isTainted: true }, tableOf([network, own] as never)).rule.id, "taint");
  });

  it("a target counts even if its permission was not declared", () => {
    const hidden = requestOf({ effect: "write", targets: [recipient("telegram:user:1")], place: "group" });
    assert.equal(decide(hidden, tableOf()).decision, "deny");
  });

  it("no address but http and https is asked for", () => {
    for (const text of ["file:///etc/passwd", "javascript:alert(1)", "ftp://example.org", "//example.org", "http://"])
      assert.equal(
        decide(requestOf({ permissions: ["net"], targets: [url(text)] }), tableOf()).rule.id,
        "floor.address",
        text,
      );
  });
});

describe("rules of the operator", () => {
  const fetch = requestOf({
    tool: "web_fetch",
    permissions: ["net"],
    targets: [url("https://api.example.com/v1/x")],
    role: "member",
  });
  const made = (rules: readonly RuleSettings[], more = {}) => {
    const { decision, rule } = decide({ ...fetch, ...more }, tableOf(rules));
    return `${decision} ${rule.id}`;
  };

  it("go before the defaults, the most specific first", () => {
    const rules: readonly RuleSettings[] = [
      { deny: "no network", permission: "net" },
      { ask: "this tool asks", tool: "web_fetch", approver: "member" },
      { allow: "our API", permission: "net", target: "https://*.example.com" },
    ];
    assert.equal(made(rules), "allow policy.rules.2");
    assert.equal(made(rules.slice(0, 2)), "ask policy.rules.1");
    assert.equal(made(rules.slice(0, 1)), "deny policy.rules.0");
    assert.match(made([]), /^allow default.net/);
  });

  it("are decided by the stricter one when they are equally specific", () => {
    const rules: readonly RuleSettings[] = [
      { allow: "yes", permission: "net" },
      { deny: "no", permission: "net" },
      { ask: "well", permission: "net" },
    ];
    assert.equal(made(rules), "deny policy.rules.1");
  });

  it("give guests only what is said to be theirs, and nothing that is denied to members", () => {
    const guest = { role: "guest" } as const;
    assert.match(made([{ allow: "web", permission: "net" }], guest), /^ask default/);
    assert.equal(made([{ allow: "web", permission: "net", as: "guest", in: "direct" }], guest), "allow policy.rules.0");
    const rules: readonly RuleSettings[] = [
      { allow: "web", permission: "net", as: "guest" },
      { deny: "not for members", permission: "net", target: "https://api.example.com", as: "member" },
    ];
    assert.equal(made(rules, guest), "deny policy.rules.1");
    assert.equal(made(rules, { role: "owner" }), "allow policy.rules.0");
  });

  it("that allow without a place mean direct conversations", () => {
    const write = {
      tool: "notes",
      effect: "write",
      permissions: ["fs.write"],
      targets: [path("a")],
      place: "group",
    } as const;
    assert.match(made([{ allow: "notes", tool: "notes" }], write), /^deny default/);
    assert.equal(made([{ allow: "notes", tool: "notes", in: "group" }], write), "allow policy.rules.0");
  });

  it("that ask without role or place never widen", () => {
    const run = { tool: "shell", effect: "write", permissions: ["exec"], targets: [command("ls")] } as const;
    const rules: readonly RuleSettings[] = [{ ask: "always ask", permission: "exec" }];
    assert.equal(made(rules, { ...run, role: "owner" }), "ask policy.rules.0");
    assert.equal(made(rules, { ...run, role: "guest" }), "deny default.nothing-else");
    assert.equal(made(rules, { ...run, role: "owner", place: "group" }), "deny default.nothing-else");
    assert.equal(made([{ ask: "quiet", permission: "net" }], { place: "group" }), "ask policy.rules.0");
  });

  it("that allow by permission alone cover neither what goes out nor what leaves the workspace", () => {
    const owner = { effect: "write", role: "owner" } as const;
    const online = {
      ...owner,
      tool: "shell",
      permissions: ["exec"],
      targets: [command("ls", { hasNetwork: true })],
    } as const;
    const unboxed = { ...online, targets: [command("ls", { isSandboxed: false })] } as const;
    const file = { ...owner, tool: "edit", permissions: ["fs.write"], targets: [path("/srv/a", false)] } as const;
    assert.match(made([{ allow: "commands", permission: "exec" }], online), /^ask default/);
    assert.equal(made([{ allow: "commands", permission: "exec", outward: true }], online), "allow policy.rules.0");
    assert.equal(made([{ allow: "the shell", tool: "shell" }], online), "allow policy.rules.0");
    assert.match(made([{ allow: "the shell", tool: "shell" }], unboxed), /^ask default/);
    assert.match(made([{ allow: "files", permission: "fs.write" }], file), /^ask default/);
    assert.equal(made([{ allow: "srv", permission: "fs.write", target: "/srv/*" }], file), "allow policy.rules.0");
  });

  it("can't be read if they are faulty", () => {
    assert.throws(() => tableOf([{ allow: "x", ask: "y" }]), /policy.rules.0 needs exactly one/);
    assert.throws(() => tableOf([], ["*"]), /policy.trusted.0/);
  });
});

describe("after untrusted content", () => {
  const tainted = (
    more: Parameters<typeof requestOf>[0],
    rules: readonly RuleSettings[] = [],
    trusted: readonly string[] = [],
  ) => {
    const { decision, rule } = decide(requestOf({ ...more, isTainted: true }), tableOf(rules, trusted));
    return `${decision} ${rule.id.startsWith("default") ? "default" : rule.id}`;
  };
  const post = {
    effect: "write",
    permissions: ["net"],
    targets: [url("https://api.example.com/x", { sendsBody: true })],
  } as const;
  const allowed: readonly RuleSettings[] = [{ allow: "our API", permission: "net", target: "https://api.example.com" }];

  it("what goes out asks again where a rule allows it, unless its target is trusted", () => {
    assert.equal(decide(requestOf(post), tableOf(allowed)).decision, "allow");
    assert.equal(tainted(post, allowed), "ask taint");
    assert.equal(tainted(post, allowed, ["https://api.example.com"]), "allow policy.rules.0");
    assert.equal(tainted(post, allowed, ["https://example.com"]), "ask taint");
    assert.equal(tainted(post, [], ["https://api.example.com"]), "ask default");
  });

  it("an address that the model put together asks, one that it was given does not", () => {
    const read = (isKnown: boolean) =>
      ({ permissions: ["net"], targets: [url("https://evil.org/?d=secret", { isKnown })] }) as const;
    assert.equal(tainted(read(false)), "ask taint");
    assert.equal(tainted(read(true)), "allow default");
  });

  it("a plan asks, since it outlives the turn, and the workspace stays free", () => {
    for (const permission of ["schedule", "memory"] as const)
      assert.equal(tainted({ effect: "write", permissions: [permission] }), "ask taint");
    assert.notEqual(tainted({ effect: "read", permissions: ["memory"] }), "ask taint");
    assert.equal(tainted({ effect: "write", permissions: ["fs.write"], targets: [path("a")] }), "allow default");
    assert.equal(tainted({ effect: "write", permissions: ["exec"], targets: [command("ls")] }), "allow default");
  });
});

describe("the rights of a turn", () => {
  it("are those of the weakest who asked", () => {
    assert.equal(
      rightsOf([
        { role: "owner", assurance: "platform" },
        { role: "guest", assurance: "platform" },
      ]),
      "guest",
    );
    assert.equal(rightsOf([{ role: "owner", assurance: "signed" }]), "owner");
  });

  it("are none for an identity that nobody checked, and for nobody", () => {
    assert.equal(rightsOf([{ role: "owner", assurance: "claimed" }]), "unverified");
    assert.equal(rightsOf([]), "unverified");
  });

  it("count in three kinds of places: a broadcast is a group, a webhook's turn is no conversation", () => {
    assert.deepEqual(places, ["direct", "group", "webhook"]);
    assert.equal(placeOf({ platform: "telegram", kind: "direct" }), "direct");
    assert.equal(placeOf({ platform: "telegram", kind: "group" }), "group");
    assert.equal(placeOf({ platform: "telegram", kind: "broadcast" }), "group");
    assert.equal(placeOf({ platform: "webhook", kind: "direct" }), "webhook");
  });
});

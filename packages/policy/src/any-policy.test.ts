import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permissions, type Role, roles, type Target } from "@talaria/protocol";
import fastCheck from "fast-check";
import { grantOfferFor, shownCall } from "./in-english.fixture.ts";
import {
  type Decision,
  decide,
  explain,
  grantSchema,
  matchesGrant,
  type PolicyRequest,
  type PolicySettings,
  places,
  type RuleSettings,
} from "./index.ts";
import { command, path, tableOf, url } from "./testing/requests.ts";

const strictness: readonly Decision[] = ["allow", "ask", "deny"];
const isAtLeastAsStrict = (one: Decision, other: Decision) => strictness.indexOf(one) >= strictness.indexOf(other);

const maybe = <T>(values: readonly T[]) => fastCheck.option(fastCheck.constantFrom(...values), { nil: undefined });
const targetsOf = {
  net: ["https://example.com", "https://*.example.com", "https://api.example.com/v1/*", "http://evil.org:8080"],
  exec: ["git status", "git log *", "ls *", "make"],
  send: ["telegram:user:42", "slack:group:C1"],
  "fs.read": ["notes/*", "/etc/hosts"],
  "fs.write": ["notes/*", "a.txt"],
} as const;

/** A rule that is valid, about few enough things that rules meet each other. */
const anyRule: fastCheck.Arbitrary<RuleSettings> = fastCheck
  .record({
    decision: fastCheck.constantFrom("allow", "ask", "deny"),
    tool: maybe(["web_fetch", "web_*", "shell", "*"]),
    permission: maybe(permissions),
    target: fastCheck.nat(3),
    hasTarget: fastCheck.boolean(),
    in: maybe(places),
    as: maybe(["owner", "member", "guest"] as const),
    outward: maybe([true, false]),
    approver: maybe(["owner", "member"] as const),
  })
  .map(({ decision, tool, permission, target, hasTarget, approver, ...rest }) => {
    const known =
      permission !== undefined && permission in targetsOf ? targetsOf[permission as keyof typeof targetsOf] : [];
    const text = hasTarget ? known[target % Math.max(1, known.length)] : undefined;
    const needed = decision === "allow" && permission === undefined ? "shell" : undefined;
    return {
      [decision]: "because",
      ...(needed === undefined && tool === undefined ? {} : { tool: needed ?? tool }),
      ...(permission === undefined ? {} : { permission }),
      ...(text === undefined ? {} : { target: text }),
      ...(approver === undefined || decision !== "ask" ? {} : { approver }),
      ...Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined)),
    };
  });

const anySettings: fastCheck.Arbitrary<PolicySettings> = fastCheck.record({
  rules: fastCheck.array(anyRule, { maxLength: 8 }),
  trusted: fastCheck.subarray(["https://example.com", "telegram:user:42", "https://*.example.com"]),
});

const anyTarget: fastCheck.Arbitrary<Target> = fastCheck.oneof(
  fastCheck.record({
    kind: fastCheck.constant("command" as const),
    command: fastCheck.constantFrom("git status", "git log main", "ls -la", "make", "rm -rf /", "git push && ls"),
    isSandboxed: fastCheck.boolean(),
    hasNetwork: fastCheck.boolean(),
  }),
  fastCheck.record({
    kind: fastCheck.constant("url" as const),
    url: fastCheck.constantFrom(
      "https://example.com",
      "https://api.example.com/v1/x",
      "http://evil.org:8080/",
      "file:///x",
      "x",
    ),
    sendsBody: fastCheck.boolean(),
    isKnown: fastCheck.boolean(),
  }),
  fastCheck.record({
    kind: fastCheck.constant("recipient" as const),
    recipient: fastCheck.constantFrom("telegram:user:42", "slack:group:C1", "email:user:x"),
    isOrigin: fastCheck.boolean(),
  }),
  fastCheck.record({
    kind: fastCheck.constant("path" as const),
    path: fastCheck.constantFrom("notes/a", "a.txt", "/etc/hosts", "/dev/sda", "notes/../../x"),
    isInWorkspace: fastCheck.boolean(),
  }),
);

const anyRequest: fastCheck.Arbitrary<PolicyRequest> = fastCheck.record({
  tool: fastCheck.constantFrom("web_fetch", "web_post", "shell", "notes"),
  effect: fastCheck.constantFrom("read", "write"),
  permissions: fastCheck.subarray([...permissions], { maxLength: 3 }),
  targets: fastCheck.array(anyTarget, { maxLength: 2 }),
  place: fastCheck.constantFrom(...places),
  role: fastCheck.constantFrom(...roles),
  isTainted: fastCheck.boolean(),
});

describe("any policy", () => {
  const runs = { numRuns: 1_500 };

  it("never becomes wider by a deny", () => {
    const deny = anyRule.filter((rule) => rule.deny !== undefined);
    fastCheck.assert(
      fastCheck.property(anySettings, deny, anyRequest, ({ rules, trusted }, more, request) => {
        const before = decide(request, tableOf(rules, trusted)).decision;
        assert.ok(isAtLeastAsStrict(decide(request, tableOf([...rules, more], trusted)).decision, before));
      }),
      runs,
    );
  });

  it("gives a weaker role no more than a stronger one", () => {
    fastCheck.assert(
      fastCheck.property(anySettings, anyRequest, ({ rules, trusted }, request) => {
        const table = tableOf(rules, trusted);
        const all = roles.map((role: Role) => decide({ ...request, role }, table).decision);
        for (const [index, decision] of all.slice(1).entries())
          assert.ok(isAtLeastAsStrict(all[index] as Decision, decision), `${all}`);
      }),
      runs,
    );
  });

  it("gives no more after taint", () => {
    fastCheck.assert(
      fastCheck.property(anySettings, anyRequest, ({ rules, trusted }, request) => {
        const table = tableOf(rules, trusted);
        const clean = decide({ ...request, isTainted: false }, table).decision;
        assert.ok(isAtLeastAsStrict(decide({ ...request, isTainted: true }, table).decision, clean));
      }),
      runs,
    );
  });

  it("does not depend on the order of its rules", () => {
    fastCheck.assert(
      fastCheck.property(anySettings, anyRequest, fastCheck.integer(), ({ rules, trusted }, request, seed) => {
        const mixed = rules.toSorted((a, b) => JSON.stringify([seed, a]).localeCompare(JSON.stringify([seed, b])));
        const shown = (given: readonly RuleSettings[]) => {
          const { decision, approver } = decide(request, tableOf(given, trusted));
          return [decision, approver];
        };
        assert.deepEqual(shown(mixed), shown(rules));
        assert.deepEqual(shown(rules.toReversed()), shown(rules));
      }),
      runs,
    );
  });

  it("never lifts the floor", () => {
    const disks = [command("rm -rf /"), path("/dev/sda"), url("file:///etc/shadow")];
    fastCheck.assert(
      fastCheck.property(
        anySettings,
        anyRequest,
        fastCheck.constantFrom(...disks),
        ({ rules, trusted }, request, target) => {
          const made = decide(
            { ...request, effect: "write", targets: [...request.targets, target], permissions: ["fs.write"] },
            tableOf(rules, trusted),
          );
          assert.equal(made.decision, "deny");
        },
      ),
      runs,
    );
  });

  it("lets nobody agree to more than one aim of a stranger's tool, and not to one that has no name once strangers write", () => {
    const anyAim = fastCheck.oneof(
      fastCheck.constant("unnamed" as const),
      fastCheck.constantFrom<unknown>("a", "b", ["a"], 1, "1", null).map((to) => ({ to })),
    );
    const changing = fastCheck
      .tuple(anyRequest, anyAim, fastCheck.boolean())
      .map(([request, aim, isOnlyTold]): PolicyRequest => ({ ...request, effect: "write", aim, isOnlyTold }));
    fastCheck.assert(
      fastCheck.property(
        anySettings,
        changing,
        anyAim,
        fastCheck.boolean(),
        fastCheck.boolean(),
        ({ rules, trusted }, request, aim, isTainted, isOnlyTold) => {
          const table = tableOf(rules, trusted);
          const asked = decide(request, table);
          const shown = shownCall({ name: request.tool, arguments: "{}" }, request.targets);
          const offer = grantOfferFor(request, asked, shown);
          if (offer === undefined) return;
          const grant = grantSchema.parse({ ...offer.terms, byRole: "owner" });
          const later = { ...request, aim, isTainted, isOnlyTold };
          if (!matchesGrant(grant, later, decide(later, table))) return;
          assert.deepEqual(aim, request.aim);
          if (aim === "unnamed") assert.ok(!isTainted && !request.isTainted);
          if (isTainted && !isOnlyTold) assert.ok(request.isTainted && request.isOnlyTold !== true);
        },
      ),
      runs,
    );
  });

  it("asks somebody whenever it asks, and names the rule of each decision", () => {
    fastCheck.assert(
      fastCheck.property(anySettings, anyRequest, ({ rules, trusted }, request) => {
        const table = tableOf(rules, trusted);
        const { decision, approver, rule, asks } = decide(request, table);
        assert.equal(approver !== undefined, decision === "ask");
        assert.equal(asks.length > 0, decision === "ask");
        assert.ok(rule.text !== "" && rule.id !== "");
        const told = explain(request, table);
        assert.ok(told.some((one) => one.rule.id === rule.id && one.decision === decision));
        for (const { lost } of told) for (const { why } of lost) assert.notEqual(why, "");
      }),
      runs,
    );
  });
});

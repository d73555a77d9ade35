import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { policyTable } from "@talaria/policy";
import { checkConfig, loadConfig } from "./load-config.ts";
import { formatProblem } from "./problem.ts";

const options = { file: "c.yaml", env: {} };

function problems(text: string): readonly string[] {
  const { problems: found, loaded } = checkConfig(text, options);
  assert.equal(loaded, undefined);
  return found.map(formatProblem);
}

describe("the policy", () => {
  it("has no rules by itself, and questions wait for an hour", () => {
    const { policy } = loadConfig("", options).config;
    assert.deepEqual(policy, { rules: [], trusted: [], approvals: { expiresMinutes: 60 } });
  });

  it("is read with everything that a rule can say", () => {
    const { config } = loadConfig(
      `policy:
  rules:
    - { allow: our API, permission: net, target: "https://api.example.com/v1/*", as: guest, in: group, outward: true }
    - { ask: careful, tool: "mcp__*", approver: member }
    - { deny: never, permission: exec, in: webhook }
  trusted: ["https://*.example.com", "telegram:group:-100"]
  approvals: { expiresMinutes: 5 }
accounts: { tg: { platform: telegram, token: "1:a" } }
`,
      options,
    );
    const table = policyTable(config.policy);
    assert.deepEqual(
      table.rules.map(({ id, decision, text }) => `${id} ${decision} ${text}`),
      ["policy.rules.0 allow our API", "policy.rules.1 ask careful", "policy.rules.2 deny never"],
    );
    assert.equal(table.trusted.length, 2);
  });

  it("is as its page shows it", () => {
    const page = readFileSync(new URL("../../../docs/policy.md", import.meta.url), "utf8");
    const [, example = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];
    const { config, problems: found } = loadConfig(
      `${example}accounts: { telegram-main: { platform: telegram, token: "1:a" } }\n`,
      options,
    );
    assert.deepEqual(found, []);
    assert.equal(policyTable(config.policy).rules.length, 5);
    const named = [...page.matchAll(/^\| `(\w+)`(?:, `(\w+)`, `(\w+)`)? \|/gm)].flatMap(([, ...keys]) =>
      keys.filter(Boolean),
    );
    for (const key of ["allow", "ask", "deny", "tool", "permission", "target", "in", "as", "outward", "approver"])
      assert.ok(named.includes(key), key);
  });

  const bad: readonly (readonly [string, string])[] = [
    [
      "- { permission: net }",
      "policy.rules.0: needs exactly one of `allow`, `ask` and `deny`, with the reason as its text",
    ],
    [
      "- { allow: a, deny: b, tool: x }",
      "policy.rules.0: needs exactly one of `allow`, `ask` and `deny`, with the reason as its text",
    ],
    ["- { allow: everything }", "policy.rules.0.allow: needs `tool` or `permission`: a rule can't allow everything"],
    [
      '- { allow: everything, tool: "*" }',
      "policy.rules.0.allow: needs `tool` or `permission`: a rule can't allow everything",
    ],
    ["- { deny: a, permision: net }", 'policy.rules.0.permision: unknown key; did you mean "permission"?'],
    [
      "- { deny: a, permission: nett }",
      'policy.rules.0.permission: must be one of "conversation.read", "clock", "fs.read", "fs.write", "net", "exec", "send", "memory", "schedule", "spend", "secret"; did you mean "net"?',
    ],
    [
      "- { deny: a, in: grup }",
      'policy.rules.0.in: must be one of "direct", "group", "webhook"; did you mean "group"?',
    ],
    ["- { deny: a, as: unverified }", 'policy.rules.0.as: must be one of "owner", "member", "guest"'],
    [
      '- { deny: a, target: "https://example.com" }',
      "policy.rules.0.target: needs `permission`, which says what it is: `net`, `exec`, `send`, `fs.read` or `fs.write`",
    ],
    [
      '- { allow: a, permission: exec, target: "bash *" }',
      "policy.rules.0.target: would allow anything: `bash` runs what its arguments say. Name the whole command",
    ],
    [
      '- { allow: a, permission: net, target: "https://*.com" }',
      "policy.rules.0.target: is too wide: a star needs at least a domain and its ending behind it",
    ],
    ['- { deny: a, permission: memory, target: "x" }', "policy.rules.0.target: `memory` has no targets: leave it out"],
    ["- { deny: a, approver: member }", "policy.rules.0.approver: goes with `ask` alone"],
    [
      '- { deny: a, tool: "a b" }',
      "policy.rules.0.tool: is no name of a tool: letters, digits, `_`, `-`, and `*` for any of them",
    ],
    ['- { deny: "" }', "policy.rules.0.deny: needs a reason, which people are shown"],
  ];
  for (const [rule, message] of bad)
    it(`is not read from ${rule}`, () => {
      assert.deepEqual(
        problems(`policy:\n  rules:\n    ${rule}\n`).map((problem) => problem.replace(/^c.yaml:3:\d+ /, "")),
        [message],
      );
    });

  it("trusts nobody for certain that it can't name", () => {
    assert.match(
      problems('policy: { trusted: ["telegram:user:*"] }')[0] ?? "",
      /policy.trusted.0: must be a recipient/,
    );
    assert.match(problems('policy: { trusted: ["https://*"] }')[0] ?? "", /policy.trusted.0: may have a star only/);
  });
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { loadConfig } from "@talaria/config";
import { policyTable } from "@talaria/policy";
import { callTool, type ModelRequest, say } from "@talaria/testkit";
import { knownTool } from "../../apps/cli/src/commands/known-tool.ts";
import { explanation, requestFor } from "../../apps/cli/src/commands/policy.ts";
import { House } from "../support/house.ts";
import { Collector } from "./collector.ts";
import { startDeskServer } from "./desk-server.ts";
import { accounts, inGroup, inPrivate } from "./stage.ts";

type Outcome = "allowed" | "asked" | "denied" | "not offered";

interface Case {
  /** YAML flow text of one rule. */
  readonly rule?: string;
  readonly isTrusted?: boolean;
  /** Whom the agent does what for in a group: an owner, a member, a guest. */
  readonly inGroup: readonly [owner: Outcome, member: Outcome, guest: Outcome];
  readonly inPrivate: readonly [owner: Outcome, member: Outcome, guest: Outcome];
}

const people = ["ada", "bob", "mallory"] as const;
const roles = ["owner", "member", "guest"] as const;
const none = ["not offered", "not offered", "not offered"] as const;
const askedAlone = ["asked", "asked", "not offered"] as const;
const allowedAlone = ["allowed", "allowed", "not offered"] as const;

/** The desk's `pay` changes something. `DESK` is its address. */
const cases: Readonly<Record<string, Case>> = {
  "no rule": { inGroup: none, inPrivate: askedAlone },
  "its name": { rule: "{ allow: ours, tool: mcp_desk_pay }", inGroup: none, inPrivate: allowedAlone },
  "its name, in groups": {
    rule: "{ allow: ours, tool: mcp_desk_pay, in: group }",
    inGroup: allowedAlone,
    inPrivate: askedAlone,
  },
  "its name, in groups, at a server that nobody trusts": {
    rule: "{ allow: ours, tool: mcp_desk_pay, in: group }",
    isTrusted: false,
    inGroup: askedAlone,
    inPrivate: askedAlone,
  },
  "the server's tools, in groups, for guests": {
    rule: '{ allow: ours, tool: "mcp_desk_*", in: group, as: guest }',
    inGroup: ["allowed", "allowed", "allowed"],
    inPrivate: askedAlone,
  },
  "the server's tools for guests in private": {
    rule: '{ allow: ours, tool: "mcp_desk_*", as: guest }',
    inGroup: none,
    inPrivate: ["allowed", "allowed", "allowed"],
  },
  "the server's address, in groups": {
    rule: '{ allow: ours, permission: net, target: "DESK", in: group }',
    inGroup: allowedAlone,
    inPrivate: askedAlone,
  },
  "what goes out, in groups": {
    rule: "{ allow: ours, permission: net, outward: true, in: group }",
    inGroup: allowedAlone,
    inPrivate: askedAlone,
  },
  "a permission alone, which says too little": {
    rule: "{ allow: ours, permission: net, in: group }",
    inGroup: none,
    inPrivate: askedAlone,
  },
  "an owner, in groups": {
    rule: "{ allow: ours, tool: mcp_desk_pay, in: group, as: owner }",
    inGroup: ["allowed", "not offered", "not offered"],
    inPrivate: askedAlone,
  },
  "a question, in groups": {
    rule: "{ ask: looked at, tool: mcp_desk_pay, in: group, approver: member }",
    inGroup: askedAlone,
    inPrivate: askedAlone,
  },
  "a question that names no place": {
    rule: "{ ask: looked at, tool: mcp_desk_pay }",
    inGroup: none,
    inPrivate: askedAlone,
  },
  "a denial": {
    rule: "{ deny: never, tool: mcp_desk_pay }",
    inGroup: none,
    inPrivate: ["denied", "denied", "not offered"],
  },
};

for (const [name, { rule, isTrusted = true, ...expected }] of Object.entries(cases))
  it(`is with a changing tool of an MCP server as \`policy explain\` says: ${name}`, async () => {
    await using closing = new AsyncDisposableStack();
    const collector = closing.use(await Collector.start());
    const desk = closing.use(await startDeskServer());
    const yaml = [
      `mcp: { servers: { desk: { url: "${desk.url}", reads: [look] } } }`,
      `policy: { trusted: [${isTrusted ? `"${desk.url}"` : ""}], rules: [${rule?.replace("DESK", desk.url) ?? ""}] }`,
    ].join("\n");
    let offered: ReadonlySet<string> = new Set();
    const respond = ({ messages, tools }: ModelRequest) => {
      offered = new Set(tools.map((one) => one.function.name));
      return messages.at(-1)?.role === "user" && offered.has("mcp_desk_pay")
        ? callTool("mcp_desk_pay", {})
        : say("Done.");
    };
    const house = closing.use(
      await House.start({ accounts, respond, fetch: collector.fetch, sandbox: "backend: off", config: yaml }),
    );
    const done = async (event: ReturnType<typeof inGroup>): Promise<Outcome> => {
      desk.calls.length = 0;
      await house.tell(event);
      if (!offered.has("mcp_desk_pay")) return "not offered";
      const waiting = await house.store.calls.waiting(house.keyOf(event));
      return desk.calls.length > 0 ? "allowed" : waiting.length > 0 ? "asked" : "denied";
    };
    const seen = { inGroup: [] as Outcome[], inPrivate: [] as Outcome[] };
    for (const person of people) {
      seen.inGroup.push(await done(inGroup(person, "pay", { conversation: `room of ${person}` })));
      seen.inPrivate.push(await done(inPrivate(person, "pay")));
    }
    assert.deepEqual(seen, expected);
    const explained = {
      inGroup: await Promise.all(roles.map((role) => explainedFor(yaml, role, "group"))),
      inPrivate: await Promise.all(roles.map((role) => explainedFor(yaml, role, "direct"))),
    };
    assert.deepEqual(explained, seen);
  });

async function explainedFor(yaml: string, role: string, place: string): Promise<string> {
  const models = 'models: { main: { provider: openai-chat, baseUrl: "http://127.0.0.1:1", apiKey: k, model: m } }';
  const { config } = loadConfig(`${models}\nsandbox: { backend: off }\n${yaml}`, { file: "explain.yaml", env: {} });
  const options = { as: role, in: place };
  const known = await knownTool("mcp_desk_pay", config, (own) => requestFor("mcp_desk_pay", options, own));
  const [first = ""] = explanation(requestFor("mcp_desk_pay", options, known), policyTable(config.policy), known);
  return /: (allowed|asked|denied|not offered)/.exec(first)?.[1] ?? first;
}

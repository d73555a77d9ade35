import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { defineTool, type Tool, type UserEntry } from "@talaria/agent";
import { brandAs, type Conversation, type EventId, instantOf, type Role } from "@talaria/protocol";
import { z } from "zod";
import { createOfferedTools } from "./offered-tools.ts";
import { createToolsFor, type ToolsOfTurn } from "./tools-for.ts";
import { createTestStore, ScriptedModel, says, Talk, type TestStore, TestWorker, tool } from "./worker.fixture.ts";

describe("the tools of servers that a prompt was shown", () => {
  let test: TestStore;
  before(async () => {
    test = await createTestStore();
  });
  after(() => test[Symbol.asyncDispose]());

  it("are handed in again, whichever worker has the session, until it is reset", async () => {
    const asked: (string | undefined)[] = [];
    const server = tool("mcp_a_look", async () => "");
    /** As a list that grows with every look at it. */
    const toolsFor = async (_route: unknown, _journal: unknown, kept: string | undefined): Promise<ToolsOfTurn> => {
      asked.push(kept);
      return { tools: [server], ...(kept === undefined ? { keep: `list ${asked.length}` } : {}) };
    };
    const talk = new Talk(test);
    for (const text of ["one", "two", "three"]) {
      await talk.say(text);
      await (await TestWorker.start(test, new ScriptedModel(says("ok")), { toolsFor })).run(talk.key);
    }
    assert.deepEqual(asked, [undefined, "list 1", "list 1"]);
  });
});

describe("the tools of a turn", () => {
  const [look, act] = [served("mcp_a_look", "read"), served("mcp_a_act", "write")];
  const kept: (string | undefined)[] = [];
  const toolsFor = createToolsFor({
    web: { enabled: false },
    media: {},
    secrets: [],
    offered: createOfferedTools({ policy: { rules: [], trusted: [] }, sandbox: { backend: "off", network: [] } }),
    toolFiles: { tools: async () => [] },
    workspaces: { usable: async () => false },
    frozen: async (text) => {
      kept.push(text);
      return { tools: [act, look], keep: "new" };
    },
    capabilitiesOf: async () => ({}) as never,
  });
  const of = async (kind: Conversation["kind"], role: Role) => {
    const { tools, keep } = await toolsFor(at(conversation(kind)), [words(role)], "old");
    return [tools.flatMap(({ name }) => (name.startsWith("mcp_") ? [name] : [])), keep];
  };

  it("are all those of servers where a member writes in private, elsewhere what only looks", async () => {
    assert.deepEqual(await of("direct", "member"), [["mcp_a_act", "mcp_a_look"], "new"]);
    assert.deepEqual(await of("group", "owner"), [["mcp_a_look"], "new"]);
    assert.deepEqual(kept, ["old", "old"]);
  });

  it("are those of the servers that a route names which acts for an owner", async () => {
    const mandated = async (...deliveries: readonly (readonly string[])[]) => {
      const sender = { ...words("owner").sender, role: "system", assurance: "signed" } as const;
      const entries = deliveries.map((toolsets) => ({
        ...words("owner"),
        sender: { ...sender, mandate: { owner: "telegram:user:1", toolsets } },
      }));
      const webhook = { ...conversation("direct"), platform: "webhook" as const };
      const { tools } = await toolsFor({ conversation: webhook, route: conversation("direct") }, entries, "old");
      return tools.flatMap(({ name }) => (name.startsWith("mcp_") ? [name] : []));
    };
    assert.deepEqual(await mandated(["mcp_a"]), ["mcp_a_act", "mcp_a_look"]);
    assert.deepEqual(await mandated(["mcp_b", "web"]), []);
    assert.deepEqual(await mandated(["mcp_a"], ["web"]), [], "of deliveries that are read together, what both may use");
  });

  it("are those of the webhook, wherever its answer goes", async () => {
    const webhook = { ...conversation("direct"), platform: "webhook" as const };
    const { tools } = await toolsFor(
      { conversation: webhook, route: conversation("direct") },
      [words("member")],
      "old",
    );
    assert.ok(!tools.some(({ effect }) => effect === "write"));
  });

  it("are none of servers where a guest writes, for whom nothing is kept either", async () => {
    kept.length = 0;
    assert.deepEqual(await of("direct", "guest"), [[], undefined]);
    assert.deepEqual(kept, []);
  });
});

function served(name: string, effect: Tool["effect"]): Tool {
  const input = z.strictObject({});
  return defineTool({
    name,
    description: name,
    effect,
    permissions: ["net"],
    input,
    execute: async () => ({ content: "" }),
  });
}

function at(conversation: Conversation) {
  return { conversation, route: conversation };
}

function conversation(kind: Conversation["kind"]): Conversation {
  return { accountId: brandAs("a"), platform: "telegram", conversationId: brandAs("1"), kind };
}

function words(role: Role): UserEntry {
  return {
    kind: "user",
    eventId: brandAs<EventId>("e"),
    sender: { userId: brandAs("ada"), role: "person", displayName: "Ada", assurance: "platform" },
    role,
    markdown: "hello",
    attachments: [],
    at: instantOf(1_790_000_000_000),
  };
}

import assert from "node:assert/strict";
import { describe, it, type TestContext } from "node:test";
import { toolSpecs } from "@talaria/agent";
import { type Clock, systemClock } from "@talaria/protocol";
import { createMcp, type FrozenTools, type McpConfig } from "./index.ts";
import { callTool, mcpDeps, reached, startMcp, toolContext } from "./mcp.fixture.ts";

const program = new URL("testing/lying-server-process.ts", import.meta.url).pathname;

function liar(mode: string, more: object = {}): McpConfig["servers"][string] {
  return { command: [process.execPath, program, mode], ...more };
}

async function started(test: TestContext, servers: McpConfig["servers"], names = Object.keys(servers)) {
  const mcp = startMcp(test, servers);
  await reached(mcp, "ready", names);
  return mcp;
}

/** What a model is sent of them. */
function bytes({ tools }: FrozenTools): string {
  return JSON.stringify(toolSpecs(tools));
}

function names({ tools }: FrozenTools): readonly string[] {
  return tools.map(({ name }) => name);
}

async function call({ tools }: FrozenTools, name: string): Promise<string> {
  const tool = tools.find((one) => one.name === name);
  assert.ok(tool, `${name} is missing`);
  return (await tool.execute({}, toolContext())).content;
}

describe("the tools of a prompt that lives on", () => {
  it("stay what they were when the server's list changes; those that are gone say so", async (test) => {
    const mcp = await started(test, { bad: liar("calls", { reads: ["look"] }) });
    const first = await mcp.frozen();
    assert.ok(first.keep);
    await callTool(mcp, "mcp_bad_change", {});
    await test.waitFor(async () => assert.ok(names(await mcp.frozen()).includes("mcp_bad_late")), { timeout: 120_000 });
    const later = await mcp.frozen(first.keep);
    assert.equal(bytes(later), bytes(first));
    assert.equal(later.keep, undefined);
    assert.deepEqual(
      later.tools.map(({ effect }) => effect),
      first.tools.map(({ effect }) => effect),
      "nor does it leave a group, where only reads are shown",
    );
    await assert.rejects(call(later, "mcp_bad_early"), /no longer offers this tool\. Nothing was done/);
    await assert.rejects(call(later, "mcp_bad_look"), /now says that this tool changes things/);
    assert.match(await call(later, "mcp_bad_cancelled"), /0$/);
  });

  it("are the same bytes in another process, also while the server is away or has become another one", async (test) => {
    const first = await (await started(test, { one: liar("odd"), two: liar("calls") })).frozen();
    const other = startMcp(test, { one: liar("calls"), two: { command: ["/nonexistent"] } });
    await reached(other, "ready", ["one"]);
    await reached(other, "down", ["two"]);
    const again = await other.frozen(first.keep);
    assert.equal(bytes(again), bytes(first));
    assert.equal(again.keep, undefined);
    await assert.rejects(call(again, "mcp_one_wide"), /no longer offers this tool/);
    await assert.rejects(call(again, "mcp_two_look"), /not connected at the moment\. Nothing was done/);
    assert.equal(
      again.tools.find(({ name }) => name === "mcp_one_slow"),
      (await other.frozen(first.keep)).tools.find(({ name }) => name === "mcp_one_slow"),
    );
    assert.equal(
      again.tools.every(({ isForeign, permissions }) => isForeign === true && permissions[0] === "exec"),
      true,
    );
  });

  it("can be called by a process that has only just begun to connect", async (test) => {
    const servers = { one: liar("odd"), two: liar("calls") };
    const { keep } = await (await started(test, servers)).frozen();
    const other = startMcp(test, { ...servers, two: { command: ["/nonexistent"] } });
    const again = await other.frozen(keep);
    assert.match(await call(again, "mcp_one_safe"), /safe/);
    await assert.rejects(call(again, "mcp_two_look"), /not connected at the moment\. Nothing was done/);
  });

  it("are those of servers that are connected when they are first needed", async (test) => {
    const mcp = createMcp(
      { servers: { one: liar("odd", { tools: ["safe"] }), two: { command: ["/nonexistent"] } } },
      mcpDeps(),
    );
    test.after(() => mcp.stop());
    assert.deepEqual(
      mcp.status().map(({ state }) => state),
      ["unused", "unused"],
    );
    const first = await mcp.frozen();
    assert.deepEqual(names(first), ["mcp_one_safe"]);
    assert.equal(mcp.status()[0]?.state, "ready");
    assert.equal(mcp.status()[1]?.state, "down");
  });

  it("come without those of a server that keeps a new prompt waiting, and at once to a prompt that knows it", async (test) => {
    const { keep } = await (await started(test, { silent: liar("odd") })).frozen();
    const waits: number[] = [];
    const clock: Clock = {
      ...systemClock,
      now: () => systemClock.now(),
      sleep: async (ms, signal) => {
        if (ms === 5_000) waits.push(ms);
        await systemClock.sleep(ms === 5_000 ? 50 : ms, signal);
      },
    };
    const mcp = createMcp({ servers: { silent: { command: ["/bin/sleep", "60"] } } }, mcpDeps({ clock }));
    test.after(() => mcp.stop());
    assert.ok(names(await mcp.frozen(keep)).includes("mcp_silent_safe"));
    assert.deepEqual(waits, []);
    assert.deepEqual(names(await mcp.frozen()), []);
    assert.deepEqual(waits, [5_000]);
  });

  it("are joined once by those of a server that was away", async (test) => {
    const alone = await started(test, { one: liar("odd", { tools: ["safe"] }) });
    const { keep } = await alone.frozen();
    const both = await started(test, { one: liar("odd"), two: liar("calls", { tools: ["look"] }) });
    const joined = await both.frozen(keep);
    assert.deepEqual(names(joined), ["mcp_one_safe", "mcp_two_look"]);
    assert.ok(joined.keep);
    assert.equal(bytes(await both.frozen(joined.keep)), bytes(joined));
    const unread = await both.frozen("{");
    assert.equal(bytes(unread), bytes(await both.frozen()));
    assert.ok(unread.keep);
  });

  it("are none of a server without tools that gets some later", async (test) => {
    const { keep } = await (await started(test, { one: liar("odd", { tools: ["absent"] }) })).frozen();
    assert.deepEqual(names(await (await started(test, { one: liar("odd") })).frozen(keep)), []);
  });

  it("are fewer when the operator wants fewer, and reads when they say so", async (test) => {
    const { keep, tools } = await (await started(test, { one: liar("odd"), two: liar("calls") })).frozen();
    const digest = tools.find(({ nameThere }) => nameThere === "safe")?.digest ?? "";
    const narrow = { tools: ["safe", "wide"], digests: { safe: digest, wide: "unknown" }, reads: ["safe"] };
    const less = startMcp(test, { one: { command: ["/nonexistent"], ...narrow } });
    const shown = await less.frozen(keep);
    assert.deepEqual(names(shown), ["mcp_one_safe"]);
    assert.equal(shown.tools[0]?.effect, "read");
  });
});

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

describe("a mistyped command", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  for (const [text, meant] of [
    ["/titel My trip", "title"],
    ["/contxt", "context"],
    ["/undoo", "undo"],
    ["/UNOD 3", "undo"],
    ["/stopp", "stop"],
    ["/comapct", "compact"],
    ["/resmue 2", "resume"],
    ["/hlep", "help"],
    ["/modle", "model"],
    ["/tools", "settings"],
    ["/cancel", "stop"],
    ["/Reset", "new"],
  ] as const)
    it(`is named, and nothing is done: ${text}`, async () => {
      await desk.gate(desk.message({ text }));
      assert.deepEqual(await desk.notices("c1"), [`There is no such command. Did you mean \`/${meant}\`?`]);
      assert.deepEqual(await desk.waiting("c1"), []);
      assert.equal(desk.said[0], "count command mistyped");
    });

  for (const text of [
    "/deploy",
    "/starting",
    "/toolbox",
    "/etc/passwd",
    "/stopp/x",
    "/approvel",
    "/me waves",
    "/un",
    "//stopp",
    "please /stopp",
    "/stopp\nand more",
    `/${"stop".repeat(9)}`,
  ])
    it(`goes to the agent: ${JSON.stringify(text)}`, async () => {
      await desk.gate(desk.message({ text }));
      assert.deepEqual(await desk.waiting("c1"), [text]);
      assert.deepEqual(await desk.notices("c1"), []);
    });

  it("is named to those who may give it, and goes to the agent from others", async () => {
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    const gate = desk.gateWith({ policyOf: () => ({ ...policy, access }) });
    const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true } as const;
    await gate(desk.message({ ...inGroup, from: "guest", text: "/titel x" }));
    assert.deepEqual(await desk.waiting("g1"), ["/titel x"]);
    await gate(desk.message({ ...inGroup, from: "guest", text: "/sethom" }));
    await gate(desk.message({ ...inGroup, from: "u1", text: "/pepole" }));
    assert.deepEqual(await desk.waiting("g1"), ["/titel x", "/sethom", "/pepole"]);
    await gate(desk.message({ ...inGroup, from: "guest", text: "/contxt" }));
    await gate(desk.message({ ...inGroup, from: "boss", text: "/titel y" }));
    await gate(desk.message({ ...inGroup, from: "boss", text: "/pair list" }));
    assert.equal((await desk.waiting("g1")).length, 3);
    const named = ["context", "title", "people"].map((name) => `There is no such command. Did you mean \`/${name}\`?`);
    assert.deepEqual(await desk.notices("g1"), named);
  });
});

import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

const switchedOn = [
  { what: "commands" as const, key: "sandbox.backend: bubblewrap" },
  { what: "web" as const, key: "web.enabled" },
  { what: "server" as const, key: "mcp.servers.a" },
  { what: "server" as const, key: "mcp.servers.b" },
];

describe("/start", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  for (const [who, from, more] of [
    [
      "an owner",
      "boss",
      /^Hi! I'm Talaria\. Write to me[^\n]* I can use commands and files, web pages and a server's tools\.\n\nYou're an owner: .*`\/people`.*`\/help`/,
    ],
    [
      "a member",
      "u1",
      /I can use commands and files.*\n\nFor some of what you ask, I need an owner's approval first\. `\/help`/,
    ],
    ["a guest", "guest", /^Hi! I'm Talaria\. Write to me, and I'll answer\.\n\n`\/help` lists what you can do\.$/],
  ] as const)
    it(`greets ${who}, and asks no model`, async () => {
      const policy = openGroups();
      const access = { ...policy.access, direct: "open" as const, owners: [brandAs<UserId>("boss")] };
      const gate = desk.gateWith({ switchedOn, policyOf: () => ({ ...policy, access }) });
      assert.equal(await gate(desk.message({ from, conversation: "c1", text: "/start payload_1" })), "recorded");
      const [text = "", ...others] = await desk.notices("c1");
      assert.match(text, more);
      assert.deepEqual(others, []);
      assert.deepEqual(await desk.waiting("c1"), []);
    });

  it("tells whom nobody has checked that their commands change nothing", async () => {
    const policy = openGroups();
    const gate = desk.gateWith({ policyOf: () => ({ ...policy, access: { ...policy.access, direct: "open" } }) });
    await gate(desk.message({ from: "u1", assurance: "claimed", text: "/start" }));
    assert.match((await desk.notices("c1"))[0] ?? "", /I can't tell who wrote this/);
  });
});

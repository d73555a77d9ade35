import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Role } from "@talaria/protocol";
import fc from "fast-check";
import { commands, helpText, parseCommand } from "./commands.ts";

describe("a command", () => {
  for (const [text, command] of [
    ["/stop", "stop"],
    ["/STOP", "stop"],
    [" /stop", "stop"],
    ["/new please", "new"],
    ["/status\nand more", "status"],
    ["/help\u00a0me", "help"],
    ["/start", "start"],
    ["/start payload_1", "start"],
  ] as const)
    it(`is read from ${JSON.stringify(text)}`, () => assert.equal(parseCommand(text)?.name, command));

  for (const text of [
    "",
    "/",
    "stop",
    "\t/stop",
    "//stop",
    "/ stop",
    "/stopp",
    "/stop!",
    "/stop@other_bot",
    "／stop",
    "/ѕtop",
    "/ﬅop",
    "\u200b/stop",
    "/stop\u200b",
    "`/stop`",
    "please /stop",
    "/approved",
    "/allow 7",
    "/config x=1",
    "/constructor",
    "/__proto__",
  ])
    it(`is not read from ${JSON.stringify(text)}`, () => assert.equal(parseCommand(text), undefined));

  it("is found at once in any text", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary", maxLength: 200 }), (text) => {
        const command = parseCommand(text);
        if (command !== undefined) assert.ok(text.trimStart().toLowerCase().startsWith(`/${command.name}`));
      }),
    );
    assert.equal(parseCommand(`/${"a".repeat(1_000_000)}`), undefined);
  });

  it("is listed in a text that fits one message of Discord, which holds 2,000 characters, with room for more", () => {
    const { length } = helpText("A name of more than thirty letters", "owner");
    assert.ok(length <= 1_800, `${length} characters`);
  });

  it("is listed by /help, each one, under the agent's name", () => {
    const text = helpText("Hermes", "owner");
    assert.match(text, /^I'm Hermes\./);
    for (const [name, does] of Object.entries(commands)) assert.ok(text.includes(`\`/${name}\`: ${does}`));
  });

  it("is listed for those who have a use for it", () => {
    const listed = (role: Role) => [...helpText("Hermes", role).matchAll(/^- `\/([a-z]+)`/gm)].map(([, name]) => name);
    const missing = (role: Role) => Object.keys(commands).filter((name) => !listed(role).includes(name));
    const owners = ["sethome", "people", "lift", "trust"];
    const members = ["approve", "deny", "approvals", "revoke"];
    assert.deepEqual(missing("owner"), []);
    assert.deepEqual(missing("member").toSorted(), owners.toSorted());
    assert.deepEqual(missing("guest").toSorted(), [...owners, ...members].toSorted());
    assert.deepEqual(missing("unverified"), missing("guest"));
    assert.ok(!listed("owner").includes("start"));
  });
});

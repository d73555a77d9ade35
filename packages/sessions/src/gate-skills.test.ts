import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { before, beforeEach, describe, it } from "node:test";
import { helpText } from "./commands.ts";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";

describe("a skill that is asked for by its name", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;

  before(async () => {
    for (const [name, version] of [
      ["pdf-forms", 1],
      ["pdf-forms", 2],
      ["stoppp", 1],
      ["навык", 1],
    ] as const)
      await test.store.skills.accept({ name, digest: createHash("sha256").update(`${name} ${version}`).digest("hex") });
  });
  beforeEach(() => {
    desk = test.newDesk();
    gate = desk.gateWith({ skills: test.store.skills });
  });

  for (const text of ["/pdf-forms fill it in", "/PDF-forms", "/навык", "/stoppp now", "/other-thing", "see /pdf-form"])
    it(`goes to the agent: ${text}`, async () => {
      await gate(desk.message({ text }));
      assert.deepEqual(await desk.waiting("c1"), [text]);
      assert.deepEqual(await desk.notices("c1"), []);
    });

  for (const [text, meant] of [
    ["/pdf-form fill it in", "pdf-forms"],
    ["/pfd-forms", "pdf-forms"],
    ["/навыки", "навык"],
    ["/stopp", "stop"],
  ] as const)
    it(`is named where somebody mistyped it: ${text}`, async () => {
      await gate(desk.message({ text }));
      assert.deepEqual(await desk.notices("c1"), [`There is no such command. Did you mean \`/${meant}\`?`]);
      assert.deepEqual(await desk.waiting("c1"), []);
    });

  it("is told of to members alone", async () => {
    const open = desk.gateWith({ skills: test.store.skills, policyOf: openGroups });
    const inGroup = { conversation: "g1", kind: "group", mentionsSelf: true, from: "guest" } as const;
    await open(desk.message({ ...inGroup, text: "/pdf-form" }));
    await open(desk.message({ ...inGroup, text: "/help" }));
    assert.deepEqual(await desk.waiting("g1"), ["/pdf-form"]);
    assert.doesNotMatch((await desk.notices("g1")).join(), /pdf-forms/);
    await gate(desk.message({ text: "/help" }));
    assert.match((await desk.notices("c1")).join(), /\n- skills: `\/pdf-forms`, `\/stoppp`, `\/навык`$/);
  });

  it("is not listed where the list gets too long for one message", () => {
    const many = Array.from({ length: 100 }, (_, index) => `skill-of-some-length-${index}`);
    assert.equal(helpText("Hermes", "owner", undefined, many), helpText("Hermes", "owner"));
  });
});

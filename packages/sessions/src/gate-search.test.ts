import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import type { EventFacts } from "@talaria/testkit";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";

const never = new AbortController().signal;

describe("/search", () => {
  const test = useStore();
  let desk: Desk;

  beforeEach(() => {
    desk = test.newDesk();
  });

  const gate = () => desk.gateWith({ past: test.store.search, policyOf: openGroups });
  const asks = async (text: string, facts: EventFacts = {}) => {
    await gate()(desk.message({ text, ...facts }));
    return (await desk.notices(facts.conversation ?? "c1")).at(-1) ?? "";
  };
  const says = async (text: string, facts: EventFacts = {}) => {
    await desk.runTurn(text, facts, gate());
    await desk.endTurn();
    await test.store.chats.catchUp(never);
    await test.store.search.catchUp(never);
  };
  const group = { conversation: "team", kind: "group", mentionsSelf: true } as const;

  it("shows a short list with dates, of which nothing is markup", async () => {
    await says("the *blue* heron\nis [here](https://example.org)");
    const when = "\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d UTC";
    assert.match(
      await asks("/search herons"),
      new RegExp(`^- ${when}, “[^”]+”: “the \\\\\\*blue\\\\\\* heron is \\\\\\[here\\\\\\]\\(https://example.org\\)”$`),
    );
    assert.match(await asks("/search walrus"), /^I found nothing about that/);
    assert.match(await asks("/search"), /^Say what to look for/);
  });

  it("shows in a group what was said there, and in private what somebody has said in private", async () => {
    await says("osprey in private");
    await says("osprey in the team", group);
    const inGroup = await asks("/search osprey", group);
    assert.match(inGroup, /osprey in the team/);
    assert.doesNotMatch(inGroup, /private/);
    const alone = await asks("/search osprey");
    assert.match(alone, /osprey in private/);
    assert.doesNotMatch(alone, /team/);
  });

  it("shows nothing to whoever only claims to be somebody in a group, and where nothing is searched", async () => {
    await says("pelican in the team", group);
    assert.doesNotMatch(await asks("/search pelican", { ...group, assurance: "claimed" }), /team/);
    await desk.gate(desk.message({ text: "/search pelican" }));
    assert.match((await desk.notices("c1")).at(-1) ?? "", /^Here I can't show you/);
  });
});

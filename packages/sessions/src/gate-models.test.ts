import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type UserId } from "@talaria/protocol";
import type { EventFacts } from "@talaria/testkit";
import { english } from "@talaria/words";
import { type Desk, openGroups, useStore } from "./gate.fixture.ts";
import type { Gate } from "./gate.ts";
import { chosenIn, type ModelChoices } from "./model-choices.ts";

const { notices } = english;

const choices: ModelChoices = {
  model: "main",
  models: ["main", "Large", "tiny"],
  efforts: ["low", "high"],
  effortOf: { main: undefined, Large: "high", tiny: undefined },
  forMembers: { models: ["main", "tiny"], efforts: [] },
};

describe("the model of a conversation", () => {
  const test = useStore();
  let desk: Desk;
  let gate: Gate;

  beforeEach(async () => {
    desk = test.newDesk();
    const policy = openGroups();
    const access = { ...policy.access, owners: [brandAs<UserId>("boss")] };
    gate = desk.gateWith({ choices, policyOf: () => ({ ...policy, access }) });
    for (const [from, conversation] of [
      ["boss", "b1"],
      ["u1", "c1"],
    ] as const) {
      await desk.runTurn("hello", { from, conversation }, gate);
      await desk.endTurn();
    }
  });

  const told = async (text: string, facts: EventFacts = {}) => {
    const { conversation = "b1" } = facts;
    await gate(desk.message({ from: "boss", conversation, text, ...facts }));
    return (await desk.notices(conversation)).at(-1) ?? "";
  };
  const asMember = (text: string) => told(text, { from: "u1", conversation: "c1" });

  it("is named without a choice where there is no other", () => {
    assert.equal(
      english.notices.choiceNow("model", "main", ["main"]),
      "The model here is `main`. There is no other to choose.",
    );
  });

  it("is chosen by an owner among all that are configured, and shown by /status, also after /new", async () => {
    assert.match(await told("/status"), /\n\nModel: `main`\.$/);
    assert.equal(
      await told("/model"),
      "The model here is `main`. You can choose `main`, `Large`, `tiny`: write `/model` and one of these; `/model default` ends that.",
    );
    assert.match(
      await told("/model large"),
      /^From my next answer on, the model here is `Large`, also after `\/new`\./,
    );
    assert.match(await told("/status"), /Model: `Large`, effort: `high`\.$/);
    await told("/new");
    assert.match(await told("/effort low"), /the effort of thinking here is `low`/);
    assert.match(await told("/status"), /Model: `Large`, effort: `low`\.$/);
    assert.match(await asMember("/status"), /Model: `main`\.$/, "and no other conversation has it");
    assert.match(await told("/effort default"), /the effort of thinking here is `high` again\.$/);
    assert.match(await told("/model default"), /the model here is `main` again\.$/);
    assert.match(await told("/status"), /Model: `main`\.$/);
  });

  it("is named with all that there are where the name is wrong, and nothing is changed", async () => {
    for (const wrong of ["Largest", "main tiny", "__proto__", "x`\n# y"]) {
      const answer = await told(`/model ${wrong}`);
      assert.match(
        answer,
        /^There is no model `.*` that you can choose\. There are `main`, `Large`, `tiny`, and `default`\./,
      );
      assert.doesNotMatch(answer, /^#/m);
    }
    assert.match(await told("/effort extreme"), /There are `low`, `high`, and `default`/);
    assert.match(await told("/status"), /Model: `main`\.$/);
  });

  it("is chosen by a member within the list, and by a guest not at all", async () => {
    assert.match(await asMember("/model"), /You can choose `main`, `tiny`:/);
    assert.match(await asMember("/model tiny"), /here is `tiny`/);
    assert.match(await asMember("/model Large"), /There are `main`, `tiny`, and `default`/);
    assert.equal(await asMember("/effort low"), "Only an owner can decide that.");
    assert.match(await asMember("/effort"), /Only an owner can choose another\.$/);
    assert.match(await asMember("/status"), /Model: `tiny`\.$/);
    const guest = { from: "g1", kind: "group", conversation: "g1", text: "/model tiny", mentionsSelf: true } as const;
    await gate(desk.message(guest));
    assert.deepEqual(await desk.notices("g1"), ["Only a member can decide that."]);
    await gate(desk.message({ ...guest, from: "g2", conversation: "g2", text: "/effort low" }));
    assert.deepEqual(await desk.notices("g2"), ["Only an owner can decide that."], "members have no effort to choose");
  });

  it("counts as far as whoever chose it may have it now", () => {
    const byMember = { model: { name: "tiny", role: "member" } } as const;
    assert.equal(chosenIn(byMember, choices).model, "tiny");
    assert.equal(chosenIn(byMember, { ...choices, forMembers: { models: [], efforts: [] } }).model, "main");
    const byOwner = { model: { name: "Large", role: "owner" }, effort: { name: "max", role: "owner" } } as const;
    assert.deepEqual(chosenIn(byOwner, choices), { model: "Large", effort: "high" });
    assert.equal(chosenIn(byOwner, { ...choices, models: ["main"] }).model, "main");
  });

  it("is kept where it is chosen before the first words", async () => {
    const isNew = { conversation: "new" };
    assert.match(await told("/model default", isNew), /here is `main` again\.$/);
    assert.equal(await told("/status", isNew), notices.neverSpoken, "nothing was chosen, and nothing begun");
    assert.match(await told("/model tiny", isNew), /^From my next answer on, the model here is `tiny`/);
    assert.match(await told("/effort low", isNew), /here is `low`/);
    await desk.runTurn("hello", { from: "boss", ...isNew }, gate);
    assert.match(await told("/status", isNew), /^I'm working on an answer\.[\s\S]*Model: `tiny`, effort: `low`\.$/);
    assert.deepEqual(await desk.remembered("new"), ["hello"]);
  });
});

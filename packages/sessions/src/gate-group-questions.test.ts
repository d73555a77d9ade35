import assert from "node:assert/strict";
import { beforeEach, describe, it } from "node:test";
import { brandAs, type Sender, type UserId } from "@talaria/protocol";
import { addedToGroup } from "./foreign-group.ts";
import { type Desk, policyOf, useStore } from "./gate.fixture.ts";
import type { GateDeps } from "./gate-deps.ts";

describe("a group about which owners are asked", () => {
  const test = useStore();
  let desk: Desk;
  let owners: readonly UserId[] = [];
  let groups: "allowlist" | "off" = "allowlist";

  beforeEach(async () => {
    desk = test.newDesk();
    owners = [brandAs<UserId>("boss")];
    groups = "allowlist";
    for (const home of await test.store.calls.homes()) await test.store.calls.restHome(home);
    for (const place of await test.store.calls.notedPlaces()) await test.store.calls.restHome(place);
  });

  const deps = (): Pick<GateDeps, "policyOf" | "canLeave"> => ({
    policyOf: () => {
      const policy = policyOf();
      return { ...policy, access: { ...policy.access, owners, groups } };
    },
    canLeave: () => true,
  });
  const gate = () => desk.gateWith(deps());
  const says = (from: string, conversation: string, title?: string) => {
    const message = desk.message({ from, conversation, kind: "group", text: "hello?" });
    return gate()({ ...message, conversation: { ...message.conversation, ...(title && { title }) } });
  };
  const asked = async (place = "den") =>
    (await desk.outbox(place)).filter(({ deliveryKey }) => deliveryKey.startsWith("group:"));
  const press = async (label: string, from = "boss", which = 0) => {
    const choice = (await asked())[which]?.choices?.find((one) => one.label === label);
    assert.ok(choice, label);
    return gate()(desk.pressed(choice.id, { from, conversation: "den" }));
  };
  const added = (by: string | undefined, conversation = "-1005") => {
    const { conversation: place, sender } = desk.message({ conversation, kind: "group", from: by ?? "nobody" });
    return addedToGroup({ ...place, title: "Team" }, by === undefined ? undefined : (sender as Sender), {
      ...test.store,
      ...deps(),
      deliver: () => desk.said.push("deliver"),
    });
  };
  const group = async (id = "-1005") =>
    (await test.store.groups.list()).find((one) => one.accountId === desk.accountId && one.conversationId === id);

  it("is shown once at an owner's home, whoever writes there, in words that a title can't change", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    for (const from of ["eve", "boss", "eve"]) await says(from, "-1005", "Team `rm -rf`");
    const [question, ...others] = await asked();
    assert.deepEqual(others, []);
    assert.match(
      question?.markdown ?? "",
      /^“`Ada`” \(`eve`\) wrote in “`Team rm -rf`” \(`-1005`\) on `account-\d+`, a group I don't know\. I answer nobody there until an owner lets the group in\.\n\nTap a button, or write `\/people add [0-9a-f]{8}`, `\/people ignore [0-9a-f]{8}` or `\/people leave [0-9a-f]{8}`\.$/,
    );
    const labels = question?.choices?.map(({ label }) => label);
    assert.deepEqual(labels, ["Let this group in", "Ignore", "Leave it"]);
    assert.ok(desk.said.includes("deliver"));
  });

  it("is let in by a press, from the next message on, and no second press changes that", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    assert.equal(await press("Let this group in"), "recorded");
    assert.notEqual((await group())?.allowedAt, undefined);
    const mentioned = desk.message({
      from: "eve",
      conversation: "-1005",
      kind: "group",
      text: "hi",
      mentionsSelf: true,
    });
    assert.equal(await gate()(mentioned), "recorded");
    await press("Ignore");
    assert.match((await desk.notices("den")).at(-1) ?? "", /that was decided before/);
    assert.notEqual((await group())?.allowedAt, undefined);
    const closings = (await desk.outbox("den")).filter(({ kind }) => kind === "closing");
    assert.equal(closings.length, 1);
  });

  it("is decided by nobody who is no owner now", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    assert.equal(await press("Let this group in", "u1"), "dropped");
    owners = [];
    await press("Let this group in");
    assert.equal((await group())?.allowedAt, undefined);
  });

  it("is left alone after Ignore, and asked about anew only when an owner adds us again", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    await press("Ignore");
    await says("eve", "-1005");
    await added("eve");
    assert.equal((await asked()).length, 1);
    await added("boss");
    await added("boss");
    assert.match((await asked())[1]?.markdown ?? "", /^You've added me to “`Team`” \(`-1005`\)/);
    assert.equal((await asked()).length, 2);
    await press("Let this group in", "boss", 1);
    assert.notEqual((await group())?.allowedAt, undefined);
    await added("boss");
    assert.equal((await asked()).length, 2, "one that is let in needs no question");
  });

  it("is asked about with who wrote or added us, as far as the platform tells, and nobody's name ends the sentence", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    const from = desk.message({ from: "77", name: "Zoe”. `Let in`\nOwner", conversation: "-1", kind: "group" });
    await gate()(from);
    const claimed = desk.message({ from: "boss", conversation: "-2", kind: "group", assurance: "claimed" });
    await gate()(claimed);
    await added(undefined, "-3");
    await added("zoe", "-4");
    owners = [brandAs<UserId>("boss"), brandAs<UserId>("chief")];
    await added("chief", "-5");
    const heads = (await asked()).map(({ markdown }) => markdown.split(" I answer")[0]?.replace(desk.accountId, "acc"));
    assert.deepEqual(heads, [
      "“`Zoe'. Let in Owner`” (`77`) wrote in `-1` on `acc`, a group I don't know.",
      "Somebody wrote in `-2` on `acc`, a group I don't know.",
      "Somebody has added me to “`Team`” (`-3`) on `acc`.",
      "“`Ada`” (`zoe`) has added me to “`Team`” (`-4`) on `acc`.",
      "“`Ada`” (`chief`) has added me to “`Team`” (`-5`) on `acc`.",
    ]);
  });

  it("is left: the order waits in the outbox like a message to it", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    await press("Leave it");
    const [leaving] = await desk.outbox("-1005");
    assert.deepEqual([leaving?.kind, leaving?.leaves], ["closing", true]);
  });

  it("is written as a number where there are no buttons", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    const [, number] = /`\/people add ([0-9a-f]{8})`/.exec((await asked())[0]?.markdown ?? "") ?? [];
    await gate()(desk.message({ from: "boss", conversation: "den", text: `/people add ${number}` }));
    assert.notEqual((await group())?.allowedAt, undefined);
  });

  it("is asked about where an owner wrote last, as long as nobody has a home", async () => {
    await says("boss", "-1004");
    assert.deepEqual(await asked("talk"), [], "no direct conversation is known yet");
    await gate()(desk.message({ from: "boss", conversation: "older", text: "hi" }));
    await gate()(desk.message({ from: "boss", conversation: "talk", text: "hi" }));
    await gate()(desk.message({ from: "u1", conversation: "other", text: "hi" }));
    await says("eve", "-1005");
    assert.equal((await asked("talk")).length, 1);
    assert.equal((await asked("older")).length + (await asked("other")).length, 0);
    await gate()(desk.message({ from: "boss", conversation: "talk", text: "/sethome off" }));
    await says("eve", "-1006");
    assert.equal((await asked("talk")).length, 1, "whoever says so is told nothing there");
  });

  it("brings owners five questions an hour at most, and those about groups of their own in any case", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    for (let n = 0; n < 8; n += 1) await added("eve", `spam-${n}`);
    assert.equal((await asked()).length, 5);
    await added("boss", "ours");
    assert.equal((await asked()).length, 6);
  });

  it("is not let in where groups are off by now, and the owner reads which setting says so", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    groups = "off";
    await press("Let this group in");
    assert.match((await desk.notices("den")).at(-1) ?? "", /access\.groups` is `off`/);
    assert.equal((await group())?.allowedAt, undefined);
  });

  it("that an operator removes is not asked about again", async () => {
    await gate()(desk.message({ from: "boss", conversation: "den", text: "/sethome" }));
    await says("eve", "-1005");
    await press("Let this group in");
    const met = await group();
    assert.ok(met);
    assert.equal(await test.store.groups.remove(met), true);
    await says("eve", "-1005");
    assert.equal((await asked()).length, 1);
  });
});

import assert from "node:assert/strict";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { GroupChat, PrivateChat } from "@talaria/adapter-telegram/emulator";
import { say, usage } from "@talaria/testkit";
import { nothingRuns } from "../support/nothing-runs.ts";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000009:limits";

const price = "price: { input: 3, cachedInput: 0.3, output: 15 }";

type Person = ReturnType<World["telegram"]["user"]>;

/** Limits as they are by default, but for the window of a minute: the test must not depend on how long it takes. */
describe("people who spend without end", () => {
  let world: World;
  let group: GroupChat;
  let guest: Person;
  let member: Person;
  let owner: Person;
  let buyer: PrivateChat;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      modelKeys: price,
      config: (telegram) => {
        guest = telegram.user({ first_name: "Guest" });
        member = telegram.user({ first_name: "Member" });
        owner = telegram.user({ first_name: "Owner" });
        buyer = telegram.privateChat(telegram.user({ first_name: "Buyer" }));
        const [bot] = telegram.bots;
        assert.ok(bot);
        group = telegram.group(
          { title: "Team", type: "supergroup", members: [guest, member, owner], botIsAdministrator: true },
          [bot],
        );
        return `
owners: ["telegram:user:${owner.id}"]
limits: { spending: { guest: { turnsPerMinute: off, tokensPerDay: 250 }, person: { turnsPerMinute: off, moneyPerMonth: 0.02 }, currency: EUR } }
accounts:
  team:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { allow: ["telegram:group:${group.id}", "telegram:user:${member.id}", "telegram:user:${buyer.person.id}"] }`;
      },
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const answersTo = (words: string) =>
    world.model.requests.filter(({ lastUserText }) => lastUserText.includes(words)).length;
  const notices = () => group.messages().filter(({ text }) => /daily limit/.test(text ?? "")).length;

  it("includes a guest, who is stopped by the limit, told once, and then ignored", async () => {
    for (let n = 0; n < 200; n += 1) group.say(guest, `again ${n}`, { mentionBot: true });
    await waitFor(() => notices() === 1, "the notice");
    await idle();
    assert.equal(notices(), 1);
    assert.ok(answersTo("again") < 200);
  });

  it("don't keep a member from being answered", async () => {
    group.say(member, "and me?", { mentionBot: true });
    await waitFor(() => answersTo("and me?") === 1, "the member's turn");
  });

  it("includes a member, who is stopped by a limit of money, by what the provider counted", async () => {
    const words = [...say("Sold."), ...usage(10_000, 1_000, 9_000)];
    world.plan.answer("buy", words);
    buyer.say(buyer.person, "buy");
    await buyer.waitForBotMessage("Sold.");
    await idle();
    for (const text of ["more", "and more"]) buyer.say(buyer.person, text);
    await buyer.waitForBotMessage("Please write again in 30 days, or ask an owner: /lift ");
    buyer.say(buyer.person, "/usage");
    const usageTold = await buyer.waitForBotMessage("Left:");
    assert.match(
      usageTold.text,
      /^Your usage in the last 30 days: 1 request to models, 11,000 tokens\. Cost: 0\.02 EUR\.\n/,
    );
    // 1,000 anew, 9,000 at a tenth and 1,000 at five times.
    assert.match(usageTold.text, /for you: 5,993,100 of 6,000,000 tokens, renewed in/);
    assert.match(usageTold.text, /for you: 0\.00 EUR of 0\.02 EUR, renewed in/);
    await idle();
    assert.equal(buyer.botMessages().length, 3, "one notice, then silence");
    assert.equal(answersTo("more"), 0);
    const { rows, currency } = await used("--person", `team/${buyer.person.id}`, "--by", "person");
    const counts = { inputTokens: 10_000, cachedTokens: 9_000, cacheWriteTokens: 0, outputTokens: 1_000 };
    // 1,000 at 3, 9,000 at 0.3 and 1,000 at 15 for a million.
    const row = {
      of: `team/${buyer.person.id}`,
      displayName: "Buyer",
      answers: 1,
      ...counts,
      reasoningTokens: 0,
      unpriced: 0,
      cost: 20_700,
    };
    assert.deepEqual([currency, rows], ["EUR", [row]]);
  });

  it("are answered again once an owner has lifted the limit where they are asked, by the button", async () => {
    const home = world.telegram.privateChat(owner);
    home.say(owner, "/sethome");
    await home.waitForBotMessage("I'll ask you here");
    world.plan.answer("please", say("Here you are."));
    const other = world.telegram.privateChat(member);
    world.plan.answer("a lot", [...say("Much."), ...usage(10_000, 1_000, 0)]);
    other.say(member, "a lot");
    await other.waitForBotMessage("Much.");
    other.say(member, "please");
    const told = await home.waitForBotMessage("the monthly limit of money for");
    assert.match(told.text, /^Member can't go on in .*It goes on in 30 days/);
    home.press(owner, told.id, "Lift for a day");
    await home.waitForBotMessage("I've lifted the monthly limit of money");
    await other.waitForBotMessage("Here you are.");
    assert.equal(answersTo("please"), 1, "what it had refused needs not be written again");
    assert.equal(
      other
        .botMessages()
        .filter(({ text }) => text.includes("An owner has lifted your monthly limit of money for a day.")).length,
      1,
    );
    buyer.say(buyer.person, "still not");
    await idle();
    assert.equal(answersTo("still not"), 0, "no other limit is lifted with it");
  });

  it("are still at the limit after a restart, and what has no price any more costs nobody knows what", async () => {
    await world.talaria.stop();
    const file = join(world.talaria.home, "config.yaml");
    await writeFile(file, (await readFile(file, "utf8")).replace(`, ${price}`, ""));
    const { stdout } = await runTalaria(["check"], { TALARIA_HOME: world.talaria.home });
    assert.match(stdout, /^warning: models\.main has no price, .*set models\.main\.price$/m);
    await world.talaria.begin();
    const before = answersTo("after the restart");
    group.say(guest, "after the restart", { mentionBot: true });
    await idle();
    assert.deepEqual([answersTo("after the restart"), notices()], [before, 1]);
    const { spending } = JSON.parse(await world.talaria.talaria("status", "--json"));
    const row = spending.find(({ key }: { key: string }) => key === `tokens/person/team/${guest.id}`);
    assert.ok(row.used >= 250 && row.refused >= 1, JSON.stringify(row));

    group.say(member, "and now?", { mentionBot: true });
    await waitFor(() => answersTo("and now?") === 1, "the member's turn");
    await idle();
    const [mine] = (await used("--person", `team/${member.id}`, "--by", "person")).rows;
    assert.deepEqual([mine?.answers, mine?.unpriced], [4, 1]);
    const { by, day, timeZone } = await used("--yesterday");
    assert.deepEqual(
      [by, /^\d{4}-\d\d-\d\d$/.test(day), timeZone],
      ["person", true, Intl.DateTimeFormat().resolvedOptions().timeZone],
    );
    assert.match(await world.talaria.talaria("usage", "--by", "model"), / EUR \+ unknown for 1 of \d+$/m);
    const chat = world.telegram.privateChat(owner);
    chat.say(owner, "/usage");
    const told = await chat.waitForBotMessage("Everybody's usage");
    assert.match(
      told.text,
      /^Your usage in the last 30 days: none\.\n+Everybody's usage .* EUR, and unknown for 1 request\.\n/,
    );
  });

  it("are answered in a group once the button of its notice was pressed, whose message then says so", async () => {
    const [notice] = group.botMessages().filter(({ text }) => /daily limit/.test(text));
    assert.ok(notice);
    const before = answersTo("after the restart");
    group.press(owner, notice.id, "Lift for a day");
    const isLifted = () => /^I've lifted the daily limit/.test(group.message(notice.id)?.text ?? "");
    await waitFor(isLifted, "the notice to be edited");
    assert.deepEqual(group.message(notice.id)?.buttons, []);
    await waitFor(() => answersTo("after the restart") === before + 1, "the turn of the last refused message");
    await idle();
    const saying = (words: RegExp) => group.botMessages().filter(({ text }) => words.test(text)).length;
    assert.equal(saying(/I've lifted/), 1, "in no other message");
    assert.equal(saying(/Please write again what you still need/), 1, "more than twenty had been refused");
    assert.equal(answersTo("again 100"), 0, "and older ones are left");
  });

  async function used(...options: readonly string[]) {
    return JSON.parse(await world.talaria.talaria("usage", "--json", ...options));
  }

  /** Everything that was said has been recorded, and nothing waits or runs. */
  async function idle(): Promise<void> {
    await waitFor(() => world.telegram.pendingUpdates() === 0, "every update is read");
    await nothingRuns(world.talaria);
  }
});

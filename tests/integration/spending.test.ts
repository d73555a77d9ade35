import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { GroupChat } from "@talaria/adapter-telegram/emulator";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000009:limits";

type Person = ReturnType<World["telegram"]["user"]>;

/** Limits as they are by default, but for the window of a minute: the test must not depend on how long it takes. */
describe("a guest who spends without end", () => {
  let world: World;
  let group: GroupChat;
  let guest: Person;
  let member: Person;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      config: (telegram) => {
        guest = telegram.user({ first_name: "Guest" });
        member = telegram.user({ first_name: "Member" });
        const [bot] = telegram.bots;
        assert.ok(bot);
        group = telegram.group(
          { title: "Team", type: "supergroup", members: [guest, member], botIsAdministrator: true },
          [bot],
        );
        return `
limits: { spending: { guest: { turnsPerMinute: off, tokensPerDay: 250 }, person: { turnsPerMinute: off } } }
accounts:
  team:
    platform: telegram
    token: "${token}"
    apiRoot: "${telegram.apiRoot}"
    access: { allow: ["telegram:group:${group.id}", "telegram:user:${member.id}"] }`;
      },
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const answersTo = (words: string) =>
    world.model.requests.filter(({ lastUserText }) => lastUserText.includes(words)).length;
  const notices = () => group.messages().filter(({ text }) => /daily limit/.test(text ?? "")).length;

  it("is stopped by the limit, told once, and then ignored", async () => {
    for (let n = 0; n < 200; n += 1) group.say(guest, `again ${n}`, { mentionBot: true });
    await waitFor(() => notices() === 1, "the notice");
    await idle();
    assert.equal(notices(), 1);
    assert.ok(answersTo("again") < 200);
  });

  it("does not keep a member from being answered", async () => {
    group.say(member, "and me?", { mentionBot: true });
    await waitFor(() => answersTo("and me?") === 1, "the member's turn");
  });

  it("is still at the limit after a restart", async () => {
    await world.talaria.stop();
    await world.talaria.begin();
    const before = answersTo("after the restart");
    group.say(guest, "after the restart", { mentionBot: true });
    await idle();
    assert.deepEqual([answersTo("after the restart"), notices()], [before, 1]);
    const { spending } = JSON.parse(await world.talaria.talaria("status", "--json"));
    const row = spending.find(({ key }: { key: string }) => key === `tokens/person/team/${guest.id}`);
    assert.ok(row.used >= 250 && row.refused >= 1, JSON.stringify(row));
  });

  /** Everything that was said has been recorded, and nothing waits or runs. */
  async function idle(): Promise<void> {
    await waitFor(async () => {
      if (world.telegram.pendingUpdates() !== 0) return false;
      const { backlog } = JSON.parse(await world.talaria.talaria("status", "--json"));
      return backlog.waitingEvents === 0 && backlog.runningTurns === 0;
    }, "nothing waits");
  }
});

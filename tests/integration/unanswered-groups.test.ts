import assert from "node:assert/strict";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { GroupChat } from "@talaria/adapter-telegram/emulator";
import { say } from "@talaria/testkit";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const token = "700000001:first";

describe("a group that is not let in", () => {
  let world: World;
  let team: GroupChat;
  let ada: ReturnType<World["telegram"]["user"]>;
  let boss: ReturnType<World["telegram"]["user"]>;

  before(async () => {
    world = await startWorld({
      telegram: { bots: [{ token }] },
      env: { LOG_LEVEL: "info" },
      config: (telegram) => {
        ada = telegram.user({ first_name: "Ada" });
        boss = telegram.user({ first_name: "Bo" });
        team = telegram.group({ title: "Team", type: "supergroup", members: [ada], botIsAdministrator: true });
        return `owners: [ "telegram:user:${boss.id}" ]
accounts:
  main: { platform: telegram, token: "${token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } }`;
      },
    });
  });
  after(async () => {
    await world?.[Symbol.asyncDispose]();
  });

  const groups = (...words: readonly string[]) => world.talaria.talaria("groups", ...words);

  it("is named by `groups`, `why` and the log, and answered as soon as a command lets it in", async () => {
    for (const text of ["one", "two", "three"]) team.say(ada, text, { mentionBot: true });
    const listed = await waitFor(async () => {
      const shown = await groups();
      return shown.includes("3 messages in vain") ? shown : undefined;
    }, "the group to be listed");
    assert.match(
      listed,
      new RegExp(
        `^not let in {3}"Team" \\(${team.id}\\) on main: 3 messages in vain, the last at 2.*Z; to let it in: \`talaria groups allow ${team.id}\`\n$`,
      ),
    );
    const why = await world.talaria.talaria("why", "team");
    assert.match(
      why,
      new RegExp(
        `^(2\\S+Z {2}"Ada" \\(${ada.id}\\) in "Team" \\(${team.id}\\) on main: refused: the group is not let in; \`talaria groups allow main/${team.id}\` lets it in\n){3}$`,
      ),
    );
    const logs = join(world.talaria.home, "logs");
    const text = (await Promise.all((await readdir(logs)).map((name) => readFile(join(logs, name), "utf8")))).join("");
    const lines = text.split("\n").filter((line) => line.includes("group_not_allowed"));
    assert.equal(lines.length, 1);
    assert.match(lines[0] ?? "", new RegExp(`"conversationId":"${team.id}","senderId":"${ada.id}".*"not answered"`));

    assert.equal(
      await groups("allow", String(team.id)),
      `let in: "Team" (${team.id}) on main; what was written to the agent there before has to be written again\n`,
    );
    world.plan.answer("four", say("Here I am."));
    team.say(ada, "four", { mentionBot: true });
    await team.waitForBotMessage("Here I am");
    assert.match(await groups(), new RegExp(`^let in {7}"Team" \\(${team.id}\\) on main, since 2.*Z by command\n$`));
    const answered = await waitFor(async () => {
      const [line = ""] = (await world.talaria.talaria("why", "Ada", "--last", "1")).split("\n");
      return /answered after/.test(line) ? line : undefined;
    }, "the answer");
    assert.match(
      answered,
      new RegExp(`"Ada" \\(${ada.id}\\) in "Team" \\(.*\\) on main: answered after .*, delivered at 2`),
    );
    const trace = await world.talaria.talaria("trace", "--last", "2", "--conversation", `main/${team.id}`);
    assert.equal(trace.trim().split("\n").length, 2);
    const id = /Z {2}(\S+) {2}"Ada"[^\n]*answered after/.exec(trace)?.[1] ?? "";
    assert.match(await world.talaria.talaria("trace", id), /turn ended/);
  });

  it("is asked about by buttons where the owner who adds the bot wrote last, and left or let in by a press", async () => {
    const home = world.telegram.privateChat(boss);
    home.say(boss, "/start");
    await home.waitForBotMessage("You're an owner");
    const club = world.telegram.group({ title: "Club", type: "supergroup", members: [boss, ada] });
    club.kickBot();
    club.addBot();
    const asked = await home.waitForBotMessage(`You've added me to “Club” (${club.id}) on main`);
    assert.doesNotMatch(await groups(), /let in {7}"Club"/);
    home.press(boss, asked.id, "Let this group in");
    await home.waitForBotMessage("I answer in Club on main now");
    world.plan.answer("five", say("Here, too."));
    club.say(ada, "five", { mentionBot: true });
    await club.waitForBotMessage("Here, too");
    assert.match(await groups(), /let in {7}"Club"/);

    const crowd = world.telegram.group({
      title: "Crowd",
      type: "supergroup",
      members: [ada],
      botIsAdministrator: true,
    });
    crowd.say(ada, "anybody?", { mentionBot: true });
    const seen = await home.waitForBotMessage(`“Ada” (${ada.id}) wrote in “Crowd” (${crowd.id})`);
    home.press(boss, seen.id, "Leave it");
    await home.waitForBotMessage("I'm leaving Crowd");
    await waitFor(async () => world.telegram.calls.count("leaveChat") === 1, "the group to be left");
    assert.match(await groups(), /not let in {3}"Crowd" .*: left/);
  });

  it("says what is wrong with a name, and that only the file takes back what the file gives", async () => {
    assert.match(await groups("allow", "team"), /^let in: "Team" \(\S+\) on main\n$/);
    await assert.rejects(groups("allow", "-4"), /no group with the id or title "-4" was seen: `talaria groups` lists/);
    assert.equal(await groups("allow", "main/-4"), "let in: -4 on main\n");
    assert.equal(await groups("remove", "main/-4"), "removed: -4 on main\n");
    await assert.rejects(groups("remove", "main/-4"), /-4 on main was not let in/);
    await assert.rejects(world.talaria.talaria("trace", "--last", "0"), /--last has to be a number from 1 to 200/);
    assert.match(
      await world.talaria.talaria("why", "nobody like that"),
      /^nobody and no group is known as "nobody like that": see `talaria people`/,
    );
  });
});

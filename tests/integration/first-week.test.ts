import assert from "node:assert/strict";
import { join } from "node:path";
import { it } from "node:test";
import { waitFor } from "../support/wait-for.ts";
import type { Reader } from "./first-week/reader.ts";
import { linesLike, plain, problems, sentences, troubles } from "./first-week/sentences.ts";
import { office, Week } from "./first-week/week.ts";

/** So that what people write soon finds no page that is free. */
const padding = "and so on, ".repeat(300);

it("a week: what goes wrong is told to whoever it concerns, and mended by one command or page", async (t) => {
  await using week = await Week.begin();
  try {
    await live(week);
  } catch (error) {
    throw new Error(`${week.diary.station}: ${error instanceof Error ? error.message : error}`, { cause: error });
  } finally {
    for (const line of week.diary.lines()) t.diagnostic(line);
  }
});

async function live(week: Week): Promise<void> {
  const { diary, telegram, discord, model, provider, disk } = week;
  const [ann, zoe] = [telegram.user({ first_name: "Ann" }), telegram.user({ first_name: "Zoe" })];
  const [annsChat, zoesChat] = [telegram.privateChat(ann), telegram.privateChat(zoe)];
  const bob = discord.user("bob");
  const bobsChat = discord.direct(bob);
  const kitchen = telegram.group({ title: "Kitchen", members: [ann, zoe] });
  const shownIn = (chat: typeof annsChat | typeof kitchen) => () => chat.botMessages();
  const anns = week.reader("Ann (owner)", shownIn(annsChat));
  const zoes = week.reader("Zoe", shownIn(zoesChat));
  const bobs = week.reader("Bob (Discord)", () => bobsChat.botMessages());
  const kitchens = week.reader("Kitchen", shownIn(kitchen));
  const offices = week.reader("console (owner)", () => week.officeLines());
  const everybody = [anns, zoes, bobs, kitchens, offices];
  /** Telegram shows what it says without backticks. */
  const tell = async (what: string, to: readonly Reader[]) => {
    for (const reader of to) await reader.reads(reader === offices || reader === bobs ? what : plain(what));
  };
  const isOver = (what: string, to: readonly Reader[]) => {
    for (const reader of to) reader.expects(reader === offices ? what : plain(what));
  };

  diary.begin("Monday, setup", "an empty folder, a model, two platforms, and `npm start`");
  const configured = await week.shell.answer(
    ["setup", "model"],
    [
      { asked: "Whose model? Number or name: ", answer: "10" },
      { asked: "Its address (base URL)", answer: model.baseUrl },
      { asked: "API key", answer: provider.key },
      { asked: "2  large", answer: "1" },
      { asked: "How many tokens does its window hold?", answer: "" },
      { asked: "million tokens", answer: "" },
    ],
  );
  assert.equal(configured.code, 0, configured.said);
  const connected = [
    ["telegram", telegram.apiRoot, telegram.token, () => annsChat.say(ann, "hi"), "the owner, who may do everything?"],
    ["discord", discord.api, discord.token, () => bobsChat.say(bob, "hi"), "talk to the agent?"],
  ] as const;
  for (const [platform, apiRoot, token, greet, asked] of connected) {
    const { code, said } = await week.shell.answer(
      ["setup", platform, "--set", `apiRoot=${apiRoot}`],
      [
        { asked: "Token: ", answer: token },
        { asked: "Waiting for a message", answer: greet },
        { asked, answer: "y" },
      ],
    );
    assert.equal(code, 0, said);
  }
  await tell(sentences.proven, [anns, bobs]);
  await week.start();
  await week.status(0);

  diary.begin("Monday, first talk", "the owner says where to be asked, and both are answered");
  annsChat.say(ann, "/start");
  await tell(sentences.started, [anns]);
  annsChat.say(ann, "/sethome");
  await week.talaria.say(office, "/sethome");
  await tell(sentences.home, [anns, offices]);
  annsChat.say(ann, "What is a quetzal?");
  await anns.reads("small: What is a quetzal?");
  bobsChat.say(bob, "And what is a quokka?");
  await bobs.reads("small: And what is a quokka?");

  diary.begin("Tuesday, wrong key", "the provider no longer knows the key");
  provider.key = "sk-the-second-key";
  annsChat.say(ann, "Is anybody there?");
  await tell(sentences.keyRefused, [anns]);
  await week.tellsWhy(
    "Ann",
    `<time>  "Ann" (${ann.id}) on telegram-main: failed after <n> s: the model's provider refused the key or login, \`talaria status\` names the model and what mends it; they were told at <time>`,
  );
  await week.status(1, problems.key);
  await tell(sentences.nobodyIsAnswered(troubles.key), [anns, offices]);
  isOver(sentences.modelAnswers, [anns, offices]);
  await week.untilUsed(() =>
    week.types(
      ["secret", "set", "model-main-apiKey"],
      ["written: <file>", "Talaria takes it into use within seconds"],
      `${provider.key}\n`,
    ),
  );
  annsChat.say(ann, "/retry");
  await anns.reads(sentences.retrying, "small: Is anybody there?");

  diary.begin("Wednesday, a stranger", "somebody writes who is on no list");
  zoesChat.say(zoe, "May I talk to you?");
  const [asked = ""] = await zoes.reads(plain(sentences.code));
  await tell(sentences.wantsIn, [anns, offices]);
  await bobs.reads();
  const code = /\S+$/.exec(asked)?.[0] ?? "";
  await week.types(
    ["people", "add", code],
    [`let in: "Zoe" (${zoe.id}) on telegram-main, who gets an answer to what they wrote`],
  );
  await zoes.reads(sentences.letIn, "small: May I talk to you?");
  await tell(`${sentences.wantsIn}\n\n✓ Let in`, [anns]);

  diary.begin("Wednesday, a group", "somebody asks in a group that nobody has let in");
  kitchen.say(zoe, "What shall we cook?", { mentionBot: true });
  const vain = `not let in   "Kitchen" (${kitchen.id}) on telegram-main: 1 message in vain, the last at <time>; to let it in: \`talaria groups allow telegram-main/${kitchen.id}\``;
  await waitFor(
    async () => linesLike(vain, (await week.shell.look(["groups"])).said).length === 1,
    "the group to be listed",
  );
  await week.types(["groups"], [vain]);
  await tell(sentences.group, [anns, offices]);
  await kitchens.reads();
  await week.types(
    ["groups", "allow", `telegram-main/${kitchen.id}`],
    [
      `let in: "Kitchen" (${kitchen.id}) on telegram-main; what was written to the agent there before has to be written again`,
    ],
  );
  await tell(`${sentences.group}\n\n✓ Let in`, [anns]);
  kitchen.say(zoe, "And what shall we cook now?", { mentionBot: true });
  await kitchens.reads("small: And what shall we cook now?");
  for (const reader of [anns, offices]) await reader.hasReadAll();

  diary.begin("Thursday, an expired card", "the provider answers 402");
  provider.isPaid = false;
  bobsChat.say(bob, "What is for dinner?");
  await tell(sentences.noCredit, [bobs]);
  await week.status(1, problems.credit);
  await tell(sentences.nobodyIsAnswered(troubles.credit), [anns, offices]);
  isOver(sentences.modelAnswers, [anns, offices]);
  provider.isPaid = true;
  bobsChat.say(bob, "/retry");
  await bobs.reads(sentences.retrying, "small: What is for dinner?");

  diary.begin("Thursday, a full disk", disk.isOwn ? "not a byte is free" : "left out: no disk can be mounted here");
  if (disk.isOwn) {
    const questions: string[] = [];
    const isFull = async () => {
      const question = `Is number ${questions.length + 1} lost?`;
      questions.push(question);
      zoesChat.say(zoe, `${question} ${padding}`);
      bobsChat.say(bob, question);
      return /the disk of the database is full/.test(await (await week.talaria.fetch("/readyz")).text());
    };
    // Owners are told where it lasts: `tests/recovery/full-disk.test.ts`. On a slow machine it does.
    for (const reader of [anns, offices])
      for (const what of [sentences.diskFull, sentences.diskHasRoom])
        reader.mayRead(reader === offices ? what : plain(what));
    await disk.fill();
    await waitFor(isFull, "the gateway to say that the disk is full").finally(() => disk.free());
    await disk.fill();
    await week.status(1, problems.disk);
    await anns.reads();
    await disk.free();
    await Promise.all([zoes, bobs].map((reader) => reader.readsAnswersTo(questions)));
  }
  for (const reader of [anns, offices]) await reader.hasReadAll();
  await week.status(0);

  diary.begin("Friday, a lost token", "the token of the console was seen by others");
  const former = week.talaria.token;
  await week.untilUsed(() =>
    week.types(
      ["token", "rotate"],
      [
        "<file> holds a new token. The former one no longer works, and open consoles ask for the new one: `talaria token show` prints it, `talaria open` an address with it",
      ],
    ),
  );
  week.talaria.token = (await week.shell.look(["token", "show"])).said;
  const visits = [former, week.talaria.token].map((token) =>
    week.talaria.fetch("/api/connections", { headers: { authorization: `Bearer ${token}` } }),
  );
  assert.deepEqual(
    (await Promise.all(visits)).map(({ status }) => status),
    [401, 200],
  );
  await week.types(["open"], [`${week.talaria.url}/console/#token=${week.talaria.token}`]);

  diary.begin("Friday, a new model", "the agent is to use a larger one");
  const changed = await week.untilUsed(() =>
    week.shell.answer(
      ["setup", "model", "--name", "second"],
      [
        { asked: "The agent uses main. Shall it use second from now on?", answer: "y" },
        { asked: "Whose model? Number or name: ", answer: "10" },
        { asked: "Its address (base URL)", answer: model.baseUrl },
        { asked: "API key", answer: provider.key },
        { asked: "2  large", answer: "large" },
        { asked: "How many tokens does its window hold?", answer: "" },
        { asked: "million tokens", answer: "" },
      ],
    ),
  );
  assert.equal(changed.code, 0, changed.said);
  zoesChat.say(zoe, "Who are you now?");
  await zoes.reads("large: Who are you now?");

  diary.begin("Saturday, a renewed bot token", "@BotFather has made a new one, while an answer was written");
  const written = Promise.withResolvers<void>();
  provider.holds(written.promise);
  const requests = model.requestCount();
  zoesChat.say(zoe, "Are you still there?");
  await waitFor(() => model.requestCount() > requests, "the answer to be written");
  telegram.renewToken(`${telegram.botUser.id}:another-token-for-tests-only-000000001`);
  written.resolve();
  zoesChat.say(zoe, "And now, what?");
  await week.status(1, problems.token);
  await week.tellsWhy(
    "Zoe",
    `<time>  "Zoe" (${zoe.id}) on telegram-main: answered after <n> s, not delivered yet: telegram refuses the token or key of account telegram-main; \`talaria status\` says what mends it, and it is sent then`,
  );
  await tell(sentences.nobodyIsAnswered(troubles.token), [offices]);
  for (const reader of [anns, zoes]) await reader.reads();
  isOver(sentences.accountConnects, [anns, offices]);
  await week.untilUsed(() =>
    week.types(
      ["secret", "set", "telegram-main-token"],
      ["written: <file>", "Talaria takes it into use within seconds"],
      `${telegram.token}\n`,
    ),
  );
  await zoes.readsAnswersTo(["Are you still there?", "And now, what?"]);
  await week.status(0);

  diary.begin("Sunday, a backup and a move", "everything goes to another folder");
  const file = join(week.folder, "all.backup.tar");
  await week.types(
    ["backup", file],
    [`written: ${file} (<size> MiB). It holds keys and everything that was said: keep it safe`],
  );
  assert.equal((await week.shell.type(["stop"])).code, 0);
  zoesChat.say(zoe, "Where are you?");
  const there = join(week.folder, "there");
  await week.types(
    ["restore", file, "--home", there],
    [
      "restored: what release <version> wrote at <day> <time> UTC",
      `it is in ${there}. Stop the original first, with \`talaria stop\` where it runs: both would answer the same people`,
      `then start this one: \`talaria start --home ${there}\``,
    ],
  );
  await week.start(there);
  await zoes.reads("large: Where are you?");
  const remembered = JSON.stringify(model.requests.at(-1)?.messages);
  for (const words of ["May I talk to you?", "Who are you now?"]) assert.ok(remembered.includes(words), words);
  bobsChat.say(bob, "Do you know me?");
  await bobs.reads("large: Do you know me?");
  kitchen.say(zoe, "Here, too?", { mentionBot: true });
  await kitchens.reads("large: Here, too?");

  diary.begin("Sunday, a person is removed", "Zoe is no longer to be answered");
  await week.types(
    ["people", "remove", "Zoe"],
    [
      `removed: "Zoe" (${zoe.id}) on telegram-main. Groups that are let in still answer them, as they answer everybody there: \`talaria people block <id>\` ends that`,
    ],
  );
  zoesChat.say(zoe, "Hello?");
  await zoes.reads(sentences.noAccess);
  await tell(`${sentences.wantsIn}\n\n✗ Removed`, [anns]);
  annsChat.say(ann, "Is it quiet now?");
  await anns.reads("large: Is it quiet now?");

  // That it's over was told here, or there since what owners were told has moved, too.
  for (const reader of [anns, offices]) await reader.hasReadAll();
  // What was read last may not be noted as sent yet.
  const backlog = await waitFor(async () => {
    const { backlog: now } = JSON.parse((await week.shell.look(["status", "--json"])).said);
    return now.pendingDeliveries === 0 ? now : undefined;
  }, "everything to be sent");
  const { waitingEvents, pendingDeliveries, failedDeliveries, possibleDuplicates } = backlog;
  assert.deepEqual(
    { waitingEvents, pendingDeliveries, failedDeliveries, possibleDuplicates },
    { waitingEvents: 0, pendingDeliveries: 0, failedDeliveries: 0, possibleDuplicates: 0 },
  );
  for (const reader of everybody) await reader.reads();
}

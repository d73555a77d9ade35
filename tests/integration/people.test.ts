import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { startDiscordServer } from "@talaria/adapter-discord/emulator";
import { startSlackServer } from "@talaria/adapter-slack/emulator";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { type ModelServer, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { ModelPlan } from "../support/model-plan.ts";
import { runTalaria } from "../support/run-talaria.ts";
import { waitFor } from "../support/wait-for.ts";

type Who = "ann" | "bob" | "zoe";

interface Line {
  readonly id: string | number;
  readonly text: string;
  readonly buttons: readonly string[];
}

/** Two owners and a stranger, each in a direct conversation with the agent. */
interface Door {
  /** YAML: `owners` and `accounts`. */
  readonly config: string;
  say(who: Who, text: string): unknown;
  shown(who: Who): readonly Line[];
  press(who: Who, id: Line["id"], label: string): Promise<unknown>;
  stop(): Promise<void>;
}

const doors: Readonly<Record<string, () => Promise<Door>>> = { telegram, slack, discord };

for (const [name, openDoor] of Object.entries(doors))
  describe(`people at the door, on ${name}`, () => {
    const plan = new ModelPlan();
    let door: Door;
    let model: ModelServer;
    let talaria: Installation;

    before(async () => {
      door = await openDoor();
      model = await startModelServer({ respond: plan.respond });
      const models = `models: { main: { provider: openai-chat, baseUrl: "${model.baseUrl}", apiKey: key, model: test } }`;
      talaria = await Installation.start({ database: "shared", config: `${models}${door.config}` });
      await connected();
    });
    after(async () => {
      await talaria?.remove();
      await model?.stop();
      await door?.stop();
    });

    const connected = () => waitFor(async () => (await talaria.connectionOf("main")) === "connected", "the connection");
    const line = (who: Who, words: string) =>
      waitFor(() => door.shown(who).find(({ text }) => text.includes(words)), `${who} to read "${words}"`);
    const count = (who: Who, words: string) => door.shown(who).filter(({ text }) => text.includes(words)).length;
    const people = (...args: readonly string[]) =>
      runTalaria(["people", ...args], {
        TALARIA_HOME: talaria.home,
        ...(talaria.databaseUrl !== undefined && { DATABASE_URL: talaria.databaseUrl }),
      });
    const rows = async () =>
      JSON.parse((await people("list", "--json")).stdout) as readonly { state: string; userId: string }[];

    it("each owner is asked, one lets the stranger in, whose words are answered, and the other reads who did", async () => {
      for (const owner of ["ann", "bob"] as const) {
        door.say(owner, "/sethome");
        await line(owner, "I'll ask you here");
      }
      door.say("zoe", "what do you know of quetzals?");
      await line(
        "zoe",
        "Hi! I only talk to people my owner has let in. I've asked them. If they ask for a code, send them this one within 10 minutes:",
      );
      door.say("zoe", "hello?");
      await line("zoe", "Still waiting for my owner.");
      assert.equal(model.requestCount(), 0);
      const [atAnn, atBob] = [await line("ann", "wants to talk to me"), await line("bob", "wants to talk to me")];
      assert.deepEqual(atAnn.buttons, ["Let in", "Ignore", "Block"]);
      await door.press("ann", atAnn.id, "Let in");
      await line("zoe", "You're in. I'm answering what you wrote.");
      await line("zoe", "echo: what do you know of quetzals?");
      for (const [owner, asked] of [
        ["ann", atAnn],
        ["bob", atBob],
      ] as const) {
        const closed = await line(owner, "Let in by");
        assert.deepEqual([closed.id, closed.buttons], [asked.id, []]);
        assert.match(closed.text, /✓ Let in by .*ann/i);
      }
    });

    it("a decision outlives that everything is killed before anybody is told", async () => {
      await door.say("ann", "/people remove zoe");
      await line("ann", "has no access any more");
      door.say("zoe", "and now?");
      await line("zoe", "You no longer have access. Please ask the person who runs me.");
      const pids = (await talaria.processes()).map(({ pid }) => pid);
      await talaria.stop("SIGKILL");
      for (const pid of pids) kill(pid);
      const welcomes = count("zoe", "You're in.");
      const [row] = (await rows()).filter(({ state }) => state === "removed");
      const added = await people("add", row?.userId ?? "");
      assert.deepEqual([added.code, added.stderr], [0, ""]);
      assert.equal(count("zoe", "You're in."), welcomes);
      await talaria.begin();
      await connected();
      await line("zoe", "You're in. What can I do for you?");
      assert.equal(count("zoe", "You're in."), welcomes + 1);
    });

    it("everybody is listed, and who stands in the configuration is taken back there alone", async () => {
      const { code, stdout } = await people();
      assert.equal(code, 0);
      assert.match(stdout, /^owner .*\S+ on main +main\/\S+ +owners, line \d+ of \S+config\.yaml/m);
      assert.match(stdout, /^member .*on main +[0-9a-f]{8} +let in .* ago +last wrote .* ago$/m);
      const [owner] = (await rows()).filter(({ state }) => state === "listed");
      const refused = await people("remove", owner?.userId ?? "");
      assert.equal(refused.code, 1);
      assert.match(refused.stderr, /is in owners, line \d+ of \S+config\.yaml: only that file can take it back\n$/);
    });

    it("/start greets, and asks no model", async () => {
      const asked = model.requestCount();
      door.say("ann", "/start");
      await line("ann", "You're an owner: you decide what others may not.");
      assert.equal(model.requestCount(), asked);
    });
  });

async function telegram(): Promise<Door> {
  const server = await startTelegramServer();
  const of = (name: string) => server.privateChat(server.user({ first_name: name, username: name }));
  const chats = { ann: of("ann"), bob: of("bob"), zoe: of("zoe") };
  return {
    config: `
owners: ["telegram:user:${chats.ann.person.id}", "telegram:user:${chats.bob.person.id}"]
accounts: { main: { platform: telegram, token: "${server.token}", apiRoot: "${server.apiRoot}" } }
`,
    say: (who, text) => chats[who].say(chats[who].person, text),
    shown: (who) =>
      chats[who]
        .botMessages()
        .map(({ id, text, buttons }) => ({ id, text, buttons: buttons.flat().map((one) => one.text) })),
    press: async (who, id, label) => chats[who].press(chats[who].person, Number(id), label).answer,
    stop: () => server.stop(),
  };
}

async function slack(): Promise<Door> {
  const server = await startSlackServer({ redelivery: { pausesMs: [300, 1_000, 3_000, 9_000] } });
  const users = { ann: server.user("ann"), bob: server.user("bob"), zoe: server.user("zoe") };
  const chats = { ann: server.direct(users.ann), bob: server.direct(users.bob), zoe: server.direct(users.zoe) };
  // Its apps send no text that begins with a slash.
  const typed = (text: string) => (text.startsWith("/") ? ` ${text}` : text);
  return {
    config: `
owners: ["slack:user:${users.ann.id}", "slack:user:${users.bob.id}"]
accounts:
  main: { platform: slack, botToken: "${server.botToken}", appToken: "${server.appToken}", apiRoot: "${server.api}" }
`,
    say: (who, text) => chats[who].say(users[who], typed(text)),
    shown: (who) =>
      chats[who]
        .botMessages()
        .map(({ ts, text, buttons }) => ({ id: ts, text, buttons: buttons.map((one) => one.label) })),
    press: async (who, id, label) => {
      const button = chats[who]
        .botMessages()
        .find(({ ts }) => ts === id)
        ?.buttons.find((one) => one.label === label);
      return chats[who].press(users[who], String(id), button?.id ?? label);
    },
    stop: () => server.stop(),
  };
}

async function discord(): Promise<Door> {
  const server = await startDiscordServer();
  const users = { ann: server.user("ann"), bob: server.user("bob"), zoe: server.user("zoe") };
  const chats = { ann: server.direct(users.ann), bob: server.direct(users.bob), zoe: server.direct(users.zoe) };
  return {
    config: `
owners: ["discord:user:${users.ann.id}", "discord:user:${users.bob.id}"]
accounts: { main: { platform: discord, token: "${server.token}", apiRoot: "${server.api}" } }
`,
    say: (who, text) => chats[who].say(users[who], text),
    shown: (who) =>
      chats[who].botMessages().map(({ id, text, buttons }) => ({ id, text, buttons: buttons.map((one) => one.label) })),
    press: async (who, id, label) => {
      const button = chats[who]
        .botMessages()
        .find((one) => one.id === id)
        ?.buttons.find((one) => one.label === label);
      return chats[who].press(users[who], String(id), button?.id ?? label);
    },
    stop: () => server.stop(),
  };
}

function kill(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // It has ended with its supervisor.
  }
}

import assert from "node:assert/strict";
import { once } from "node:events";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { startTelegramServer, type TelegramServer } from "@talaria/adapter-telegram/emulator";
import { systemClock } from "@talaria/protocol";
import {
  type ChatGptSignIn,
  type DialectServer,
  startChatGptSignIn,
  startDialectServer,
  words,
} from "@talaria/testkit";
import { freePort } from "../support/free-port.ts";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

describe("a login with ChatGPT", () => {
  let telegram: TelegramServer;
  let signIn: ChatGptSignIn;
  let api: DialectServer;
  let talaria: Installation;

  before(async () => {
    telegram = await startTelegramServer();
    signIn = await startChatGptSignIn({ now: systemClock.now });
    const models = ["gpt-6-sol", "gpt-6-luna"];
    api = await startDialectServer({ dialect: "chatgpt", apiKeys: signIn.accessTokens, models });
    api.respond = () => words("paid by the plan");
    const [port, back] = [await freePort(), await freePort()];
    const oauth = `{ issuer: "${signIn.issuer}", redirectUrl: "http://127.0.0.1:${back}/auth/callback" }`;
    const config = `
models: { main: { provider: chatgpt, model: gpt-6-sol, baseUrl: "${api.url}/v1", oauth: ${oauth} } }
workers: { processes: 2 }
accounts: { bot: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } } }
`;
    talaria = await Installation.start({ config, port, database: "shared" });
  });
  after(async () => {
    await talaria?.remove();
    await Promise.all([telegram?.stop(), api?.stop(), signIn?.[Symbol.asyncDispose]()]);
  });

  const run = async (...args: readonly string[]) => {
    const child = talaria.command(...args);
    const said = { text: "" };
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (bytes: Buffer) => {
        said.text += bytes.toString();
      });
    const closed = once(child, "close");
    const ended = async () => {
      await closed;
      return child.exitCode;
    };
    return { child, said, ended };
  };

  /** The address that it shows, once it does. */
  const begin = async () => {
    const login = await run("model", "login");
    const url = await waitFor(() => /^http\S+authorize\S+$/m.exec(login.said.text)?.[0], "an address to log in at");
    return { ...login, url };
  };

  const check = async () => {
    const { said, ended } = await run("check");
    assert.equal(await ended(), 0, said.text);
    return said.text;
  };

  const say = (name: string, text: string) => {
    const person = telegram.user({ first_name: name });
    const chat = telegram.privateChat(person);
    chat.say(person, text);
    return chat;
  };

  it("is missing, which a check says with the command that makes it", async () => {
    assert.match(
      await check(),
      /^warning: models\.main: nobody is logged in to ChatGPT: run `talaria model login chatgpt`$/m,
    );
    await say("Ada", "hello").waitForBotMessage(/API key|language model/);
  });

  it("ends where the browser comes back, shows the models of the plan, and is in use at once", async () => {
    const login = await begin();
    const back = await signIn.visit(login.url);
    const page = await fetch(back);
    assert.match(await page.text(), /^Done\./);
    assert.equal(await login.ended(), 0, login.said.text);
    assert.match(login.said.text, /chatgpt: logged in\. .*\nIts models: gpt-6-sol, gpt-6-luna/);
    await say("Bob", "hello").waitForBotMessage(/paid by the plan/);
    assert.doesNotMatch(await check(), /ChatGPT/);
  });

  it("is renewed once for all conversations of all workers", async () => {
    signIn.expireAccess();
    const chats = ["Cy", "Di", "Ed", "Flo", "Gus", "Hal"].map((name) => say(name, "hello"));
    await Promise.all(chats.map((chat) => chat.waitForBotMessage(/paid by the plan/)));
    assert.equal(signIn.seen.renewals, 1);
    assert.deepEqual([...signIn.flaws, ...api.flaws], []);
  });

  it("is said to have ended when somebody revoked it, and mended by a pasted address", async () => {
    signIn.disconnect();
    await say("Ida", "hello").waitForBotMessage(/API key|language model/);
    assert.match(
      await check(),
      /models\.main: the login to ChatGPT has ended \(refresh_token_invalidated\): run `talaria model/,
    );
    const declined = await begin();
    declined.child.stdin.write(`${await signIn.visit(declined.url, { declines: true })}\n`);
    assert.equal(await declined.ended(), 1);
    assert.match(declined.said.text, /the login was declined: run `talaria model login chatgpt` again/);
    const login = await begin();
    login.child.stdin.write("nonsense\nhttp://127.0.0.1:1/auth/callback?code=guessed&state=guessed\n");
    login.child.stdin.write(`${await signIn.visit(login.url)}\n`);
    assert.equal(await login.ended(), 0, login.said.text);
    assert.match(login.said.text, /This login was not accepted\..*Done\./s);
    assert.equal(signIn.seen.registrations, 1);
    await say("Jo", "hello").waitForBotMessage(/paid by the plan/);
  });

  it("is in no log and no status, and is forgotten on request", async () => {
    const folder = join(talaria.home, "logs");
    const logs = await Promise.all((await readdir(folder)).map((file) => readFile(join(folder, file), "utf8")));
    const told = [...logs, await talaria.talaria("status"), await talaria.talaria("status", "--json")].join("\n");
    assert.match(told, /has ended \(refresh_token_invalidated\)/, "the log says why");
    assert.doesNotMatch(told, /eyJ|Bearer [A-Za-z0-9]|canary/);
    assert.match(
      await talaria.talaria("model", "logout"),
      /^forgot the login chatgpt; running workers notice it within a minute$/m,
    );
    assert.match(await talaria.talaria("model", "logout"), /nothing was kept of the login chatgpt/);
    assert.equal(signIn.seen.revocations, 1);
    const unknown = await run("model", "login", "other");
    assert.notEqual(await unknown.ended(), 0);
    assert.match(unknown.said.text, /there is no login called "other" in models: there is chatgpt/);
  });
});

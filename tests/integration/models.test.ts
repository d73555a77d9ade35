import assert from "node:assert/strict";
import { it } from "node:test";
import { startTelegramServer } from "@talaria/adapter-telegram/emulator";
import { startDialectServer, type WireAnswer, wireCalls, words } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

it("goes on with another provider's model in the middle of a turn, and stays there", async () => {
  await using telegram = await startTelegramServer();
  const thought = { kind: "thought", text: "hm", proof: "proof-of-the-first" } as const;
  const rounds: WireAnswer[] = [[thought, ...wireCalls(["current_time", {}])], [{ kind: "refuse", why: "quota" }]];
  await using first = await startDialectServer({ dialect: "anthropic", apiKeys: ["key-one", "key-two"] });
  first.respond = ({ headers }) =>
    headers.authorization?.endsWith("key-one")
      ? [{ kind: "refuse", why: "auth" }]
      : (rounds.shift() ?? words("the first"));
  await using second = await startDialectServer({
    dialect: "google",
    apiKeys: ["key-g"],
    respond: () => words("the second"),
  });
  await using talaria = await Installation.start({
    database: "shared",
    env: { LOG_LEVEL: "info" },
    config: `models:
  main: { provider: anthropic, baseUrl: "${first.url}", apiKey: [key-one, key-two], model: claude-opus-5, effort: low, fallbacks: [second] }
  second: { provider: google, baseUrl: "${second.url}/v1beta", apiKey: key-g, model: gemini-3-pro-preview }
accounts: { main: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open } } }`,
  });
  const ada = telegram.user({ first_name: "Ada" });
  const chat = telegram.privateChat(ada);
  chat.say(ada, "what time is it?");
  await chat.waitForBotMessage("the second");
  chat.say(ada, "and now?");
  await waitFor(() => second.requests.length === 2, "the second question at the second model");
  const [taken] = second.requests.map(({ body }) => JSON.stringify(body));
  assert.match(String(taken), /functionResponse/);
  assert.doesNotMatch(String(taken), /proof-of-the-first/);
  assert.deepEqual([...first.flaws, ...second.flaws], []);
  assert.doesNotMatch(talaria.output, /key-one|key-two|key-g/);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { modelFault, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { waitFor } from "../support/wait-for.ts";

it("a refused key is told to the owner who asks, by status, readiness and the console, until the model answers again", async () => {
  let isRefused = true;
  await using model = await startModelServer({
    respond: () => (isRefused ? modelFault.unauthorized() : say("Here I am.")),
  });
  const config = `
models:
  main: { provider: openai-chat, baseUrl: "${model.baseUrl}", model: talaria-test, apiKey: sk-wrong-key }
`;
  await using talaria = await Installation.start({ config, database: "shared" });
  const problem =
    /PROBLEM +model main: its provider refuses the key or login, since 2.*Z \(1 request failed\): put a working one/;
  assert.doesNotMatch(await talaria.talaria("status"), /PROBLEM/);
  await talaria.say("home", "hello?");
  const line = await talaria.waitForLine("home", /rejects my API key/);
  assert.match(line.markdown, /As an owner, run `talaria status` where I run/);
  const status = await waitFor(async () => {
    const shown = await talaria.talaria("status");
    return problem.test(shown) && shown;
  }, "the problem in status");
  assert.match(status || "", problem);
  for (const path of ["/readyz", "/api/connections"]) {
    const told = await (await talaria.fetch(path)).text();
    assert.match(told, /"models":\[.*refuses the key or login/, path);
    assert.doesNotMatch(told + status, /sk-wrong-key/);
  }
  const stranger = await fetch(`${talaria.url}/readyz`);
  assert.doesNotMatch(await stranger.text(), /refuses/);
  isRefused = false;
  await talaria.say("home", "and now?");
  await talaria.waitForLine("home", /Here I am/);
  await waitFor(async () => !/PROBLEM/.test(await talaria.talaria("status")), "the problem to be over");
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { modelFault, say, startModelServer } from "@talaria/testkit";
import { Installation } from "../support/installation.ts";
import { runTalaria } from "../support/run-talaria.ts";
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
    /^PROBLEM +model main: its provider refuses the key or login, since .*\d\d:\d\d UTC \(1 request failed\): put a working one/;
  const statusOf = () =>
    runTalaria(["status"], { TALARIA_HOME: talaria.home, DATABASE_URL: talaria.databaseUrl ?? "" });
  const before = await statusOf();
  assert.deepEqual([before.code, /PROBLEM .*model/.test(before.stdout)], [0, false]);
  await talaria.say("office", "/sethome");
  await talaria.waitForLine("office", /I'll ask you here/);
  await talaria.say("home", "hello?");
  const line = await talaria.waitForLine("home", /my access to the language model was refused/);
  assert.match(line.markdown, /As an owner, run `talaria status` where I run/);
  const { code, stdout: status } = await waitFor(async () => {
    const shown = await statusOf();
    return problem.test(shown.stdout) ? shown : undefined;
  }, "the problem in status, above all else");
  assert.equal(code, 1);
  for (const path of ["/readyz", "/api/connections"]) {
    const answer = await talaria.fetch(path);
    assert.equal(answer.status, 200);
    const told = await answer.text();
    assert.match(told, /"problems":\[\{"kind":"model","code":"auth",.*"stopsAnswers":true/, path);
    assert.match(told, /"models":\[.*refuses the key or login/, path);
    assert.doesNotMatch(told + status, /sk-wrong-key/);
  }
  const stranger = await fetch(`${talaria.url}/readyz`);
  assert.doesNotMatch(await stranger.text(), /refuses/);
  await talaria.waitForLine(
    "office",
    /^People get no answers from me\. Model main: its provider refuses the key or login, since [^TZ]*\d\d:\d\d UTC \(\d+ requests? failed\)\. Put a working one/,
  );
  const figures = await (await talaria.fetch("/metrics")).text();
  assert.match(figures, /^talaria_model_failures_total\{code="auth",model="main".*\} 1$/m);
  assert.match(figures, /^talaria_problems\{.*kind="model".*\} 1$/m);
  assert.match(figures, /^talaria_answering\{.*\} 0$/m);
  isRefused = false;
  await talaria.say("home", "and now?");
  await talaria.waitForLine("home", /Here I am/);
  await talaria.waitForLine("office", /^It's over: model main answers again/);
  await waitFor(async () => (await statusOf()).code === 0, "the problem to be over");
  assert.doesNotMatch((await statusOf()).stdout, /PROBLEM .*model/);
});

import assert from "node:assert/strict";
import { it } from "node:test";
import { type WireAnswer, words } from "@talaria/testkit";
import { answerOf, eventsOf } from "../model.fixture.ts";
import { startPlan } from "./chatgpt.fixture.ts";
import { createChatGptTokens } from "./chatgpt-tokens.ts";

const signal = new AbortController().signal;
const hourMs = 3_600_000;

it("is not asked without a login, and says how to log in", async () => {
  await using plan = await startPlan();
  const { end } = await answerOf(plan.newModel());
  assert.deepEqual(end, {
    type: "failed",
    error: {
      kind: "auth",
      message: "nobody is logged in to ChatGPT: run `talaria model login chatgpt`",
      visible: false,
    },
  });
  assert.deepEqual(plan.api.flaws, []);
});

it("renews a token shortly before its end, and not before", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const model = plan.newModel();
  for (const [afterMs, renewals] of [
    [0, 0],
    [hourMs - 6 * 60_000, 0],
    [2 * 60_000, 1],
    [hourMs, 2],
  ] as const) {
    plan.clock.nowMs += afterMs;
    assert.equal((await answerOf(model)).end.type, "done");
    assert.equal(plan.signIn.seen.renewals, renewals);
  }
});

it("is renewed once by two workers that need it at the same time", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const models = [plan.newModel(), plan.newModel(), plan.newModel()];
  plan.clock.nowMs += 2 * hourMs;
  plan.signIn.expireAccess();
  const ends = await Promise.all([...models, ...models].map(async (model) => (await answerOf(model)).end.type));
  assert.deepEqual(
    ends,
    Array.from({ length: 6 }, () => "done"),
  );
  assert.equal(plan.signIn.seen.renewals, 1);
  assert.deepEqual(plan.signIn.flaws, []);
});

it("asks again with a new token when the provider does not take the old one, and three times at most", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const model = plan.newModel();
  await answerOf(model);
  plan.signIn.expireAccess();
  const { text, end } = await answerOf(model);
  assert.deepEqual([text, end.type], ["Hello, dear world", "done"]);
  assert.equal(plan.signIn.seen.renewals, 1);
  plan.api.respond = () => {
    plan.signIn.expireAccess();
    return [{ kind: "refuse", why: "auth" }];
  };
  const refused = await answerOf(model);
  assert.ok(refused.end.type === "failed" && refused.end.error.kind === "auth");
  assert.equal(plan.signIn.seen.renewals, 3);
});

it("says that a login has ended where another process renewed it before", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const [model, another] = [plan.newModel(), plan.newModel()];
  for (const each of [model, another]) assert.equal((await answerOf(each)).end.type, "done");
  plan.signIn.expireAccess();
  assert.equal((await answerOf(another)).end.type, "done");
  plan.signIn.disconnect();
  const { end } = await answerOf(model);
  assert.ok(end.type === "failed");
  assert.match(end.error.message, /^the login to ChatGPT has ended \(refresh_token_invalidated\)/);
});

it("ends a turn in words when the login is revoked in the middle of it, and goes on after the next login", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const [model, another] = [plan.newModel(), plan.newModel()];
  assert.equal((await answerOf(model)).end.type, "done");
  plan.signIn.disconnect();
  const ended = "the login to ChatGPT has ended (refresh_token_invalidated): run `talaria model login chatgpt`";
  for (const each of [model, model, another]) {
    const events = await eventsOf(each);
    assert.deepEqual(events, [{ type: "failed", error: { kind: "auth", message: ended, visible: false } }]);
  }
  assert.equal(plan.signIn.seen.renewals, 1, "a login that has ended is not renewed again");
  await plan.logIn();
  assert.equal((await answerOf(model)).end.type, "done");
});

it("does with what it has while OpenAI renews nothing, and then says that this passes", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const model = plan.newModel();
  plan.signIn.outage = 503;
  plan.clock.nowMs += hourMs - 60_000;
  assert.equal((await answerOf(model)).end.type, "done");
  plan.clock.nowMs += 2 * 60_000;
  const { end } = await answerOf(model);
  assert.ok(end.type === "failed" && end.error.kind === "overloaded");
  assert.equal(end.error.message, "OpenAI did not renew the login to ChatGPT (temporarily_unavailable)");
  plan.signIn.outage = undefined;
  assert.equal((await answerOf(model)).end.type, "done");
});

it("needs no more than the access token for a request", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const read: string[] = [];
  const { logins } = plan;
  const watched = {
    ...logins,
    load: (login: string, part: "access" | "renewal" | "client") => {
      read.push(part);
      return logins.load(login, part);
    },
  };
  const tokens = createChatGptTokens(plan.settings, { logins: watched, clock: plan.clock });
  assert.ok(plan.signIn.accessTokens.includes(await tokens.token(signal)));
  await tokens.token(signal);
  assert.deepEqual(read, ["access"]);
});

it("shows no token, whatever a server quotes", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const secrets = () => [...plan.texts.values()].flatMap((text) => [text, ...(text.match(/eyJ[\w.-]+/g) ?? [])]);
  const answers: readonly WireAnswer[] = [
    [{ kind: "refuse", why: "auth" }],
    [...words("x"), { kind: "error", why: "server" }],
  ];
  for (const answer of answers) {
    plan.api.respond = () => answer;
    const told = JSON.stringify(await eventsOf(plan.newModel()));
    for (const secret of secrets()) assert.ok(!told.includes(secret));
    assert.ok(!told.includes("canary"));
  }
});

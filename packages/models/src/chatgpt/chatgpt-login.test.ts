import assert from "node:assert/strict";
import { it } from "node:test";
import { isGatewayError } from "@talaria/protocol";
import { answerOf } from "../model.fixture.ts";
import { startPlan } from "./chatgpt.fixture.ts";
import { beginChatGptLogin, endChatGptLogin } from "./chatgpt-login.ts";

const signal = new AbortController().signal;

it("registers this installation once, and logs in again as the same client", async () => {
  await using plan = await startPlan();
  await plan.logIn();
  const first = await plan.logins.load("chatgpt", "client");
  assert.equal((await answerOf(plan.newModel())).end.type, "done");
  plan.signIn.disconnect();
  assert.equal((await answerOf(plan.newModel())).end.type, "failed");
  await plan.logIn();
  assert.equal(await plan.logins.load("chatgpt", "client"), first);
  assert.equal(plan.signIn.seen.registrations, 1);
  assert.equal((await answerOf(plan.newModel())).end.type, "done");
});

it("leaves a login open for the parameters of another one, and takes each once", async () => {
  await using plan = await startPlan();
  const [login, other] = [await plan.begin(), await plan.begin()];
  const back = (await plan.signIn.visit(login.url)).searchParams;
  const isOther = (error: unknown) => isGatewayError(error, "invalid_request");
  await assert.rejects(other.finish(back, signal), isOther);
  await assert.rejects(login.finish(new URLSearchParams({ code: "guessed" }), signal), isOther);
  assert.equal(plan.texts.size, 0);
  await login.finish(back, signal);
  await assert.rejects(login.finish(back, signal), isOther);
});

it("keeps nothing of a login that was declined, or that brings no client, code or token of its own", async () => {
  await using plan = await startPlan();
  await assert.rejects(
    plan.logIn({ declines: true }),
    /the login was declined: run `talaria model login chatgpt` again/,
  );
  const change = async (name: string, value: string | undefined) => {
    const login = await plan.begin();
    const { searchParams } = await plan.signIn.visit(login.url);
    if (value === undefined) searchParams.delete(name);
    else searchParams.set(name, value);
    await login.finish(searchParams, signal);
  };
  await assert.rejects(change("client_id", undefined), /does not name the client/);
  await assert.rejects(change("client_id", "dynamic_agent_client"), /does not name the client/);
  await assert.rejects(change("client_id", "oaiapp_other"), /did not take the code \(invalid_grant\)/);
  await assert.rejects(change("code", "guessed"), /did not take the code \(invalid_grant\)/);
  await assert.rejects(change("code", undefined), /ended the login/);
  const lies: readonly (readonly [object, RegExp])[] = [
    [{ iss: "https://elsewhere.example" }, /another issuer's/],
    [{ aud: "somebody" }, /another client/],
    [{ nonce: "old" }, /another login/],
    [{ exp: 1 }, /expired/],
    [{ sub: "" }, /names nobody/],
  ];
  for (const [claims, reason] of lies) {
    plan.signIn.falseClaims = claims as Record<string, unknown>;
    await assert.rejects(plan.logIn(), reason);
  }
  assert.equal(plan.texts.size, 0);
});

it("is nobody's without the use of the plan, and asks for that again", async () => {
  await using plan = await startPlan();
  await assert.rejects(plan.logIn({ keepsPlan: true }), /the use of the ChatGPT plan was not allowed: run `talaria/);
  assert.equal(await plan.logins.load("chatgpt", "access"), undefined);
  assert.equal(new URL((await plan.begin()).url).searchParams.get("prompt"), "consent");
  await plan.logIn();
  assert.equal(new URL((await plan.begin()).url).searchParams.get("prompt"), null);
});

it("belongs to one account until that is forgotten", async () => {
  await using plan = await startPlan();
  const deps = { logins: plan.logins, clock: plan.clock };
  await plan.logIn();
  await assert.rejects(plan.logIn({ subject: "user-bob" }), /another ChatGPT account than before: .*--forget` first/);
  assert.equal((await answerOf(plan.newModel())).end.type, "done");
  const ended = await endChatGptLogin(plan.settings, { ...deps, isForAll: true }, signal);
  assert.deepEqual(ended, { wasKept: true, isRevoked: true });
  assert.equal(plan.texts.size, 0);
  await plan.logIn({ subject: "user-bob" });
  assert.equal(plan.signIn.seen.registrations, 2);
});

it("ends here even when OpenAI cannot be told", async () => {
  await using plan = await startPlan();
  const deps = { logins: plan.logins, clock: plan.clock, isForAll: false };
  await plan.logIn();
  await plan.signIn[Symbol.asyncDispose]();
  assert.deepEqual(await endChatGptLogin(plan.settings, deps, signal), { wasKept: true, isRevoked: false });
  assert.deepEqual(await endChatGptLogin(plan.settings, deps, signal), { wasKept: false, isRevoked: false });
  assert.deepEqual([...plan.texts.keys()], ["chatgpt client"]);
});

it("shows no secret in the address, and goes to the issuer alone", async () => {
  await using plan = await startPlan();
  const { url, redirectUrl } = await plan.begin();
  assert.ok(url.startsWith(`${plan.signIn.issuer}/api/accounts/authorize?`));
  assert.equal(redirectUrl, "http://127.0.0.1:1455/auth/callback");
  const { url: ordinary } = await beginChatGptLogin({}, { logins: plan.logins, clock: plan.clock });
  assert.ok(ordinary.startsWith("https://auth.openai.com/api/accounts/authorize?client_id=dynamic_agent_client&"));
});

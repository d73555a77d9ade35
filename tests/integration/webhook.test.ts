import assert from "node:assert/strict";
import { createHmac, randomBytes, randomUUID } from "node:crypto";
import { after, before, describe, it } from "node:test";
import type { PrivateChat } from "@talaria/adapter-telegram/emulator";
import { hold, say } from "@talaria/testkit";
import { Webhook } from "standardwebhooks";
import { type CallbackServer, startCallbackServer } from "../support/callback-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorld, type World } from "../support/world.ts";

const secret = randomBytes(24).toString("base64url");
const standardSecret = `whsec_${randomBytes(24).toString("base64")}`;

describe("an inbound webhook", () => {
  let world: World;
  let callback: CallbackServer;
  let chat: PrivateChat;

  before(async () => {
    callback = await startCallbackServer(1);
    world = await startWorld({
      config: (telegram) => {
        chat = telegram.privateChat(telegram.user({ first_name: "Ops" }));
        return `
accounts:
  main: { platform: telegram, token: "${telegram.token}", apiRoot: "${telegram.apiRoot}", access: { direct: open }, busy: { direct: queue } }
webhooks:
  ci:
    scheme: github
    secret: "${secret}"
    prompt: "Build {{ body.workflow_run.id }} of {{ body.repository.full_name }}: {{ body.workflow_run.conclusion }}. Event {{ headers.x-github-event }}."
    deliver: { account: main, conversation: "${chat.id}" }
    maxBodyBytes: 20000
  ask: { scheme: hmac, secret: "${secret}", prompt: "{{ body.question }}", wait: true }
  few: { scheme: hmac, secret: "${secret}", prompt: "{{ body.question }}", callbackUrl: "${callback.url}", rate: { perMinute: 1, burst: 2 } }
  pushes:
    scheme: hmac
    secret: "${secret}"
    prompt: "Push {{ body.n }} to {{ body.repository }}."
    deliver: { account: main, conversation: "${chat.id}" }
    coalesceMs: 4000
    coalesceBy: "{{ body.repository }}"
  left: { scheme: hmac, secret: "short", prompt: "{{ body.question }}", callbackUrl: "${callback.url}" }
  later: { scheme: standard, secret: "${standardSecret}", prompt: "{{ body.question }}", callbackUrl: "${callback.url}" }
`;
      },
    });
  });

  after(async () => {
    await world?.[Symbol.asyncDispose]();
    await callback?.[Symbol.asyncDispose]();
  });

  it("brings the analysis of a signed build event into a Telegram chat", async () => {
    const response = await post("ci", build(1), signed(build(1)));
    assert.equal(response.status, 202);
    const { eventId } = (await response.json()) as { eventId: string };
    const answer = await chat.waitForBotMessage("Build 1 of");
    assert.equal(answer.text, "echo: Build 1 of example/blue: failure. Event workflow_run.");
    assert.match(await world.talaria.talaria("trace", eventId), /received[\s\S]*turn began[\s\S]*sent/);
  });

  it("refuses what is tampered with, unsigned, too large or unknown, and starts no turn for it", async () => {
    const before = world.model.requestCount();
    const large = JSON.stringify({ filler: "x".repeat(30_000) });
    const refused = [
      await post("ci", build(2), signed(build(3))),
      await post("ci", build(2), {}),
      await post("ci", large, signed(large)),
      await post("cd", build(2), signed(build(2))),
    ];
    assert.deepEqual(
      refused.map(({ status }) => status),
      [401, 401, 413, 404],
    );
    for (const response of refused) assert.match(((await response.json()) as { error: string }).error, /\w+ /);
    assert.equal((await fetch(`${world.talaria.url}/webhooks/ci`)).status, 405);
    assert.equal((await post("ci", build(4), signed(build(4)))).status, 202);
    await chat.waitForBotMessage("Build 4 of");
    assert.equal(world.model.requestCount(), before + 1);
  });

  it("answers for a route that was left out as for one that nobody knows, and tells the operator why", async () => {
    const body = build(5);
    const answers = [];
    for (const route of ["left", "unknown"])
      for (const method of ["POST", "GET"]) {
        const sent = method === "POST" ? { body, headers: signed(body) } : {};
        const response = await fetch(`${world.talaria.url}/webhooks/${route}`, { method, ...sent });
        const { date, ...headers } = Object.fromEntries(response.headers);
        answers.push({ status: response.status, text: await response.text(), headers });
      }
    for (const answer of answers) assert.deepEqual(answer, answers[0]);
    assert.deepEqual([answers[0]?.status, answers[0]?.text], [404, '{"error":"no such route"}']);
    assert.match(await world.talaria.talaria("status"), /\bleft\b.*secret/);
  });

  it("waits with its answer for the agent's where the route says so", async () => {
    const body = JSON.stringify({ question: "how warm is it" });
    const response = await post("ask", body, hmac(body, "wait-1"));
    assert.equal(response.status, 200);
    const answer = (await response.json()) as { eventId: string; reply: string };
    assert.equal(answer.reply, "echo: how warm is it");
    assert.match(answer.eventId, /^body\./);
  });

  it("posts the answer, signed, to a callback address, and again when that fails", async () => {
    const body = JSON.stringify({ question: "who calls back" });
    const id = `msg_${randomUUID()}`;
    const now = new Date();
    const response = await post("later", body, {
      "webhook-id": id,
      "webhook-timestamp": String(Math.floor(now.getTime() / 1000)),
      "webhook-signature": new Webhook(standardSecret).sign(id, now, body),
    });
    assert.equal(response.status, 202);
    await waitFor(() => callback.calls.length === 2, "a second try of the callback");
    const [first, second] = callback.calls;
    assert.ok(first && second);
    assert.equal(first.headers["webhook-id"], second.headers["webhook-id"]);
    const posted = new Webhook(standardSecret).verify(second.body, second.headers as Record<string, string>);
    assert.match(JSON.stringify(posted), /echo: who calls back/);
  });

  it("accepts what an independent Standard Webhooks library signs, and nothing stale or altered", async () => {
    const body = JSON.stringify({ question: "stale?" });
    const attempt = async (ageSeconds: number, sent = body) => {
      const id = `msg_${randomUUID()}`;
      const at = new Date(Date.now() - ageSeconds * 1000);
      const headers = {
        "webhook-id": id,
        "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
        "webhook-signature": new Webhook(standardSecret).sign(id, at, body),
      };
      return (await post("later", sent, headers)).status;
    };
    assert.deepEqual(
      [await attempt(0), await attempt(301), await attempt(-310), await attempt(0, `${body} `)],
      [202, 401, 401, 401],
    );
  });

  it("keeps its place among the other messages of the chat", async () => {
    const ops = chat.person;
    const gate = Promise.withResolvers<void>();
    world.plan.answer("Build 50 ", [...hold(gate.promise), ...say("about build 50")]);
    await post("ci", build(50), signed(build(50)));
    await world.model.waitForRequest(({ lastUserText }) => lastUserText.includes("Build 50 "));
    await post("ci", build(51), signed(build(51)));
    await chat.waitForBotMessage("Build 51 ");
    chat.say(ops, "and my own question");
    await chat.waitForBotMessage("my own question");
    gate.resolve();
    const late = await chat.waitForBotMessage("about build 50");
    const shown = chat.botMessages().map(({ text }) => text);
    assert.equal(shown.at(-1), late.text, "a slow build holds nobody up");
    assert.deepEqual(new Set(shown).size, shown.length, "nothing arrived twice");
  });

  it("does not mix the parts of its answer with another answer of the same chat", async () => {
    const gate = Promise.withResolvers<void>();
    const long = Array.from({ length: 200 }, (_, n) => `Finding ${n} of the long analysis is here.`).join("\n\n");
    world.plan.answer("Build 52 ", [...hold(gate.promise), ...say(long)]);
    world.plan.answer("a question meanwhile", [...hold(gate.promise), ...say("an answer meanwhile")]);
    await post("ci", build(52), signed(build(52)));
    chat.say(chat.person, "a question meanwhile");
    await waitFor(() => world.model.openAnswers() === 2, "both to be asked");
    gate.resolve();
    await Promise.all([chat.waitForBotMessage("Finding 199 "), chat.waitForBotMessage("an answer meanwhile")]);
    const kinds = chat
      .botMessages()
      .slice(-4)
      .map(({ text }) => (text.includes("Finding") ? "long" : "short"));
    const first = kinds.indexOf("long");
    const last = kinds.lastIndexOf("long");
    assert.ok(last > first);
    assert.ok(!kinds.slice(first, last).includes("short"), kinds.join());
  });

  it("answers 429 above its rate, and passes what is proven while others guess", async () => {
    const attempt = (n: number, key = secret) => {
      const body = JSON.stringify({ question: `few ${n}` });
      return post("few", body, hmac(body, `few-${n}`, key));
    };
    const guesses = await Promise.all(Array.from({ length: 50 }, (_, n) => attempt(n, "a guess of the secret")));
    assert.deepEqual(new Set(guesses.map(({ status }) => status)), new Set([401, 429]));
    const answers = [await attempt(1), await attempt(2), await attempt(3)];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 429],
    );
    const seconds = Number(answers[2]?.headers.get("retry-after"));
    assert.ok(seconds > 0 && seconds <= 60, String(seconds));
  });

  it("reads what comes in close succession as one, also when everything was killed in between", async () => {
    const push = async (n: number, repository: string) => {
      const body = JSON.stringify({ n, repository });
      assert.equal((await post("pushes", body, hmac(body, `push-${n}`))).status, 202);
    };
    for (const n of [1, 2, 3]) await push(n, "blue");
    await push(4, "green");
    await world.talaria.stop("SIGKILL");
    await world.talaria.begin();
    const answer = await chat.waitForBotMessage("Push 1 to blue");
    await chat.waitForBotMessage("Push 4 to green");
    for (const n of [2, 3]) assert.match(answer.text, new RegExp(`Push ${n} to blue`));
    assert.ok(!answer.text.includes("green"));
    const asked = world.model.requests.filter(({ lastUserText }) => lastUserText.includes("to blue"));
    assert.equal(asked.length, 1);
  });

  it("knows a replay, also after a restart", async () => {
    const headers = signed(build(60));
    assert.equal((await post("ci", build(60), headers)).status, 202);
    await chat.waitForBotMessage("Build 60 ");
    const replays = await Promise.all([post("ci", build(60), headers), post("ci", build(60), headers)]);
    for (const replay of replays) await isDuplicate(replay);
    const before = world.model.requestCount();
    await world.talaria.stop();
    await world.talaria.begin();
    await isDuplicate(await post("ci", build(60), headers));
    assert.equal((await post("ci", build(61), signed(build(61)))).status, 202);
    await chat.waitForBotMessage("Build 61 ");
    assert.equal(world.model.requestCount(), before + 1);
    assert.equal(chat.botMessages().filter(({ text }) => text.includes("Build 60 ")).length, 1);
  });

  function post(route: string, body: string, headers: Record<string, string>): Promise<Response> {
    const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } };
    return fetch(`${world.talaria.url}/webhooks/${route}`, init);
  }
});

function build(id: number): string {
  const repository = { full_name: "example/blue" };
  return JSON.stringify({ action: "completed", workflow_run: { id, conclusion: "failure" }, repository });
}

/** Headers as GitHub sends them. */
function signed(body: string): Record<string, string> {
  return {
    "x-github-event": "workflow_run",
    "x-github-delivery": randomUUID(),
    "x-hub-signature-256": `sha256=${createHmac("sha256", secret).update(body).digest("hex")}`,
  };
}

function hmac(body: string, id: string, key = secret): Record<string, string> {
  return { "x-request-id": id, "x-signature-256": createHmac("sha256", key).update(body).digest("hex") };
}

async function isDuplicate(response: Response): Promise<void> {
  assert.equal(response.status, 200);
  assert.equal(((await response.json()) as { duplicate?: boolean }).duplicate, true);
}

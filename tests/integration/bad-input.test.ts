import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { brandAs, silentLog, systemClock, type UserId } from "@talaria/protocol";
import { createStore, type Store } from "@talaria/store";
import { textOf } from "@talaria/testkit";
import { letIn } from "../../packages/store/src/test-people.ts";
import { type RawRequest, sendBytes, sendRaw } from "../support/raw-http.ts";
import { waitFor } from "../support/wait-for.ts";
import { apiRows } from "./bad-input/api-rows.ts";
import { configRows } from "./bad-input/config-rows.ts";
import { oddRows } from "./bad-input/odd-rows.ts";
import { hexOf, type Setting, secrets, startSetting } from "./bad-input/setting.ts";
import { telegramRows } from "./bad-input/telegram-rows.ts";
import { webhookRows } from "./bad-input/webhook-rows.ts";

describe("bad input", () => {
  let setting: Setting;
  let store: Store;
  let url: string;

  before(async () => {
    setting = await startSetting();
    const { talaria } = setting.world;
    ({ url } = talaria);
    const address = (await readFile(join(talaria.home, "database.url"), "utf8")).trim();
    store = createStore({ url: address, log: silentLog, clock: systemClock, maxConnections: 2 });
  });

  after(async () => {
    await store?.close();
    await setting?.[Symbol.asyncDispose]();
  });

  describe("in the configuration is left out with a clear line", () => {
    for (const { id, what, key, says } of configRows)
      it(`${id} ${what}`, () => {
        const lines = setting.world.talaria.output.split("\n").filter((line) => line.includes(` ${key}: `));
        assert.equal(lines.length, 1);
        assert.match(lines[0] ?? "", /^left out: .*config\.yaml:\d+:\d+ /);
        assert.match(lines[0] ?? "", says);
      });
  });

  describe("over HTTP is answered with a status and one sentence", () => {
    for (const { id, what, request, status, error } of [...webhookRows, ...apiRows])
      it(`${id} ${what}`, async () => {
        const answer = await sendRaw(url, withToken(request));
        assert.equal(answer.status, status, answer.body);
        assert.match(answer.headers["content-type"] ?? "", /^application\/json/);
        const told = JSON.parse(answer.body) as Record<string, string>;
        assert.deepEqual(Object.keys(told), ["error"]);
        assert.match(told.error ?? "", error);
        assert.doesNotMatch(answer.body, /\.ts|node_modules|<img|\n/);
      });

    it("B10 a body without an end, a length that lies, and two lengths", async () => {
      const head = `POST /webhooks/gh HTTP/1.1\r\nhost: x\r\n`;
      const chunk = `4000\r\n${"x".repeat(0x4000)}\r\n`;
      assert.deepEqual(await sendBytes(url, `${head}transfer-encoding: chunked\r\n\r\n`, ...Array(8).fill(chunk)), [
        "413",
      ]);
      assert.deepEqual(await sendBytes(url, `${head}content-length: 99999999999\r\n\r\nxx`), ["413"]);
      assert.deepEqual(await sendBytes(url, `${head}content-length: 2\r\ncontent-length: 3\r\n\r\nxxx`), ["400"]);
      assert.deepEqual(await sendBytes(url, `${head}transfer-encoding: chunked\r\ncontent-length: 2\r\n\r\nxx`), [
        "400",
      ]);
    });

    it("B11 sixty senders that take their time are sent away, and hold nobody up meanwhile", {
      timeout: 120_000,
    }, async () => {
      const head = "POST /webhooks/gh HTTP/1.1\r\nhost: x\r\ncontent-length: 1000\r\n\r\n";
      const slow = Array.from({ length: 60 }, () => sendBytes(url, head, "x"));
      const body = JSON.stringify({ text: "b11" });
      const headers = { "x-github-delivery": "b11", "x-hub-signature-256": `sha256=${hexOf(body)}` };
      assert.equal((await sendRaw(url, { path: "/webhooks/gh", headers, body })).status, 200);
      const answers = await Promise.all(slow);
      assert.deepEqual([...new Set(answers.flat())], ["408"]);
    });

    it("B12 a thousand addresses leave nothing behind", async () => {
      const size = async () => (await (await fetch(`${url}/metrics`)).text()).split("\n").length;
      const before = await size();
      for (let n = 0; n < 1_000; n += 50)
        await Promise.all(
          Array.from({ length: 50 }, (_, k) => sendRaw(url, { path: `/webhooks/none-${n + k}?q=${n}` })),
        );
      // Other work adds a line here and there; addresses that are remembered would add a thousand.
      assert.ok((await size()) <= before + 200);
    });
  });

  describe("on Telegram starts nothing", () => {
    for (const { id, what, by = { first_name: "Stranger" }, send, recorded } of telegramRows)
      it(`${id} ${what}`, async () => {
        const { world, owner, guarded } = setting;
        const person = by === "owner" ? owner : world.telegram.user(by);
        const before = world.model.requestCount();
        const { updateId, chat } = send(setting, person);
        assert.ok(updateId !== undefined, "the bot was told of it");
        const shown = chat.botMessages().length;
        await taken();
        const traces = await store.operations.trace(`u${updateId}`);
        const outcomes = traces.flatMap(({ steps }) =>
          steps.slice(1).map(({ step, details }) => `${step}:${details.reason}`),
        );
        assert.deepEqual(outcomes, recorded === undefined ? [] : [recorded]);
        assert.equal(world.model.requestCount(), before);
        assert.equal(chat.botMessages().length, shown);
        assert.equal(world.telegram.calls.count("getFile"), 0, "nothing was fetched");
        assert.equal(guarded.updates.size, 0);
      });

    it("A14 thirty strangers who ask for access: twenty codes, then silence, and the first stay valid", async () => {
      const { world, pairing } = setting;
      const chats = Array.from({ length: 30 }, (_, n) =>
        world.telegram.privateChat(world.telegram.user({ first_name: `Stranger ${n}` }), pairing),
      );
      for (const chat of chats) chat.say(chat.person, "may I");
      await taken();
      const withCode = () => chats.filter((chat) => chat.botMessages().length > 0);
      await waitFor(() => withCode().length >= 20, "the codes");
      for (const chat of chats) chat.say(chat.person, "please");
      await taken();
      assert.equal(withCode().length, 20);
      assert.ok(
        chats.every((chat) => chat.botMessages().filter(({ text }) => text.includes("people add")).length <= 1),
      );
      // Which twenty were the quickest is nobody's choice.
      const [first] = withCode();
      const code = /people add ([0-9A-Z-]+)/.exec(first?.botMessages()[0]?.text ?? "")?.[1] ?? "";
      for (let n = 0; n < 50; n += 1) assert.equal(await letIn(store.pairing, `AAAA-BB${n}`), undefined);
      assert.equal((await letIn(store.pairing, code))?.userId, brandAs<UserId>(String(first?.person.id)));
    });

    it("A15 nobody was noted by what was not proven", async () => {
      const rows = await store.pairing.list();
      assert.ok(!rows.some(({ accountId }) => accountId !== "pairing"));
    });
  });

  describe("of somebody who may write is answered", () => {
    for (const { id, what, send, read } of oddRows)
      it(`${id} ${what}`, async () => {
        const { world, open } = setting;
        const ada = world.telegram.user({ first_name: "Ada" });
        const chat = world.telegram.privateChat(ada, open);
        send(chat, ada, world.telegram);
        await chat.waitForBotMessage("echo:");
        const mine = world.model.requests.filter(({ messages }) =>
          textOf(messages[0]).includes(`telegram:user:${ada.id}`),
        );
        assert.match(mine[0]?.lastUserText ?? "", read);
      });

    it("J01 a text of 200,000 characters is refused where it was sent, with both numbers", async () => {
      const { talaria } = setting.world;
      await talaria.say("long", "x".repeat(200_000));
      await talaria.waitForLine("long", /too long: 200000 characters\. I can read up to 100000/);
    });

    it("J09 sixty messages at once are all read, in order", async () => {
      const { world, ownerChat, owner } = setting;
      for (let n = 0; n < 60; n += 1) ownerChat.say(owner, `burst <${n}>`);
      await ownerChat.waitForBotMessage("burst <59>");
      const asked =
        world.model.requests
          .at(-1)
          ?.messages.filter(({ role }) => role === "user")
          .map(textOf)
          .join("\n") ?? "";
      const order = [...asked.matchAll(/burst <(\d+)>/g)].map(([, n]) => Number(n));
      assert.deepEqual(
        order,
        Array.from({ length: 60 }, (_, n) => n),
      );
    });

    it("B04, B05, B07 what is signed counts once, however often and however it is written, and once per route", async () => {
      const body = JSON.stringify({ text: "once" });
      const hmac = (prefix: string) =>
        sendRaw(url, {
          path: "/webhooks/hm",
          headers: { "x-request-id": "b05", "x-signature-256": prefix + hexOf(body) },
          body,
        });
      const both = await Promise.all([hmac(""), hmac("sha256=")]);
      const outcomes = both.map((answer) =>
        JSON.parse(answer.body).duplicate ? "duplicate" : JSON.parse(answer.body).reply,
      );
      assert.deepEqual(outcomes.sort(), ["duplicate", "echo: once"]);
      const github = (route: string) =>
        sendRaw(url, {
          path: `/webhooks/${route}`,
          headers: { "x-github-delivery": "b07", "x-hub-signature-256": `sha256=${hexOf(body)}` },
          body,
        });
      for (const route of ["gh", "gh2"]) assert.equal(JSON.parse((await github(route)).body).reply, "echo: once");
    });

    it("J03 half a character and a zero character in a signed body", async () => {
      const body = '{"text":"\\ud800 and \\u0000","constructor":{"prototype":{"polluted":"yes"}}}';
      const headers = { "x-webhook-token": secrets.ours, "x-request-id": "odd", "content-type": "application/json" };
      const answer = await sendRaw(url, { path: "/webhooks/tok", headers, body });
      assert.equal(answer.status, 200, answer.body);
      assert.match(JSON.parse(answer.body).reply, /^echo: .* and /);
    });

    it("B16 both secrets open while one is replaced by the other", async () => {
      for (const secret of [secrets.ours, secrets.former]) {
        const body = JSON.stringify({ text: `with ${secret.length}` });
        const headers = { "x-request-id": `b16-${secret.length}`, "x-signature-256": hexOf(body, secret) };
        assert.equal((await sendRaw(url, { path: "/webhooks/rotated", headers, body })).status, 200);
      }
    });
  });

  it("leaves everybody else unaffected: nothing waits, nothing failed, a good message gets its answer", async () => {
    const { ownerChat, owner, world } = setting;
    ownerChat.say(owner, "is all well");
    await ownerChat.waitForBotMessage("echo: is all well");
    const idle = await waitFor(async () => {
      const backlog = await store.operations.backlog();
      return backlog.waitingEvents + backlog.runningTurns + backlog.pendingDeliveries === 0 ? backlog : undefined;
    }, "an idle installation");
    assert.equal(idle.failedDeliveries, 0);
    const ready = (await (await fetch(`${url}/readyz`)).json()) as { ready: boolean };
    assert.equal(ready.ready, true);
    assert.doesNotMatch(world.talaria.output, /starts again/, "no process fell");
    assert.ok(!world.model.requests.some(({ lastUserText }) => lastUserText === "bad"));
  });

  function withToken(request: RawRequest): RawRequest {
    const { token } = setting.world.talaria;
    const fill = (text: string) => text.replace("%TOKEN%", token).replace("%HALF%", token.slice(0, token.length / 2));
    const headers = Object.fromEntries(
      Object.entries(request.headers ?? {}).map(([name, value]) => [name, fill(value)]),
    );
    return { ...request, path: fill(request.path), headers };
  }

  function taken(): Promise<boolean> {
    return waitFor(
      () => setting.world.telegram.bots.every(({ updates }) => updates.size === 0),
      "everything to be taken",
    );
  }
});

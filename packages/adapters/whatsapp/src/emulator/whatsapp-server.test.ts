import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startWhatsappServer } from "./server.ts";

type Server = Awaited<ReturnType<typeof startWhatsappServer>>;

async function call(server: Server, body: object, token = server.accessToken) {
  const response = await fetch(`${server.url}/v25.0/${server.phoneNumberId}/messages`, {
    method: "POST",
    headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
    body: JSON.stringify({ messaging_product: "whatsapp", ...body }),
  });
  const { error, messages } = (await response.json()) as {
    error?: { code: number; type: string; fbtrace_id: string };
    messages?: { id: string }[];
  };
  return { status: response.status, code: error?.code, error, id: messages?.[0]?.id };
}

const text = (body: string) => ({ type: "text", text: { body } });
const buttons = (titles: readonly string[]) => ({
  type: "interactive",
  interactive: {
    type: "button",
    body: { text: "pick" },
    action: { buttons: titles.map((title, n) => ({ type: "reply", reply: { id: `b${n}`, title } })) },
  },
});
const list = (count: number, title = "row") => ({
  type: "interactive",
  interactive: {
    type: "list",
    body: { text: "pick" },
    action: {
      button: "Choose",
      sections: [{ rows: Array.from({ length: count }, (_, n) => ({ id: `r${n}`, title: `${title}${n}` })) }],
    },
  },
});

describe("the WhatsApp emulator", () => {
  for (const [name, body, code] of [
    ["a text", text("x".repeat(4_096)), undefined],
    ["a longer text", text("x".repeat(4_097)), 100],
    ["a blank text", text(" \n"), 100],
    ["an unknown part", { ...text("x"), colour: "red" }, 100],
    ["an unknown type", { type: "hologram", hologram: {} }, 100],
    ["three buttons", buttons(["a", "b", "c"]), undefined],
    ["four buttons", buttons(["a", "b", "c", "d"]), 100],
    ["a long button", buttons(["x".repeat(21)]), 100],
    ["equal buttons", buttons(["a", "a"]), 100],
    ["ten rows", list(10), undefined],
    ["eleven rows", list(11), 100],
    ["a long row", list(1, "x".repeat(24)), 100],
    ["a file that is not there", { type: "image", image: { id: "1" } }, 131009],
    ["words below a sound", { type: "audio", audio: { id: "1", caption: "x" } }, 100],
    ["a reaction of a word", { type: "reaction", reaction: { message_id: "wamid.x", emoji: "ok" } }, 100],
  ] as const)
    it(`${code === undefined ? "takes" : "refuses"} ${name}`, async () => {
      await using server = await startWhatsappServer();
      const ada = server.person("Ada");
      ada.say("hi");
      const answer = await call(server, { to: ada.id, ...body });
      assert.equal(answer.code, code);
      assert.equal(answer.status, code === undefined ? 200 : 400);
      assert.equal(ada.answers().length, code === undefined ? 1 : 0);
      if (code !== undefined) assert.ok(answer.error?.type === "OAuthException" && answer.error.fbtrace_id);
    });

  it("knows the window, the list of a test account, the limit per pair, and the token", async () => {
    let now = Date.now();
    await using server = await startWhatsappServer({
      now: () => now,
      allowed: ["4915550000001"],
      limits: { pairBurst: 2 },
    });
    const ada = server.person("Ada", { number: "4915550000001" });
    const bob = server.person("Bob", { number: "4915550000002" });
    const send = (to: string, token?: string) => call(server, { to, ...text("hello") }, token);
    assert.equal((await send(ada.id)).code, 131047);
    ada.say("hi");
    assert.match((await send(ada.id)).id ?? "", /^wamid\./);
    assert.equal((await send(ada.id)).code, 131056);
    now += 6_000;
    assert.equal((await send(ada.id)).code, undefined);
    assert.equal((await send(bob.id)).code, 131030);
    const refused = await send(ada.id, "EAAanother");
    assert.deepEqual([refused.status, refused.code], [401, 190]);
    now += 24 * 60 * 60_000;
    assert.equal((await send(ada.id)).code, 131047);
  });

  it("loses an answer before or after the effect, as it is told", async () => {
    await using server = await startWhatsappServer();
    const ada = server.person("Ada");
    ada.say("hi");
    for (const [effect, shown] of [
      ["none", 0],
      ["done", 1],
    ] as const) {
      server.fail("send", { kind: "drop", effect });
      await assert.rejects(call(server, { to: ada.id, ...text("hello") }));
      assert.equal(ada.answers().length, shown);
    }
  });
});

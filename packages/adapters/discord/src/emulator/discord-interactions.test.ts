import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { startDiscordServer } from "./server.ts";
import { openWorld, until } from "./test-client.ts";

const button = (id: string, label = "x") => ({ type: 2, style: 2, custom_id: id, label });
const row = (...components: object[]) => ({ type: 1, components });
const buttons = (count: number, from = 0) => Array.from({ length: count }, (_, n) => button(`b${from + n}`));

/** A server whose clock a test moves, and calls without any library. */
async function openServer() {
  let now = 1_800_000_000_000;
  const server = await startDiscordServer({ now: () => now });
  const ada = server.user("ada");
  const place = server.channel(server.guild("g"), "c");
  const call = async (method: string, path: string, body: object, authorization = `Bot ${server.token}`) => {
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(`${server.api}/v10${path}`, { method, headers, body: JSON.stringify(body) });
    const answer = (await response.text()) || "{}";
    return { status: response.status, body: JSON.parse(answer) as { code?: number; id?: string; errors?: object } };
  };
  const wait = (ms: number) => {
    now += ms;
  };
  return { server, ada, place, call, wait, [Symbol.asyncDispose]: () => server.stop() };
}

describe("buttons", () => {
  const refused: Readonly<Record<string, readonly object[]>> = {
    "six rows": Array.from({ length: 6 }, (_, n) => row(button(`b${n}`))),
    "six buttons in a row": [row(...buttons(6))],
    "a row without buttons": [row()],
    "a button without a row": [button("a")],
    "a label of 81": [row(button("a", "x".repeat(81)))],
    "no label": [row({ type: 2, style: 1, custom_id: "a" })],
    "an id of 101": [row(button("a".repeat(101)))],
    "one id twice": [row(button("a")), row(button("a"))],
    "an unknown style": [row({ ...button("a"), style: 9 })],
  };
  for (const [name, components] of Object.entries(refused))
    it(`are refused with ${name}`, async () => {
      await using world = await openServer();
      const { place, call } = world;
      const answer = await call("POST", `/channels/${place.id}/messages`, { content: "m", components });
      assert.deepEqual([answer.status, answer.body.code], [400, 50_035]);
      assert.match(JSON.stringify(answer.body.errors), /components.*_errors/);
      assert.equal(place.botMessages().length, 0);
    });

  it("are 25 at most, and nobody presses a disabled one", async () => {
    await using world = await openServer();
    const { place, call, ada } = world;
    const rows = Array.from({ length: 5 }, (_, n) => row(...buttons(5, 5 * n)));
    const answer = await call("POST", `/channels/${place.id}/messages`, { content: "m", components: rows });
    assert.equal(place.botMessages()[0]?.buttons.length, 25);
    const spent = { components: [row({ ...button("a"), disabled: true })] };
    await call("PATCH", `/channels/${place.id}/messages/${answer.body.id}`, spent);
    assert.throws(() => place.press(ada, answer.body.id ?? "", "a"), /nobody can press/);
  });
});

describe("interactions", () => {
  it("want their answer within three seconds, once, and no token of the bot", async () => {
    await using world = await openServer();
    const { server, place, ada, call, wait } = world;
    const asked: { id: string; token: string }[] = [];
    const path = () => `/interactions/${asked.at(-1)?.id}/${asked.at(-1)?.token}/callback`;
    server.gateway.world.onEvent = (event) => {
      if (event.type === "INTERACTION_CREATE") asked.push(event.interaction as (typeof asked)[number]);
    };
    void place.slash(ada, "late");
    wait(3_001);
    assert.deepEqual((await call("POST", path(), { type: 5 })).body.code, 10_062);
    void place.slash(ada, "early");
    assert.equal((await call("POST", path(), { type: 5 }, "")).status, 204);
    assert.equal((await call("POST", path(), { type: 5 })).body.code, 40_060);
    const original = `/webhooks/${server.bot.id}/${asked.at(-1)?.token}/messages/@original`;
    wait(14 * 60_000);
    assert.equal((await call("PATCH", original, { content: "there" }, "")).status, 200);
    assert.deepEqual(
      place.botMessages().map(({ text, flags }) => [text, flags]),
      [["there", 0]],
    );
    wait(2 * 60_000);
    assert.deepEqual((await call("PATCH", original, { content: "gone" }, "")).body.code, 50_027);
    assert.deepEqual((await call("PATCH", `/webhooks/1/x/messages/@original`, { content: "y" }, "")).body.code, 10_015);
  });
});

describe("commands", () => {
  const command = (name: string, more: object = {}) => ({ name, description: "d", ...more });
  const refused: Readonly<Record<string, readonly object[]>> = {
    "a hundred and one": Array.from({ length: 101 }, (_, n) => command(`c${n}`)),
    "capital letters": [command("Help")],
    "no description": [{ name: "help", description: "" }],
    "a description of 101": [command("help", { description: "x".repeat(101) })],
    "a language that Discord doesn't show": [command("help", { description_localizations: { tlh: "d" } })],
    "no description in a language": [command("help", { description_localizations: { de: "" } })],
    "one name twice": [command("help"), command("help")],
    "an odd option": [command("help", { options: [{ type: 3, name: "Text", description: "d" }] })],
  };
  for (const [name, commands] of Object.entries(refused))
    it(`are refused with ${name}`, async () => {
      await using world = await openServer();
      const { server, call } = world;
      const answer = await call("PUT", `/applications/${server.bot.id}/commands`, commands);
      assert.deepEqual([answer.status, answer.body.code, server.commands.length], [400, 50_035, 0]);
    });

  it("are replaced as a whole, of our own application only", async () => {
    await using world = await openServer();
    const { server, call } = world;
    await call("PUT", `/applications/${server.bot.id}/commands`, [command("a"), command("b")]);
    await call("PUT", `/applications/${server.bot.id}/commands`, [command("c")]);
    assert.deepEqual(
      server.commands.map((one) => (one as { name: string }).name),
      ["c"],
    );
    assert.equal((await call("PUT", "/applications/5/commands", [])).body.code, 10_002);
  });
});

describe("events in reverse", () => {
  it("come with the newest first", async () => {
    await using world = await openWorld();
    const { server, channel, ada, received, texts } = world;
    server.gateway.inReverse(() => {
      for (const text of ["a", "b", "c"]) channel.say(ada, text);
    });
    await until(() => received.length === 3, "all have come");
    assert.deepEqual(texts(), ["c", "b", "a"]);
  });
});

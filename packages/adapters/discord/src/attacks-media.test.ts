import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeOf, environmentProxy, startTrap } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

const { signal } = new AbortController();

/** A file that came in, and what opens it. */
async function openFile() {
  const world = await openWorld();
  world.channel.say(world.ada, "look", { files: [{ bytes: Uint8Array.of(1), name: "a.png" }] });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const open = () => codeOf(world.adapter.openMedia?.(file.ref, signal) ?? Promise.reject());
  const [channelId, messageId, id] = file.ref.split("/");
  const placeAt = (url: string) => {
    const message = { id: messageId, channel_id: channelId, author: { id: "5" }, attachments: [{ id, url }] };
    world.server.fail("getMessage", { kind: "answer", code: 200, body: JSON.stringify(message), effect: "none" });
  };
  return { ...world, open, placeAt };
}

describe("Discord's links to files", () => {
  const addresses: Readonly<Record<string, readonly string[]>> = {
    F03: [
      "http://169.254.169.254/latest",
      "http://127.1/x",
      "http://0x7f000001/x",
      "http://2130706433/x",
      "http://[::1]/x",
      "http://[::ffff:169.254.169.254]/x",
      "http://[64:ff9b::7f00:1]/x",
      "http://localhost./x",
      "https://10.0.0.1/x",
    ],
    F07: [
      "https://cdn.discordapp.com.evil.example/x",
      "https://evildiscordapp.com/x",
      "http://cdn.discordapp.com/x",
      "https://cdn.discordapp.com@evil.example/x",
      "https://cdn.discordapp.com:8443/x",
    ],
  };
  for (const [row, list] of Object.entries(addresses))
    for (const address of list)
      it(`${row} ${address} is not asked`, async () => {
        await using world = await openFile();
        world.placeAt(address);
        assert.equal(await world.open(), "forbidden");
      });

  for (const address of ["file:///etc/passwd", "not an address", "\\\\host\\share"])
    it(`F01 ${address} is no link`, async () => {
      await using world = await openFile();
      world.placeAt(address);
      assert.equal(await world.open(), "not_found");
    });

  it("F05 lead nowhere else", async () => {
    await using world = await openFile();
    await using trap = await startTrap();
    for (const code of [301, 302, 303, 307, 308]) {
      world.server.fail("download", { kind: "answer", code, location: `${trap.url}/x`, effect: "none" });
      assert.equal(await world.open(), "unavailable");
    }
    world.placeAt(`${trap.url}/x`);
    assert.equal(await world.open(), "forbidden", "another port of the same machine is another place");
    assert.deepEqual(trap.visits, []);
  });

  it("open what came in", async () => {
    await using world = await openFile();
    assert.equal(await world.open(), "no error");
  });
});

it("F06 a proxy that the environment names is not asked", async () => {
  await using proxy = await environmentProxy(process.env);
  await using world = await openWorld();
  world.channel.say(world.ada, "look", { files: [{ bytes: Uint8Array.of(1) }] });
  const [event] = await world.host.recorded(1);
  const [file] = event?.type === "message.created" ? event.message.attachments : [];
  assert.ok(file);
  const stream = await world.adapter.openMedia?.(file.ref, signal);
  assert.equal((await new Response(stream).bytes()).byteLength, 1);
  assert.equal(proxy.asked(), 0);
});

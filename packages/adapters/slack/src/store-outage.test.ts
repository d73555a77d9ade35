import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { AdapterStore } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import { memoryStore, messageOf, RecordingHost } from "@talaria/testkit";
import { serveRoutes } from "./testing/route-server.ts";
import { makeWorld } from "./testing/world.ts";

/** A store that is away as often as told when the cursors are read. */
function awayStore() {
  const store = memoryStore();
  const left = { outages: 0 };
  const read: AdapterStore["read"] = async (name) => {
    if (name === "cursors" && left.outages > 0) {
      left.outages -= 1;
      throw new GatewayError("the database is away", { code: "unavailable" });
    }
    return store.read(name);
  };
  return { left, store: { read, write: store.write.bind(store), remove: store.remove.bind(store) } };
}

describe("a database that is away at the start", () => {
  for (const mode of ["socket", "http"] as const)
    it(`is tried again over ${mode}, and what was said meanwhile is not lost`, async () => {
      const { left, store } = awayStore();
      const world = await makeWorld({ mode, deps: { store } });
      const before = world.make();
      const early = mode === "http" ? await serveRoutes(before) : undefined;
      if (early !== undefined) world.server.pushTo(early.url);
      const first = new RecordingHost(30_000);
      await before.start(first);
      world.channel.say(world.ada, "before");
      await first.recorded(1);
      await before.stop();
      await early?.close();
      world.channel.say(world.ada, "meanwhile");
      left.outages = 3;
      const after = world.make();
      const web = mode === "http" ? await serveRoutes(after) : undefined;
      if (web !== undefined) world.server.pushTo(web.url);
      const host = new RecordingHost(30_000);
      await after.start(host);
      const [event] = await host.recorded(1);
      assert.equal(messageOf(event).markdown, "meanwhile");
      const statuses = host.states.map(({ status }) => status);
      assert.deepEqual(statuses, ["connecting", "reconnecting", "reconnecting", "reconnecting", "connected"]);
      await after.stop();
      await web?.close();
      await world.server.stop();
    });
});

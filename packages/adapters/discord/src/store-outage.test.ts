import assert from "node:assert/strict";
import { it } from "node:test";
import { GatewayError } from "@talaria/protocol";
import { adapterDeps, messageOf, RecordingHost } from "@talaria/testkit";
import { createDiscordAdapter } from "./adapter.ts";
import { discordConfigSchema } from "./config.ts";
import { accountId, makeWorld } from "./testing/world.ts";

it("a database that is away at the start is tried again, and what was said meanwhile is not lost", async () => {
  const { server, channel, ada, store } = await makeWorld();
  const config = discordConfigSchema.parse({ token: server.token, apiRoot: server.api });
  let outages = 0;
  const read = async (name: string) => {
    if (outages > 0) {
      outages -= 1;
      throw new GatewayError("the database is away", { code: "unavailable" });
    }
    return store.read(name);
  };
  const away = { read, write: store.write.bind(store), remove: store.remove.bind(store) };
  const make = () => createDiscordAdapter(config, adapterDeps({ id: accountId, store: away }));
  const before = make();
  const first = new RecordingHost(30_000);
  await before.start(first);
  channel.say(ada, "before");
  await first.recorded(1);
  await before.stop();
  channel.say(ada, "meanwhile");
  outages = 3;
  const host = new RecordingHost(30_000);
  const after = make();
  await after.start(host);
  const [event] = await host.recorded(1);
  assert.equal(messageOf(event).markdown, "meanwhile");
  const statuses = host.states.map(({ status }) => status);
  assert.deepEqual(statuses, ["connecting", "reconnecting", "reconnecting", "reconnecting", "connected"]);
  assert.ok(host.states.every((state) => state.status !== "reconnecting" || state.code === "unavailable"));
  await after.stop();
  await server.stop();
});

import { it } from "node:test";
import { systemClock } from "@talaria/protocol";
import { message, open, signal } from "./testing/world.ts";

/** Pauses last until they are ended early. */
const patient = {
  ...systemClock,
  sleep: (_ms: number, stop?: AbortSignal) =>
    new Promise<void>((_, reject) => {
      const end = () => reject(stop?.reason);
      if (stop?.aborted) return end();
      stop?.addEventListener("abort", end, { once: true });
    }),
};

it("reads again as soon as a call has reached Telegram after an outage", { timeout: 120_000 }, async () => {
  await using world = await open({ clock: patient });
  const { server, adapter, chat, ada, host } = world;
  server.goOffline();
  await host.until(() => host.states.at(-1)?.status === "reconnecting", "it is lost");
  server.goOnline();
  chat.say(ada, "written meanwhile");
  await adapter.send(message(chat.id, "back"), signal);
  adapter.reached?.();
  await host.until(() => host.states.at(-1)?.status === "connected", "it reads again");
});

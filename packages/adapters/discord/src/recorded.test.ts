import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { checkEvent } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

/** Payloads with the fields of the examples in Discord's documentation; the values are ours. */
interface Recorded {
  readonly name: string;
  readonly source: string;
  /** Of the gateway. */
  readonly type: string;
  readonly data: object;
  readonly expected: object;
}

const file = new URL("recorded/events.json", import.meta.url);
const recorded = JSON.parse(await readFile(file, "utf8")) as readonly Recorded[];
const channel = { id: "1450000000000000001", guild_id: "1440000000000000001", type: 0, name: "general" };

describe("events as Discord sends them", () => {
  for (const { name, type, data, expected } of recorded)
    it(`are read: ${name}`, async () => {
      await using world = await openWorld();
      world.server.gateway.raw("CHANNEL_CREATE", channel);
      world.server.gateway.raw(type, data);
      const [read] = await world.host.recorded(1);
      assert.ok(read);
      checkEvent(read);
      assert.deepEqual(factsOf(read), expected);
    });
});

function factsOf(event: InboundEvent): object {
  const { type, sender } = event;
  if (type === "reaction.added") return { type, role: sender.role, emoji: event.emoji };
  if (type !== "message.created") return { type, role: sender.role };
  const { markdown, replyTo } = event.message;
  return { type, role: sender.role, markdown, ...(replyTo === undefined ? {} : { replyTo }) };
}

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { InboundEvent } from "@talaria/protocol";
import { checkEvent } from "@talaria/testkit";
import { openWorld } from "./testing/world.ts";

/** Payloads with the fields that Slack sends, as its documentation and delivered events show them; the values are ours. */
interface Recorded {
  readonly name: string;
  readonly source: string;
  readonly event: object;
  readonly expected: object;
}

const file = new URL("recorded/events.json", import.meta.url);
const recorded = JSON.parse(await readFile(file, "utf8")) as readonly Recorded[];

describe("events as Slack sends them", () => {
  for (const { name, event, expected } of recorded)
    it(`are read: ${name}`, async () => {
      await using world = await openWorld();
      const { teamId, deliveries, bot } = world.server;
      const delivery = deliveries.add("events_api", {
        token: "verification-token",
        team_id: teamId,
        context_team_id: teamId,
        context_enterprise_id: null,
        api_app_id: "A111",
        event,
        type: "event_callback",
        event_id: "Ev111",
        event_time: 1_700_000_000,
        authorizations: [{ enterprise_id: null, team_id: teamId, user_id: bot.id, is_bot: true }],
        is_ext_shared_channel: false,
        event_context: "4-eyJ",
      });
      const [read] = await world.host.recorded(1);
      assert.ok(read);
      checkEvent(read);
      assert.deepEqual(factsOf(read), expected);
      await world.host.until(() => delivery.isAcknowledged, "it is acknowledged");
    });
});

function factsOf(event: InboundEvent): object {
  const { type, sender } = event;
  if (type === "reaction.added") return { type, role: sender.role, emoji: event.emoji };
  if (type !== "message.created" && type !== "message.edited") return { type, role: sender.role };
  const { markdown, quote, attachments } = event.message;
  return {
    type,
    role: sender.role,
    markdown,
    ...(quote === undefined ? {} : { quote }),
    ...(attachments.length === 0 ? {} : { files: attachments.map(({ ref }) => ref) }),
  };
}

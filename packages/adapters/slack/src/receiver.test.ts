import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { setTimeout as delay } from "node:timers/promises";
import { adapterDeps, RecordingHost } from "@talaria/testkit";
import { createBolt } from "./bolt.ts";
import { createSlackClient } from "./client.ts";
import type { Brought } from "./receiver.ts";
import { serveRoutes } from "./testing/route-server.ts";
import { makeWorld } from "./testing/world.ts";

const unhandled: unknown[] = [];
const note = (reason: unknown) => void unhandled.push(reason);

const ids = { team_id: "T1", channel_id: "C12", user_id: "U12" };
const ts = "1700000000.000100";
const eventOf = (event: object): Brought => ({ kind: "events_api", payload: { team_id: "T1", event } });
const reactionOf = (type: string) =>
  eventOf({ type, user: "U12", reaction: "eyes", item: { type: "message", channel: "C12", ts }, event_ts: ts });

/** One of each that has a listener, by the name of what the listener calls. */
const brought = {
  message: eventOf({ type: "message", channel: "C12", user: "U12", text: "hello", ts }),
  mention: eventOf({ type: "app_mention", channel: "C12", user: "U12", text: "<@U99> hello", ts }),
  "reaction.added": reactionOf("reaction_added"),
  "reaction.removed": reactionOf("reaction_removed"),
  opened: eventOf({ type: "assistant_thread_started", assistant_thread: { channel_id: "D12", thread_ts: ts } }),
  home: eventOf({ type: "app_home_opened", user: "U12", channel: "D12", tab: "messages" }),
  stopped: eventOf({ type: "agent_session_stopped", channel: "D12", user: "U12", thread_ts: ts }),
  titled: eventOf({ type: "agent_session_title_changed", channel: "D12", user: "U12", thread_ts: ts, title: "x" }),
  command: { kind: "slash_commands", payload: { ...ids, command: "/talaria", text: "stop", trigger_id: "1.2" } },
  press: {
    kind: "interactive",
    payload: {
      type: "block_actions",
      team: { id: "T1" },
      user: { id: "U12" },
      channel: { id: "C12" },
      message: { ts },
      actions: [{ type: "button", action_id: "choice:yes", value: "yes", action_ts: ts }],
    },
  },
} satisfies Readonly<Record<string, Brought>>;

/** A real Bolt app behind our receiver; `take` is what every listener does. */
async function openBolt(take: (name: string) => Promise<void>) {
  const { log } = adapterDeps({});
  const client = createSlackClient({ token: "xoxb-1", apiRoot: "http://127.0.0.1:1/", log });
  const bolt = createBolt({
    botToken: "xoxb-1",
    client,
    log,
    unreadable: { note: () => undefined },
    commands: ["/talaria", "/stop", "/talaria"],
    intake: {
      self: () => ({ user_id: "U99", team_id: "T1" }),
      message: () => take("message"),
      mention: () => take("mention"),
      reaction: (_, type) => take(type),
      opened: () => take("opened"),
      home: () => take("home"),
      viewed: () => take("viewed"),
      assistantViewed: () => take("assistantViewed"),
      stopped: () => take("stopped"),
      titled: () => take("titled"),
      command: () => take("command"),
      press: () => take("press"),
    },
  });
  await bolt.app.start();
  return bolt;
}

describe("Bolt behind a receiver of our own", () => {
  before(() => process.on("unhandledRejection", note));
  after(async () => {
    await delay(10);
    process.off("unhandledRejection", note);
    assert.deepEqual(unhandled, [], "unhandled rejections");
  });

  for (const [name, one] of Object.entries(brought)) {
    it(`leads a ${name} to its listener alone, and waits for it`, async () => {
      const taken: string[] = [];
      const recorded = Promise.withResolvers<void>();
      const { receiver } = await openBolt((listener) => {
        taken.push(listener);
        return recorded.promise;
      });
      const work = receiver.take(one);
      assert.equal(await Promise.race([work, delay(20, "waits")]), "waits");
      recorded.resolve();
      await work;
      assert.deepEqual(taken, [name]);
    });

    it(`rejects with what the listener of a ${name} rejects with, and lives on`, async () => {
      const error = new Error("the disk is full");
      let isFull = true;
      const { receiver } = await openBolt(() => (isFull ? Promise.reject(error) : Promise.resolve()));
      await assert.rejects(receiver.take(one), (problem) => problem === error);
      isFull = false;
      await receiver.take(one);
    });
  }

  it("begins in the order of arrival, whatever comes", async () => {
    const taken: string[] = [];
    const { receiver } = await openBolt(async (name) => void taken.push(name));
    const names = ["message", "command", "reaction.added", "press", "mention", "command", "message"] as const;
    await Promise.all(names.map((name) => receiver.take(brought[name])));
    assert.deepEqual(taken, names);
  });

  it("takes nothing before its start and after its stop", async () => {
    const { app, receiver } = await openBolt(() => Promise.reject(new Error("nobody calls")));
    await app.stop();
    await assert.rejects(receiver.take(brought.message), { code: "unavailable" });
  });

  const odd: readonly Brought[] = [
    eventOf({ type: "something_new", channel: null, item: "x", user: null }),
    { kind: "events_api", payload: { event: null } },
    { kind: "events_api", payload: "text" },
    eventOf({ type: "something_new", channel: "C12" }),
    { kind: "interactive", payload: { type: "view_submission" } },
    { kind: "interactive", payload: { ...brought.press.payload, event: "x", user: {} } },
    { kind: "slash_commands", payload: { ...brought.command.payload, event: "x", command: "/other" } },
  ];
  for (const one of odd)
    it(`is done with what no listener understands: ${JSON.stringify(one.payload).slice(0, 60)}`, async () => {
      const { receiver } = await openBolt(() => Promise.reject(new Error("nobody calls")));
      await receiver.take(one);
    });

  for (const mode of ["socket", "http"] as const)
    it(`leaves unacknowledged over ${mode} what the host rejects, until it is recorded`, async () => {
      const world = await makeWorld({ mode, redelivery: { silenceMs: 200, pausesMs: Array(50).fill(50) } });
      const full = new RecordingHost(30_000);
      let rejected = 0;
      full.accept = async () => {
        rejected += 1;
        throw new Error("the disk is full");
      };
      const first = world.make();
      const web = mode === "http" ? await serveRoutes(first) : undefined;
      const push = web && world.server.pushTo(web.url);
      await first.start(full);
      world.direct.say(world.ada, "keep this");
      const [delivery] = world.server.deliveries.sent;
      await full.until(() => rejected > 1 && (delivery?.attempts ?? 0) > 1, "rejected, and brought again");
      await first.stop();
      await web?.close();
      assert.equal(delivery?.isAcknowledged, false);
      assert.ok(!push?.statuses.includes(200));
      const host = new RecordingHost(30_000);
      const second = world.make();
      const webAgain = mode === "http" ? await serveRoutes(second) : undefined;
      if (webAgain) world.server.pushTo(webAgain.url);
      await second.start(host);
      await host.recorded(1);
      await host.until(() => delivery?.isAcknowledged === true, "acknowledged");
      await second.stop();
      await webAgain?.close();
      await world.server.stop();
    });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createSimulatedClock } from "@talaria/testkit";
import { never, startStage } from "./testing/stage.ts";
import { ada } from "./testing/world.ts";

const minuteMs = 60_000;
const cut = { kind: "cut", at: "after-data" } as const;

describe("finding out whether the mail server takes mails", () => {
  it("sends one mail to itself, which no machine answers", async () => {
    await using stage = await startStage();
    await stage.adapter.probe?.(never);
    const [mail, ...more] = stage.server.sent();
    assert.equal(more.length, 0);
    assert.deepEqual(mail?.to, [stage.server.address]);
    assert.equal(mail?.header("auto-submitted"), "auto-generated");
    assert.match(mail?.text ?? "", /Talaria has sent this mail to itself/);
  });

  it("says that nobody knows when the connection ends after it, and sends one for all who ask at once", async () => {
    await using stage = await startStage();
    stage.server.failNextSend(cut);
    const asked = [1, 2, 3].map(() => stage.adapter.probe?.(never));
    for (const one of await Promise.allSettled(asked))
      assert.equal(one.status === "rejected" && one.reason.code, "unavailable");
    assert.equal(stage.server.sent().length, 1);
  });

  it("takes it away when it comes in, and leaves everything else", async () => {
    await using stage = await startStage();
    await stage.adapter.probe?.(never);
    const [mail] = stage.server.sent();
    const { inbox } = stage.server;
    const forged = mail!.raw.replace(/talaria-probe\.[0-9a-f]+/, `talaria-probe.${"0".repeat(32)}`);
    stage.server.deliver(forged);
    stage.server.deliver(mail!.raw);
    inbox.mails[0]!.flags.add("\\Deleted");
    await stage.next(() => void stage.server.say(ada.from, "hi"));
    assert.deepEqual(
      inbox.mails.map(({ uid }) => uid),
      [1, 3],
    );
    assert.equal(stage.host.events.length, 1, "neither is a message");
  });

  it("sends a dozen in a row, and then one in half an hour", async () => {
    const clock = createSimulatedClock(Date.now());
    await using stage = await startStage({}, { clock });
    const tries = async () => {
      stage.server.failNextSend(cut);
      await assert.rejects(async () => await stage.adapter.probe?.(never), { code: "unavailable" });
    };
    for (let n = 0; n < 15; n += 1) await tries();
    assert.equal(stage.server.sent().length, 12);
    await clock.advance(30 * minuteMs);
    for (let n = 0; n < 3; n += 1) await tries();
    assert.equal(stage.server.sent().length, 13);
  });

  it("is not needed where the server keeps what was sent", async () => {
    await using stage = await startStage({ sentMailbox: "Sent" });
    assert.equal(stage.adapter.probe, undefined);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { OutgoingSignals } from "./outgoing-signals.ts";
import { encodeDeliver, encodeFrame } from "./signal-codec.ts";
import { delta } from "./testing/frames.ts";

function drain(outgoing: OutgoingSignals): string[] {
  const taken: string[] = [];
  while (!outgoing.isEmpty) taken.push(...outgoing.take().map(({ json }) => json));
  return taken;
}

describe("waiting signals", () => {
  it("drop the oldest deltas first when there are too many, never the order", () => {
    const outgoing = new OutgoingSignals();
    outgoing.push(encodeDeliver("a"));
    let dropped = 0;
    for (let n = 0; n < 6_000; n += 1) {
      const signal = encodeFrame("a", delta(n), 7_900);
      assert.ok(signal);
      dropped += outgoing.push(signal);
    }
    const taken = drain(outgoing).map((json) => JSON.parse(json));
    assert.equal(taken.length + dropped, 6_001);
    assert.deepEqual(taken[0], { type: "deliver" });
    assert.deepEqual(
      taken.slice(1).map(({ frame }) => frame.n),
      Array.from({ length: taken.length - 1 }, (_, index) => dropped + index),
    );
  });

  it("are bounded by their bytes too, and when none is expendable", () => {
    const outgoing = new OutgoingSignals();
    let dropped = 0;
    for (let n = 0; n < 100; n += 1) {
      dropped += outgoing.push({ topic: "a", json: String(n), byteLength: 100_000, expendable: false, isNudge: true });
    }
    assert.ok(dropped >= 50);
    assert.equal(drain(outgoing).at(-1), "99");
  });

  it("come back in front", () => {
    const outgoing = new OutgoingSignals();
    outgoing.push(encodeDeliver("a"));
    const batch = outgoing.take();
    outgoing.push(encodeDeliver("b"));
    outgoing.putBack(batch);
    assert.deepEqual(
      outgoing.take().map(({ topic }) => topic),
      ["a", "b"],
    );
  });
});

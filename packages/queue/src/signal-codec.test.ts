import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type SessionKey } from "@talaria/protocol";
import {
  decodeAccountSignals,
  decodeWorkerSignals,
  type EncodedSignal,
  encodeCancel,
  encodeDeliver,
  encodeFrame,
  packSignals,
} from "./signal-codec.ts";
import { delta } from "./testing/frames.ts";

const limit = 7_900;

function encoded(topic: string, n: number, text?: string): EncodedSignal {
  const signal = encodeFrame(topic, delta(n, text), limit);
  assert.ok(signal);
  return signal;
}

describe("signals on the wire", () => {
  it("are packed into few payloads below the limit, in order within each topic", () => {
    const signals = Array.from({ length: 120 }, (_, n) => encoded(n % 3 === 0 ? "a" : "b", n, "ü".repeat(n)));
    const payloads = packSignals(signals, limit);
    assert.ok(payloads.length < 12);
    assert.ok(payloads.every(({ payload }) => Buffer.byteLength(payload) <= limit));
    for (const topic of ["a", "b"]) {
      const numbers = payloads
        .filter((packed) => packed.topic === topic)
        .flatMap(({ payload }) => decodeAccountSignals(payload, assert.fail))
        .flatMap((signal) => (signal.type === "frames" ? signal.frames.map(({ n }) => n) : []));
      assert.deepEqual(
        numbers,
        signals.flatMap((signal, n) => (signal.topic === topic ? [n] : [])),
      );
    }
  });

  it("leave out a delta that is too long, to the byte", () => {
    const overhead = encoded("a", 1, "").byteLength + 2;
    assert.ok(encodeFrame("a", delta(1, "x".repeat(limit - overhead)), limit));
    assert.equal(encodeFrame("a", delta(1, "x".repeat(limit - overhead + 1)), limit), undefined);
  });

  it("are skipped one by one when they cannot be read", () => {
    const reasons: string[] = [];
    const payload = JSON.stringify([{ type: "cancel" }, { type: "cancel", sessionKey: "s" }, 7]);
    assert.deepEqual(
      decodeWorkerSignals(payload, (reason) => reasons.push(reason)),
      [{ type: "cancel", sessionKey: "s" }],
    );
    assert.equal(reasons.length, 2);
  });

  it("survive text that JSON must escape", () => {
    const text = 'a\u0000b"\\\ud800 🙂\n';
    const [payload] = packSignals([encoded("a", 1, text)], limit);
    const [signal] = decodeAccountSignals(payload?.payload ?? "", assert.fail);
    assert.deepEqual(signal, { type: "frames", frames: [delta(1, text)] });
  });

  it("mark what may be dropped first and what may arrive twice", () => {
    const kinds = [encoded("a", 1), encodeDeliver("a"), encodeCancel("w", brandAs<SessionKey>("s"))];
    assert.deepEqual(
      kinds.map(({ expendable, isNudge }) => [expendable, isNudge]),
      [
        [true, false],
        [false, true],
        [false, true],
      ],
    );
  });
});

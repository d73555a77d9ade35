import assert from "node:assert/strict";
import { describe, it, mock } from "node:test";
import {
  brandAs,
  type ProcessId,
  type SessionKey,
  type StreamFrame,
  streamFrameSchema,
  type TurnId,
} from "@talaria/protocol";
import { conversationFrom } from "@talaria/testkit";
import { english } from "@talaria/words";
import fc from "fast-check";
import { ReplyStream } from "./reply-stream.ts";

const flushMs = 50;
const heartbeatMs = 10_000;

/** Runs `use` with a stream whose timers the test moves; checks that none is left when it has ended. */
function withStream(use: (stream: ReplyStream, frames: readonly StreamFrame[]) => void): readonly StreamFrame[] {
  mock.timers.enable({ apis: ["setTimeout", "setInterval"] });
  try {
    const frames: StreamFrame[] = [];
    const lease = { sessionKey: brandAs<SessionKey>("a/c1"), holder: brandAs<ProcessId>("w"), fence: 7 };
    const stream = new ReplyStream({
      lease,
      turnId: brandAs<TurnId>("t1"),
      route: conversationFrom(),
      publish: (frame) => frames.push(frame),
      words: english.workLines,
    });
    use(stream, frames);
    const before = frames.length;
    mock.timers.tick(10 * heartbeatMs);
    assert.equal(frames.length, before, "no timer is left");
    for (const frame of frames) assert.deepEqual(streamFrameSchema.parse(JSON.parse(JSON.stringify(frame))), frame);
    assert.deepEqual(
      frames.map(({ n }) => n),
      [...frames.keys()],
      "numbered without a gap",
    );
    return frames;
  } finally {
    mock.timers.reset();
  }
}

/** What a reader shows after every frame: a delta at a smaller offset replaces the tail. */
function shownBy(frames: readonly StreamFrame[]): string {
  return frames.reduce((shown, frame) => {
    if (frame.type !== "delta") return shown;
    assert.ok(frame.offset <= shown.length, "no hole");
    return shown.slice(0, frame.offset) + frame.text;
  }, "");
}

const kinds = (frames: readonly StreamFrame[]) => frames.map((frame) => frame.type);

describe("a reply stream", () => {
  it("sends nothing for an answer that is finished at once", () => {
    const frames = withStream((stream) => {
      stream.append("quick");
      stream.end("completed");
    });
    assert.deepEqual(frames, []);
  });

  it("says that a turn began although nothing is written yet", () => {
    const frames = withStream((stream) => {
      mock.timers.tick(flushMs);
      stream.end("failed");
    });
    assert.deepEqual(kinds(frames), ["started", "ended"]);
  });

  it("gathers what comes close together", () => {
    const frames = withStream((stream) => {
      mock.timers.tick(flushMs);
      for (const word of ["one ", "two ", "three"]) stream.append(word);
      mock.timers.tick(flushMs);
      stream.end("completed");
    });
    assert.deepEqual(kinds(frames), ["started", "delta", "ended"]);
    assert.equal(shownBy(frames), "one two three");
  });

  it("splits what is long", () => {
    const long = "x".repeat(4_500);
    const frames = withStream((stream) => {
      stream.append(long);
      mock.timers.tick(flushMs);
      stream.end("completed");
    });
    const lengths = frames.flatMap((frame) => (frame.type === "delta" ? [frame.text.length] : []));
    assert.deepEqual(lengths, [2_000, 2_000, 500]);
    assert.equal(shownBy(frames), long);
  });

  it("begins again from the first character after a restart", () => {
    const frames = withStream((stream) => {
      stream.append("a false start");
      mock.timers.tick(flushMs);
      stream.restart();
      stream.append("right");
      mock.timers.tick(flushMs);
      assert.equal(stream.text, "right");
      stream.end("completed");
    });
    assert.equal(shownBy(frames), "right");
  });

  it("shows what was written before it shows a status", () => {
    const frames = withStream((stream) => {
      stream.append("let me look");
      stream.status("searching");
      stream.end("completed");
    });
    assert.deepEqual(kinds(frames), ["started", "delta", "status", "ended"]);
  });

  it("tells that it is alive when nothing is written for long", () => {
    const frames = withStream((stream) => {
      mock.timers.tick(2 * heartbeatMs);
      stream.end("aborted");
    });
    assert.deepEqual(kinds(frames), ["started", "status", "status", "ended"]);
  });

  it("lets a reader show the text so far after any history", () => {
    const step = fc.oneof(
      fc.string({ maxLength: 30 }).map((text) => ({ kind: "append", text }) as const),
      fc.integer({ min: 1, max: 120 }).map((ms) => ({ kind: "wait", ms }) as const),
      fc.constant({ kind: "status" } as const),
      fc.constant({ kind: "restart" } as const),
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
        withStream((stream, frames) => {
          for (const each of steps) {
            if (each.kind === "append") stream.append(each.text);
            else if (each.kind === "wait") mock.timers.tick(each.ms);
            else if (each.kind === "status") stream.status("busy");
            else stream.restart();
          }
          stream.append(".");
          mock.timers.tick(flushMs);
          assert.equal(shownBy(frames), stream.text);
          stream.end("completed");
        });
      }),
      { seed: 20_261_123 },
    );
  });
});

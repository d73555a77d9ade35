import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "../journal.ts";
import type { ModelEvent } from "../model.ts";
import { fails, play, said, says, scriptedModel, turnDeps, turnInput } from "../turn.fixture.ts";
import { material } from "./long-work.fixture.ts";
import { memoryMedia } from "./memory-media.fixture.ts";

function reply(content: string): TranscriptEntry {
  return { kind: "assistant", content, toolCalls: [], model: "m", stop: "end" };
}

/** Talk about data, as many turns as given. */
function talk(turns: number, chars: number): readonly TranscriptEntry[] {
  return Array.from({ length: turns }, (_, turn) => [
    said(`question ${turn}: ${material(0, chars)}`),
    reply(`Answer ${turn}.`),
  ]).flat();
}

describe("a conversation between turns", () => {
  const input = (more: object) =>
    turnInput({ windowTokens: 16_000, answerTokens: 1_000, journal: [said("and now?")], ...more });

  it("is shortened before the next turn asks, with the newest words as they are", async () => {
    const model = scriptedModel(says("Fine."));
    const played = await play(input({ history: talk(20, 2_000) }), turnDeps(model, { media: memoryMedia() }));
    const [request] = model.requests;
    assert.equal(played.outcome.status, "completed");
    assert.deepEqual(
      played.journal.map(({ kind }) => kind),
      ["user", "checkpoint", "assistant"],
    );
    assert.match(
      request?.messages[0]?.content ?? "",
      /^<checkpoint at="[^"]+">[\s\S]*question 19[\s\S]*<\/checkpoint>\n\n[^\n]*\n?and now\?$/,
    );
    assert.ok((request?.estimatedTokens ?? 0) < 16_000 * 0.6);
  });

  it("is shortened when somebody has asked for it, once", async () => {
    const model = scriptedModel(says("Fine."));
    const history = talk(4, 2_000);
    const first = await play(input({ history, compact: true }), turnDeps(model, { media: memoryMedia() }));
    const made = first.journal.filter(({ kind }) => kind === "checkpoint");
    assert.deepEqual(
      made.map((entry) => entry.kind === "checkpoint" && entry.reason),
      ["asked"],
    );
    const again = { history: [...history, ...first.journal], journal: [said("next")] };
    const second = await play(input(again), turnDeps(model, { media: memoryMedia() }));
    assert.equal(
      second.journal.some(({ kind }) => kind === "checkpoint"),
      false,
    );
    assert.match(model.requests[1]?.messages[0]?.content ?? "", /^<checkpoint/);
  });

  it("asks the server all the same when nothing more can be left out: the guess may be wrong", async () => {
    const full = fails("context_full", { exhausted: true, guessed: true });
    const careful = scriptedModel(({ estimatedTokens }) =>
      stream(estimatedTokens === undefined ? says("Fine.") : full),
    );
    const history = talk(2, 200);
    const played = await play(input({ history }), turnDeps(careful, { media: memoryMedia() }));
    assert.equal(played.outcome.status === "completed" && played.outcome.markdown, "Fine.");
    const refusing = scriptedModel(full);
    const failed = await play(input({ history }), turnDeps(refusing, { media: memoryMedia() }));
    assert.equal(failed.outcome.status === "failed" && failed.outcome.code, "context_full");
    assert.ok(refusing.requests.length < 10, String(refusing.requests.length));
  });

  it("says how full it is and what fills it", async () => {
    const { outcome } = await play(
      input({ history: talk(20, 2_000) }),
      turnDeps(scriptedModel(says("Fine.")), { media: memoryMedia() }),
    );
    const report = outcome.status === "completed" ? outcome.context : undefined;
    assert.ok(report !== undefined);
    assert.deepEqual([report.compressions, report.windowTokens], [1, 16_000]);
    assert.ok(report.tokens > 0 && report.tokens < 16_000 * 0.6, JSON.stringify(report));
    assert.ok(report.parts.checkpoint > report.parts.words);
    const sum = Object.values(report.parts).reduce((total, part) => total + part, 0);
    assert.ok(Math.abs(sum - report.tokens) <= 6, JSON.stringify(report));
  });

  it("keeps everything that it leaves out in files that can be read", async () => {
    const media = memoryMedia();
    const played = await play(input({ history: talk(20, 2_000) }), turnDeps(scriptedModel(says("Fine.")), { media }));
    const checkpoint = played.journal.find((entry) => entry.kind === "checkpoint");
    assert.ok(checkpoint?.kind === "checkpoint");
    const texts = checkpoint.whole.map(({ ref }) => Buffer.from(media.texts.get(ref) ?? []).toString());
    for (let turn = 0; turn < 20; turn += 1) assert.ok(texts.join("").includes(`question ${turn}: `), String(turn));
  });
});

async function* stream(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

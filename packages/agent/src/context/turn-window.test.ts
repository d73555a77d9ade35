import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { TranscriptEntry } from "../journal.ts";
import type { ModelEvent, ModelRequest } from "../model.ts";
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

  it("keeps a share of the words when somebody has asked for it in a small window", async () => {
    const model = scriptedModel(says("Fine."));
    const system = "You are an agent. ".repeat(700);
    const history = talk(6, 1_200);
    const played = await play(input({ history, system, compact: true }), turnDeps(model, { media: memoryMedia() }));
    const made = played.journal.find((entry) => entry.kind === "checkpoint");
    assert.ok(made?.kind === "checkpoint");
    assert.ok(made.tokens.after < made.tokens.before, JSON.stringify(made.tokens));
    const words = made.said.filter(({ kind }) => kind === "user").length;
    assert.ok(words >= 2, `${words} of 6 questions, ${JSON.stringify(made.tokens)}`);
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

  it("takes a rejection in unknown words as one for length, once, where a request takes much of the window", async () => {
    const rejects = fails("bad_request");
    const short = scriptedModel((request) => stream(charsOf(request) > 12_000 ? rejects : says("Fine.")));
    const history = talk(5, 3_000);
    const played = await play(input({ history }), turnDeps(short, { media: memoryMedia() }));
    assert.equal(played.outcome.status === "completed" && played.outcome.markdown, "Fine.");
    assert.equal(short.requests.length, 2);
    const next = [...history, ...played.journal, reply("Fine.")];
    const later = await play(input({ history: next, windowTokens: 64_000 }), turnDeps(scriptedModel(says("Good."))));
    assert.equal(later.outcome.status === "completed" && later.outcome.context?.windowTokens, 64_000);

    const always = scriptedModel(rejects);
    const failed = await play(input({ history }), turnDeps(always, { media: memoryMedia() }));
    assert.equal(failed.outcome.status === "failed" && failed.outcome.code, "bad_request");
    assert.equal(always.requests.length, 2);
    const light = scriptedModel(rejects);
    await play(input({ history: talk(2, 200) }), turnDeps(light, { media: memoryMedia() }));
    assert.equal(light.requests.length, 1);
    const counted = (contextTokens: number) => ({ ...reply("Fine."), contextTokens }) as TranscriptEntry;
    const known = scriptedModel(rejects);
    await play(
      input({ history: [counted(30_000), ...history, counted(15_000)], windowTokens: 128_000 }),
      turnDeps(known, { media: memoryMedia() }),
    );
    assert.equal(known.requests.length, 1, "more was taken before");

    const far = scriptedModel((request) => stream(charsOf(request) > 12_000 ? rejects : says("Fine.")));
    const wide = input({ history: talk(6, 4_000), windowTokens: 128_000 });
    const made = await play(wide, turnDeps(far, { media: memoryMedia() }));
    assert.equal(made.outcome.status === "completed" && made.outcome.markdown, "Fine.", "far below what is configured");
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

function charsOf({ messages }: ModelRequest): number {
  return messages.reduce((sum, { content }) => sum + content.length, 0);
}

async function* stream(events: readonly ModelEvent[]): AsyncGenerator<ModelEvent> {
  yield* events;
}

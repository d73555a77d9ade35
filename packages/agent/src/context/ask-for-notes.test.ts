import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, type Clock, type Log, type SessionKey, silentLog } from "@talaria/protocol";
import type { ModelEvent } from "../model.ts";
import { fails, hastyClock, play, said, says, scriptedModel, turnDeps, turnInput } from "../turn.fixture.ts";
import { type NotesSettings, notesFrom } from "./ask-for-notes.ts";
import { memoryMedia } from "./memory-media.fixture.ts";

/** A clock that a test moves. Whoever sleeps for less is woken. */
function movedClock() {
  let at = 0;
  const sleepers: { readonly until: number; wake(): void }[] = [];
  const clock: Clock = {
    now: () => 0,
    elapsed: () => at,
    sleep: (ms, signal) =>
      new Promise((resolve, reject) => {
        sleepers.push({ until: at + ms, wake: resolve });
        signal?.addEventListener("abort", () => reject(signal.reason), { once: true });
      }),
  };
  const move = (ms: number) => {
    at += ms;
    for (const { until, wake } of sleepers) if (until <= at) wake();
  };
  return { clock, move };
}

function warned(): Log & { readonly warnings: string[] } {
  const warnings: string[] = [];
  return { ...silentLog, warnings, warn: (_fields: object, message: string) => void warnings.push(message) } as never;
}

function settings(more: Pick<NotesSettings, "model" | "clock" | "log"> & Partial<NotesSettings>): NotesSettings {
  return { sessionKey: brandAs<SessionKey>("telegram-main/42"), signal: new AbortController().signal, ...more };
}

async function* hangs(): AsyncGenerator<ModelEvent> {
  yield await new Promise<never>(() => {});
}

describe("a model for notes", () => {
  it("that hangs is waited for once, and left alone by the turn and by others for some minutes", async () => {
    const { clock, move } = movedClock();
    const model = scriptedModel(() => hangs(), says("It was decided."));
    const log = warned();
    const notes = notesFrom(settings({ model, clock, log }));
    const first = notes("some text");
    move(30_000);
    assert.deepEqual(await first, {});
    assert.deepEqual(await notes("more text"), {});
    assert.deepEqual(await notesFrom(settings({ model, clock, log }))("of another turn"), {});
    assert.deepEqual([model.requests.length, log.warnings.length], [1, 1]);
    move(600_000);
    assert.deepEqual(await notes("still the same turn"), {});
    assert.deepEqual(await notesFrom(settings({ model, clock, log }))("a later turn"), { text: "It was decided." });
    assert.deepEqual([model.requests.length, log.warnings.length], [2, 1]);
  });

  it("that fails or throws is left alone too", async () => {
    for (const answer of [
      fails("overloaded"),
      () => {
        throw new Error("broken");
      },
      [],
    ]) {
      const { clock } = movedClock();
      const model = scriptedModel(answer);
      const log = warned();
      const notes = notesFrom(settings({ model, clock, log }));
      for (const text of ["one", "two", "three"]) assert.deepEqual(await notes(text), {});
      assert.deepEqual([model.requests.length, log.warnings.length], [1, 1]);
    }
  });

  it("is not blamed for a turn that was stopped", async () => {
    const { clock } = movedClock();
    const model = scriptedModel(() => hangs(), says("It was decided."));
    const log = warned();
    const stopping = new AbortController();
    const first = notesFrom(settings({ model, clock, log, signal: stopping.signal }))("some text");
    stopping.abort();
    assert.deepEqual(await first, {});
    assert.deepEqual(await notesFrom(settings({ model, clock, log }))("a later turn"), { text: "It was decided." });
    assert.equal(log.warnings.length, 0);
  });

  it("is never asked over nothing", async () => {
    const { clock } = movedClock();
    const notesModel = scriptedModel(says("It was decided."));
    assert.deepEqual(await notesFrom(settings({ model: notesModel, clock, log: silentLog }))(" \n"), {});
    const limits = { windowTokens: 16_000, answerTokens: 1_000, journal: [said("so it is ".repeat(20_000))] };
    const deps = turnDeps(scriptedModel(says("Fine.")), { media: memoryMedia(), notesModel, clock: hastyClock() });
    assert.equal((await play(turnInput(limits), deps)).outcome.status, "completed");
    assert.equal(notesModel.requests.length, 0);
  });
});

import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf, joinAskers } from "@talaria/protocol";
import fc from "fast-check";
import { type TranscriptEntry, transcriptEntrySchema } from "../journal.ts";
import type { ModelMessage } from "../model.ts";
import { renderEntries, unknownResult } from "../render.ts";
import { escapedText } from "../untrusted-text.ts";
import { callsIn } from "./calls-in.ts";
import { compress } from "./compress.ts";
import type { CheckpointEntry } from "./context-entries.ts";
import { estimateTokens } from "./estimate-tokens.ts";
import { memoryMedia } from "./memory-media.fixture.ts";
import { type Compress, numberOf, RandomTalk, taintOfTalk, talks } from "./random-talk.fixture.ts";
import { visibleEntries } from "./visible-entries.ts";

const fixedTokens = 200;
const options = { platform: "telegram", shared: true } as const;
const audience = ["telegram-main/42"];
const never = new AbortController().signal;

type Made = Exclude<Awaited<ReturnType<typeof compress>>, undefined>;

const shorten: Compress = async (history, journal, { force, windowTokens }) => {
  const input = {
    history,
    journal,
    fixedTokens,
    windowTokens,
    lightTokens: windowTokens * 0.6,
    force,
    platform: options.platform,
  } as const;
  const about = { reason: "refused", at: instantOf(1_790_000_000_000) } as const;
  const deps = { media: memoryMedia(), signal: never, taintOf: taintOfTalk, audience };
  const made = await compress({ ...input, ...about }, deps);
  return made === undefined ? [] : [made];
};

/** Plays each talk, and looks at it behind each compression. */
async function check(look: (talk: RandomTalk, made: Made) => void | Promise<void>): Promise<void> {
  let compressions = 0;
  await fc.assert(
    fc.asyncProperty(talks, async (turns) => {
      const talk: RandomTalk = new RandomTalk(async (history, journal, planned) => {
        const entries = await shorten(history, journal, planned);
        const [made] = entries as readonly Made[];
        if (made === undefined) return [];
        compressions += 1;
        talk.journal.push(made);
        await look(talk, made);
        talk.journal.pop();
        return entries;
      });
      await talk.play(turns);
    }),
    { numRuns: 300, seed: 20_261_123 },
  );
  assert.ok(compressions > 300, String(compressions));
}

function visibleIn({ history, journal }: RandomTalk): readonly TranscriptEntry[] {
  return visibleEntries([...history, ...journal]);
}

function messagesIn(talk: RandomTalk): readonly ModelMessage[] {
  return renderEntries(visibleIn(talk), options);
}

function tokensIn(messages: readonly ModelMessage[]): number {
  return messages.reduce((sum, message) => {
    const calls = message.role === "assistant" ? message.toolCalls : [];
    const texts = [message.content, ...calls.flatMap(({ name, arguments: given }) => [name, given])];
    return texts.reduce((tokens, text) => tokens + estimateTokens(text), sum);
  }, 0);
}

/** Of a compression that stands for all but the newest step. */
function asCheckpoint(made: Made): CheckpointEntry | undefined {
  return made.kind === "checkpoint" ? made : undefined;
}

/** What is shown beside the newest checkpoint. */
function besides(talk: RandomTalk): readonly TranscriptEntry[] {
  return visibleIn(talk).filter(({ kind }) => kind !== "checkpoint");
}

describe("any conversation that was shortened any number of times", () => {
  it("begins with words of people, and shows each call with its own result", () =>
    check((talk) => {
      const messages = messagesIn(talk);
      assert.equal(messages[0]?.role, "user");
      const results = messages.filter(({ role }) => role === "tool");
      let shown = 0;
      for (const [index, message] of messages.entries()) {
        const calls = message.role === "assistant" ? message.toolCalls : [];
        for (const [place, call] of calls.entries()) {
          const result = messages[index + 1 + place];
          assert.ok(result?.role === "tool" && result.callId === call.callId);
          assert.notEqual(result.content, unknownResult);
          assert.match(result.content, new RegExp(`^(r${numberOf(call)}: |\\[\\d+ characters were left out)`));
          shown += 1;
        }
      }
      assert.equal(results.length, shown);
    }));

  it("takes no more than its compression says", () =>
    check((talk, { tokens }) => {
      const taken = fixedTokens + tokensIn(messagesIn(talk));
      assert.ok(taken <= tokens.after, `${taken} of ${tokens.after}`);
      assert.ok(tokens.after < tokens.before);
    }));

  it("shows the newest step, or says of each of its calls what came of it", () =>
    check((talk, made) => {
      const newest = talk.journal.findLast((entry) => entry.kind === "assistant");
      if (newest === undefined || visibleIn(talk).includes(newest)) return;
      const told = asCheckpoint(made)?.calls.join("\n") ?? "";
      const [newestCall] = newest.toolCalls.slice(-1);
      assert.ok(told.includes(`(${newestCall?.arguments})`), told);
    }));

  it("has the newest words as they were said", () =>
    check((talk) => {
      const text = messagesIn(talk)
        .map(({ content }) => content)
        .join("\n");
      const isShort = talk.newest.length < 1_000;
      assert.ok(text.includes(escapedText(isShort ? talk.newest : talk.newest.slice(0, 20))), text);
    }));

  it("keeps who has asked, what has tainted, and the audience", () =>
    check((talk, made) => {
      const { derived } = asCheckpoint(made) ?? {};
      if (derived === undefined) return;
      assert.deepEqual(new Set(derived.taint), new Set(talk.taint.values()));
      assert.deepEqual(new Set(derived.askers), new Set(joinAskers(talk.askers)));
      assert.deepEqual(derived.audience, audience);
    }));

  it("loses no call, no word, no command and no changed file, and counts none twice", () =>
    check((talk, made) => {
      const checkpoint = asCheckpoint(made);
      if (checkpoint === undefined) return;
      const { said, calls, commands, files, leftOut } = checkpoint;
      const shown = besides(talk);
      const shownCalls = callsIn(shown);
      const shownDid = shownCalls.flatMap(({ result }) => result?.did ?? []);
      const ran = shownDid.filter(({ kind }) => kind === "ran");
      const ranEver = talk.did.filter(({ kind }) => kind === "ran");
      assert.equal(commands.length + leftOut.commands + ran.length, ranEver.length);
      const words = shown.filter(({ kind }) => kind === "user" || kind === "overheard");
      assert.equal(said.length + leftOut.said + words.length, talk.words);
      const lines = calls.filter((line) => !line.includes(", answered later"));
      const asked = shownCalls.filter(({ isLate }) => isLate !== true).map(({ call }) => numberOf(call));
      if (leftOut.calls === 0)
        assert.deepEqual([...lines.map((line) => numberOf({ arguments: line })), ...asked], talk.calls);
      const changed = (list: readonly { readonly kind: string; readonly path?: string }[]) =>
        list.flatMap(({ kind, path }) => (kind === "changed" ? [path] : []));
      const known = new Set([...changed(files), ...changed(shownDid)]);
      if (leftOut.files === 0) assert.deepEqual(known, new Set(changed(talk.did)));
    }));

  it("has the newest plan, and every call whose answer is to come", () =>
    check((talk, made) => {
      const checkpoint = asCheckpoint(made);
      if (checkpoint === undefined) return;
      const shown = callsIn(besides(talk));
      const plans = shown.flatMap(({ result }) => result?.did ?? []).filter(({ kind }) => kind === "planned");
      const newest = talk.did.findLast((one) => one.kind === "planned");
      if (plans.length === 0) assert.equal(checkpoint.plan, newest?.kind === "planned" ? newest.plan : undefined);
      const settled = besides(talk).flatMap((entry) => (entry.kind === "call.settled" ? [numberOf(entry)] : []));
      const told = checkpoint.open
        .map(({ shown: text }) => numberOf({ arguments: text }))
        .filter((number) => !settled.includes(number));
      const waiting = shown.flatMap(({ call, waiting: wait }) => (wait === undefined ? [] : [numberOf(call)]));
      for (const number of [...told, ...waiting]) assert.ok(talk.open.has(number), String(number));
      assert.equal(new Set([...told, ...waiting]).size, told.length + waiting.length);
      if (checkpoint.leftOut.open === undefined) assert.equal(told.length + waiting.length, talk.open.size);
    }));

  it("is the same bytes from the same journal, also when another process reads it", () =>
    check(async (talk, made) => {
      const { history } = talk;
      const journal = talk.journal.slice(0, -1);
      const read = (entries: readonly TranscriptEntry[]) =>
        transcriptEntrySchema.array().parse(JSON.parse(JSON.stringify(entries)));
      assert.deepEqual(read([made]), [made]);
      assert.deepEqual(renderEntries(visibleEntries(read([...history, ...talk.journal])), options), messagesIn(talk));
      const windowTokens = 16_000;
      const [one, other] = await Promise.all([
        shorten(history, journal, { force: 3, windowTokens }),
        shorten(read(history), read(journal), { force: 3, windowTokens }),
      ]);
      assert.equal(JSON.stringify(one), JSON.stringify(other));
    }));
});

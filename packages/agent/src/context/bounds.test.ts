import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { brandAs, instantOf, type MediaRef, type UserId } from "@talaria/protocol";
import { z } from "zod";
import type { TranscriptEntry } from "../journal.ts";
import type { ModelRequest, ToolCall } from "../model.ts";
import { renderEntries } from "../render.ts";
import { defineTool } from "../tool.ts";
import { person, play, said, turnDeps, turnInput } from "../turn.fixture.ts";
import { escapedText } from "../untrusted-text.ts";
import { compress } from "./compress.ts";
import { strictServer } from "./long-work.fixture.ts";
import { memoryMedia } from "./memory-media.fixture.ts";
import { tokensOf } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";

const at = instantOf(1_790_000_000_000);
const window = 16_000;

function look(chars: number) {
  return defineTool({
    name: "look",
    description: "Reads a part of the data.",
    effect: "read",
    permissions: [],
    input: z.strictObject({ part: z.int() }),
    execute: async ({ part }) => ({ content: `part ${part}\n${"<a> & ".repeat(chars / 6)}` }),
  });
}

function callsOf(parts: readonly number[]): readonly ToolCall[] {
  return parts.map((part) => ({ callId: `p${part}`, name: "look", arguments: JSON.stringify({ part }) }));
}

/** Makes these calls, each group in one answer, and then says that it is done. */
function asks(...groups: readonly (readonly number[])[]) {
  let answers = 0;
  return (_request: ModelRequest) => {
    const group = groups[answers];
    answers += 1;
    return group === undefined ? { text: "all is done", calls: [] } : { text: "", calls: callsOf(group) };
  };
}

async function run(journal: readonly TranscriptEntry[], server: ReturnType<typeof strictServer>, chars = 0) {
  const limits = { windowTokens: window, answerTokens: 1_000, maxSteps: 2_000, maxToolOutputChars: 2_000_000 };
  return await play(
    turnInput({ ...limits, journal, tools: [look(chars)], shared: true }),
    turnDeps(server, { media: memoryMedia() }),
  );
}

function numbers(from: number, count: number): readonly number[] {
  return Array.from({ length: count }, (_, index) => from + index);
}

async function shortened(journal: readonly TranscriptEntry[], force = 1) {
  const settings = {
    windowTokens: window,
    lightTokens: window * 0.6,
    reason: "refused",
    platform: "telegram",
  } as const;
  return await compress(
    { history: [], journal, fixedTokens: 0, force, at, ...settings },
    { media: memoryMedia(), signal: new AbortController().signal, taintOf: () => [], audience: [] },
  );
}

describe("a window of 16,000 tokens", () => {
  it("bears 64 calls at the same time, each with a long result, again and again", async () => {
    const server = strictServer(window, asks(numbers(0, 64), numbers(100, 64), numbers(200, 64), [7]));
    const { outcome, journal } = await run([said("look at everything")], server, 6_000);
    assert.equal(outcome.status, "completed");
    assert.equal(journal.filter(({ kind }) => kind === "tool.result").length, 3 * 64 + 1);
    for (const { messages } of server.requests) assert.match(JSON.stringify(messages), /look at everything/);
  });

  it("bears one message of 2 MB, whatever it is made of", async () => {
    for (const piece of ["a word ", "<", "&"]) {
      const text = `Begin. ${piece.repeat(2_000_000 / piece.length)} End.`;
      const server = strictServer(window, asks([1], [2]));
      const { outcome } = await run([said(text)], server, 600);
      assert.equal(outcome.status, "completed", JSON.stringify(piece));
      for (const { messages } of server.requests) assert.match(messages[0]?.content ?? "", /Begin\. [\s\S]* End\./);
    }
  });

  it("bears a message with a quote and many long voice messages and files", async () => {
    const file = (n: number) =>
      ({ kind: "audio", mimeType: "audio/ogg", byteLength: 9, name: `${n}漢`.repeat(80) }) as const;
    const attachments = numbers(0, 40).map((n) => ({
      ...file(n),
      ref: brandAs<MediaRef>(`sha256:${String(n).padStart(2, "0").repeat(32)}`),
      transcript: "said ".repeat(2_000),
    }));
    const quote = { userId: brandAs<UserId>("9"), displayName: "Nine", markdown: "<".repeat(100_000) };
    const server = strictServer(window, asks([1], [2]));
    const { outcome } = await run([said("What is in all of these?", person("1"), { attachments, quote })], server, 600);
    assert.equal(outcome.status, "completed");
    for (const { messages } of server.requests) assert.match(JSON.stringify(messages), /What is in all of these\?/);
  });

  it("bears one result that is a line of 1 MB", async () => {
    for (const chars of [6, 1_000_000]) {
      const server = strictServer(window, asks([1], [2], [3]));
      const { outcome } = await run([said("look")], server, chars);
      assert.deepEqual([outcome.status, server.refused], ["completed", 0], String(chars));
    }
  });

  it("bears a turn of 1,000 tiny steps", async () => {
    const server = strictServer(window, asks(...numbers(0, 1_000).map((part) => [part])));
    const { outcome, journal } = await run([said("go on, and never touch part zero")], server);
    assert.deepEqual([outcome.status, server.refused], ["completed", 0]);
    assert.equal(journal.filter(({ kind }) => kind === "tool.result").length, 1_000);
    for (const { messages } of server.requests) assert.match(JSON.stringify(messages), /never touch part zero/);
    const made = journal.filter(({ kind }) => kind === "checkpoint").length;
    assert.ok(made >= 1 && made < 20, String(made));
  });

  it("bears words of a guest that are longer once they are escaped", async () => {
    const journal = numbers(0, 60).map((n) => said("<".repeat(4_000), person(`guest ${n}`)));
    const server = strictServer(window, asks([1]));
    const { outcome } = await run([...journal, said("What now?")], server, 60);
    assert.deepEqual([outcome.status, server.refused], ["completed", 0]);
  });
});

describe("the time of a compression", () => {
  /** Counts how many characters of entries are read, by a text that is measured. */
  async function effort(entries: number): Promise<number> {
    let reads = 0;
    const journal: TranscriptEntry[] = [said("go")];
    for (const n of numbers(0, entries)) {
      const [call] = callsOf([n]);
      if (call === undefined) continue;
      const counted = new Proxy(
        { kind: "tool.result", callId: call.callId, name: "look", content: "x".repeat(500), isError: false } as const,
        {
          get: (target, key, receiver) => {
            reads += 1;
            return Reflect.get(target, key, receiver);
          },
        },
      );
      journal.push({ kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls" }, counted);
    }
    await shortened(journal);
    return reads;
  }

  it("grows with the entries, not faster", async () => {
    const [small, large] = [await effort(500), await effort(4_000)];
    assert.ok(large / small < 8 * 1.5, `${small} to ${large}`);
  });

  it("grows with the settlements, not faster than with the entries", async () => {
    const waiting = (count: number) =>
      numbers(0, count).flatMap((n): readonly TranscriptEntry[] => {
        const [call] = callsOf([n]);
        if (call === undefined) return [];
        const wait = { kind: "tool.waiting", callId: call.callId, name: "look", waitsFor: "form", shown: "s" } as const;
        return [
          { kind: "assistant", content: "", toolCalls: [call], model: "m", stop: "tool_calls" },
          { ...wait, expiresAt: at },
          { kind: "tool.result", callId: call.callId, name: "look", content: "WAITING", isError: false },
        ];
      });
    const made = await shortened([said("go"), ...waiting(3_000)]);
    assert.equal(made?.kind, "checkpoint");
    const { open, leftOut } = made;
    assert.equal(open.length + (leftOut.open ?? 0), 2_999);
  });
});

describe("what an entry is said to take", () => {
  it("is at least what it is rendered as, also where it has to be escaped", () => {
    for (const text of ["<".repeat(3_000), "a & b ".repeat(500), "<b>&amp;</b>\n".repeat(200)]) {
      const entry = said(text, { ...person("1"), displayName: '<>&"'.repeat(20) });
      const [message] = renderEntries(visibleEntries([entry]), { platform: "telegram", shared: true });
      assert.ok(message?.content.includes(escapedText(text)));
      assert.ok(message !== undefined);
      assert.ok(tokensOf([entry]) >= message.content.length / 4, `${tokensOf([entry])}`);
    }
  });
});

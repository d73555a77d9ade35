import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { instantOf } from "@talaria/protocol";
import { chooseTools } from "../choose-tools.ts";
import type { AssistantEntry, TranscriptEntry } from "../journal.ts";
import { fileIdOf } from "../media.ts";
import { renderEntries } from "../render.ts";
import { said, tool } from "../turn.fixture.ts";
import { compress } from "./compress.ts";
import { memoryMedia } from "./memory-media.fixture.ts";
import { tokensOf } from "./tokens-of.ts";
import { visibleEntries } from "./visible-entries.ts";

function step(first: number, count: number, chars: number, name = "look"): readonly TranscriptEntry[] {
  const ids = Array.from({ length: count }, (_, index) => `c${first + index}`);
  return [
    {
      ...{ kind: "assistant", content: "", model: "m", stop: "tool_calls" },
      toolCalls: ids.map((callId) => ({ callId, name, arguments: JSON.stringify({ of: callId }) })),
    },
    ...ids.map((callId) => ({
      ...({ kind: "tool.result", callId, name, isError: false } as const),
      content: `${callId}: ${"so it is ".repeat(chars / 9)}the end`,
    })),
  ];
}

async function shortened(
  journal: readonly TranscriptEntry[],
  force: number,
  windowTokens = 16_000,
  hidesOnDemand = false,
) {
  const at = instantOf(1_790_000_000_000);
  return await compress(
    {
      ...{ history: [], journal, fixedTokens: 0, windowTokens, lightTokens: windowTokens * 0.6, force, at },
      hidesOnDemand,
      reason: "refused",
      platform: "telegram",
    },
    { media: memoryMedia(), signal: new AbortController().signal, taintOf: () => [], audience: [] },
  );
}

describe("a conversation that is shortened twice", () => {
  it("says how long results were at first", async () => {
    const journal = [said("go"), ...step(1, 4, 9_000), ...step(5, 1, 500)];
    const first = await shortened(journal, 0);
    assert.equal(first?.kind, "cleared");
    const longer = [...journal, first, ...step(6, 1, 20_000), ...step(7, 1, 500)];
    const second = await shortened(longer, 1);
    assert.equal(second?.kind, "checkpoint");
    for (const entry of journal)
      if (entry.kind === "tool.result")
        assert.ok(
          second.calls.some(
            (line) => line.includes(entry.callId) && line.endsWith(`-> ${entry.content.length} characters`),
          ),
          second.calls.join("\n"),
        );
  });

  it("says so also of results that were kept in part", async () => {
    const journal = [said("go"), ...step(1, 3, 30_000)];
    const first = await shortened(journal, 2);
    assert.ok(first?.kind === "checkpoint" && first.keptTokens !== undefined);
    const second = await shortened([...journal, first, ...step(4, 1, 60_000)], 2);
    assert.ok(second?.kind === "checkpoint");
    const [, , result] = journal;
    const chars = result?.kind === "tool.result" ? result.content.length : 0;
    assert.match(second.calls.join("\n"), new RegExp(`c1.*-> ${chars} characters`));
  });
});

describe("a conversation that is shortened many times", () => {
  it("names each file of what was left out once, newest first, and so many at most", async () => {
    const listed = (text: string) =>
      [...(/stands in these files, newest first[^\n]*/.exec(text)?.[0] ?? "").matchAll(/(\w{12}) \(/g)].map(
        ([, id]) => id,
      );
    const journal: TranscriptEntry[] = [said("go")];
    const made: string[] = [];
    for (let round = 0; round < 30; round += 1) {
      journal.push(...step(10 * round, 3, 9_000), ...step(10 * round + 5, 1, 500));
      const entry = await shortened(journal, 1);
      assert.ok(entry?.kind === "checkpoint");
      // What a release before this one has written may hold a file twice.
      const [file] = entry.whole.slice(-1);
      journal.push({ ...entry, whole: [...entry.whole, ...(file === undefined ? [] : [file])] });
      made.unshift((file && fileIdOf(file.ref)) ?? "");
      const [message] = renderEntries(visibleEntries(journal), { platform: "telegram", shared: true });
      assert.deepEqual(listed(message?.content ?? ""), made.slice(0, 20), String(round));
    }
  });
});

describe("a compression in a small window", () => {
  it("keeps the results that nobody has read yet, as far as they have room", async () => {
    for (const [count, windowTokens, force] of [
      [3, 4_000, 1],
      [3, 4_000, 2],
      [8, 8_000, 2],
      [16, 8_000, 1],
      [24, 16_000, 2],
    ] as const) {
      const journal = [said("go"), ...step(100, 4, 9_000), ...step(1, count, 9_000)];
      const made = await shortened(journal, force, windowTokens);
      assert.ok(made?.kind === "checkpoint");
      const results = visibleEntries([...journal, made]).filter(({ kind }) => kind === "tool.result");
      assert.equal(results.length, count, `${count} in ${windowTokens}, ${force}`);
    }
  });

  it("shows short results of the newest step as they are", async () => {
    const [asked, ...short] = step(1, 4, 90);
    const [, long] = step(5, 1, 60_000);
    assert.ok(asked?.kind === "assistant" && long !== undefined);
    const all: AssistantEntry = {
      ...asked,
      toolCalls: [...asked.toolCalls, { callId: "c5", name: "look", arguments: "{}" }],
    };
    const journal = [said("go"), all, ...short, long];
    const made = await shortened(journal, 1, 8_000);
    assert.ok(made !== undefined);
    const shown = visibleEntries([...journal, made]);
    for (const entry of short) assert.ok(shown.includes(entry));
  });

  it("remembers that tools were found by their index", async () => {
    const tools = [{ ...tool("extra", "read", () => ""), onDemand: true as const }];
    const [looked, found] = step(1, 1, 9, "extra");
    assert.ok(looked?.kind === "assistant" && found !== undefined);
    const toolCalls = looked.toolCalls.map((call) => ({ ...call, via: "call_tool" as const }));
    const journal = [said("go"), { ...looked, toolCalls }, found, ...step(2, 4, 9_000), ...step(6, 1, 9)];
    const twice = async (hidesOnDemand: boolean) => {
      const first = await shortened(journal, 1, 16_000, hidesOnDemand);
      assert.ok(first?.kind === "checkpoint");
      const more = [...journal, first, ...step(7, 4, 9_000), ...step(12, 1, 9)];
      const second = await shortened(more, 1, 16_000, hidesOnDemand);
      assert.ok(second?.kind === "checkpoint");
      return second;
    };
    const names = (entries: readonly TranscriptEntry[]) =>
      chooseTools(tools, entries, 1e6).shown.map(({ name }) => name);
    assert.deepEqual(names(journal), ["find_tools", "call_tool"]);
    assert.deepEqual(names([await twice(true)]), names(journal));
    assert.deepEqual(names([await twice(false)]), ["extra"], "the index had other tools");
  });
});

describe("what an answer takes", () => {
  it("has what its provider wants back, and not the answer twice", () => {
    const [bare] = step(1, 1, 9);
    assert.ok(bare?.kind === "assistant");
    const answer: AssistantEntry = { ...bare, content: "It is as it was said." };
    const withState = (data: unknown) => ({ ...answer, providerState: { dialect: "d", model: "m", data } });
    const thoughts = "I have to think about this for long. ".repeat(100);
    const parts = [
      { type: "thinking", thinking: thoughts },
      { type: "text", text: answer.content },
    ];
    assert.ok(tokensOf([withState({ reasoning_content: thoughts })]) > tokensOf([answer]) + 600);
    assert.ok(tokensOf([withState({ parts })]) < tokensOf([answer]) + 1_400);
    assert.equal(tokensOf([withState({ text: answer.content })]), tokensOf([answer]));
  });
});

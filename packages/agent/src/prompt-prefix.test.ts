import assert from "node:assert/strict";
import { it } from "node:test";
import { brandAs, type TurnId } from "@talaria/protocol";
import type { ModelRequest, TranscriptEntry } from "./index.ts";
import {
  calls,
  done,
  late,
  person,
  play,
  said,
  says,
  scriptedModel,
  tool,
  turnDeps,
  turnInput,
} from "./turn.fixture.ts";

it("repeats every request as the beginning of the next one, over thirty turns with tools and steering", async () => {
  for (const shared of [false, true]) {
    const { requests } = await converse(30, 1_000_000, shared);
    assert.ok(requests.length > 60);
    assert.equal(breaks(requests), 0);
  }
});

it("breaks the prefix rarely when the history outgrows its budget", async () => {
  const { requests, history } = await converse(60, 4_000, true);
  const broken = breaks(requests);
  assert.ok(broken >= 1 && broken <= 60 / 5, `${broken} breaks`);
  const last = requests.at(-1);
  assert.ok((last?.messages.length ?? 0) < history.length / 2);
  assert.equal(last?.messages[0]?.role, "user");
});

/** Plays turns one after the other, each with what the ones before have left. */
async function converse(turns: number, windowTokens: number, shared: boolean) {
  const requests: ModelRequest[] = [];
  let history: readonly TranscriptEntry[] = [];
  const tools = [
    tool("look", "read", ({ idempotencyKey }) => `seen ${idempotencyKey}`),
    tool("act", "write", () => "acted"),
  ];
  for (let turn = 1; turn <= turns; turn += 1) {
    const wordy = [done(`Hm ${turn}.`, [{ callId: "", name: "look", arguments: '{"n":1}' }], "tool_calls")];
    const model = scriptedModel(
      turn % 2 === 0 ? wordy : calls("look", "act"),
      says(`Answer ${turn}.`),
      says("And that."),
    );
    const words = [[], turn % 4 === 0 ? [said(`very late ${turn}`, person("2"))] : []];
    if (turn % 3 === 0) words.unshift([said(`late ${turn}`, person("2"))]);
    const quote = { userId: person("3").userId, displayName: "Q", markdown: "old words" };
    const journal = [said(`question ${turn} <b>&`, person("1"), turn % 5 === 0 ? { quote } : {})];
    const turnId = brandAs<TurnId>(`turn-${turn}`);
    const played = await play(
      turnInput({ turnId, history, journal, tools, windowTokens, answerTokens: 500, shared }),
      turnDeps(model, { steering: late(...words) }),
    );
    requests.push(...model.requests);
    history = [...history, ...played.journal];
  }
  return { requests, history };
}

function breaks(requests: readonly ModelRequest[]): number {
  const bytes = requests.map(({ tools, system, messages }) =>
    JSON.stringify([tools, system, ...messages]).slice(0, -1),
  );
  return bytes.filter((text, index) => index > 0 && !text.startsWith(bytes[index - 1] ?? "")).length;
}

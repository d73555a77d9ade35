import assert from "node:assert/strict";
import { it } from "node:test";
import { assemblePrompt, defineTool, runTurn, type Tool, type TranscriptEntry, type TurnOutcome } from "@talaria/agent";
import {
  brandAs,
  type Conversation,
  type EventId,
  instantOf,
  type Sender,
  silentLog,
  systemClock,
} from "@talaria/protocol";
import { callTools, type ModelScript, modelFault, say, toolCallQuirk } from "@talaria/testkit";
import { z } from "zod";
import { startPeer } from "./model.fixture.ts";

const conversation: Conversation = {
  accountId: brandAs("a"),
  platform: "telegram",
  conversationId: brandAs("1"),
  kind: "group",
};
const ada: Sender = { userId: brandAs("42"), role: "person", displayName: "Ada", assurance: "platform" };

const look: Tool = defineTool({
  name: "read",
  description: "Reads a path",
  effect: "read",
  permissions: ["fs.read"],
  input: z.object({ path: z.string() }),
  execute: async ({ path }) => ({ content: `content of ${path}` }),
});

it("sends bytes that begin every request with the one before, over thirty turns against a strict server", async () => {
  let script: readonly ModelScript[] = [];
  await using peer = await startPeer({ respond: () => script[0] ?? say("never") });
  let history: readonly TranscriptEntry[] = [];
  for (let turn = 1; turn <= 30; turn += 1) {
    const first =
      turn % 3 === 0
        ? toolCallQuirk.brokenArguments("read")
        : callTools(["read", { path: `${turn}` }], ["read", { path: "b" }]);
    const rounds: ModelScript[] = [
      first,
      ...(turn % 7 === 0 ? [modelFault.errorAfter("hal")] : []),
      say(`Answer ${turn}`),
    ];
    peer.server.respondWith(() => {
      script = rounds.splice(0, 1);
      return script[0] ?? say("never");
    });
    const { journal, outcome } = await playTurn(peer.model, history, turn);
    assert.equal(outcome.status === "completed" && outcome.markdown, `Answer ${turn}`);
    history = [...history, ...journal];
  }
  const bodies = peer.server.requests.map(({ body }) =>
    JSON.stringify([body.tools, ...(body.messages as unknown[])]).slice(0, -1),
  );
  assert.ok(bodies.length > 60);
  for (const [index, body] of bodies.entries()) assert.ok(body.startsWith(bodies[index - 1] ?? ""), `request ${index}`);
});

async function playTurn(
  model: Parameters<typeof runTurn>[1]["model"],
  history: readonly TranscriptEntry[],
  turn: number,
) {
  const question: TranscriptEntry = {
    kind: "user",
    eventId: brandAs<EventId>(`e${turn}`),
    sender: ada,
    markdown: `question ${turn} </message>`,
    attachments: [],
    at: instantOf(1_790_000_000_000 + turn),
  };
  const system = assemblePrompt({ agentName: "T", instructions: "", platformHint: "", shared: true, conversation });
  const running = runTurn(
    {
      turnId: brandAs(`t${turn}`),
      sessionKey: brandAs("a/1"),
      system,
      shared: true,
      history,
      journal: [question],
      tools: [look],
      conversation,
      maxSteps: 9,
      maxOutputChars: 9_999,
      maxToolOutputChars: 999,
      historyTokens: 99_999,
    },
    {
      model,
      signal: new AbortController().signal,
      steering: async () => [],
      clock: { ...systemClock, sleep: (ms, signal) => systemClock.sleep(ms > 9_000 ? ms : 0, signal) },
      log: silentLog,
    },
  );
  const journal: TranscriptEntry[] = [question];
  for (;;) {
    const step: IteratorResult<unknown, TurnOutcome> = await running.next();
    if (step.done) return { journal: [...journal, ...step.value.final], outcome: step.value };
    const event = step.value as { type: string; entries?: readonly TranscriptEntry[] };
    journal.push(...(event.entries ?? []));
  }
}

import assert from "node:assert/strict";
import { it } from "node:test";
import { runTurn, type TranscriptEntry } from "@talaria/agent";
import { createModel } from "@talaria/models";
import { brandAs, type EventId, instantOf, silentLog, systemClock } from "@talaria/protocol";
import { builtinTools } from "./builtin-tools.ts";

const send = { maxBytes: 1_000, maxPerMessage: 1, maxCaptionLength: 100 };

it("answers who is here offline, from the question over the tool to the reply", async () => {
  const question: TranscriptEntry = {
    kind: "user",
    eventId: brandAs<EventId>("e1"),
    sender: { userId: brandAs("42"), role: "person", displayName: "Ada", assurance: "platform" },
    markdown: "Who is here, and what time is it?",
    attachments: [],
    at: instantOf(0),
  };
  const clock = { ...systemClock, now: () => Date.UTC(2026, 10, 21) };
  const turn = runTurn(
    {
      turnId: brandAs("t"),
      sessionKey: brandAs("s"),
      system: "",
      shared: true,
      history: [],
      journal: [question],
      tools: builtinTools({ send }),
      conversation: { accountId: brandAs("w"), platform: "web", conversationId: brandAs("c"), kind: "group" },
      maxSteps: 5,
      maxOutputChars: 10_000,
      maxToolOutputChars: 5_000,
      windowTokens: 5_000,
      answerTokens: 4_000,
    },
    {
      model: createModel({ provider: "demo", wordMs: 0 }, { clock, log: silentLog }),
      signal: new AbortController().signal,
      steering: async () => [],
      clock,
      log: silentLog,
    },
  );
  let step = await turn.next();
  while (!step.done) step = await turn.next();
  assert.ok(step.value.status === "completed");
  assert.match(step.value.markdown, /offline demo model[\s\S]*Saturday, 2026-11-21 00:00:00[\s\S]*"id": "web:user:42"/);
});

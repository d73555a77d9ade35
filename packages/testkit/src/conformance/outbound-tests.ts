import assert from "node:assert/strict";
import type { Adapter } from "@talaria/adapter";
import { type GatewayError, isGatewayError } from "@talaria/protocol";
import { abilitiesIn, type ConformanceTest, outbound, type Stage } from "./conformance-test.ts";
import type { AdapterHarness, SendFailure } from "./harness.ts";

/** Texts that grow under escaping, or that look like markup everywhere. */
const hardTexts: readonly string[] = ["<&>\"'", "*_~`[](){}#+-.!|\\", "&amp;", "😀", "a\n\n> "];

/** What goes out: one message per send, and errors that carry a decision. */
export const outboundTests: readonly ConformanceTest[] = [
  {
    name: "one send is one platform message, up to the declared length, with text full of markup characters",
    async run({ harness, signal }) {
      const { adapter } = harness;
      for (const [n, pattern] of hardTexts.entries()) {
        const before = harness.posted().length;
        const message = outbound(harness, longest(adapter, pattern), `hard-${n}`);
        const sent = await adapter.send(message, signal);
        const posted = harness.posted().slice(before);
        assert.equal(posted.length, 1, `${posted.length} messages for one send of ${JSON.stringify(pattern)}`);
        assert.equal(sent.messageId, posted[0]?.messageId);
        assert.deepEqual(sent.conversation, message.conversation);
        assert.notEqual(posted[0]?.text, "");
      }
    },
  },
  {
    name: "a rate limit becomes rate_limited with the platform's delay",
    without: cannotFail,
    async run(stage) {
      const error = await failedSend(stage, { kind: "rate_limited", retryAfterMs: 7_000 });
      assert.equal(error.code, "rate_limited");
      assert.equal(error.retryAfterMs, 7_000);
      assert.equal(error.effect, "none");
      assert.equal(stage.harness.posted().length, 0);
    },
  },
  {
    name: "a bad token becomes unauthorized",
    without: cannotFail,
    async run(stage) {
      const error = await failedSend(stage, { kind: "unauthorized" });
      assert.equal(error.code, "unauthorized");
      assert.equal(error.effect, "none");
    },
  },
  {
    name: "a lost connection becomes unavailable with the effect unknown",
    without: cannotFail,
    async run(stage) {
      const error = await failedSend(stage, { kind: "connection_lost" });
      assert.equal(error.code, "unavailable");
      assert.equal(error.effect, "unknown");
      assert.ok(stage.harness.posted().length <= 1, "the adapter tried again by itself");
    },
  },
  {
    name: "a send whose outcome is unknown is repeated or found again without a second message",
    without: cannotFail,
    async run(stage) {
      const { harness, signal } = stage;
      const { adapter } = harness;
      const message = outbound(harness, "once and for all");
      void harness.failNextSend?.({ kind: "connection_lost" });
      await failureOf(adapter.send(message, signal));
      const found = await adapter.findSent?.(message, signal);
      const sent = found ?? (adapter.capabilities.idempotentSend ? await adapter.send(message, signal) : undefined);
      const posted = harness.posted();
      assert.equal(posted.length, 1, `${posted.length} messages`);
      if (sent !== undefined) assert.equal(sent.messageId, posted[0]?.messageId);
    },
  },
  {
    name: "an abort signal stops a send",
    without: cannotFail,
    async run({ harness, host }) {
      const early = await failureOf(harness.adapter.send(outbound(harness, "never"), AbortSignal.abort()));
      assert.equal(early.code, "aborted");
      assert.equal(harness.posted().length, 0, "an aborted send was posted");
      const met = harness.failNextSend?.({ kind: "stalled" });
      const stopping = new AbortController();
      let isOver = false;
      const sending = failureOf(harness.adapter.send(outbound(harness, "stalled"), stopping.signal)).finally(() => {
        isOver = true;
      });
      await met;
      await host.calm();
      assert.equal(isOver, false, "the send ended before the abort");
      stopping.abort();
      await host.until(() => isOver, "the aborted send rejects");
      const late = await sending;
      assert.equal(late.code, "aborted");
      assert.equal(late.effect, "unknown", "the platform may have got it");
    },
  },
  {
    name: "an edit changes the message that was sent, and nothing else",
    without: (harness) => (abilitiesIn(harness).edit ? undefined : "the adapter edits nothing"),
    async run({ harness, signal }) {
      const { adapter } = harness;
      const sent = await adapter.send(outbound(harness, "draft"), signal);
      await adapter.edit?.(sent, "final", signal);
      await adapter.edit?.(sent, "final", signal);
      assert.equal(harness.posted().length, 1);
      assert.equal(harness.posted()[0]?.text, "final");
      assert.equal(harness.posted()[0]?.messageId, sent.messageId);
    },
  },
];

function cannotFail({ failNextSend }: AdapterHarness): string | undefined {
  return failNextSend ? undefined : "a send calls no platform that could fail";
}

/** The longest repetition of `pattern` that the adapter promises to send as one message. */
function longest(adapter: Adapter, pattern: string): string {
  const { maxTextLength } = adapter.capabilities;
  const measure = (text: string) => adapter.measure?.(text) ?? text.length;
  let count = Math.ceil(maxTextLength / pattern.length);
  while (count > 1 && measure(pattern.repeat(count)) > maxTextLength) count -= 1;
  return pattern.repeat(count);
}

async function failedSend({ harness, signal }: Stage, failure: SendFailure): Promise<GatewayError> {
  void harness.failNextSend?.(failure);
  return failureOf(harness.adapter.send(outbound(harness, "will it arrive?"), signal));
}

async function failureOf(work: Promise<unknown>): Promise<GatewayError> {
  const error = await work.then(
    () => assert.fail("the send was expected to fail"),
    (reason: unknown) => reason,
  );
  assert.ok(isGatewayError(error), `expected a GatewayError, got ${String(error)}`);
  return error;
}

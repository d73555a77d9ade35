import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { ModelEvent, ModelFailureKind, ModelRequest, ModelStop, ModelUsage } from "@talaria/agent";
import type { ServedDialect } from "@talaria/testkit";
import { dialectCases, startDialectPeer } from "../../dialects.fixture.ts";
import { eventsOf, request } from "../../model.fixture.ts";

/** What a server says, piece by piece: objects as the data of an event, texts and bytes as they are. */
export type Said = readonly (object | string | Buffer)[];

export interface ProtocolCase {
  readonly name: string;
  /** Where it is written that servers do so. */
  readonly source: string;
  readonly dialect?: ServedDialect;
  readonly says: Said;
  readonly contentType?: string;
  readonly request?: Partial<ModelRequest>;
  /** The answer as people see it, after what was taken back. */
  readonly text?: string;
  readonly thought?: string;
  readonly calls?: readonly (readonly [name: string, args: unknown])[];
  readonly stop?: ModelStop;
  readonly usage?: Partial<ModelUsage>;
  readonly state?: unknown;
  readonly fails?: ModelFailureKind;
  /** What operators read of the failure. */
  readonly reason?: RegExp;
  readonly restarts?: number;
}

/** One test for each case: a strict server of the dialect says this, and that comes out. */
export function runCases(title: string, cases: readonly ProtocolCase[]): void {
  describe(title, () => {
    for (const each of cases) it(`${each.name} (${each.source})`, () => run(each));
  });
}

async function run(given: ProtocolCase): Promise<void> {
  const { dialect = "openai-chat", says, contentType, text = "", thought = "", calls = [], restarts = 0 } = given;
  const dialectCase = dialectCases.find((each) => each.dialect === dialect);
  assert.ok(dialectCase);
  const raw = { kind: "raw", pieces: says.map(toBytes), ...(contentType && { contentType }) } as const;
  await using peer = await startDialectPeer(dialectCase, { respond: () => [raw] });
  const events = await eventsOf(peer.model, request(given.request));
  assert.deepEqual(peer.server.flaws, []);
  assert.equal(shownIn(events), text, "what people see");
  assert.equal(textIn(events, "reasoning"), thought, "thoughts");
  assert.equal(events.filter(({ type }) => type === "restart").length, restarts, "restarts");
  const end = events.at(-1);
  if (given.fails !== undefined) {
    assert.equal(end?.type === "failed" ? end.error.kind : end?.type, given.fails);
    assert.match(end?.type === "failed" ? end.error.message : "", given.reason ?? /./);
    return;
  }
  assert.ok(end?.type === "done", JSON.stringify(end));
  assert.equal(end.message.content, text, "content");
  const made = end.message.toolCalls.map(({ name, arguments: args }) => [name, parsed(args)]);
  assert.deepEqual(made, calls);
  assert.equal(new Set(end.message.toolCalls.map(({ callId }) => callId)).size, calls.length, "ids");
  assert.equal(end.stop, given.stop ?? (calls.length > 0 ? "tool_calls" : "end"));
  if (given.usage !== undefined) assert.deepEqual({ ...end.usage, ...given.usage }, end.usage);
  if ("state" in given) assert.deepEqual(end.message.providerState?.data, given.state);
}

function toBytes(said: object | string | Buffer): string | Buffer {
  if (typeof said === "string" || Buffer.isBuffer(said)) return said;
  const { type } = said as { readonly type?: unknown };
  return `${typeof type === "string" ? `event: ${type}\n` : ""}data: ${JSON.stringify(said)}\n\n`;
}

function shownIn(events: readonly ModelEvent[]): string {
  return textIn(events.slice(events.findLastIndex(({ type }) => type === "restart") + 1), "delta");
}

function textIn(events: readonly ModelEvent[], type: "delta" | "reasoning"): string {
  return events.map((event) => (event.type === type ? event.text : "")).join("");
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** A chunk of Chat Completions. */
export function delta(piece: object, more: object = {}): object {
  return { id: "c1", object: "chat.completion.chunk", choices: [{ index: 0, delta: piece, ...more }] };
}

export function content(...texts: readonly string[]): readonly object[] {
  return texts.map((text) => delta({ content: text }));
}

/** Parts of calls, a chunk each. */
export function callParts(...parts: readonly object[]): readonly object[] {
  return parts.map((part) => delta({ tool_calls: [part] }));
}

/** The end of a stream of Chat Completions. */
export function ended(reason: string | null = "stop", usage?: object): Said {
  return [delta({}, { finish_reason: reason }), ...(usage ? [{ choices: [], usage }] : []), done];
}

export const done = "data: [DONE]\n\n";

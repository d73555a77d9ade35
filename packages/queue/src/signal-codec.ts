import { type ConversationId, type SessionKey, type StreamFrame, streamFrameSchema } from "@talaria/protocol";
import { z } from "zod";
import type { AccountSignal, WorkerSignal } from "./ports.ts";
import type { TopicPayload } from "./signal-transport.ts";

/** A signal on its way out, already as JSON. */
export interface EncodedSignal {
  readonly topic: string;
  readonly json: string;
  readonly byteLength: number;
  /** Dropped first when there are too many. A reader finds the gap by the frames' numbers. */
  readonly expendable: boolean;
  /** Says only that there is something to look at, so it may arrive twice. */
  readonly isNudge: boolean;
}

const bracketBytes = 2;
const nudge = { expendable: false, isNudge: true };
const sessionKey = z.string().min(1) as unknown as z.ZodType<SessionKey>;
const conversationId = z.string().min(1) as unknown as z.ZodType<ConversationId>;
const listSchema = z.array(z.unknown());
const workerSignalSchema = z.object({ type: z.literal("cancel"), sessionKey });
const accountSignalSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("frame"), frame: streamFrameSchema }),
  z.object({ type: z.literal("deliver") }),
  z.object({ type: z.literal("fetch") }),
  z.object({ type: z.literal("sent"), conversationId }),
]);

/** Undefined when it does not fit into one payload. */
export function encodeFrame(topic: string, frame: StreamFrame, maxBytes: number): EncodedSignal | undefined {
  const expendable = frame.type === "delta" || frame.type === "status";
  const encoded = encode(topic, { type: "frame", frame }, { expendable, isNudge: false });
  if (fits(encoded, maxBytes)) return encoded;
  if (frame.type !== "started") return undefined;
  const { title: _title, ...conversation } = frame.conversation;
  const untitled = encode(topic, { type: "frame", frame: { ...frame, conversation } }, { expendable, isNudge: false });
  return fits(untitled, maxBytes) ? untitled : undefined;
}

export function encodeDeliver(topic: string): EncodedSignal {
  return encode(topic, { type: "deliver" }, nudge);
}

export function encodeFetch(topic: string): EncodedSignal {
  return encode(topic, { type: "fetch" }, nudge);
}

export function encodeSent(topic: string, conversationId: ConversationId): EncodedSignal {
  return encode(topic, { type: "sent", conversationId }, nudge);
}

export function encodeCancel(topic: string, key: SessionKey): EncodedSignal {
  return encode(topic, { type: "cancel", sessionKey: key }, nudge);
}

/** Joins signals of one topic into as few payloads as the limit allows. Order within a topic is kept. */
export function packSignals(signals: readonly EncodedSignal[], maxBytes: number): TopicPayload[] {
  const packed: { topic: string; parts: string[]; byteLength: number }[] = [];
  const open = new Map<string, (typeof packed)[number]>();
  for (const { topic, json, byteLength } of signals) {
    const last = open.get(topic);
    if (last !== undefined && last.byteLength + 1 + byteLength <= maxBytes) {
      last.parts.push(json);
      last.byteLength += 1 + byteLength;
      continue;
    }
    const next = { topic, parts: [json], byteLength: byteLength + bracketBytes };
    open.set(topic, next);
    packed.push(next);
  }
  return packed.map(({ topic, parts }) => ({ topic, payload: `[${parts.join(",")}]` }));
}

/** Reads a payload for an account: neighbouring frames become one signal. `reject` gets the reason of each bad part. */
export function decodeAccountSignals(payload: string, reject: (reason: string) => void): AccountSignal[] {
  const signals: AccountSignal[] = [];
  let frames: StreamFrame[] = [];
  for (const part of readList(payload, accountSignalSchema, reject)) {
    if (part.type !== "frame") {
      signals.push(part);
      frames = [];
      continue;
    }
    if (frames.length === 0) signals.push({ type: "frames", frames });
    frames.push(part.frame);
  }
  return signals;
}

export function decodeWorkerSignals(payload: string, reject: (reason: string) => void): WorkerSignal[] {
  return readList(payload, workerSignalSchema, reject);
}

type Kind = Pick<EncodedSignal, "expendable" | "isNudge">;

function encode(topic: string, content: unknown, kind: Kind): EncodedSignal {
  const json = JSON.stringify(content);
  return { topic, json, byteLength: Buffer.byteLength(json), ...kind };
}

function fits(signal: EncodedSignal, maxBytes: number): boolean {
  return signal.byteLength + bracketBytes <= maxBytes;
}

function readList<Part>(payload: string, schema: z.ZodType<Part>, reject: (reason: string) => void): Part[] {
  const list = listSchema.safeParse(parseJson(payload));
  if (!list.success) {
    reject("not a JSON list");
    return [];
  }
  return list.data.flatMap((part) => {
    const read = schema.safeParse(part);
    if (read.success) return [read.data];
    reject(z.prettifyError(read.error));
    return [];
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

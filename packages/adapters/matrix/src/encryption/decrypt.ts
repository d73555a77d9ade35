import { createHash } from "node:crypto";
import type { OlmMachine } from "@matrix-org/matrix-sdk-crypto-wasm";
import { BoundedMap } from "@talaria/adapter-kit";
import { z } from "zod";
import type { MatrixConfig } from "../config.ts";
import type { Decryption } from "../crypto.ts";
import type { RoomEvent } from "../wire.ts";
import type { Library } from "./requests.ts";

export interface DecryptDeps {
  readonly library: Library;
  readonly machine: OlmMachine;
  readonly trust: MatrixConfig["trust"];
}

const plainEvent = z.object({ type: z.string().max(255), content: z.record(z.string(), z.unknown()) });

/** Messages per device whose first id is remembered. */
const maxKnown = 10_000;
const firstIds = new WeakMap<OlmMachine, BoundedMap<string, string>>();

/**
 * Decrypts an event. Never throws. Refuses an event whose sender doesn't own the device that encrypted it, and a message
 * that arrives again under another id.
 */
export async function decrypted(
  { library, machine, trust }: DecryptDeps,
  roomId: string,
  event: RoomEvent,
): Promise<Decryption> {
  const { CrossSigned, Untrusted } = library.TrustRequirement;
  const settings = new library.DecryptionSettings(trust === "cross-signed" ? CrossSigned : Untrusted);
  try {
    const read = await machine.decryptRoomEvent(JSON.stringify(event.raw), new library.RoomId(roomId), settings);
    // The library reports somebody else's device, but rejects it only when it is set to trust cross-signed devices alone.
    if (read.shieldState(false).code === library.ShieldStateCode.MismatchedSender)
      return { kind: "refused", reason: "sender_device_mismatch" };
    if (isReplayed(machine, event)) return { kind: "refused", reason: "it came before, under another id" };
    const plain = plainEvent.safeParse(JSON.parse(read.event));
    if (!plain.success) return { kind: "refused", reason: "its content is no event" };
    const { type, content } = plain.data;
    // Relations may stand outside the encrypted part, so that servers can count them.
    const outside = event.content["m.relates_to"];
    const isLacking = content["m.relates_to"] === undefined && outside !== undefined;
    return {
      kind: "read",
      event: { ...event, type, content: { ...content, ...(isLacking && { "m.relates_to": outside }) } },
    };
  } catch (error) {
    return failureOf(library, error);
  }
}

/** Only the sender's device can encrypt a message anew, so the same bytes are the same message. */
function isReplayed(machine: OlmMachine, { event_id: id, content }: RoomEvent): boolean {
  const known = firstIds.get(machine) ?? new BoundedMap(maxKnown);
  firstIds.set(machine, known);
  const bytes = Buffer.from(String(content.ciphertext), "base64");
  const key = createHash("sha256").update(bytes).digest("base64");
  const first = known.get(key) ?? id;
  known.set(key, first);
  return first !== id;
}

function failureOf(library: Library, error: unknown): Decryption {
  if (!(error instanceof library.MegolmDecryptionError)) return { kind: "refused", reason: "it is malformed" };
  const code = library.DecryptionErrorCode;
  switch (error.code) {
    case code.MissingRoomKey:
    case code.UnknownMessageIndex:
    case code.UnknownSenderDevice:
      return { kind: "missing" };
    default:
      return { kind: "refused", reason: code[error.code] ?? "unknown" };
  }
}

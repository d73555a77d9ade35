import type { Room } from "./rooms.ts";
import type { Content, RoomEvent, StateEvent, SyncAnswer } from "./wire.ts";

/** What became of an encrypted event. */
export type Decryption =
  | { readonly kind: "read"; readonly event: RoomEvent }
  /** Its key has not come yet. */
  | { readonly kind: "missing" }
  /** It can be read, but not believed; or it never can be read. `reason` is for operators. */
  | { readonly kind: "refused"; readonly reason: string }
  /** Encryption is switched off. */
  | { readonly kind: "off" };

/** An event as the homeserver gets it. */
export interface WireEvent {
  readonly type: string;
  readonly content: Content;
}

/** End-to-end encryption of one device. Methods throw only GatewayError. */
export interface RoomCrypto {
  /** Takes the keys out of a sync answer, before its events are read. */
  receive(answer: SyncAnswer, signal: AbortSignal): Promise<void>;
  /** A state event of a room. Once a room is encrypted it stays so, whatever the homeserver says later. */
  learn(roomId: string, event: StateEvent): Promise<void>;
  isEncrypted(roomId: string): Promise<boolean>;
  /** Never throws. */
  decrypt(roomId: string, event: RoomEvent, signal: AbortSignal): Promise<Decryption>;
  /** The event as it has to be posted there: encrypted for everybody in the room, if the room is. */
  toWire(room: Room, event: WireEvent, signal: AbortSignal): Promise<WireEvent>;
  /** Sends what the encryption owes the homeserver and stores all keys. */
  settle(signal: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

/** For accounts without encryption: everything goes out as it is, except into encrypted rooms. */
export const plainCrypto: RoomCrypto = {
  receive: async () => undefined,
  learn: async () => undefined,
  isEncrypted: async () => false,
  decrypt: async () => ({ kind: "off" }),
  toWire: async (_room, event) => event,
  settle: async () => undefined,
  close: async () => undefined,
};

import { intentBits, type Seer } from "./wire.ts";
import type { World } from "./world.ts";

interface Packet {
  readonly op: 0;
  readonly t: string;
  readonly s: number;
  readonly d: unknown;
}

/** The connection a session speaks through. */
export interface SessionSocket {
  send(packet: object): void;
  close(code: number, reason: string): void;
}

/** A session that was away for longer than this many events cannot be resumed. */
const keptPackets = 1_000;

/** What one client has been told, so that it can go on after a lost connection. */
export class GatewaySession {
  readonly id: string;
  readonly intents: number;
  readonly seer: Seer;
  socket: SessionSocket | undefined;
  readonly #kept: Packet[] = [];
  #sequence = 0;

  constructor(id: string, intents: number, world: World, url: string) {
    this.id = id;
    this.intents = intents;
    const seesContent = world.seesContent && (intents & intentBits.messageContent) !== 0;
    this.seer = { botId: world.bot.id, seesContent, url: url.replace(/^ws/, "http") };
  }

  push(name: string, data: unknown): void {
    this.#sequence += 1;
    const packet: Packet = { op: 0, t: name, s: this.#sequence, d: data };
    this.#kept.push(packet);
    if (this.#kept.length > keptPackets) this.#kept.shift();
    this.socket?.send(packet);
  }

  /** Sends everything after `sequence` again. False when that is not known any more, or never was. */
  replay(sequence: number): boolean {
    const oldest = this.#kept[0]?.s ?? 1;
    if (sequence > this.#sequence || sequence < oldest - 1) return false;
    for (const packet of this.#kept) if (packet.s > sequence) this.socket?.send(packet);
    this.push("RESUMED", { _trace: [] });
    return true;
  }
}

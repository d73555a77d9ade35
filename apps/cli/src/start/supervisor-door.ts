import { randomUUID } from "node:crypto";
import { connect, type Socket } from "node:net";
import { ownSocketPath } from "./home-lock.ts";

export type SupervisorOrder = "stop" | "restart";

/** What a `talaria start` says of itself to whoever calls at its data folder. */
export interface SupervisorState {
  /** Differs from start to start. */
  readonly id: string;
  readonly isReady: boolean;
}

/** A caller that says nothing more is hung up on. */
const callMs = 2_000;
const mostBytes = 200;

/** Answers callers at the data folder, which only its account can reach: says what runs, and passes their order on. */
export class SupervisorDoor {
  readonly #id = randomUUID();
  readonly #ordered: (order: SupervisorOrder) => void;
  isReady = false;

  constructor(ordered: (order: SupervisorOrder) => void) {
    this.#ordered = ordered;
  }

  answer(socket: Socket): void {
    let words = "";
    socket.on("error", () => undefined);
    socket.setTimeout(callMs, () => socket.destroy());
    socket.setEncoding("utf8").on("data", (part: string) => {
      words = (words + part).slice(0, mostBytes);
    });
    socket.once("end", () => {
      if (words === "stop\n" || words === "restart\n") this.#ordered(words.trimEnd() as SupervisorOrder);
    });
    socket.end(`talaria ${this.#id} ${this.isReady ? "ready" : "busy"}\n`);
  }
}

/**
 * Asks the `talaria start` of a data folder how it is, and gives it an order. `none`: nobody answers there; `mute`: one of a
 * release that takes no orders.
 */
export async function callSupervisor(dir: string, order?: SupervisorOrder): Promise<SupervisorState | "none" | "mute"> {
  const path = await ownSocketPath(dir);
  return await new Promise((resolve) => {
    let answer = "";
    let isConnected = false;
    const socket = connect({ path, allowHalfOpen: true });
    socket.setTimeout(callMs, () => socket.destroy());
    socket.on("error", () => undefined);
    socket.once("connect", () => {
      isConnected = true;
      socket.end(order === undefined ? "" : `${order}\n`);
    });
    socket.setEncoding("utf8").on("data", (part: string) => {
      answer = (answer + part).slice(0, mostBytes);
    });
    socket.once("close", () => {
      const [, id, state] = /^talaria ([\w-]{36}) (ready|busy)\n$/.exec(answer) ?? [];
      if (id !== undefined) resolve({ id, isReady: state === "ready" });
      else resolve(isConnected ? "mute" : "none");
    });
  });
}

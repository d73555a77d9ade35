import { setTimeout as sleep } from "node:timers/promises";
import { z } from "zod";

/** Pause before a gateway that does not answer is asked again. */
const retryMs = 250;
const requestMs = 5_000;

const historySchema = z.object({
  messages: z.array(
    z.object({
      id: z.string(),
      from: z.enum(["person", "agent"]),
      markdown: z.string(),
      turnId: z.string().optional(),
      outcome: z.string().optional(),
    }),
  ),
});

export type Line = z.output<typeof historySchema>["messages"][number];

/** The web chat's API as a patient reader uses it: a gateway that does not answer is asked again until it does. */
export class WebChat {
  readonly #url: string;
  readonly #token: string;

  constructor(url: string, token: string) {
    this.#url = url;
    this.#token = token;
  }

  /** Posts one message under an id of the caller; resolves with the event's id once the gateway has taken it. */
  async post(conversation: string, id: string, text: string, signal: AbortSignal): Promise<string> {
    const init = { method: "POST", body: JSON.stringify({ id, text }) };
    const answer = await this.#ask(`${conversation}/messages`, init, signal);
    return z.object({ eventId: z.string() }).parse(answer).eventId;
  }

  /** The newest 500 lines, oldest first. */
  async history(conversation: string, signal: AbortSignal): Promise<readonly Line[]> {
    return historySchema.parse(await this.#ask(`${conversation}/messages?limit=500`, {}, signal)).messages;
  }

  /** Throws when the gateway refuses, and the signal's reason when it is aborted. */
  async #ask(path: string, init: RequestInit, signal: AbortSignal): Promise<unknown> {
    for (;;) {
      signal.throwIfAborted();
      const response = await this.#fetch(path, init, signal);
      if (response?.ok) return await response.json().catch(() => undefined);
      if (response !== undefined && response.status < 500)
        throw new Error(`the gateway at ${this.#url} refuses (${response.status}): ${await response.text()}`);
      await sleep(retryMs, undefined, { signal }).catch(() => undefined);
    }
  }

  async #fetch(path: string, init: RequestInit, signal: AbortSignal): Promise<Response | undefined> {
    const headers = { authorization: `Bearer ${this.#token}` };
    try {
      const limited = AbortSignal.any([signal, AbortSignal.timeout(requestMs)]);
      return await fetch(`${this.#url}/api/conversations/${path}`, { ...init, headers, signal: limited });
    } catch {
      return undefined;
    }
  }
}

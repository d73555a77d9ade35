import { BoundedMap, patiently, RunningAccepts } from "@talaria/adapter-kit";
import type { Choice, Clock, Log, MessageId } from "@talaria/protocol";
import { RelationType } from "matrix-js-sdk/lib/@types/event.js";
import { choiceKeys, choicesOf } from "./choices.ts";
import { type MatrixClient, path } from "./client.ts";
import { readMessage } from "./content.ts";
import { type RoomEvent, read } from "./wire.ts";

export interface OfferedChoicesDeps {
  readonly client: MatrixClient;
  readonly clock: Clock;
  readonly log: Log;
  readonly selfId: string;
  /** Answers with the event as it is when it cannot be read. */
  readonly decrypt: (roomId: string, event: RoomEvent) => Promise<RoomEvent>;
  /** Whether a reaction counts as a press there; where it does not, none is put below a message. */
  readonly believes: (roomId: string) => Promise<boolean>;
  /** Aborted when the account stops. */
  readonly signal: AbortSignal;
}

/** Adds one reaction to a message and returns its id; undefined when it was there already. */
type React = (key: string, signal: AbortSignal) => Promise<MessageId | undefined>;
type Redact = (reactionId: MessageId, signal: AbortSignal) => Promise<void>;

/** Messages whose choices are known; others are asked for. */
const maxKnown = 1_000;
/** Messages whose reactions are still to be added. Beyond this number people choose by text. */
const maxWaiting = 100;

/**
 * Which choices our messages offer, and the reactions below them that people touch. The reactions come after the message, one
 * by one, and may be missing: the text names the choices, and a reaction of a person's own counts as well.
 */
export class OfferedChoices {
  readonly #deps: OfferedChoicesDeps;
  readonly #known = new BoundedMap<string, readonly Choice[]>(maxKnown);
  readonly #reactions = new BoundedMap<string, MessageId[]>(maxKnown);
  readonly #running = new RunningAccepts();
  #tail: Promise<void> = Promise.resolve();
  #waiting = 0;

  constructor(deps: OfferedChoicesDeps) {
    this.#deps = deps;
  }

  /** A message of ours offers these from now on; none, when it was edited without any. Returns at once. */
  set(
    roomId: string,
    messageId: string,
    choices: readonly Choice[],
    { react, redact }: { react: React; redact: Redact },
  ) {
    const key = keyOf(roomId, messageId);
    const before = this.#known.get(key) ?? [];
    this.#known.set(key, choices);
    const keys = choiceKeys.slice(0, choices.length);
    if (choices.length > 0) this.#later(() => this.#put(roomId, key, keys, react));
    else if (before.length > 0) this.#later(() => this.#takeAway(key, redact));
  }

  /** What a message of ours offers as it reads now; `original` is what it offered at first. Throws when the homeserver cannot be asked now. */
  async find(
    roomId: string,
    messageId: string,
    original: readonly Choice[],
    signal: AbortSignal,
  ): Promise<readonly Choice[]> {
    if (!(await this.#deps.believes(roomId))) return [];
    const key = keyOf(roomId, messageId);
    const known = this.#known.get(key);
    if (known !== undefined) return known;
    const edited = await this.#newestEdit(roomId, messageId, signal);
    const choices = edited === undefined ? original : choicesOf(edited);
    // We may have edited it while the homeserver was asked.
    if (!this.#known.has(key)) this.#known.set(key, choices);
    return this.#known.get(key) ?? choices;
  }

  /** Resolves when nothing is in progress. */
  close(): Promise<void> {
    return this.#running.idle();
  }

  /** The text of our newest edit of a message. Homeservers answer newest first (specification, relations). */
  async #newestEdit(roomId: string, messageId: string, signal: AbortSignal) {
    const { client, selfId, decrypt } = this.#deps;
    const where = path`/client/v1/rooms/${roomId}/relations/${messageId}/${RelationType.Replace}`;
    const answer = await client.call({ method: "GET", path: where, query: { limit: "10" } }, signal);
    const edit = read.relations(answer)?.chunk.events.find(({ sender }) => sender === selfId);
    return edit && readMessage((await decrypt(roomId, edit)).content)["m.new_content"];
  }

  #later(work: () => Promise<void>): void {
    if (this.#waiting >= maxWaiting) return;
    this.#waiting += 1;
    const { log } = this.#deps;
    this.#tail = this.#tail
      .then(work)
      .catch((error: unknown) => log.debug({ error }, "reactions for choices could not be changed"))
      .finally(() => {
        this.#waiting -= 1;
      });
    void this.#running.track(this.#tail);
  }

  async #put(roomId: string, key: string, keys: readonly string[], react: React): Promise<void> {
    if (!(await this.#deps.believes(roomId))) return;
    const own = this.#reactions.get(key) ?? [];
    this.#reactions.set(key, own);
    for (const one of keys.slice(own.length)) {
      // An edit may have taken the choices away meanwhile.
      if ((this.#known.get(key) ?? []).length === 0) return;
      const id = await this.#patiently((signal) => react(one, signal));
      if (id !== undefined) own.push(id);
    }
  }

  async #takeAway(key: string, redact: Redact): Promise<void> {
    const own = this.#reactions.get(key) ?? [];
    this.#reactions.delete(key);
    for (const id of own) await this.#patiently((signal) => redact(id, signal));
  }

  #patiently<T>(call: (signal: AbortSignal) => Promise<T>): Promise<T> {
    return patiently(call, this.#deps.clock, this.#deps.signal);
  }
}

function keyOf(roomId: string, messageId: string): string {
  return `${roomId} ${messageId}`;
}

import { BoundedMap } from "@talaria/adapter-kit";
import type { Conversation } from "@talaria/protocol";

export interface Reader {
  readonly userId: string;
  readonly teamId: string;
}

const keptThreads = 2_000;

/** For whom a growing answer in a thread is written: the person who wrote there last, since this process began. */
export class Readers {
  readonly #readers = new BoundedMap<string, Reader>(keptThreads);

  note(conversation: Conversation, reader: Reader): void {
    if (conversation.threadId !== undefined) this.#readers.set(keyOf(conversation), reader);
  }

  of(conversation: Conversation): Reader | undefined {
    return this.#readers.get(keyOf(conversation));
  }
}

function keyOf({ conversationId, threadId }: Conversation): string {
  return `${conversationId}/${threadId ?? ""}`;
}

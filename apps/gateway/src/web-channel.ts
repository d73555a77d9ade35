import type { WebChannel, WebLine, WebSignal } from "@talaria/adapter-web";
import { closedWords, waitingChoices } from "@talaria/delivery";
import type { AccountSignal, SignalBus } from "@talaria/queue";
import type { ChatLine, MediaLimits, MediaStore, OperationsStore } from "@talaria/store";
import { webAccountId } from "./account-policy.ts";

/** Connects the web chat's pages with the store and with the bus, so that it does not matter which gateway serves a page. */
export function createWebChannel(
  {
    operations,
    media,
  }: {
    readonly operations: Pick<OperationsStore, "conversation" | "stepCounts" | "steps">;
    readonly media: MediaStore;
  },
  bus: SignalBus,
  limits: MediaLimits,
): WebChannel & { receive(signal: AccountSignal): void } {
  const readers = new Set<(signal: WebSignal) => void>();
  const tell = (signal: WebSignal) => {
    for (const read of readers) read(signal);
  };
  return {
    async history(conversationId, limit, before) {
      return (await operations.conversation(webAccountId, conversationId, limit, before)).map(toLine);
    },
    stepCounts: (turnIds) => operations.stepCounts(turnIds),
    steps: (conversationId, turnId) => operations.steps(webAccountId, conversationId, turnId),
    keep: (content, claimedType, signal) => media.put(content, claimedType, limits, signal),
    announce: (conversationId) => bus.sent(webAccountId, conversationId),
    subscribe: (read) => {
      readers.add(read);
      return () => readers.delete(read);
    },
    receive: (signal) => {
      if (signal.type === "sent") tell(signal);
      else if (signal.type === "frames") for (const frame of signal.frames) tell({ type: "frame", frame });
    },
  };
}

function toLine({ outcomes = [], ...line }: ChatLine): WebLine {
  const words = closedWords(outcomes);
  if (words === undefined) return line;
  const { choices = [] } = line;
  const waiting = new Set(waitingChoices({ choices, outcomes }));
  const spent = choices.filter((choice) => !waiting.has(choice));
  return { ...line, closed: { words, choices: spent.map(({ id }) => id) } };
}

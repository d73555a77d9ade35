import type { SeenMessage } from "./seen-message.ts";

export type MessageTest = string | RegExp | ((message: SeenMessage) => boolean);

/** What is needed of a chat to wait in it. */
interface WatchedChat {
  messages(): readonly SeenMessage[];
  botMessages(): readonly SeenMessage[];
  onBotMessage(listener: (message: SeenMessage, change: "sent" | "edited" | "deleted") => void): () => void;
}

/** See `ChatView.waitForBotMessage`. */
export function waitForMessage(chat: WatchedChat, test: MessageTest, timeoutMs: number): Promise<SeenMessage> {
  const passes = toPredicate(test);
  const present = chat.botMessages().find(passes);
  if (present) return Promise.resolve(present);
  return new Promise((resolve, reject) => {
    const finish = (settle: () => void) => {
      clearTimeout(timer);
      unwatch();
      settle();
    };
    const unwatch = chat.onBotMessage((message, change) => {
      if (change === "deleted" || message.isService) return;
      try {
        if (passes(message)) finish(() => resolve(message));
      } catch (error) {
        finish(() => reject(error));
      }
    });
    const timer = setTimeout(() => {
      const wanted = typeof test === "function" ? "the awaited message" : JSON.stringify(String(test));
      finish(() =>
        reject(new Error(`${wanted} did not appear within ${timeoutMs} ms. The chat:\n${describeChat(chat)}`)),
      );
    }, timeoutMs);
  });
}

/** The last 20 messages, one per line. */
export function describeChat(chat: WatchedChat): string {
  const lines = chat
    .messages()
    .slice(-20)
    .map(({ id, byBot, from, text, edits, deleted, topic }) => {
      const marks = [topic && `topic ${topic}`, edits && `${edits} edits`, deleted && "deleted"].filter(Boolean);
      const suffix = marks.length > 0 ? ` (${marks.join(", ")})` : "";
      return `  ${id} ${byBot ? "bot" : from.first_name}: ${JSON.stringify(text.slice(0, 200))}${suffix}`;
    });
  return lines.length > 0 ? lines.join("\n") : "  (empty)";
}

function toPredicate(test: MessageTest): (message: SeenMessage) => boolean {
  if (typeof test === "function") return test;
  return typeof test === "string" ? ({ text }) => text.includes(test) : ({ text }) => text.search(test) >= 0;
}

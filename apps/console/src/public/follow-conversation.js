import { NotAllowedError } from "./api.js";

const pauses = { firstMs: 500, longestMs: 15_000, elsewhereMs: 5_000 };

/**
 * Reads the stream of a conversation, and after each break its history and the stream again, until it is aborted. `opened(history)` is
 * called before the first event, `event(name, data)` for each, `broken()` when the connection is lost. Throws `NotAllowedError` when the
 * gateway does not know the token.
 */
export async function followConversation(api, { id }, { opened, event, broken }, aborted) {
  let pauseMs = pauses.firstMs;
  const open = async () => {
    opened(await api.history({ id }, aborted));
    pauseMs = pauses.firstMs;
  };
  while (!aborted.aborted) {
    try {
      await api.stream(id, aborted, { open, event });
    } catch (error) {
      if (error instanceof NotAllowedError) throw error;
    }
    if (aborted.aborted) return;
    broken();
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
    pauseMs = Math.min(pauseMs * 2, pauses.longestMs);
  }
}

/** Reads the history of a conversation of another platform again and again, as `followConversation` does: there is no stream of it. */
export async function followElsewhere(api, shown, { opened, broken }, aborted) {
  while (!aborted.aborted) {
    try {
      opened(await api.history(shown, aborted));
    } catch (error) {
      if (error instanceof NotAllowedError) throw error;
      broken();
    }
    await new Promise((resolve) => setTimeout(resolve, pauses.elsewhereMs));
  }
}

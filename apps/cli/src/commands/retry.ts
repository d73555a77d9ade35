import { brandAs, type SessionKey } from "@talaria/protocol";
import { withStore } from "../open-store.ts";
import { shownWord } from "../shown-word.ts";
import { nothingToRetry } from "./nothing-to-retry.ts";

/**
 * `talaria retry <session>`: a session that was given up tries again with the messages that were dropped then, and its answers
 * that were given up on their way out are sent again.
 */
export function retry(options: Record<string, string | boolean | undefined>, key = ""): Promise<void> {
  return withStore(options, async ({ operations }) => {
    const sessionKey = brandAs<SessionKey>(key);
    const session = await operations.session(sessionKey);
    if (session === undefined)
      throw new Error(`there is no session ${shownWord(key)}; \`talaria status\` lists those given up`);
    const restored = await operations.retrySetAside(sessionKey);
    const texts = await operations.retryUndelivered(sessionKey);
    if (texts > 0) console.log(`${texts} ${texts === 1 ? "answer is" : "answers are"} sent again within seconds`);
    if (restored > 0)
      console.log(
        `${restored} ${restored === 1 ? "message waits" : "messages wait"} again; a worker answers within seconds`,
      );
    if (texts + restored === 0) console.log(nothingToRetry(session));
  });
}

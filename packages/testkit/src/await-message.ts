import { setTimeout as delay } from "node:timers/promises";

/**
 * The first of the bot's messages whose text contains `test` or matches it, now or within `timeoutMs`. Otherwise throws an
 * error that quotes what the bot said instead.
 */
export async function awaitMessage<M extends { readonly text: string }>(
  botMessages: () => readonly M[],
  test: string | RegExp,
  timeoutMs: number,
): Promise<M> {
  const passes = ({ text }: M) => (typeof test === "string" ? text.includes(test) : text.search(test) >= 0);
  for (const end = performance.now() + timeoutMs; ; await delay(10)) {
    const found = botMessages().find(passes);
    if (found !== undefined) return found;
    if (performance.now() < end) continue;
    const said = botMessages().map(({ text }) => `  ${JSON.stringify(text.slice(0, 200))}`);
    throw new Error(
      `${JSON.stringify(String(test))} did not appear within ${timeoutMs} ms. The bot said:\n${said.join("\n")}`,
    );
  }
}

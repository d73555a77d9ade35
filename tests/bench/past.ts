import { type AccountId, brandAs, type Conversation, type ConversationId, type UserId } from "@talaria/protocol";
import { startEmbeddedStore } from "./embedded-store.ts";
import type { Figure } from "./main.ts";
import { fillPast, wordAt } from "./past-rows.ts";
import { describeMs } from "./statistics.ts";

/** Lines that were said; one in ten is of the person who searches. */
const rows = Number(process.env.TALARIA_BENCH_ROWS ?? 100_000);
const unread = Math.min(20_000, rows / 2);
const vocabulary = 20_000;
const searches = 200;
const never = new AbortController().signal;

/** How long a search of what was said before takes, by a person of whom a tenth of all lines is. */
export async function past(): Promise<readonly Figure[]> {
  await using bench = await startEmbeddedStore(4);
  const { search } = bench.store;
  await search.catchUp(never);
  await fillPast(bench.client, { rows, unread, vocabulary });
  const began = performance.now();
  await search.catchUp(never);
  const readMs = performance.now() - began;
  await bench.client.query("analyze");
  const conversation: Conversation = {
    ...{ accountId: brandAs<AccountId>("bench"), platform: "loopback", kind: "direct" },
    conversationId: brandAs<ConversationId>("own-1"),
  };
  const asker = { conversation, userId: brandAs<UserId>("own"), hasPrivateThreads: false };
  const find = async (text: string) => {
    const from = performance.now();
    const { hits } = await search.find({ text, limit: 10, chars: 500 }, asker);
    return { ms: performance.now() - from, hits: hits.length };
  };
  const kinds: Readonly<Record<string, (n: number) => string>> = {
    "a rare word": (n) => wordAt(vocabulary / 2 + n),
    "three words, one of them said often": (n) => [n % 10, 2_000 + n, 9_000 + n].map(wordAt).join(" "),
    "two words that are said often": (n) => [n % 10, 10 + (n % 20)].map(wordAt).join(" "),
  };
  const figures: Figure[] = [];
  for (const [what, textOf] of Object.entries(kinds)) {
    for (let n = 0; n < 10; n += 1) await find(textOf(n));
    const found = [];
    for (let n = 0; n < searches; n += 1) found.push(await find(textOf(n)));
    const some = found.filter(({ hits }) => hits > 0).length;
    figures.push({
      measure: `a search of ${rows} lines, ${rows / 10} of them one's own: ${what}`,
      reach: "p95 50 ms",
      value: `${describeMs(found.map(({ ms }) => ms))}, ${some} with hits`,
    });
  }
  return [
    ...figures,
    {
      measure: "lines that are read for searches",
      reach: "",
      value: `${Math.round((unread / readMs) * 1_000)} a second`,
    },
  ];
}

/** So much of the words of two messages that differ only in a few. */
const alikeShare = 0.85;
/** Short ones are the same only when they are equal: two dates differ in one word. */
const leastWords = 8;

/** Without those that say nearly the same as one before them. Keeps the order, and looks at few: callers bound the list. */
export function dropAlike<Item>(items: readonly Item[], wordsOf: (item: Item) => readonly string[]): readonly Item[] {
  const kept: { readonly item: Item; readonly words: ReadonlySet<string> }[] = [];
  for (const item of items) {
    const words = new Set(wordsOf(item));
    if (!kept.some((other) => areAlike(words, other.words))) kept.push({ item, words });
  }
  return kept.map(({ item }) => item);
}

function areAlike(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  const shared = [...one].filter((word) => other.has(word)).length;
  const all = one.size + other.size - shared;
  if (all === 0) return false;
  return Math.min(one.size, other.size) < leastWords ? shared === all : shared / all >= alikeShare;
}

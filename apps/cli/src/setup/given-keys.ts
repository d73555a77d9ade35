import { shownWord } from "../shown-word.ts";
/** `--set key=value`, with commas between several: answers, and keys that no question asks for, such as `apiRoot`. */
export function givenKeys({
  set,
}: Readonly<Record<string, string | boolean | undefined>>): ReadonlyMap<string, string> {
  const pairs = typeof set === "string" && set !== "" ? set.split(",") : [];
  return new Map(
    pairs.map((pair) => {
      const [, key, value] = /^([\w.]+)=(.*)$/s.exec(pair) ?? [];
      if (key === undefined || value === undefined) throw new Error(`--set ${shownWord(pair)}: expected key=value`);
      return [key, value];
    }),
  );
}

/** A number, yes or no as such, and anything else as the text that it is. */
export function plainValue(text: string): unknown {
  return /^(?:\d+|true|false)$/.test(text) ? JSON.parse(text) : text;
}

import { codeLine, fenced, type ShownMarks, shownText } from "@talaria/policy";
import type { OpenCall } from "@talaria/store";
import { askedText, type CallLanguage, wholeText } from "./asked-text.ts";
import { inLines } from "./marks.ts";

/** Characters of the calls of one list, and at least of each. */
const mostOfList = 3_600;
const leastOfEach = 300;
/** Characters of a command in a list. */
const mostOfCommand = 200;

/** With what its question shows. */
interface Listed extends Pick<OpenCall, "id" | "shown"> {
  readonly words?: OpenCall["words"] | undefined;
}

/** What a language says of calls in a list. */
export interface ListLanguage extends CallLanguage {
  /** Says below a call that so many characters of it are not shown, and how whoever knows its number sees them. */
  readonly cutNote: (leftOut: number, id: string | undefined) => string;
}

/**
 * Calls that wait for somebody's approval, each as its question shows it. Where several are too long for one list, each long one is
 * cut, and says so and how to see all of it; one alone never is. `about` and `how` stand before and behind what is shown.
 */
export function listedCalls<Call extends Listed>(
  calls: readonly Call[],
  language: ListLanguage,
  { about = () => "", how = () => "" }: { about?: (call: Call) => string; how?: (call: Call) => string } = {},
): string {
  const most = calls.length < 2 ? Number.POSITIVE_INFINITY : Math.max(leastOfEach, mostOfList / calls.length);
  return inLines(
    calls.map((call) => {
      const [shown, after] = [cutCall(call, most, language), how(call)];
      const between = after === "" ? "" : shown.includes("\n") ? "\n\n" : " ";
      return `- \`${call.id}\`${about(call)}: ${shown}${between}${after}`;
    }),
  );
}

/** A command as it is, without anything invisible: in its line, or as a block where it has several, or is cut. */
export function shownCommand(command: string, marks: ShownMarks): { readonly text: string; readonly isBlock: boolean } {
  const { text } = shownText(command, marks, mostOfCommand);
  if (text.includes("\n")) return { text: fenced(text), isBlock: true };
  return { text: codeLine(text), isBlock: false };
}

/** Calls that nobody has decided about, with what they would have done. */
export function undecidedCalls(calls: readonly Omit<Listed, "id">[], language: ListLanguage): string {
  const most = calls.length < 2 ? Number.POSITIVE_INFINITY : Math.max(leastOfEach, mostOfList / calls.length);
  return inLines(calls.map((one) => `${calls.length < 2 ? "" : "- "}${cutCall(one, most, language)}`));
}

function cutCall({ id, ...call }: Omit<Listed, "id"> & Partial<Listed>, most: number, language: ListLanguage): string {
  const whole = wholeText(call, language);
  if (whole.length <= most) return whole;
  if (call.words !== undefined) {
    const { text, leftOut } = askedText(call, language, most);
    return leftOut === 0 ? text : `${text}\n\n${language.cutNote(leftOut, id)}`;
  }
  const head = whole
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(/\n`*$/, "");
  return `${head}${openFence(head, whole)}\n\n${language.cutNote(whole.length - head.length, id)}`;
}

/** What ends the block in which a text was cut. */
function openFence(head: string, shown: string): string {
  const fence = /^`{3,}$/m.exec(shown)?.[0];
  const isOpen = fence !== undefined && head.split("\n").filter((line) => line === fence).length === 1;
  return isOpen ? `\n${fence}` : "";
}

import { fenced, shownText } from "@talaria/policy";

/** Characters of the calls of one list, and at least of each. */
const mostOfList = 3_600;
const leastOfEach = 300;
/** Characters of a command in a list. */
const mostOfCommand = 200;

interface Listed {
  readonly id: string;
  /** What its question shows: the rule's words, and below them the call as a block. */
  readonly shown: string;
}

/**
 * Calls that wait for somebody's approval, each as its question shows it. Where several are too long for one list, each long one is
 * cut, and says so and how to see all of it; one alone never is. `about` and `how` stand before and behind what is shown.
 */
export function listedCalls<Call extends Listed>(
  calls: readonly Call[],
  { about = () => "", how = () => "" }: { about?: (call: Call) => string; how?: (call: Call) => string } = {},
): string {
  const most = calls.length < 2 ? Number.POSITIVE_INFINITY : Math.max(leastOfEach, mostOfList / calls.length);
  return inLines(
    calls.map((call) => {
      const [shown, after] = [cutCall(call, most), how(call)];
      const between = after === "" ? "" : shown.includes("\n") ? "\n\n" : " ";
      return `- \`${call.id}\`${about(call)}: ${shown}${between}${after}`;
    }),
  );
}

/** Items of a list, apart where one has several paragraphs. */
export function inLines(items: readonly string[]): string {
  return items.join(items.some((item) => item.includes("\n")) ? "\n\n" : "\n");
}

/** A command as it is, without anything invisible: in its line, or as a block where it has several, or is cut. */
export function shownCommand(command: string): { readonly text: string; readonly isBlock: boolean } {
  const { text } = shownText(command, mostOfCommand);
  if (text.includes("\n")) return { text: fenced(text), isBlock: true };
  const longest = (text.match(/`+/g) ?? []).reduce((most, { length }) => Math.max(most, length), 0);
  const ticks = "`".repeat(longest + 1);
  const pad = /^`|`$|^ .* $/.test(text) ? " " : "";
  return { text: `${ticks}${pad}${text}${pad}${ticks}`, isBlock: false };
}

/** Calls that nobody has decided about, with what they would have done. */
export function undecidedCalls(shown: readonly string[]): string {
  const most = shown.length < 2 ? Number.POSITIVE_INFINITY : Math.max(leastOfEach, mostOfList / shown.length);
  return inLines(shown.map((one) => `${shown.length < 2 ? "" : "- "}${cutCall({ shown: one }, most)}`));
}

function cutCall({ id, shown }: Pick<Listed, "shown"> & Partial<Listed>, most: number): string {
  if (shown.length <= most) return shown;
  const head = shown
    .slice(0, most)
    .replace(/[\ud800-\udbff]$/, "")
    .replace(/\n`*$/, "");
  const leftOut = (shown.length - head.length).toLocaleString("en");
  const remedy = id === undefined ? "" : ` \`/approvals ${id}\` shows all.`;
  return `${head}${openFence(head, shown)}\n\n[Cut: ${leftOut} characters are not shown.${remedy}]`;
}

/** What ends the block in which a text was cut. */
function openFence(head: string, shown: string): string {
  const fence = /^`{3,}$/m.exec(shown)?.[0];
  const isOpen = fence !== undefined && head.split("\n").filter((line) => line === fence).length === 1;
  return isOpen ? `\n${fence}` : "";
}

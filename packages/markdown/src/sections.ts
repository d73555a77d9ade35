import { ListItems } from "./list-items.ts";

/** Documents of which a part may change what another part means, or whose lines end in an unexpected way. */
const entangled = /\]:|[\r\0]/;
const fenceStart = /^( {0,3})(`{3,}|~{3,})(.*)$/s;
const blank = /^[ \t]*$/;
/** Lists continue after blank lines. An indented line may belong to what precedes it. */
const mayContinue = /^(?:\s|[-+*](?:\s|$)|\d{1,9}[.)](?:\s|$))/;

export interface Section {
  readonly start: number;
  /** Starts with the next item of the list that makes up the section before. */
  readonly isItem: boolean;
}

/**
 * Where a document can be taken apart: parsing the sections one by one, and joining the lists of items, gives the blocks
 * that parsing it whole gives. A section starts after empty lines, with a line that continues nothing or with an item of a
 * list. Reads the text once; where it is uncertain, there is no boundary.
 */
export function sectionsIn(markdown: string): readonly Section[] {
  const sections = [{ start: 0, isItem: false }];
  if (entangled.test(markdown)) return sections;
  const state: State = { fence: undefined, gap: undefined };
  let items = new ListItems();
  for (let from = 0; from < markdown.length; ) {
    const end = endOfLine(markdown, from);
    const line = markdown.slice(from, end);
    const isBoundary = state.gap === true && !mayContinue.test(line) && line !== "";
    if (isBoundary) items = new ListItems();
    const isItem = state.fence === undefined && items.isNext(line, from === 0 || state.gap === true);
    if (!isSureBehind(line, state)) return sections;
    if (isBoundary || isItem) sections.push({ start: from, isItem });
    from = end + 1;
  }
  return sections;
}

interface State {
  /** The marker of the fence that is open. */
  fence: string | undefined;
  /** True after nothing but empty lines, false if some hold blanks; undefined after text. */
  gap: boolean | undefined;
}

/** Reads a line. False if from here on it is uncertain what belongs together. */
function isSureBehind(line: string, state: State): boolean {
  if (state.fence !== undefined) {
    if (closes(line, state.fence)) state.fence = undefined;
  } else if (blank.test(line)) {
    // Blanks may belong to a fence that a list leaves open.
    state.gap = line === "" && state.gap !== false;
    return true;
  } else {
    const [, indent = "", marker = "", info = ""] = fenceStart.exec(line) ?? [];
    const isFence = marker !== "" && !(marker.startsWith("`") && info.includes("`"));
    // An indented fence may belong to a list, and end with it.
    if (isFence && indent !== "") return false;
    if (isFence) state.fence = marker;
  }
  state.gap = undefined;
  return true;
}

function endOfLine(text: string, from: number): number {
  const end = text.indexOf("\n", from);
  return end === -1 ? text.length : end;
}

function closes(line: string, fence: string): boolean {
  const [, , marker = "", rest = ""] = fenceStart.exec(line) ?? [];
  return marker.startsWith(fence) && blank.test(rest);
}

import type { Nodes, Root, RootContent } from "mdast";
import { isKnown, moved, treeOf } from "./known-sections.ts";
import { isCostly, maxNesting } from "./parse-cost.ts";
import { parseWhole } from "./parse-whole.ts";
import { plainParagraphs } from "./plain-paragraphs.ts";
import { sectionsIn } from "./sections.ts";
import type { Steps } from "./steps.ts";

/**
 * Reads GitHub-flavoured Markdown into an mdast tree of at most `maxNesting` levels of containers.
 * Never throws and never takes long: a text that would be costly to parse comes back as paragraphs of plain text, with
 * all its characters. Nodes of parsed texts carry source offsets; those of plain texts do not. Recently parsed sections are
 * remembered: a text that grew or was cut costs only its new sections. Do not rely on whether a list is `spread`.
 */
export function parseMarkdown(markdown: string): Root {
  if (isCostly(markdown)) return plainParagraphs(markdown);
  const root = parseSections(markdown);
  return isDeep(root) ? plainParagraphs(markdown) : root;
}

/** Parses the sections of a text one by one, so that `parseMarkdown` finds them remembered. */
export function* parseAhead(markdown: string): Steps<void> {
  if (isCostly(markdown)) return;
  for (const { text } of sectionsOf(markdown)) {
    if (isKnown(text)) continue;
    yield text.length;
    treeOf(text, parseWhole);
  }
}

/** Each without the line feed that precedes the next. */
function sectionsOf(markdown: string): readonly { readonly text: string; readonly isItem: boolean }[] {
  const sections = sectionsIn(markdown);
  return sections.map(({ start, isItem }, index) => {
    const next = sections[index + 1];
    return { text: markdown.slice(start, next === undefined ? undefined : next.start - 1), isItem };
  });
}

function parseSections(markdown: string): Root {
  const children: Root["children"] = [];
  let offset = 0;
  let line = 0;
  let end = { line: 1, column: 1, offset: 0 };
  for (const { text, isItem } of sectionsOf(markdown)) {
    const tree = treeOf(text, parseWhole);
    const nodes = tree.children.map((node) => moved(node, offset, line));
    if (!isItem) children.push(...nodes);
    else if (!areJoined(children.at(-1), nodes)) return parseWhole(markdown);
    if (tree.position !== undefined) {
      const last = tree.position.end;
      end = { line: last.line + line, column: last.column, offset: (last.offset ?? 0) + offset };
      line += last.line;
    }
    offset += text.length + 1;
  }
  return { type: "root", children, position: { start: { line: 1, column: 1, offset: 0 }, end } };
}

/** Moves the items of the first node into the list; the nodes after it are never part of that list. */
function areJoined(list: RootContent | undefined, nodes: readonly RootContent[]): boolean {
  const [more] = nodes;
  if (list?.type !== "list" || more?.type !== "list" || nodes.length > 1 || more.ordered !== list.ordered) return false;
  list.children.push(...more.children);
  if (list.position !== undefined && more.position !== undefined)
    list.position = { start: list.position.start, end: more.position.end };
  return true;
}

interface Level {
  readonly node: Nodes;
  readonly depth: number;
}

/** Walks without recursion, because a tree may be too deep for it. */
function isDeep(root: Root): boolean {
  const waiting: Level[] = [{ node: root, depth: 0 }];
  for (let level = waiting.pop(); level !== undefined; level = waiting.pop()) {
    const { node, depth } = level;
    if (depth > 2 * maxNesting) return true;
    if (!("children" in node)) continue;
    for (const child of node.children) waiting.push({ node: child, depth: depth + 1 });
  }
  return false;
}

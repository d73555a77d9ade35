import type { Nodes, PhrasingContent, Root, RootContent } from "mdast";

export { closeMarkdown, tailThatFits } from "./close-markdown.ts";
export type { Cell, Dialect, Image, Link, List, ListItem, Place, Table } from "./dialect.ts";
export { layOutTable, type TableLayout } from "./lay-out-table.ts";
export { parseMarkdown } from "./parse-markdown.ts";
export { blockGap, itemMark, listLines, plainText, stringPieces } from "./plain-text.ts";
export { renderMarkdown } from "./render-markdown.ts";
export { type Measure, Ruler } from "./ruler.ts";
export { type FirstChunk, splitMarkdown, takeChunk } from "./split-markdown.ts";
export { inTurns, type Steps } from "./steps.ts";
export { visibleText } from "./visible-text.ts";
export type { Nodes, PhrasingContent, Root, RootContent };

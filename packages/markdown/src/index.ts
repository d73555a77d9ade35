import type { Nodes, PhrasingContent, Root, RootContent } from "mdast";

export { addressBeside, readableAddress } from "./address-beside.ts";
export type { Cell, Dialect, Image, Link, List, ListItem, Place, Table } from "./dialect.ts";
export { layOutTable, type TableLayout } from "./lay-out-table.ts";
export { blockGap, itemMark, plainText, stringPieces } from "./plain-text.ts";
export { readable } from "./readable.ts";
export { renderMarkdown } from "./render-markdown.ts";
export { type Measure, Ruler } from "./ruler.ts";
export { cooperatively, type Steps } from "./steps.ts";
export { tailThatFits } from "./tail-that-fits.ts";
export { type FirstChunk, takeChunk } from "./take-chunk.ts";
export { directionOf } from "./text-order.ts";
export { toCommonMarkdown } from "./to-common-markdown.ts";
export { visibleText } from "./visible-text.ts";
export type { Nodes, PhrasingContent, Root, RootContent };

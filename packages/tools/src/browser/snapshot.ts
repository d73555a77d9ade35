import { GatewayError } from "@talaria/protocol";
import type { Page } from "playwright-core";
import { readTree, type SnapshotElement } from "./snapshot-tree.ts";

/** More elements than this take too long to describe one by one: their text is read instead. */
const mostElements = 20_000;
const mostDepth = 80;
const mostTextChars = 200_000;
const mostFrames = 10;

/** A page as it was at one moment, in lines for the model. */
export interface Snapshot {
  /** Without what follows `#`. */
  readonly url: string;
  readonly title: string;
  readonly lines: readonly string[];
  /** By reference; only those that stand in the lines. */
  readonly elements: ReadonlyMap<string, SnapshotElement>;
  /** Addresses of embedded pages, by the beginning of their references: `f1`. */
  readonly frames: ReadonlyMap<string, string>;
  /** What the model should know of it. */
  readonly notes: readonly string[];
}

/**
 * Describes the page by its accessibility tree: what people see or hear of it, each element that can be used with a reference such as
 * `e3` or, of an embedded page, `f1e3`. References hold while the element keeps its role and name.
 */
export async function takeSnapshot(page: Page, signal: AbortSignal): Promise<Snapshot> {
  const url = pageAddress(page);
  const title = (await page.title()).replace(/\s+/g, " ").trim().slice(0, 300);
  const count = await page.locator("*").count();
  if (count > mostElements) {
    const note = `the page has ${count} elements, too many to describe: this is the beginning of its text, without references`;
    return { url, title, lines: await textOf(page), elements: new Map(), frames: new Map(), notes: [note] };
  }
  const tree = await page.ariaSnapshotJSON({ mode: "ai", depth: mostDepth, signal });
  const { lines, elements, isCut } = readTree(tree, url);
  const frames = await framesOf(page, elements);
  const notes = isCut ? ["the page is too long: its end is left out"] : [];
  return { url, title, lines, elements, frames, notes };
}

/** Throws `not_found` where nothing is open that an address leads to. */
export function pageAddress(page: Page): string {
  const address = plainAddress(page.url());
  if (address !== undefined) return address;
  throw new GatewayError("no page is open; open one with browser_open", { code: "not_found", effect: "none" });
}

/** Without what follows `#`; undefined for what is no page of the web. */
export function plainAddress(text: string): string | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  url.hash = "";
  return ["http:", "https:"].includes(url.protocol) ? url.href : undefined;
}

async function framesOf(
  page: Page,
  elements: ReadonlyMap<string, SnapshotElement>,
): Promise<ReadonlyMap<string, string>> {
  const firsts = new Map<string, string>();
  for (const ref of elements.keys()) {
    const frame = frameOf(ref);
    if (frame !== undefined && !firsts.has(frame) && firsts.size < mostFrames) firsts.set(frame, ref);
  }
  const frames = new Map<string, string>();
  for (const [name, ref] of firsts) {
    const element = await page.getByRef(ref).elementHandle();
    let frame = await element?.ownerFrame();
    await element?.dispose();
    // A frame whose page stands in the page around it belongs to that one.
    while (frame && plainAddress(frame.url()) === undefined) frame = frame.parentFrame();
    const address = frame && plainAddress(frame.url());
    if (address) frames.set(name, address);
  }
  return frames;
}

/** `f1` of `f1e3`; undefined for elements of the page itself. */
export function frameOf(ref: string): string | undefined {
  return /^(f\d+)e\d+$/.exec(ref)?.[1];
}

async function textOf(page: Page): Promise<readonly string[]> {
  const text = await page.locator("body").evaluate(visibleText, mostTextChars);
  const lines = String(text).slice(0, mostTextChars).split("\n");
  return lines.map((line) => line.replace(/\s+/g, " ").trim()).filter((line) => line !== "");
}

/** What the function below needs of the page's document. */
interface PageElement {
  readonly ownerDocument: { createTreeWalker(root: unknown, show: number): { nextNode(): PageText | null } };
}

interface PageText {
  readonly nodeValue: string | null;
  readonly parentElement: { checkVisibility(): boolean } | null;
}

/** Runs in the page, so it uses nothing from outside. */
function visibleText(body: PageElement, most: number): string {
  const textNodes = 4;
  const walker = body.ownerDocument.createTreeWalker(body, textNodes);
  const pieces: string[] = [];
  let length = 0;
  for (let node = walker.nextNode(); node !== null && length < most; node = walker.nextNode()) {
    const text = node.nodeValue?.trim() ?? "";
    if (text === "" || node.parentElement?.checkVisibility() !== true) continue;
    pieces.push(text);
    length += text.length + 1;
  }
  return pieces.join("\n");
}

import { counted } from "../counted.ts";
import type { DocumentQuery, DocumentRead } from "../document-messages.ts";
import { LineSink } from "./line-sink.ts";
import type { OpenDocument } from "./open-document.ts";
import { Refusal } from "./refusal.ts";

/** So many parts are shown by one call at most: a thousand of them may be empty. */
const mostParts = 100;
const longestFact = 2_000;

/** What a call asks for: parts one after the other until there is no more room. A sheet that was named stands alone. */
export async function answer(document: OpenDocument, query: DocumentQuery): Promise<DocumentRead> {
  const { format, unit, count, facts } = document;
  const start = startOf(document, query.page);
  const shown: DocumentRead["shown"][number][] = [];
  let next: DocumentRead["next"];
  let room = { lines: query.mostLines, chars: query.mostChars };
  for (let index = start; index < count; index += 1) {
    const first = index === start ? query.line : 1;
    const sink = new LineSink({ first, most: room.lines, mostChars: room.chars });
    await document.read(index, sink);
    sink.endLine();
    if (first > 1 && sink.lines.length === 0) throw new Refusal(noLine(document, index, first, sink.count));
    room = { lines: room.lines - sink.lines.length, chars: room.chars - sink.chars };
    const name = document.nameOf?.(index);
    shown.push({ number: index + 1, ...(name && { name }), first, lines: sink.lines, isCut: sink.isFull });
    if (sink.isFull) {
      next = { page: index + 1, line: first + sink.lines.length };
      break;
    }
    const isEnough = room.lines <= 0 || room.chars <= 0 || shown.length >= mostParts;
    if (!isEnough && !(unit === "sheet" && query.page !== undefined)) continue;
    if (index + 1 < count) next = { page: index + 2, line: 1 };
    break;
  }
  const told = facts.map((fact) => fact.slice(0, longestFact).replace(/\s+/g, " ").toWellFormed());
  return { type: "read", format, unit, count, facts: told, shown, ...(next && { next }) };
}

function startOf(document: OpenDocument, page: string | undefined): number {
  const { count, unit } = document;
  if (page === undefined) return 0;
  const wanted = byName(document, page);
  if (wanted !== undefined && wanted >= 0 && wanted < Math.max(1, count)) return wanted;
  const what = unit === "text" ? "it has no pages: leave page out" : `it has ${counted(count, unit)}`;
  throw new Refusal(`there is no ${unit === "text" ? "page" : unit} ${page.slice(0, 100)}: ${what}`);
}

function byName(document: OpenDocument, name: string): number | undefined {
  const names = Array.from({ length: document.count }, (_, index) => document.nameOf?.(index) ?? "");
  const exact = names.indexOf(name);
  if (exact !== -1) return exact;
  const like = names.findIndex((one) => one.toLowerCase() === name.toLowerCase());
  if (like !== -1) return like;
  return /^\d{1,9}$/.test(name) ? Number(name) - 1 : undefined;
}

function noLine({ unit }: OpenDocument, index: number, line: number, count: number): string {
  const where = unit === "text" ? "it" : `${unit} ${index + 1}`;
  return `there is no line ${line}: ${where} has ${counted(count, "line")}`;
}

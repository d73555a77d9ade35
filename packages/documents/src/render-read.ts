import { counted } from "./counted.ts";
import type { DocumentRead } from "./document-messages.ts";

/** For the model: what there is, what of it is shown and how to go on, then the text. */
export function renderRead(name: string, read: DocumentRead): string {
  const { format, unit, count, facts, shown } = read;
  const size = unit === "text" ? "" : `, ${counted(count, unit)}`;
  const head = [`${name}: ${format}${size}`, ...facts, shownLine(read)];
  const text = shown.map((part) => {
    const lines = part.lines.length === 0 ? "(empty)" : part.lines.join("\n");
    if (unit === "text") return lines;
    const title = part.name === undefined ? "" : ` "${part.name.replace(/\s+/g, " ").slice(0, 200)}"`;
    const from = part.first > 1 ? `, from line ${part.first} on` : "";
    return `--- ${unit} ${part.number}${title}${from} ---\n${lines}`;
  });
  return `${head.filter((line) => line !== "").join("\n")}\n\n${text.join("\n\n")}`;
}

function shownLine({ unit, count, shown, next }: DocumentRead): string {
  const [first, last] = [shown[0], shown.at(-1)];
  if (first === undefined || last === undefined) return "It is empty.";
  const lines = `lines ${last.first} to ${last.first + last.lines.length - 1}`;
  const isPart = last.first > 1 || last.isCut;
  if (unit === "text") return next === undefined && !isPart ? "" : `${lines}${isLast(next)}${goOn(unit, next)}`;
  const range = first.number === last.number ? `${unit} ${first.number}` : `${unit}s ${first.number} to ${last.number}`;
  const within = isPart ? `, ${first === last ? "" : `of ${unit} ${last.number} `}${lines}` : "";
  return `${range} of ${count}${within}${goOn(unit, next)}`;
}

function isLast(next: DocumentRead["next"]): string {
  return next === undefined ? " (the last)" : "";
}

function goOn(unit: DocumentRead["unit"], next: DocumentRead["next"]): string {
  if (next === undefined) return "";
  const page = unit === "text" ? "" : `page ${next.page}`;
  const line = next.line > 1 ? `offset ${next.line}` : "";
  return `; go on with ${[page, line].filter((part) => part !== "").join(", ")}`;
}

import { cutEnd, plainText } from "@talaria/agent";
import { label } from "../untrusted.ts";
import { expectation } from "./field-answer.ts";
import type { FieldValue, FormField, Option } from "./form-fields.ts";

const mostChars = { message: 1_000, description: 300, value: 200, url: 2_000 } as const;

/** The server and its tool that is being called. */
export interface AskingTool {
  readonly server: string;
  readonly nameThere: string;
}

/*
 * What people read of a form. The server's words stand in blocks of code: there nothing is a link, a heading or a name that notifies
 * somebody, and everybody sees where they begin and end.
 */

/** Who asks, and in which words. `of`: how many questions there are. */
export function introduction({ server, nameThere }: AskingTool, message: string): string {
  const who = `**The MCP server ${code(server)} asks**, while I call ${code(nameThere)}. These are its words:`;
  return `${who}\n\n${block(message, mostChars.message)}\n\nYour answer goes to this server.`;
}

export function nextOf({ server }: AskingTool, n: number, all: number): string {
  return `**The MCP server ${code(server)} asks**, ${n} of ${all}:`;
}

export function fieldText(field: FormField, problem?: string): string {
  const { title, description } = field;
  const isListed = field.kind === "several" || (field.kind === "choice" && field.options.length > mostButtons);
  const options = isListed ? listed(field.options) : "";
  const words = [label(title), cutEnd(description, mostChars.description)].filter((part) => part !== "").join("\n");
  const expected =
    isListed && field.kind === "choice"
      ? `Write the number of an option${field.options.length > mostListed ? ", or its name" : ""}.`
      : expectation(field);
  const parts = [
    problem === undefined ? "" : `That can't be sent: ${problem}`,
    block(words, 1_000),
    options === "" ? "" : block(options, 12_000),
    expected,
    field.suggested === undefined ? "" : `It suggests ${code(shownValue(field, field.suggested))}.`,
    field.isRequired ? "" : "You may leave it out.",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

/** Options that are buttons; more are a list. */
export const mostButtons = 20;
/** More can be named, but nobody reads them all. */
const mostListed = 50;

function listed(options: readonly Option[]): string {
  const lines = options.slice(0, mostListed).map(({ label: one }, index) => `${index + 1}. ${one}`);
  const more = options.length - mostListed;
  return [...lines, ...(more > 0 ? [`and ${more} more`] : [])].join("\n");
}

export function reviewText({ server }: AskingTool, filled: readonly (readonly [FormField, FieldValue])[]): string {
  const lines = filled.map(([field, value]) => `- ${code(field.title)}: ${code(shownValue(field, value))}`);
  const all = lines.length === 0 ? "nothing" : `\n\n${lines.join("\n")}`;
  return `**This goes to the MCP server ${code(server)}**: ${all}`;
}

export function urlText({ server, nameThere }: AskingTool, message: string, url: URL): string {
  const isOdd = url.hostname.split(".").some((part) => part.startsWith("xn--"));
  const parts = [
    `**The MCP server ${code(server)} wants you to open a page** of ${code(url.hostname)}, while I call ${code(nameThere)}. These are its words:`,
    block(message, mostChars.message),
    "The whole address:",
    block(url.href, mostChars.url),
    isOdd ? "The host has letters that may look like others: it may not be what it seems." : "",
    "Open it only if you know the host and expect this. What you do there is between you and that page: I don't see it.",
  ];
  return parts.filter((part) => part !== "").join("\n\n");
}

export function shownValue(field: FormField, value: FieldValue): string {
  if (typeof value === "boolean") return value ? "Yes" : "No";
  const options = "options" in field ? field.options : [];
  const named = (one: string) => options.find((option) => option.value === one)?.label ?? one;
  return [value]
    .flat()
    .map((one) => named(String(one)))
    .join(", ");
}

function code(text: string): string {
  return `\`${cutEnd(label(text), mostChars.value).replaceAll("`", "'") || " "}\``;
}

/** No run of backticks is left that would end it. */
function block(text: string, most: number): string {
  const shown = plainText(cutEnd(text, most)).replace(/`{3,}/g, "'''").trim();
  return `\`\`\`\n${text.length > most ? `${shown} [cut]` : shown}\n\`\`\``;
}

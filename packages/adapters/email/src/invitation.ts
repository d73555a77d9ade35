import { type CalendarLine, calendarLines, unescapedText } from "./calendar-lines.ts";
import { spanOf } from "./calendar-times.ts";

/** Longest title or place, and longest description, in UTF-16 units. */
const longestLine = 300;
const longestDescription = 4_000;

/** What the methods mean to the one who gets the mail (RFC 5546 section 1.4). */
const methods: ReadonlyMap<string, string> = new Map([
  ["REQUEST", "Invitation"],
  ["CANCEL", "Cancelled"],
  ["REPLY", "Answer to an invitation"],
  ["COUNTER", "Another time is proposed"],
  ["DECLINECOUNTER", "The proposed time is declined"],
  ["REFRESH", "Asks for the newest version"],
  ["ADD", "Further dates"],
]);

export interface Invitation {
  /** What, when, where and who, a line each. */
  readonly text: string;
  /** The words of the inviter; may be empty. */
  readonly description: string;
}

/**
 * What a calendar in a mail says of its first event: what, when, where, by whom. Undefined where there is no event that can be
 * read. Properties and parameters are those of RFC 5545; everything else in it is passed over.
 */
export function readInvitation(calendar: string): Invitation | undefined {
  const { method, events, first } = firstEvent(calendarLines(calendar));
  const value = (name: string) => unescapedText(first.get(name)?.value ?? "");
  const when = spanOf(first.get("DTSTART"), first.get("DTEND"), first.get("DURATION"));
  const title = oneLine(value("SUMMARY"));
  if (title === "" && when === undefined) return undefined;
  const fields: readonly (readonly [label: string, value: string])[] = [
    [methods.get(method) ?? "Event", title || "(no title)"],
    ["When", when ?? ""],
    ["Repeats", oneLine(first.get("RRULE")?.value ?? "")],
    ["Where", oneLine(value("LOCATION"))],
    ["Organizer", somebody(first.get("ORGANIZER"))],
    ["Answer", method === "REPLY" ? answer(first.get("ATTENDEE")) : ""],
    ["Further events", events > 1 ? String(events - 1) : ""],
  ];
  const lines = fields.filter(([, text]) => text !== "").map(([label, text]) => `${label}: ${text}`);
  return { text: lines.join("\n"), description: value("DESCRIPTION").trim().slice(0, longestDescription) };
}

/** The properties of the first event itself, not those of alarms in it. */
function firstEvent(lines: readonly CalendarLine[]) {
  const first = new Map<string, CalendarLine>();
  const open: string[] = [];
  let method = "";
  let events = 0;
  for (const line of lines) {
    if (line.name === "BEGIN") {
      open.push(line.value.trim().toUpperCase());
      if (open.at(-1) === "VEVENT") events += 1;
    } else if (line.name === "END") open.pop();
    else if (line.name === "METHOD" && open.length <= 1) method = line.value.trim().toUpperCase();
    else if (open.at(-1) === "VEVENT" && events === 1 && !first.has(line.name)) first.set(line.name, line);
  }
  return { method, events, first };
}

function somebody(line: CalendarLine | undefined): string {
  if (line === undefined) return "";
  const address = oneLine(line.value.replace(/^mailto:/i, ""));
  const name = oneLine(line.parameters.get("CN") ?? "");
  return name === "" || name === address ? address : `${name} <${address}>`;
}

function answer(line: CalendarLine | undefined): string {
  const said = oneLine(line?.parameters.get("PARTSTAT") ?? "").toLowerCase();
  return [said, somebody(line)].filter(Boolean).join(", ");
}

function oneLine(text: string): string {
  return text
    .slice(0, 2 * longestLine)
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, longestLine);
}

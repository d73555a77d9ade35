/** One line of a calendar, unfolded: `DTSTART;TZID=Europe/Berlin:20261102T100000`. */
export interface CalendarLine {
  /** In capitals. */
  readonly name: string;
  /** Names in capitals, the first value of each without quotes. */
  readonly parameters: ReadonlyMap<string, string>;
  /** As it stands, escapes and all. */
  readonly value: string;
}

/** More lines, or longer ones, no invitation has. */
const mostLines = 5_000;
const longestLine = 20_000;

const parameter =
  /;([A-Za-z0-9-]{1,60})=("[^"]{0,1000}"|[^";:,]{0,1000})(?:,(?:"[^"]{0,1000}"|[^";:,]{0,1000})){0,20}/y;

/** The lines of a calendar (RFC 5545 section 3.1). What is no such line is left out. */
export function calendarLines(text: string): readonly CalendarLine[] {
  const lines = text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/, mostLines);
  return lines.flatMap((line) => parsed(line.slice(0, longestLine)) ?? []);
}

function parsed(line: string): CalendarLine | undefined {
  const name = /^[A-Za-z0-9-]{1,60}/.exec(line)?.[0];
  if (name === undefined) return undefined;
  const parameters = new Map<string, string>();
  let at = name.length;
  for (;;) {
    parameter.lastIndex = at;
    const [whole, key, value = ""] = parameter.exec(line) ?? [];
    if (whole === undefined || key === undefined) break;
    parameters.set(key.toUpperCase(), value.replace(/^"|"$/g, ""));
    at += whole.length;
  }
  return line[at] === ":" ? { name: name.toUpperCase(), parameters, value: line.slice(at + 1) } : undefined;
}

/** A value of text without its escapes (RFC 5545 section 3.3.11). */
export function unescapedText(value: string): string {
  return value.replace(/\\([\\;,nN])/g, (_, letter: string) => (/n/i.test(letter) ? "\n" : letter));
}

import { hasMoment } from "./readable-dates.ts";

export interface HeadField {
  readonly label: string;
  readonly value: string;
}

/** Lines in a row that read `label: value`, as mail programs write them above a mail that they quote or pass on. */
export interface Head {
  /** The line behind it. */
  readonly end: number;
  readonly fields: readonly HeadField[];
  /** A value names an address in brackets: `Ada <ada@people.test>`, `Ada [mailto:ada@people.test]`. */
  readonly hasMailbox: boolean;
  /** A value is a date with a time. */
  readonly hasMoment: boolean;
}

/** Programs write From, Date, To, Cc, Bcc, Reply-To, Subject, Importance, Attachments. */
const mostLines = 14;
/** Of a list of recipients no more is looked at. */
const longestValue = 1_000;

const field = /^[>\s]*\*{0,2}(\p{L}[\p{L}\p{M}'’ .()/-]{0,30}?)\s?\*{0,2}\s?[:：]\*{0,2}(?!\/\/)(.*)$/u;
const mailbox = /[<[(](?:mailto:)?[^\s<>()[\]]{1,100}@[^\s<>()[\]]{1,200}[>\])]/i;

/**
 * The head that begins at a line, in whatever language; undefined where fewer than two such lines stand in a row,
 * and where the first is only a label: that is a line of somebody's who goes on below.
 */
export function headAt(lines: readonly string[], at: number): Head | undefined {
  const fields: HeadField[] = [];
  let end = at;
  for (; end < lines.length && end - at < mostLines; end += 1) {
    const line = (lines[end] ?? "").slice(0, longestValue);
    const [, label, value = ""] = field.exec(line) ?? [];
    const last = fields.at(-1);
    if (label !== undefined) fields.push({ label: label.trim(), value: value.trim() });
    else if (last !== undefined && continues(line, last))
      fields[fields.length - 1] = { ...last, value: `${last.value} ${line.trim()}`.slice(0, longestValue) };
    else break;
  }
  if (fields.length < 2 || fields[0]?.value === "") return undefined;
  return {
    end,
    fields,
    hasMailbox: fields.some(({ value }) => namesMailbox(value)),
    hasMoment: fields.some(({ value }) => hasMoment(value)),
  };
}

/** Whether a text names an address as mail programs do, in brackets. */
export function namesMailbox(text: string): boolean {
  return mailbox.test(text);
}

/** Whether a line is the rest of a field: long lists of recipients and long names are broken. */
function continues(line: string, { value }: HeadField): boolean {
  if (line.trim() === "") return false;
  return /^[>\s]*<[^<>\s]*@[^<>\s]*>?/.test(line) || /[,;<]$/.test(value);
}

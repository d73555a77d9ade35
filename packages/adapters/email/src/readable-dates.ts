/** Whatever the digits: Arabic, Persian, Thai ... A time is `10:00`, `10.00`, `10h00`, `10時00`. */
const time = /(?<![\p{Nd}./-])\p{Nd}{1,2}\s?[:.hH時时点시]\s?\p{Nd}{2}(?![\p{Nd}/-]|\.\p{Nd})/u;
/** A year, whatever the calendar. */
const year = /(?<!\p{Nd})\p{Nd}{4}(?!\p{Nd})/u;
/** `02.11.26`, `2-Nov-26`, `November-02-26`. */
const shortDate = /(?:\p{Nd}{1,2}[./-](?:\p{Nd}{1,2}|\p{L}{3,9})|\p{L}{3,9}-\p{Nd}{1,2})[./-]\p{Nd}{2}/u;

/** Whether a line names a day of some year, in whatever language. */
export function hasDay(line: string): boolean {
  return year.test(line) || shortDate.test(line);
}

export function hasTime(line: string): boolean {
  return time.test(line);
}

/** Whether a line says to the minute when something was: that is what mail programs write of a mail, and people seldom. */
export function hasMoment(line: string): boolean {
  return hasDay(line) && hasTime(line);
}

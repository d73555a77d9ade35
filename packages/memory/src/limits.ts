/** What is looked through before anything else is decided about a text. */
export const mostScannedChars = 65_536;

/** As people count them, not as UTF-16 does. */
export function charsOf(text: string): number {
  return [...text].length;
}

/** As people count them, not as UTF-16 does. */
export function charsOf(text: string): number {
  return [...text].length;
}

/** Nothing to read: only spaces and characters that show nothing. U+2800 is a Braille cell without dots. */
export function isBlank(text: string): boolean {
  return !/[^\s\p{Cf}\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text);
}

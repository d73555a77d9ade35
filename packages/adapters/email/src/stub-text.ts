/** So long is what programs write instead of a plain version; people's mails are longer or say something else. */
const longestStub = 400;
/** So much is looked at where only pictures seem to be. */
const longestPictures = 4_000;
const stubWords =
  /\bhtml\b|mime[- ]format|(?:view|read|display|see)[^.]{0,60}(?:online|browser|e-?mail client|mail reader)|im browser|dans (?:un|votre) navigateur|en (?:su|el|un) navegador|nel browser/i;

/**
 * Whether a plain version says nothing but that there is another one: "Your mail client does not support HTML". The formatted
 * version then has the words.
 */
export function isStub(plain: string): boolean {
  const text = plain.trim();
  if (text.length > longestPictures) return false;
  if (!/[\p{L}\p{N}]/u.test(text.replace(/\[(?:cid|image):[^\]]{0,200}\]/gi, ""))) return true;
  return text.length <= longestStub && stubWords.test(text.replace(/\s+/g, " "));
}

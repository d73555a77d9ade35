import type { MessageStructureObject } from "imapflow";

/**
 * The tree with the numbers that RFC 9051 gives its parts (section 6.4.5.1): what a mail within a mail consists of is counted below that one's
 * number, also where it is a single part. The library numbers a single part like the mail that holds it, and all of one that is the whole mail from 1.
 */
export function numbered(root: MessageStructureObject): MessageStructureObject {
  return isMultipart(root) ? withNumbers(root, "") : withNumbers(root, "1");
}

/** `number` of a multipart is what its parts are counted below. */
function withNumbers(node: MessageStructureObject, number: string): MessageStructureObject {
  const { childNodes } = node;
  if (childNodes === undefined) return { ...node, part: number };
  const numberOf = (child: MessageStructureObject, n: number) => {
    if (isMultipart(node)) return number === "" ? `${n + 1}` : `${number}.${n + 1}`;
    return isMultipart(child) ? number : `${number}.1`;
  };
  return { ...node, part: number, childNodes: childNodes.map((child, n) => withNumbers(child, numberOf(child, n))) };
}

function isMultipart({ type }: MessageStructureObject): boolean {
  return type.startsWith("multipart/");
}

const texts = /^(text\/|application\/([\w.-]+\+)?(json|xml|yaml|javascript|x-ndjson|x-javascript|x-yaml|toml)\b)/i;
/** Where a page names its encoding (HTML standard: within the first 1024 bytes). */
const headBytes = 1_024;

export function isText(contentType: string): boolean {
  return texts.test(contentType);
}

export function isHtml(contentType: string): boolean {
  return /^(text\/html|application\/xhtml\+xml)\b/i.test(contentType);
}

/** By the byte order mark, the header, or what a page says itself; else UTF-8. Never throws: what does not fit becomes U+FFFD. */
export function decodeText(bytes: Uint8Array, contentType: string): string {
  const head = Buffer.from(bytes.subarray(0, headBytes)).toString("latin1");
  const label =
    markOf(bytes) ?? charsetIn(contentType) ?? (isHtml(contentType) ? charsetIn(head) : undefined) ?? "utf-8";
  try {
    return new TextDecoder(label).decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes);
  }
}

function charsetIn(text: string): string | undefined {
  return /charset\s{0,9}=\s{0,9}["']?([\w:-]{1,40})/i.exec(text)?.[1];
}

function markOf([first, second]: Uint8Array): string | undefined {
  if (first === 0xff && second === 0xfe) return "utf-16le";
  return first === 0xfe && second === 0xff ? "utf-16be" : undefined;
}

/**
 * The charset that a content type names, if a secret can't be looked for in its bytes: one that isn't known, or changes what bytes mean on
 * the way, as ISO-2022-JP does.
 */
export function unsearchableCharset(contentType: string): string | undefined {
  const label = /charset\s{0,9}=\s{0,9}["']?([^\s"';]{1,40})/i.exec(contentType)?.[1];
  if (label === undefined || /^utf-?32(?:le|be)?$/i.test(label)) return undefined;
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === "iso-2022-jp" || encoding === "replacement" ? label : undefined;
  } catch {
    return label;
  }
}

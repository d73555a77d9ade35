/** Copies a text. Without TLS a page has no clipboard of its own: there a selection is copied. Throws when the browser refuses. */
export async function copyText(text) {
  if (navigator.clipboard !== undefined) return await navigator.clipboard.writeText(text);
  const field = document.createElement("textarea");
  field.value = text;
  field.className = "unseen";
  document.body.append(field);
  field.select();
  const isCopied = document.execCommand("copy");
  field.remove();
  if (!isCopied) throw new Error("the browser refused");
}

// For processes that read what others have written: it loads nothing that reaches a network, and no package of ours.

export { type HtmlText, htmlToText } from "./html/html-text.ts";
export { decodePage } from "./rtf/code-pages.ts";
export { rtfText } from "./rtf/rtf-text.ts";

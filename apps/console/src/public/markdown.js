import { marked } from "./vendor/marked.js";
import DOMPurify from "./vendor/purify.js";

const allowed = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: ["img", "picture", "source", "audio", "video", "track", "style", "form", "input", "button", "dialog"],
  FORBID_ATTR: ["style", "id", "class", "name"],
};

DOMPurify.addHook("afterSanitizeAttributes", (node) => {
  if (node.tagName === "A") {
    node.setAttribute("target", "_blank");
    node.setAttribute("rel", "noopener noreferrer nofollow");
  }
});

/** What the agent wrote, as nodes that can neither run nor fetch anything. */
export function renderMarkdown(text) {
  return DOMPurify.sanitize(marked.parse(text, { gfm: true, breaks: true, async: false }), {
    ...allowed,
    RETURN_DOM_FRAGMENT: true,
  });
}

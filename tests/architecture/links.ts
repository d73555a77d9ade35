import { posix } from "node:path";
import type { SourceFile } from "./repository.ts";

/**
 * Relative links of Markdown pages that lead to no file, or to no heading of their page. `exists` takes a path from the root, without a
 * trailing slash. A heading's anchor is made as GitHub does it: https://github.com/gjtorikian/html-pipeline, the filter for tables of contents.
 */
export function deadLinks(pages: readonly SourceFile[], exists: (path: string) => boolean): readonly string[] {
  const anchors = new Map(pages.map(({ path, text }) => [path, anchorsOf(text)]));
  return pages.flatMap(({ path, text }) =>
    linksOf(text)
      .filter((link) => {
        const [file = "", anchor] = link.split("#");
        const target = file === "" ? path : posix.normalize(posix.join(posix.dirname(path), file)).replace(/\/$/, "");
        if (!exists(target)) return true;
        return anchor !== undefined && anchors.get(target)?.has(anchor) !== true;
      })
      .map((link) => `${path}: ${link}`),
  );
}

/** What is linked to within the repository: no address with a scheme, nothing in blocks or in backticks. */
function linksOf(text: string): readonly string[] {
  const prose = withoutBlocks(text).replace(/`[^`\n]*`/g, "");
  return [...prose.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = ""]) => link).filter((link) => !/^[a-z]+:/.test(link));
}

function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>();
  for (const [, title = ""] of withoutBlocks(text).matchAll(/^#{1,6} +(.+?) *$/gm)) {
    const slug = title
      .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, "")
      .replace(/\s/g, "-");
    let anchor = slug;
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`;
    anchors.add(anchor);
  }
  return anchors;
}

/** A page without its fenced blocks. */
export function withoutBlocks(text: string): string {
  return text.replace(/^ *```[\s\S]*?^ *```/gm, "");
}

import { defineTool, type Tool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { decodeText, isHtml, isText } from "./decode-text.ts";
import { inThread } from "./extraction.ts";
import type { GuardedFetch } from "./guarded-fetch.ts";

const mostBytes = 5_000_000;
const longestMs = 30_000;

/** Gets a page as people read it, in Markdown. */
export function createWebExtract(fetch: GuardedFetch): Tool {
  return defineTool({
    name: "web_extract",
    description:
      "Reads a public web page as Markdown: the main text with links and tables. Pages built by scripts may come back empty.",
    effect: "read",
    permissions: ["net"],
    timeoutMs: longestMs + 30_000,
    input: z.strictObject({ url: z.string().max(4_096) }),
    resources: () => [],
    targets: ({ url }) => [{ kind: "url", url, sendsBody: false }],
    async execute({ url }, { signal }) {
      const accept = "text/html,application/xhtml+xml,text/markdown;q=0.9,text/plain;q=0.8,*/*;q=0.1";
      const page = await fetch(url, { signal, timeoutMs: longestMs, maxBytes: mostBytes, accept });
      const { status, contentType, bytes } = page;
      if (!isText(contentType)) {
        throw new GatewayError(`this is no page but ${contentType || "of no known type"}; use web_fetch`, {
          code: "unsupported",
        });
      }
      const text = decodeText(bytes, contentType);
      const head = status < 400 ? page.url : `${page.url}\nstatus ${status}`;
      if (!isHtml(contentType)) return { content: `${head}\n\n${text}`, untrusted: true };
      const article = await inThread({ kind: "article", html: text, url: page.url }, signal);
      const facts = [head, ...article.facts].join("\n");
      return { content: `${facts}\n\n${article.markdown || "(no text)"}`, untrusted: true };
    },
  });
}

import { rtfText } from "@talaria/foreign-content/text";
import type { OpenDocument } from "../open-document.ts";

const mostTokens = 5_000_000;

export async function openRtf(bytes: Buffer): Promise<OpenDocument> {
  const text = rtfText(bytes, mostTokens);
  return { format: "RTF", unit: "text", count: 1, facts: [], read: async (_index, sink) => sink.write(text) };
}

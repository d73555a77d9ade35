import { posix } from "node:path";
import { htmlToText } from "@talaria/foreign-content/text";
import type { OpenDocument } from "../open-document.ts";
import { Refusal } from "../refusal.ts";
import { attribute, readXml } from "../xml.ts";
import type { ZipParts } from "../zip-parts.ts";

const mostChapters = 20_000;
/** Fonts are scrambled in books that anybody may read. */
const fontScrambling = /^http:\/\/(www\.idpf\.org\/2008\/embedding|ns\.adobe\.com\/pdf\/enc#RC)$/;

/** The chapters of a book in their order (EPUB 2 and 3). */
export async function openEpub(parts: ZipParts): Promise<OpenDocument> {
  await refuseProtected(parts);
  const book = await packageName(parts);
  const items = new Map<string, string>();
  const spine: string[] = [];
  const facts: string[] = [];
  let label: string | undefined;
  let value = "";
  await readXml(parts.chunks(book), {
    open: (name, attributes) => {
      if (name === "item")
        items.set(attribute(attributes, "id") ?? "", partBeside(book, attribute(attributes, "href") ?? ""));
      if (name === "itemref" && spine.length < mostChapters) spine.push(attribute(attributes, "idref") ?? "");
      label = name === "title" ? "title" : name === "creator" ? "by" : undefined;
      value = "";
    },
    text: (text) => {
      if (label !== undefined && value.length < 300) value += text;
    },
    close: () => {
      if (label !== undefined && facts.length < 4) facts.push(`${label}: ${value.trim().slice(0, 300)}`);
      label = undefined;
    },
  });
  const chapters = spine.map((id) => items.get(id) ?? "").filter((name) => parts.has(name));
  return {
    format: "book (EPUB)",
    unit: "chapter",
    count: chapters.length,
    facts,
    read: async (index, sink) => {
      const html = await parts.bytes(chapters[index] ?? "");
      sink.write((await htmlToText(html.toString("utf8"))).text);
    },
  };
}

async function packageName(parts: ZipParts): Promise<string> {
  let found: string | undefined;
  await readXml(parts.chunks("META-INF/container.xml"), {
    open: (name, attributes) => {
      if (name === "rootfile") found ??= attribute(attributes, "full-path");
    },
  });
  if (found === undefined || !parts.has(found)) throw new Refusal("it is broken: the book names no contents");
  return found;
}

async function refuseProtected(parts: ZipParts): Promise<void> {
  if (!parts.has("META-INF/encryption.xml")) return;
  let isProtected = false;
  let isContent = false;
  await readXml(parts.chunks("META-INF/encryption.xml"), {
    open: (name, attributes) => {
      if (name === "EncryptedData") isContent = true;
      if (name === "EncryptionMethod" && isContent) {
        isProtected ||= !fontScrambling.test(attribute(attributes, "Algorithm") ?? "");
      }
    },
  });
  if (isProtected) throw new Refusal("it is protected against copying (DRM): no program but its own can open it");
}

function partBeside(book: string, href: string): string {
  const path = href.split("#", 1)[0] ?? "";
  return posix.resolve("/", posix.dirname(book), decoded(path)).slice(1);
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

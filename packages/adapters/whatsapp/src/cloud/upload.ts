import type { MediaSource } from "@talaria/adapter";
import { cleanFileName, readMedia, withoutEffect } from "@talaria/adapter-kit";
import { GatewayError, type OutboundAttachment } from "@talaria/protocol";
import { z } from "zod";
import { maxBytes } from "./capabilities.ts";
import type { CloudClient } from "./client.ts";

export type UploadKind = keyof typeof maxBytes;

export interface Upload {
  readonly kind: UploadKind;
  readonly id: string;
  readonly name: string;
  /** Shown as a recording with a wave. */
  readonly isVoice: boolean;
}

/** What WhatsApp shows as a picture, a sound or a film. Everything else goes as a document. */
const kinds: ReadonlyMap<string, UploadKind> = new Map([
  ["image/jpeg", "image"],
  ["image/png", "image"],
  ["audio/aac", "audio"],
  ["audio/amr", "audio"],
  ["audio/mp4", "audio"],
  ["audio/mpeg", "audio"],
  ["audio/ogg", "audio"],
  ["video/3gpp", "video"],
  ["video/mp4", "video"],
]);

/** Types of documents that the upload takes. Texts of other types are uploaded as plain text: their name tells what they are. */
const documentTypes: ReadonlySet<string> = new Set([
  "text/plain",
  "application/pdf",
  "application/msword",
  "application/vnd.ms-excel",
  "application/vnd.ms-powerpoint",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation",
]);

const textTypes = /^(?:text\/.+|application\/(?:json|xml|yaml|x-yaml|javascript|sql|toml|x-sh|.+\+json|.+\+xml))$/;

export interface UploadFacts {
  readonly api: CloudClient;
  readonly media: MediaSource;
  readonly phoneNumberId: string;
  /** A sound carries no words: with some it goes as a document. */
  readonly hasCaption: boolean;
}

/** Stores a file at WhatsApp, for one message. Throws only errors with effect none: people see nothing of it yet. */
export async function upload(file: OutboundAttachment, facts: UploadFacts, signal: AbortSignal): Promise<Upload> {
  const given = file.mimeType.split(";")[0]?.trim().toLowerCase() ?? "";
  const limit = { platform: "whatsapp", maxBytes: maxBytes.document } as const;
  const bytes = await readMedia(facts.media, file.ref, limit, signal);
  const kind = kindOf(given, bytes.byteLength, facts.hasCaption);
  const type = kind === "document" ? documentTypeOf(given) : given;
  const name = cleanFileName(file.name).replaceAll(/["\\/]/g, "_") || "file";
  const form = new FormData();
  form.set("messaging_product", "whatsapp");
  form.set("type", type);
  form.set("file", new Blob([bytes], { type }), name);
  try {
    const request = { action: "upload", path: `${facts.phoneNumberId}/media`, body: form };
    const { id } = uploaded.parse(await facts.api.call(request, signal));
    return { kind, id, name, isVoice: kind === "audio" && given === "audio/ogg" };
  } catch (error) {
    if (error instanceof z.ZodError)
      throw new GatewayError("whatsapp gave an uploaded file no id", {
        code: "unavailable",
        effect: "none",
        cause: error,
      });
    throw withoutEffect(error);
  }
}

const uploaded = z.object({ id: z.string().min(1).max(256) });

/** A picture or film too large for its kind goes as a document. */
function kindOf(mimeType: string, byteLength: number, hasCaption: boolean): UploadKind {
  const kind = kinds.get(mimeType) ?? "document";
  if (byteLength > maxBytes[kind] || (kind === "audio" && hasCaption)) return "document";
  return kind;
}

function documentTypeOf(mimeType: string): string {
  if (documentTypes.has(mimeType) || kinds.has(mimeType) || mimeType === "image/webp") return mimeType;
  if (textTypes.test(mimeType)) return "text/plain";
  throw new GatewayError(`whatsapp takes no files of the type ${mimeType.slice(0, 80)}`, {
    code: "unsupported",
    details: { mimeType: mimeType.slice(0, 80) },
  });
}

import { createHash, randomUUID } from "node:crypto";
import { GraphError, invalid, noSuchObject } from "./graph-error.ts";

export type MediaKind = "image" | "audio" | "video" | "document" | "sticker";

export interface StoredMedia {
  readonly id: string;
  readonly mimeType: string;
  readonly bytes: Buffer;
  readonly storedAt: number;
}

const mebibyte = 1024 * 1024;

/** Types an upload takes, each with what it can be sent as. Meta's page on media, and its error's own list. */
const uploadTypes: Readonly<Record<string, MediaKind>> = {
  "audio/aac": "audio",
  "audio/mp4": "audio",
  "audio/mpeg": "audio",
  "audio/amr": "audio",
  "audio/ogg": "audio",
  "audio/opus": "audio",
  "application/vnd.ms-powerpoint": "document",
  "application/msword": "document",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "document",
  "application/vnd.openxmlformats-officedocument.presentationml.presentation": "document",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "document",
  "application/pdf": "document",
  "text/plain": "document",
  "application/vnd.ms-excel": "document",
  "image/jpeg": "image",
  "image/png": "image",
  "image/webp": "sticker",
  "video/mp4": "video",
  "video/3gpp": "video",
};

const largest: Readonly<Record<MediaKind, number>> = {
  image: 5 * mebibyte,
  audio: 16 * mebibyte,
  video: 16 * mebibyte,
  document: 100 * mebibyte,
  sticker: mebibyte / 2,
};

/** An address from `describe` holds for this long. */
const addressLastsMs = 5 * 60_000;
/** What people sent is kept for 30 days. */
const mediaLastsMs = 30 * 24 * 60 * 60_000;

/** Files by their ids, and the short-lived addresses that lead to them. */
export class MediaStore {
  readonly #now: () => number;
  readonly #media = new Map<string, StoredMedia>();
  readonly #addresses = new Map<string, { readonly id: string; readonly madeAt: number }>();
  #last = 1_000_000_000_000_000;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** What a person sent: any type. */
  keep(bytes: Uint8Array, mimeType: string): StoredMedia {
    this.#last += 1;
    const stored = { id: String(this.#last), mimeType, bytes: Buffer.from(bytes), storedAt: this.#now() };
    this.#media.set(stored.id, stored);
    return stored;
  }

  /** What the business uploads. The form may name a type; else the part's own counts. */
  upload(bytes: Uint8Array, mimeType: string): StoredMedia {
    const type = mimeType.split(";")[0]?.trim() ?? "";
    const kind = uploadTypes[type];
    if (kind === undefined) {
      const list = Object.keys(uploadTypes).join(", ");
      throw invalid(
        `Param file must be a file with one of the following types: ${list}. Received file of type '${type}'.`,
      );
    }
    // Any type is taken at the size of a document; what it can be sent as is decided when it is sent.
    if (bytes.byteLength > largest.document) throw new GraphError(131053, "The file is too large");
    if (bytes.byteLength === 0) throw invalid("Param file must not be empty");
    return this.keep(bytes, type);
  }

  /** A stored file as something to send as `kind`. */
  sendable(id: string, kind: MediaKind): StoredMedia {
    const media = this.#media.get(id);
    if (media === undefined || this.#isGone(media)) throw new GraphError(131009, `Media ID ${id} does not exist`);
    const own = uploadTypes[media.mimeType];
    if (kind !== "document" && own !== kind)
      throw new GraphError(131053, `A file of type ${media.mimeType} can't be sent as ${kind}`);
    if (media.bytes.byteLength > largest[kind])
      throw new GraphError(131053, `A file of ${media.bytes.byteLength} bytes is too large for ${kind}`);
    return media;
  }

  describe(id: string, root: string): object {
    const media = this.#media.get(id);
    if (media === undefined || this.#isGone(media)) throw noSuchObject(id, "get");
    const token = randomUUID();
    this.#addresses.set(token, { id, madeAt: this.#now() });
    return {
      messaging_product: "whatsapp",
      url: `${root}/whatsapp_business/attachments/?mid=${id}&hash=${token}`,
      mime_type: media.mimeType,
      sha256: createHash("sha256").update(media.bytes).digest("hex"),
      file_size: media.bytes.byteLength,
      id,
    };
  }

  /** The file behind an address; undefined when the address is wrong or too old. */
  byAddress(mid: string, token: string): StoredMedia | undefined {
    const address = this.#addresses.get(token);
    if (address?.id !== mid || this.#now() - address.madeAt > addressLastsMs) return undefined;
    return this.#media.get(mid);
  }

  remove(id: string): boolean {
    return this.#media.delete(id);
  }

  #isGone({ storedAt }: StoredMedia): boolean {
    return this.#now() - storedAt > mediaLastsMs;
  }
}

import { BoundedMap } from "./bounded-map.ts";

export type FileKind = "photo" | "document" | "audio" | "voice" | "video" | "animation";

export interface StoredFile {
  readonly uniqueId: string;
  readonly kind: FileKind;
  readonly bytes: Uint8Array;
  /** What Telegram says the size is; differs from the bytes only when a test wants a file that is too big. */
  readonly size: number;
  readonly path: string;
  readonly name?: string;
  readonly mimeType?: string;
  readonly width?: number;
  readonly height?: number;
  readonly duration?: number;
}

const rememberedFiles = 5_000;
const thumbnailFolder = "thumbnails/";
const emptyJpeg = Uint8Array.of(0xff, 0xd8, 0xff, 0xd9);
const extensions: Record<FileKind, string> = {
  photo: "jpg",
  document: "bin",
  audio: "mp3",
  voice: "oga",
  video: "mp4",
  animation: "mp4",
};

/** Files by the id that all bots share; the `file_id` a bot sees also names the bot and is useless to another one. */
export class FileStore {
  readonly #byUniqueId = new BoundedMap<string, StoredFile>(rememberedFiles);
  readonly #byPath = new BoundedMap<string, StoredFile>(rememberedFiles);
  #count = 0;

  add(file: Omit<StoredFile, "uniqueId" | "path" | "size"> & { readonly size?: number }): StoredFile {
    this.#count += 1;
    const extension = /\.([A-Za-z0-9]{1,8})$/.exec(file.name ?? "")?.[1] ?? extensions[file.kind];
    const stored: StoredFile = {
      ...file,
      size: file.size ?? file.bytes.byteLength,
      uniqueId: `AQAD${this.#count.toString(36).padStart(6, "0")}`,
      path: `${file.kind}s/file_${this.#count}.${extension}`,
    };
    this.#byUniqueId.set(stored.uniqueId, stored);
    this.#byPath.set(stored.path, stored);
    return stored;
  }

  find(fileId: string, botId: number): StoredFile | undefined {
    const [owner, uniqueId, size] = fileId.split("-");
    if (owner !== `AgACAgIAAx${botId}` || uniqueId === undefined) return undefined;
    const file = this.#byUniqueId.get(uniqueId);
    return file && size === "s" ? thumbnailOf(file) : file;
  }

  byPath(path: string): StoredFile | undefined {
    const whole = path.startsWith(thumbnailFolder) ? path.slice(thumbnailFolder.length) : path;
    const file = this.#byPath.get(whole);
    return file && whole !== path ? thumbnailOf(file) : file;
  }
}

/** The small picture of a photo: an empty JPEG, so that a bot which takes the wrong size is noticed. */
function thumbnailOf(file: StoredFile): StoredFile {
  return { ...file, bytes: emptyJpeg, size: emptyJpeg.byteLength, path: `${thumbnailFolder}${file.path}` };
}

export function fileIdFor(file: StoredFile, botId: number): string {
  return `AgACAgIAAx${botId}-${file.uniqueId}`;
}

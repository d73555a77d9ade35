/** What we use of yauzl 3.4, which brings no types. */
declare module "yauzl" {
  import type { Readable } from "node:stream";

  export interface Entry {
    readonly fileNameRaw: Buffer;
    readonly generalPurposeBitFlag: number;
    readonly extraFields: readonly { readonly id: number; readonly data: Buffer }[];
    readonly uncompressedSize: number;
    isEncrypted(): boolean;
  }

  export interface ZipFile {
    readonly entryCount: number;
    eachEntry(): AsyncIterable<Entry>;
    openReadStreamPromise(entry: Entry): Promise<Readable>;
  }

  export function fromBufferPromise(
    buffer: Buffer,
    options: { readonly lazyEntries: true; readonly decodeStrings: false; readonly autoClose: false },
  ): Promise<ZipFile>;

  export function getFileNameLowLevel(
    generalPurposeBitFlag: number,
    fileNameRaw: Buffer,
    extraFields: Entry["extraFields"],
    strictFileNames: boolean,
  ): string;
}

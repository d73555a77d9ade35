import { type Entry, fromBufferPromise, getFileNameLowLevel, type ZipFile } from "yauzl";
import { Refusal } from "./refusal.ts";

const mostEntries = 100_000;
/** Of all parts that one call unpacks, so that a bomb ends as such. */
const mostUnpacked = 256 * 1_024 * 1_024;
/** Of a part that is read as a whole. */
const mostWhole = 32 * 1_024 * 1_024;
/** A longer name is cut. */
const longestName = 1_000;

export interface ZipEntry {
  readonly name: string;
  readonly size: number;
  readonly isEncrypted: boolean;
}

/** The parts of a zip container by their names. What they unpack to is counted while it comes, whatever the container claims. */
export class ZipParts {
  readonly entries: readonly ZipEntry[];
  readonly #zip: ZipFile;
  readonly #byName: ReadonlyMap<string, Entry>;
  #unpacked = 0;

  private constructor(zip: ZipFile, named: readonly (readonly [string, Entry])[]) {
    this.#zip = zip;
    // Of two of one name the first counts.
    this.#byName = new Map(named.toReversed());
    this.entries = named.map(([name, entry]) => ({
      name,
      size: entry.uncompressedSize,
      isEncrypted: entry.isEncrypted(),
    }));
  }

  /** Reads the list of parts and none of them. Throws a `Refusal` for what is broken or has too many. */
  static async open(bytes: Buffer): Promise<ZipParts> {
    try {
      const zip = await fromBufferPromise(bytes, { lazyEntries: true, decodeStrings: false, autoClose: false });
      if (zip.entryCount > mostEntries) {
        throw new Refusal(`it is an archive of ${zip.entryCount} files, and at most ${mostEntries} are looked at`);
      }
      const named: [string, Entry][] = [];
      for await (const entry of zip.eachEntry()) named.push([nameOf(entry), entry]);
      return new ZipParts(zip, named);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal("it is broken or incomplete: its list of contents can't be read", { cause: error });
    }
  }

  has(name: string): boolean {
    return this.#byName.has(name);
  }

  /** A part as it is unpacked, in pieces. Throws a `Refusal`, also halfway. */
  async *chunks(name: string): AsyncGenerator<Buffer, void, undefined> {
    const entry = this.#byName.get(name);
    if (entry === undefined) throw new Refusal(`it is broken: its part ${name} is missing`);
    if (entry.isEncrypted()) throw new Refusal("it is encrypted with a password");
    try {
      for await (const chunk of await this.#zip.openReadStreamPromise(entry)) {
        this.#unpacked += (chunk as Buffer).byteLength;
        if (this.#unpacked > mostUnpacked) {
          throw new Refusal(`it unpacks to more than ${mostUnpacked / 1_048_576} MB, as a zip bomb does`);
        }
        yield chunk as Buffer;
      }
    } catch (error) {
      if (error instanceof Refusal) throw error;
      throw new Refusal(`it is broken: its part ${name} can't be unpacked`, { cause: error });
    }
  }

  /** A whole part. */
  async bytes(name: string): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let length = 0;
    for await (const chunk of this.chunks(name)) {
      pieces.push(chunk);
      length += chunk.byteLength;
      if (length > mostWhole) throw new Refusal(`its part ${name} has more than ${mostWhole / 1_048_576} MB`);
    }
    return Buffer.concat(pieces);
  }
}

function nameOf({ generalPurposeBitFlag, fileNameRaw, extraFields }: Entry): string {
  return getFileNameLowLevel(generalPurposeBitFlag, fileNameRaw, extraFields, false).slice(0, longestName);
}

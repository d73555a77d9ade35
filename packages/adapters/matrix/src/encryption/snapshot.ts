import { createHash } from "node:crypto";
import { deserialize, serialize } from "node:v8";
import type { AdapterStore } from "@talaria/adapter";
import { GatewayError } from "@talaria/protocol";
import type { DatabaseDump, Row, StoreDump } from "./databases.ts";

/** The name under which the list of pieces is stored. It is written last, so what it names is one consistent state. */
const manifestKey = "crypto";

/** Approximate number of entries per piece. Only pieces that changed are written. */
const rowsPerPiece = 64;

interface Piece {
  /** Each piece alternates between two places, so that those in the last list stay intact until the next list is written. */
  readonly place: 0 | 1;
  readonly hash: string;
}

interface StoredStore extends Omit<StoreDump, "rows"> {
  readonly pieces: readonly Piece[];
}

interface Manifest {
  readonly owner: string;
  readonly databases: readonly (Omit<DatabaseDump, "stores"> & { readonly stores: readonly StoredStore[] })[];
}

/** The keys of one device in the adapter's memory, which is encrypted at rest. */
export class Snapshot {
  readonly #store: AdapterStore;
  readonly #owner: string;
  #manifest: Manifest | undefined;

  /** `owner` names the device: the keys of another one are of no use. */
  constructor(store: AdapterStore, owner: string) {
    this.#store = store;
    this.#owner = owner;
  }

  /** Undefined when there is none of this device. Throws `internal` when it is damaged. */
  async load(): Promise<readonly DatabaseDump[] | undefined> {
    const stored = await this.#store.read(manifestKey);
    const manifest = stored === undefined ? undefined : (JSON.parse(stored) as Manifest);
    if (manifest === undefined || manifest.owner !== this.#owner) return undefined;
    this.#manifest = manifest;
    return Promise.all(
      manifest.databases.map(async ({ stores, ...database }) => ({
        ...database,
        stores: await Promise.all(stores.map((store) => this.#storeFrom(database.name, store))),
      })),
    );
  }

  /** Resolves when the whole state is stored. A crash before that leaves the previous one. */
  async save(dumps: readonly DatabaseDump[]): Promise<void> {
    const former = this.#manifest;
    const databases: Manifest["databases"][number][] = [];
    for (const { stores, ...database } of dumps) {
      const known = former?.databases.find(({ name }) => name === database.name);
      const stored: StoredStore[] = [];
      for (const store of stores)
        stored.push(
          await this.#storeTo(
            database.name,
            store,
            known?.stores.find(({ name }) => name === store.name),
          ),
        );
      databases.push({ ...database, stores: stored });
    }
    const manifest: Manifest = { owner: this.#owner, databases };
    if (JSON.stringify(manifest) === JSON.stringify(former)) return;
    await this.#store.write(manifestKey, JSON.stringify(manifest));
    this.#manifest = manifest;
  }

  async #storeFrom(database: string, { pieces, ...store }: StoredStore): Promise<StoreDump> {
    const rows = await Promise.all(
      pieces.map(async ({ place, hash }, n) => {
        const text = await this.#store.read(nameOf(database, store.name, n, place));
        const bytes = Buffer.from(text ?? "", "base64");
        if (hashOf(bytes) !== hash)
          throw new GatewayError("the stored keys of this device are damaged", { code: "internal" });
        return (deserialize(bytes) as Uint8Array[][]).map(([key = emptyBytes, value = emptyBytes]) => ({
          key: Buffer.from(key),
          value: Buffer.from(value),
        }));
      }),
    );
    return { ...store, rows: rows.flat() };
  }

  async #storeTo(
    database: string,
    { rows, ...store }: StoreDump,
    former: StoredStore | undefined,
  ): Promise<StoredStore> {
    const pieces: Piece[] = [];
    for (const [n, piece] of piecesOf(rows).entries()) {
      const bytes = serialize(piece.map(({ key, value }) => [key, value]));
      const hash = hashOf(bytes);
      const known = former?.pieces[n];
      if (known?.hash === hash) pieces.push(known);
      else {
        const place = known?.place === 0 ? 1 : 0;
        await this.#store.write(nameOf(database, store.name, n, place), bytes.toString("base64"));
        pieces.push({ place, hash });
      }
    }
    return { ...store, pieces };
  }
}

const emptyBytes = new Uint8Array();

/** An entry stays in its piece until the number of pieces changes, which doubles as entries are added. */
function piecesOf(rows: readonly Row[]): readonly (readonly Row[])[] {
  let count = 1;
  while (count * rowsPerPiece < rows.length) count *= 2;
  const pieces: Row[][] = Array.from({ length: count }, () => []);
  for (const row of rows) pieces[createHash("sha256").update(row.key).digest().readUInt32BE(0) % count]?.push(row);
  return pieces;
}

function nameOf(database: string, store: string, piece: number, place: number): string {
  return `crypto/${database}/${store}/${piece}/${place}`;
}

function hashOf(bytes: Uint8Array): string {
  return createHash("sha256").update(bytes).digest("base64url");
}

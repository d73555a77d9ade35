import { deserialize, serialize } from "node:v8";
import type { Db, DbIndex, DbRequest, IndexedDb, KeyPath } from "./indexed-db.ts";

/** A database as plain data. */
export interface DatabaseDump {
  /** Without the account's prefix. */
  readonly name: string;
  readonly version: number;
  readonly stores: readonly StoreDump[];
}

export interface StoreDump {
  readonly name: string;
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexes: readonly IndexShape[];
  readonly rows: readonly Row[];
}

export interface IndexShape {
  readonly name: string;
  readonly keyPath: KeyPath;
  readonly unique: boolean;
  readonly multiEntry: boolean;
}

/** Key and value of an entry, each as bytes of `node:v8`. */
export interface Row {
  readonly key: Buffer;
  readonly value: Buffer;
}

/**
 * The contents of all databases whose names begin with `prefix`, each read in one transaction. The crypto library keeps its
 * keys in IndexedDB, which exists only in memory here.
 */
export async function dumpDatabases(indexedDb: IndexedDb, prefix: string): Promise<readonly DatabaseDump[]> {
  const names = (await indexedDb.databases()).flatMap(({ name }) => (name?.startsWith(prefix) ? [name] : []));
  const dumps: DatabaseDump[] = [];
  for (const name of names.sort()) {
    const database = await answerOf(indexedDb.open(name));
    try {
      dumps.push({
        name: name.slice(prefix.length),
        version: database.version,
        stores: await dumpStores(database),
      });
    } finally {
      database.close();
    }
  }
  return dumps;
}

/** Recreates the databases under the prefix, which must not be in use. */
export async function restoreDatabases(
  indexedDb: IndexedDb,
  prefix: string,
  dumps: readonly DatabaseDump[],
): Promise<void> {
  for (const { name, version, stores } of dumps) {
    const opening = indexedDb.open(prefix + name, version);
    opening.onupgradeneeded = () => makeStores(opening.result, stores);
    const database = await answerOf(opening);
    try {
      await fillStores(database, stores);
    } finally {
      database.close();
    }
  }
}

/** Deletes the databases. Close all connections to them first: an open one keeps its database until it is closed. */
export async function deleteDatabases(indexedDb: IndexedDb, prefix: string): Promise<void> {
  const all = await indexedDb.databases();
  for (const { name } of all) if (name?.startsWith(prefix)) indexedDb.deleteDatabase(name);
}

async function dumpStores(database: Db): Promise<readonly StoreDump[]> {
  const names = [...database.objectStoreNames];
  if (names.length === 0) return [];
  const transaction = database.transaction(names, "readonly");
  return Promise.all(
    names.map(async (name) => {
      const store = transaction.objectStore(name);
      const [keys, values] = await Promise.all([answerOf(store.getAllKeys()), answerOf(store.getAll())]);
      return {
        name,
        keyPath: store.keyPath,
        autoIncrement: store.autoIncrement,
        indexes: [...store.indexNames].map((index) => shapeOf(store.index(index))),
        rows: keys.map((key, n) => ({ key: serialize(key), value: serialize(values[n]) })),
      };
    }),
  );
}

function shapeOf({ name, keyPath, unique, multiEntry }: DbIndex): IndexShape {
  return { name, keyPath: keyPath, unique, multiEntry };
}

function makeStores(database: Db, stores: readonly StoreDump[]): void {
  for (const { name, keyPath, autoIncrement, indexes } of stores) {
    const store = database.createObjectStore(name, { keyPath, autoIncrement });
    for (const index of indexes)
      store.createIndex(index.name, index.keyPath, { unique: index.unique, multiEntry: index.multiEntry });
  }
}

async function fillStores(database: Db, stores: readonly StoreDump[]): Promise<void> {
  if (stores.length === 0) return;
  const transaction = database.transaction(
    stores.map(({ name }) => name),
    "readwrite",
  );
  const done = new Promise<void>((resolve, reject) => {
    transaction.oncomplete = () => resolve();
    transaction.onabort = () => reject(transaction.error);
  });
  for (const { name, keyPath, rows } of stores) {
    const store = transaction.objectStore(name);
    for (const { key, value } of rows)
      if (keyPath === null) store.put(deserialize(value), deserialize(key));
      else store.put(deserialize(value));
  }
  await done;
}

function answerOf<T>(request: DbRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error);
  });
}

/** What we use of IndexedDB. */
export interface IndexedDb {
  databases(): Promise<readonly { readonly name?: string }[]>;
  open(name: string, version?: number): DbRequest<Db> & { onupgradeneeded: (() => void) | null };
  deleteDatabase(name: string): unknown;
}

export interface DbRequest<T> {
  readonly result: T;
  readonly error: unknown;
  onsuccess: (() => void) | null;
  onerror: (() => void) | null;
}

export interface Db {
  readonly version: number;
  readonly objectStoreNames: Iterable<string>;
  createObjectStore(name: string, options: { keyPath: KeyPath | null; autoIncrement: boolean }): DbStore;
  transaction(names: string[], mode: "readonly" | "readwrite"): DbTransaction;
  close(): void;
}

export interface DbTransaction {
  readonly error: unknown;
  oncomplete: (() => void) | null;
  onabort: (() => void) | null;
  objectStore(name: string): DbStore;
}

export type KeyPath = string | string[];

export interface DbStore {
  readonly keyPath: KeyPath | null;
  readonly autoIncrement: boolean;
  readonly indexNames: Iterable<string>;
  index(name: string): DbIndex;
  createIndex(name: string, keyPath: KeyPath, options: { unique: boolean; multiEntry: boolean }): unknown;
  getAllKeys(): DbRequest<unknown[]>;
  getAll(): DbRequest<unknown[]>;
  put(value: unknown, key?: unknown): unknown;
}

export interface DbIndex {
  readonly name: string;
  readonly keyPath: KeyPath;
  readonly unique: boolean;
  readonly multiEntry: boolean;
}

/**
 * Gives this process an IndexedDB in memory: the crypto library looks for one among the globals, and Node.js has none. All
 * accounts share it, each with database names of its own.
 */
export async function provideIndexedDb(): Promise<IndexedDb> {
  const fake: Record<string, unknown> = await import("fake-indexeddb");
  for (const [name, value] of Object.entries(fake))
    if (name === "indexedDB" || name.startsWith("IDB"))
      Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  return fake.indexedDB as IndexedDb;
}

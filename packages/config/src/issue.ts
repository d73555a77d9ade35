export type Path = readonly (string | number)[];

/** A problem before it is known where in the file it stands and what it disables. */
export interface Issue {
  readonly path: Path;
  readonly message: string;
  readonly suggestion?: string;
  /** The part of the entry at `path` to point at. Default: the value. */
  readonly at?: "key" | "value";
}

/** A string that differs for different paths. */
export function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}

/** Whether `path` lies at or below `start`. */
export function isBelow(path: Path, start: Path): boolean {
  return start.every((segment, index) => String(path[index]) === String(segment));
}

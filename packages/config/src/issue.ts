export type Path = readonly (string | number)[];

/** A problem without its position in the file and without what it disables. */
export interface Issue {
  readonly path: Path;
  readonly message: string;
  readonly suggestion?: string;
  /** The part of the entry at `path` to point at. Default: the value. */
  readonly at?: "key" | "value";
}

/** A string that is unique for each path. */
export function pathKey(path: Path): string {
  return JSON.stringify(path.map(String));
}

/** Whether `path` lies at or below `start`. */
export function isBelow(path: Path, start: Path): boolean {
  return start.every((segment, index) => String(path[index]) === String(segment));
}

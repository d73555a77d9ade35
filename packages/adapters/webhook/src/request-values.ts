/** What a template or a condition of a route may name. */
export interface RequestValues {
  /** The parsed body; its text when it is no JSON. */
  readonly body: unknown;
  /** By lower-case name. Signatures and tokens are left out. */
  readonly headers: Readonly<Record<string, string>>;
}

/** The value at a path such as `body.jobs[0].name` or `headers.x-github-event`. Undefined where there is none. */
export function valueAt(path: string, values: RequestValues): unknown {
  let value: unknown = values;
  for (const name of path.split(/[.[\]]+/).filter((part) => part !== "")) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Readonly<Record<string, unknown>>)[name];
  }
  return value;
}

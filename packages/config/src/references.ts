import { type Issue, type Path, pathKey } from "./issue.ts";

export type Environment = Readonly<Record<string, string | undefined>>;

export interface ReferenceOptions {
  readonly env: Environment;
  /** Reads the file of a `{ file: path }` reference. Throws an Error whose message an operator understands. */
  readonly readSecret: (path: string) => string;
}

export interface FileReference {
  readonly path: Path;
  readonly file: string;
}

export interface Resolved {
  readonly value: unknown;
  /** One for each unresolved reference, which stays in `value` as written. */
  readonly issues: readonly Issue[];
  /** Values that came from a secret file, or from a variable whose name says that it is secret. */
  readonly secrets: readonly string[];
  /** `pathKey` of each text that came from the environment. */
  readonly fromEnvironment: ReadonlySet<string>;
  /** Where secret files are named, and which, as written, also those that can't be read. */
  readonly files: readonly FileReference[];
  /** Names of the variables that were inserted. */
  readonly variables: ReadonlySet<string>;
}

const secretName = /token|secret|password|passwd|passphrase|credential|key$|^key|_key/i;
/** `tokensPerDay` counts what a model reads and writes. */
const tokenCount = /^tokensPer[A-Z]/;

/** Whether a key or a variable of this name usually holds a secret. */
export function soundsSecret(name: string): boolean {
  return secretName.test(name) && !tokenCount.test(name);
}

/**
 * Replaces `${NAME}` inside texts by that variable, `$${NAME}` by a literal `${NAME}`, and `{ file: path }` by the
 * content of that file. Inserted text is not searched again.
 */
export function resolveReferences(value: unknown, options: ReferenceOptions): Resolved {
  const resolver = new Resolver(options);
  return {
    value: resolver.resolve(value, []),
    issues: resolver.issues,
    secrets: resolver.secrets,
    fromEnvironment: resolver.fromEnvironment,
    files: resolver.files,
    variables: resolver.variables,
  };
}

class Resolver {
  readonly issues: Issue[] = [];
  readonly secrets: string[] = [];
  readonly fromEnvironment = new Set<string>();
  readonly files: FileReference[] = [];
  readonly variables = new Set<string>();
  readonly #options: ReferenceOptions;

  constructor(options: ReferenceOptions) {
    this.#options = options;
  }

  resolve(value: unknown, path: Path): unknown {
    if (typeof value === "string") return this.#text(value, path);
    if (Array.isArray(value)) return value.map((item, index) => this.resolve(item, [...path, index]));
    if (typeof value !== "object" || value === null) return value;
    const resolved = Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, this.resolve(item, [...path, key])]),
    );
    const keys = Object.keys(resolved);
    return keys.length === 1 && typeof resolved.file === "string"
      ? this.#file(resolved, resolved.file, path)
      : resolved;
  }

  #text(text: string, path: Path): string {
    return text.replace(/\$(\$?)\{([^}]*)\}/g, (whole, escaped: string, name: string) => {
      if (escaped !== "") return whole.slice(1);
      return this.#variable(name, path) ?? whole;
    });
  }

  #variable(name: string, path: Path): string | undefined {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(name)) {
      const message = `\${${name}} does not name an environment variable`;
      this.issues.push({ path, message, suggestion: "write $${ for a literal ${" });
      return undefined;
    }
    const value = Object.hasOwn(this.#options.env, name) ? this.#options.env[name] : undefined;
    if (value === undefined || value === "") {
      const state = value === undefined ? "not set" : "empty";
      this.issues.push({ path, message: `environment variable ${name} is ${state}` });
      return undefined;
    }
    this.fromEnvironment.add(pathKey(path));
    this.variables.add(name);
    if (soundsSecret(name)) this.secrets.push(value);
    return value;
  }

  #file(mapping: unknown, file: string, path: Path): unknown {
    this.files.push({ path, file });
    try {
      const content = this.#options.readSecret(file);
      this.secrets.push(content);
      return content;
    } catch (error) {
      this.issues.push({ path, message: error instanceof Error ? error.message : "the secret file cannot be read" });
      return mapping;
    }
  }
}

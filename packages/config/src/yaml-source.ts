import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, type Pair, parseDocument } from "yaml";
import { type Issue, type Path, pathKey } from "./issue.ts";

export interface Place {
  readonly line: number;
  readonly column: number;
}

/** A file as plain data, and where in the text each part of it stands. */
export interface YamlSource {
  /** Always a mapping. A key without a value has the value `undefined`. */
  readonly value: Readonly<Record<string, unknown>>;
  /** Anything in here makes the file unusable. */
  readonly issues: readonly (Issue & { readonly place?: Place })[];
  /** The place of an entry, or of the nearest entry around it that exists. */
  placeOf(path: Path, part: "key" | "value"): Place;
}

const maxBytes = 1_048_576;
const maxDepth = 32;
const start: Place = { line: 1, column: 1 };

/**
 * Reads one YAML document. Refused besides what YAML refuses: more than 1 MiB, duplicate keys, anchors and aliases,
 * tags, numbers that are not finite, more than 32 levels. An empty text is an empty mapping. `areTexts`: no value is a number, a truth value
 * or null, but what is written there.
 */
export function parseYaml(text: string, { areTexts = false }: { readonly areTexts?: boolean } = {}): YamlSource {
  if (Buffer.byteLength(text) > maxBytes) return unusable("the file is larger than 1 MiB");
  const lines = new LineCounter();
  const document = parseDocument(text, {
    ...{ lineCounter: lines, uniqueKeys: false, prettyErrors: false },
    ...(areTexts && { schema: "failsafe" }),
  });
  const syntax = syntaxIssues(document, lines, text);
  if (syntax.length > 0) return { value: {}, issues: syntax, placeOf: () => start };
  return new TreeReader(lines).read(document);
}

function unusable(message: string): YamlSource {
  return { value: {}, issues: [{ path: [], message }], placeOf: () => start };
}

function syntaxIssues(document: Document, lines: LineCounter, text: string) {
  return [...document.errors, ...document.warnings].map((error) => {
    const { line, col } = lines.linePos(error.pos[0]);
    const isBareReference = /[{[,:]\s*\$\{/.test(text.split("\n")[line - 1] ?? "") && error.code === "UNEXPECTED_TOKEN";
    return {
      path: [],
      message: messages[error.code] ?? error.message,
      place: { line, column: col },
      ...(isBareReference ? { suggestion: "inside { } and [ ] put a reference in quotes" } : {}),
    };
  });
}

const messages: Readonly<Record<string, string>> = {
  TAB_AS_INDENT: "tabs are not allowed as indentation: use spaces",
  MULTIPLE_DOCS: "one file holds one document: remove the `---` line",
  RESOURCE_EXHAUSTION: "the file is nested too deeply",
  TAG_RESOLVE_FAILED: "tags (`!name`) are not supported",
};

/** Turns the syntax tree into data and remembers the place of every entry. */
class TreeReader {
  readonly #lines: LineCounter;
  readonly #issues: Issue[] = [];
  readonly #keys = new Map<string, Place>();
  readonly #values = new Map<string, Place>();

  constructor(lines: LineCounter) {
    this.#lines = lines;
  }

  read(document: Document): YamlSource {
    const root = this.#value(document.contents, []) ?? {};
    const isMapping = typeof root === "object" && !Array.isArray(root);
    if (!isMapping) this.#issues.push({ path: [], message: "the file must be a mapping of keys to values" });
    return {
      value: isMapping ? (root as Record<string, unknown>) : {},
      issues: this.#issues,
      placeOf: (path, part) => this.#placeOf(path, part),
    };
  }

  #value(node: unknown, path: Path): unknown {
    this.#remember(this.#values, path, node);
    if (path.length > maxDepth) return this.#refuse(path, "the file is nested too deeply");
    if (isAlias(node) || hasAnchor(node))
      return this.#refuse(path, "anchors and aliases (`&name`, `*name`) are not supported: repeat the value");
    if (isMap(node)) return this.#mapping(node.items, path);
    if (isSeq(node)) return node.items.map((item, index) => this.#value(item, [...path, index]));
    if (!isScalar(node) || node.value === null) return undefined;
    if (typeof node.value === "number" && !Number.isFinite(node.value))
      return this.#refuse(path, "expected a finite number");
    return node.value;
  }

  #mapping(items: readonly Pair[], path: Path): Record<string, unknown> {
    const result: Record<string, unknown> = {};
    for (const { key, value } of items) {
      const name = isScalar(key) ? String(key.source ?? key.value) : undefined;
      if (name === undefined || name === "__proto__") {
        this.#refuse(path, "a key must be a plain name");
        continue;
      }
      const entry = [...path, name];
      const isDuplicate = Object.hasOwn(result, name);
      this.#remember(this.#keys, entry, key);
      result[name] = this.#value(value, entry);
      if (isDuplicate) this.#issues.push({ path: entry, at: "key", message: "the key is there twice" });
    }
    return result;
  }

  #refuse(path: Path, message: string): undefined {
    this.#issues.push({ path, message });
    return undefined;
  }

  #remember(places: Map<string, Place>, path: Path, node: unknown): void {
    const offset = (node as { range?: readonly number[] | null } | null)?.range?.[0];
    if (offset === undefined) return;
    const { line, col } = this.#lines.linePos(offset);
    places.set(pathKey(path), { line, column: col });
  }

  #placeOf(path: Path, part: "key" | "value"): Place {
    const key = pathKey(path);
    const places = part === "key" ? [this.#keys, this.#values] : [this.#values, this.#keys];
    const found = places[0]?.get(key) ?? places[1]?.get(key);
    if (found !== undefined) return found;
    return path.length === 0 ? start : this.#placeOf(path.slice(0, -1), "key");
  }
}

function hasAnchor(node: unknown): boolean {
  return (node as { anchor?: string } | null)?.anchor !== undefined;
}

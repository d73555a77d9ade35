import type { Handles } from "../messages.ts";

interface Surroundings {
  /** Asks the worker to use a handle. Rejects with the reason when it does not. */
  ask(handle: string, args: unknown): Promise<unknown>;
  progress(label: string): void;
  readonly signal: AbortSignal;
  readonly idempotencyKey: string;
  /** What stands for each secret that was declared. */
  readonly secrets: Readonly<Record<string, string>>;
}

interface RawResponse {
  readonly status: number;
  readonly url: string;
  readonly contentType: string;
  readonly body: string;
}

/** What `run` gets besides its input: `signal`, `idempotencyKey`, `progress`, and the handles that the tool has declared. */
export function contextOf(
  { files, fetch, secrets }: Handles,
  { ask, progress, signal, idempotencyKey, secrets: handles }: Surroundings,
): object {
  const context = { signal, idempotencyKey, progress: (label: unknown) => progress(String(label)) };
  Object.defineProperties(context, {
    files: files === undefined ? missing("files", '"read"') : { value: filesOf(ask) },
    fetch: fetch === undefined ? missing("fetch", '["https://..."]') : { value: fetchOf(ask) },
    secrets: secrets === undefined ? missing("secrets", '["name"]') : { value: Object.freeze({ ...handles }) },
  });
  return context;
}

function missing(name: string, example: string): PropertyDescriptor {
  return {
    get: () => {
      throw new Error(`context.${name} is not declared: add \`handles: { ${name}: ${example} }\` to the tool`);
    },
  };
}

function filesOf(ask: Surroundings["ask"]): object {
  const read = async (path: string, range: { start?: number; length?: number } = {}) => {
    const { bytes, size } = (await ask("files.read", { path, ...range })) as { bytes: string; size: number };
    return { bytes: Buffer.from(bytes, "base64"), size };
  };
  return {
    read,
    readText: async (path: string) => {
      const { bytes, size } = await read(path);
      if (size > bytes.byteLength) throw new Error(`${path} has ${size} bytes: read it in pieces with files.read`);
      return bytes.toString("utf8");
    },
    write: async (path: string, content: string | Uint8Array) => {
      await ask("files.write", { path, bytes: Buffer.from(content as Uint8Array).toString("base64") });
    },
    list: (path = ".") => ask("files.list", { path }),
  };
}

function fetchOf(ask: Surroundings["ask"]) {
  return async (url: string | URL, request: { method?: string; headers?: object; body?: string } = {}) => {
    const { body, ...head } = (await ask("fetch", { url: String(url), ...request })) as RawResponse;
    const bytes = Buffer.from(body, "base64");
    const text = () => bytes.toString("utf8");
    return { ...head, bytes, text, json: () => JSON.parse(text()) as unknown };
  };
}

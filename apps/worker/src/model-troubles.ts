import type { ModelFailureKind, ModelPort } from "@talaria/agent";
import { type KeyFile, keyPlaces } from "@talaria/config";
import type { Clock } from "@talaria/protocol";

type Trouble = (name: string, keyFiles: readonly KeyFile[]) => readonly [trouble: string, remedy: string];

const another = (name: string) => `name another model in models.${name}.fallbacks`;

/** What only an operator can mend: the words for it, and the remedy. */
const lasting: Partial<Record<ModelFailureKind, Trouble>> = {
  auth: (name, keyFiles) => ["its provider refuses the key or login", keyRemedy(name, keyFiles)],
  quota: (name) => [
    "its credit or quota is used up",
    `add credit at the provider, or name another model in models.${name}.fallbacks or agent.model`,
  ],
  not_found: (name) => [
    "its provider does not know it",
    `correct models.${name}.model or its baseUrl, or run \`talaria setup model\``,
  ],
};

/** What may pass by itself. */
const passing: Partial<Record<ModelFailureKind, Trouble>> = {
  rate_limit: (name) => [
    "its provider is asked more often than it allows",
    `raise the limit at the provider, or ${another(name)}`,
  ],
  overloaded: (name) => ["its server is overloaded", `wait, or ${another(name)}`],
  server_error: (name) => ["its server reports an error", `see the provider's status page, or ${another(name)}`],
  network: (name) => [
    "it can't be reached",
    `check the network and models.${name}.baseUrl, or run \`talaria setup model\``,
  ],
  stalled: (name) => ["its server stops answering", `wait, or ${another(name)}`],
  truncated: (name) => ["its connection breaks in the middle of answers", `check the network, or ${another(name)}`],
  bad_request: (name) => [
    "its provider rejects what it is asked",
    `find the reason in the log and correct models.${name}, or run \`talaria setup model\``,
  ],
};

/** What a worker knows of one model from its last request: without `code` and `line`, it answered. */
export interface ModelNews {
  readonly model: string;
  /** When it answered or failed last, as ISO 8601. */
  readonly at: string;
  readonly code?: string;
  /** What is wrong, since when, and the remedy. Names no key and no word of the provider. */
  readonly line?: string;
  readonly since?: string;
  /** Requests that failed in this way since then, one after the other. */
  readonly count?: number;
  /** It may pass by itself. */
  readonly isPassing?: boolean;
}

export interface ModelTroublesDeps {
  readonly clock: Clock;
  /** Each request that failed, by the model's name in the configuration. */
  readonly failed: (model: string, code: ModelFailureKind) => void;
  /** Where models take keys from that stand in files, by the model's name. */
  readonly keyFiles: Readonly<Record<string, readonly KeyFile[]>>;
}

/** Keeps in mind which models fail, and since when, until they answer again. */
export class ModelTroubles {
  readonly #deps: ModelTroublesDeps;
  readonly #news = new Map<string, ModelNews>();

  constructor(deps: ModelTroublesDeps) {
    this.#deps = deps;
  }

  /** Of every model that was asked here. */
  list(): readonly ModelNews[] {
    return [...this.#news.values()];
  }

  /** The same model, whose answers and failures are noted under its name in the configuration. */
  watch(name: string, model: ModelPort): ModelPort {
    const note = (kind: ModelFailureKind | undefined) => this.#note(name, kind);
    return {
      async *stream(request, signal) {
        for await (const event of model.stream(request, signal)) {
          if (event.type === "done") note(undefined);
          else if (event.type === "failed") note(event.error.kind);
          yield event;
        }
      },
    };
  }

  #note(model: string, kind: ModelFailureKind | undefined): void {
    const at = new Date(this.#deps.clock.now()).toISOString();
    // Others may have said that it fails, so that this has to be known.
    if (kind === undefined) return void this.#news.set(model, { model, at });
    if (kind !== "aborted") this.#deps.failed(model, kind);
    const former = this.#news.get(model);
    const words = lasting[kind] ?? passing[kind];
    if (words === undefined) return;
    const isPassing = lasting[kind] === undefined;
    // An overloaded server says nothing of the key.
    if (isPassing && former?.isPassing === false) return;
    const isSame = former?.code !== undefined && former.isPassing === isPassing && (isPassing || former.code === kind);
    const { since = at, count = 0 } = isSame ? former : {};
    const [trouble, remedy] = words(model, this.#deps.keyFiles[model] ?? []);
    const failed = count === 0 ? "1 request failed" : `${count + 1} requests failed`;
    const line = `model ${model}: ${trouble}, since ${since.slice(0, 19)}Z (${failed}): ${remedy}`;
    this.#news.set(model, { model, at, code: kind, line, since, count: count + 1, isPassing });
  }
}

/** A changed file is in use within seconds. */
function keyRemedy(name: string, keyFiles: readonly KeyFile[]): string {
  const places = keyPlaces(keyFiles);
  if (places === undefined)
    return `put a working one where models.${name} takes it from, or run \`talaria setup model\` or \`talaria model login\``;
  return `put a working one ${places}; it is in use within seconds`;
}

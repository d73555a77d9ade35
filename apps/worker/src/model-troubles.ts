import type { ModelFailureKind, ModelPort } from "@talaria/agent";
import type { Clock } from "@talaria/protocol";

/** What only an operator can mend: the words for it, and the remedy. */
const remedies: Partial<Record<ModelFailureKind, (name: string) => readonly [trouble: string, remedy: string]>> = {
  auth: (name) => [
    "its provider refuses the key or login",
    `put a working one where models.${name} takes it from, or run \`talaria setup model\` or \`talaria model login\``,
  ],
  quota: (name) => [
    "its credit or quota is used up",
    `add credit at the provider, or name another model in models.${name}.fallbacks or agent.model`,
  ],
  not_found: (name) => [
    "its provider does not know it",
    `correct models.${name}.model or its baseUrl, or run \`talaria setup model\``,
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
}

/** Keeps in mind which models fail so that only an operator can mend it, until they answer again. */
export class ModelTroubles {
  readonly #clock: Clock;
  readonly #news = new Map<string, ModelNews & { readonly since: string; readonly count: number }>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Of every model that ever failed in this way here. */
  list(): readonly ModelNews[] {
    return [...this.#news.values()].map(({ since: _, count: __, ...news }) => news);
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
    const at = new Date(this.#clock.now()).toISOString();
    const former = this.#news.get(model);
    if (kind === undefined) {
      // Others may have said that it fails, so that this has to be known for once.
      if (former !== undefined) this.#news.set(model, { model, at, since: at, count: 0 });
      return;
    }
    const words = remedies[kind]?.(model);
    // An overloaded server says nothing of the key.
    if (words === undefined) return;
    const { since, count } = former?.code === kind ? former : { since: at, count: 0 };
    const [trouble, remedy] = words;
    const failed = count === 0 ? "1 request failed" : `${count + 1} requests failed`;
    const line = `model ${model}: ${trouble}, since ${since.slice(0, 19)}Z (${failed}): ${remedy}`;
    this.#news.set(model, { model, at, code: kind, line, since, count: count + 1 });
  }
}

import type { ModelFailureKind, ModelPort } from "@talaria/agent";
import type { KeyFile } from "@talaria/config";
import type { Clock } from "@talaria/protocol";

/** What only an operator can mend, and what may pass by itself. Other ends say nothing of the model. */
const lasting: ReadonlySet<ModelFailureKind> = new Set(["auth", "quota", "not_found"]);
const passing: ReadonlySet<ModelFailureKind> = new Set([
  ...(["rate_limit", "overloaded", "server_error", "network"] as const),
  ...(["stalled", "truncated", "bad_request"] as const),
]);

/** So many failures in a row that may pass take the place of one that lasts: the newest cause counts, and one overloaded answer says nothing of a key. */
const newCauseAfter = 2;
/** A rejected request says nothing of a model that has answered others so lately, unless so many in a row are rejected. */
const rejected = { answeredWithinMs: 600_000, most: 5 };

/** What a worker knows of one model from its last request: without `code`, it answered. */
export interface ModelNews {
  readonly model: string;
  /** When it answered or failed last, as ISO 8601. */
  readonly at: string;
  readonly code?: string;
  /** Where its key stands. */
  readonly keyFiles?: readonly KeyFile[];
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
  /** Of models that were asked, since they answered last. */
  readonly #runs = new Map<string, Run>();

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
    if (kind === undefined) {
      this.#runs.set(model, { answeredAt: this.#deps.clock.now(), rejected: 0, passing: 0 });
      return void this.#news.set(model, { model, at });
    }
    if (kind !== "aborted") this.#deps.failed(model, kind);
    const former = this.#news.get(model);
    const isPassing = passing.has(kind);
    if (!isPassing && !lasting.has(kind)) return;
    const run = this.#runs.get(model) ?? { rejected: 0, passing: 0 };
    if (kind === "bad_request" && former?.code === undefined && this.#isOfTheRequest(run)) return;
    run.passing = isPassing ? run.passing + 1 : 0;
    this.#runs.set(model, run);
    const isLasting = former?.code !== undefined && former.isPassing === false;
    if (isPassing && isLasting && run.passing < newCauseAfter) return;
    const isSame = former?.code !== undefined && former.isPassing === isPassing && (isPassing || former.code === kind);
    const { since = at, count = isPassing && isLasting ? run.passing - 1 : 0 } = isSame ? former : {};
    const keyFiles = this.#deps.keyFiles[model] ?? [];
    this.#news.set(model, { model, at, code: kind, keyFiles, since, count: count + 1, isPassing });
  }

  /** Counts it. */
  #isOfTheRequest(run: Run): boolean {
    run.rejected += 1;
    const { answeredAt = Number.NEGATIVE_INFINITY } = run;
    return run.rejected < rejected.most && this.#deps.clock.now() - answeredAt < rejected.answeredWithinMs;
  }
}

interface Run {
  readonly answeredAt?: number;
  rejected: number;
  /** Failures in a row that may pass. */
  passing: number;
}

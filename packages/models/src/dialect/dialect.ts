import type { ModelDone, ModelEvent, ModelFailure, ModelRequest } from "@talaria/agent";
import type { SecretText } from "../model-config.ts";
import type { RequestImages } from "./request-images.ts";

/** The last event of an answer. */
export type AnswerEnd = ModelDone | { readonly type: "failed"; readonly error: ModelFailure };

/** Puts the chunks of one answer together. Chunks of kinds it does not know are read past. */
export interface Assembler<Chunk> {
  /** The server has said why the answer ended; only usage can follow. */
  readonly isFinished: boolean;
  /** What can be handed out at once. Throws what the server reports inside the stream, as a `WireError` or as its package does. */
  add(chunk: Chunk): readonly ModelEvent[];
  /** The whole answer, or why there is none: a stream without an end is `truncated`, however much it said. */
  end(): AnswerEnd;
}

/** How one API is spoken. Everything around it, silence, aborts, keys and pictures, is the same for all: see `ModelCall`. */
export interface Dialect<Client, Chunk> {
  /** Sends the request. Resolves with the answer's chunks, or rejects with the error of the package. */
  open(client: Client, asked: Asked): Promise<AsyncIterable<Chunk>>;
  assembler(): Assembler<Chunk>;
}

/** A dialect as it is spoken with the models of one configuration. */
export interface Spoken<Config, Client, Chunk> {
  /** A client that retries nothing and reads no environment. Loads its package, which takes tens of megabytes. */
  connect(apiKey: SecretText | undefined): Promise<Client>;
  /** For one request. `config`: the model's own, with another limit or effort when it is asked once more. */
  dialectFor(config: Config, request: ModelRequest): Dialect<Client, Chunk>;
  /** The output limit where neither the request nor the configuration has one. Default: the server's own. */
  readonly defaultMaxTokens?: number;
  /** Whether the server takes an output limit. Default: true. */
  readonly takesLimit?: boolean;
}

/** A request on its way to one model. */
export interface Asked {
  readonly request: ModelRequest;
  readonly images: RequestImages;
  readonly signal: AbortSignal;
}

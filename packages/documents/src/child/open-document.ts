import type { Unit } from "../document-messages.ts";
import type { LineSink } from "./line-sink.ts";

/** A document of which nothing but its structure was read. */
export interface OpenDocument {
  /** As people call it: `Word document`. */
  readonly format: string;
  readonly unit: Unit;
  readonly count: number;
  /** What is to be known of the whole, one line each. */
  readonly facts: readonly string[];
  /** From 0 on. */
  nameOf?(index: number): string | undefined;
  /** Writes one part from its beginning on, until the sink is full. Throws a `Refusal`. */
  read(index: number, sink: LineSink): Promise<void>;
}

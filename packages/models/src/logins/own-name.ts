import type { Assembler } from "../dialect/dialect.ts";

/**
 * A name under which thoughts of a model are kept: they go back to where they came from alone, and not to the same model at another
 * service that speaks the same dialect.
 */
export function ownName(service: string, model: string): string {
  return `${service}/${model}`;
}

/** An assembler that knows the model by such a name, and tells who answered without it. */
export function withoutOwnName<Chunk>(assembler: Assembler<Chunk>, service: string): Assembler<Chunk> {
  return {
    get isFinished() {
      return assembler.isFinished;
    },
    add: (chunk) => assembler.add(chunk),
    end: () => {
      const end = assembler.end();
      const prefix = `${service}/`;
      return end.type === "done" && end.servedBy.startsWith(prefix)
        ? { ...end, servedBy: end.servedBy.slice(prefix.length) }
        : end;
    },
  };
}

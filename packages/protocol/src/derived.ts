import { z } from "zod";
import { senderSchema } from "./codec.ts";
import { isAtLeast, roleSchema } from "./role.ts";
import type { Asker } from "./settled-call.ts";

/** Where content came from whose author may have no rights in a turn. */
export interface TaintSource {
  readonly kind: "overheard" | "tool" | "quote" | "webhook" | "attachment" | "weaker" | "memory" | "unknown";
  /** A tool's name, a user's id, or the kind of the entry. */
  readonly name: string;
}

/**
 * What everything that is made of words keeps of its sources, in the row and never in the text: a checkpoint, a memory, a title.
 * What tainted words taught taints, and what was said to few is shown to no more.
 */
export interface Derived {
  /** Untrusted content among the sources, each once, at most `mostTaintSources`. */
  readonly taint: readonly TaintSource[];
  /** Everyone whose words are among them, each once, with the fewest rights that they were seen with. */
  readonly askers: readonly Asker[];
  /** The conversations, as `<account>/<conversation>`, that may see it. Absent: all. */
  readonly audience?: readonly string[];
}

export const mostTaintSources = 20;

/** The union of the taint, the weakest of the roles, the narrowest of the audiences. Order does not matter but for the order of lists. */
export function joinDerived(one: Derived, other: Derived): Derived {
  const audience = narrowest(one.audience, other.audience);
  return {
    taint: joinTaint(one.taint, other.taint),
    askers: joinAskers([...one.askers, ...other.askers]),
    ...(audience === undefined ? {} : { audience }),
  };
}

/** Reads what another process, perhaps of another version, has written. */
export const derivedSchema: z.ZodType<Derived> = z.object({
  taint: z.array(
    z.object({
      kind: z
        .enum(["overheard", "tool", "quote", "webhook", "attachment", "weaker", "memory", "unknown"])
        .catch("unknown"),
      name: z.string(),
    }),
  ),
  askers: z.array(z.object({ sender: senderSchema, role: roleSchema })),
  audience: z.array(z.string()).exactOptional(),
});

/** Each of them once, with the fewest rights. One account seen with two assurances or mandates stands twice. */
export function joinAskers(askers: readonly Asker[]): readonly Asker[] {
  const found = new Map<string, Asker>();
  for (const asker of askers) {
    const { userId, assurance, mandate } = asker.sender;
    const key = JSON.stringify([userId, assurance, mandate]);
    const known = found.get(key);
    if (known === undefined) found.set(key, asker);
    else if (!isAtLeast(asker.role, known.role)) found.set(key, { ...known, role: asker.role });
  }
  return [...found.values()];
}

function joinTaint(one: readonly TaintSource[], other: readonly TaintSource[]): readonly TaintSource[] {
  const found = new Map([...one, ...other].map((source) => [`${source.kind} ${source.name}`, source]));
  return [...found.values()].slice(0, mostTaintSources);
}

function narrowest(one: Derived["audience"], other: Derived["audience"]): Derived["audience"] {
  if (one === undefined || other === undefined) return one ?? other;
  return one.filter((place) => other.includes(place));
}

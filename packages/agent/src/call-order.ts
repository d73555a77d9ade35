import type { CheckedCall } from "./check-call.ts";

interface Claim {
  readonly isWrite: boolean;
  /** Undefined: everything. */
  readonly resources: ReadonlySet<string> | undefined;
  readonly leavesNothing: boolean;
  /** The tool's name, where each of its calls builds on the one before. */
  readonly ordered: string | undefined;
}

/**
 * For each call the places of the earlier ones that must have finished before it starts: those that touch one of its
 * resources, where either of the two writes and either leaves something behind, and those of a tool whose calls build on each other. Pure.
 */
export function blockersOf(calls: readonly CheckedCall[]): readonly (readonly number[])[] {
  const claims = calls.map(claimOf);
  return claims.map((claim, index) =>
    claims.slice(0, index).flatMap((earlier, place) => (meet(earlier, claim) ? [place] : [])),
  );
}

function claimOf(checked: CheckedCall): Claim {
  if (checked.status !== "ready")
    return { isWrite: false, resources: new Set(), leavesNothing: true, ordered: undefined };
  const { tool, input } = checked;
  const named = told(() => tool.resources?.(input));
  return {
    isWrite: tool.effect === "write",
    resources: named === undefined ? undefined : new Set(named),
    leavesNothing: told(() => tool.leavesNothing?.(input)) ?? tool.effect === "read",
    ordered: tool.isOrdered ? tool.name : undefined,
  };
}

/** Undefined also for a tool that can't say. */
function told<Value>(ask: () => Value | undefined): Value | undefined {
  try {
    return ask();
  } catch {
    return undefined;
  }
}

function meet(one: Claim, other: Claim): boolean {
  if (one.ordered !== undefined && one.ordered === other.ordered) return true;
  if (!one.isWrite && !other.isWrite) return false;
  if (one.leavesNothing && other.leavesNothing) return false;
  const [first, second] = [one.resources, other.resources];
  if (first?.size === 0 || second?.size === 0) return false;
  return first === undefined || second === undefined || [...first].some((name) => second.has(name));
}

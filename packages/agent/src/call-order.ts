import type { CheckedCall } from "./check-call.ts";

interface Claim {
  readonly isWrite: boolean;
  /** Undefined: everything. */
  readonly resources: ReadonlySet<string> | undefined;
}

/**
 * For each call the places of the earlier ones that must have finished before it starts: those that touch one of its
 * resources, where either of the two writes. Pure.
 */
export function blockersOf(calls: readonly CheckedCall[]): readonly (readonly number[])[] {
  const claims = calls.map(claimOf);
  return claims.map((claim, index) =>
    claims.slice(0, index).flatMap((earlier, place) => (meet(earlier, claim) ? [place] : [])),
  );
}

function claimOf(checked: CheckedCall): Claim {
  if (checked.status !== "ready") return { isWrite: false, resources: new Set() };
  const { tool, input } = checked;
  const named = resourcesOf(tool, input);
  return { isWrite: tool.effect === "write", resources: named === undefined ? undefined : new Set(named) };
}

function resourcesOf(
  tool: Extract<CheckedCall, { status: "ready" }>["tool"],
  input: unknown,
): readonly string[] | undefined {
  try {
    return tool.resources?.(input);
  } catch {
    return undefined;
  }
}

function meet(one: Claim, other: Claim): boolean {
  if (!one.isWrite && !other.isWrite) return false;
  const [first, second] = [one.resources, other.resources];
  if (first?.size === 0 || second?.size === 0) return false;
  return first === undefined || second === undefined || [...first].some((name) => second.has(name));
}

import type { WebChannel, WebLine } from "./channel.ts";

/** The lines, those that end a turn with how much it did. What can't be counted now is left out: a line matters more. */
export async function withSteps(
  lines: readonly WebLine[],
  channel: Pick<WebChannel, "stepCounts">,
): Promise<readonly WebLine[]> {
  const counts = await channel
    .stepCounts([...new Set(lines.flatMap((line) => turnOf(line) ?? []))])
    .catch(() => undefined);
  return lines.map((line) => {
    const turnId = turnOf(line);
    const steps = turnId && counts?.get(turnId);
    return steps === undefined ? line : { ...line, steps };
  });
}

/** A question stands before its turn's answer, and has buttons. */
function turnOf({ from, turnId, outcome, id }: WebLine): WebLine["turnId"] {
  return from === "agent" && outcome !== undefined && !id.startsWith("ask:") ? turnId : undefined;
}

import type { WebChannel, WebHistory, WebPlace, WebStepCount } from "./channel.ts";
import { withSteps } from "./line-steps.ts";
import { readPage } from "./queries.ts";

export interface HistoryPage {
  readonly messages: WebHistory["lines"];
  readonly next?: string;
  /** The answer that is not whole yet. Only on the newest page. */
  readonly running?: {
    readonly turnId: string;
    readonly startedAt: string;
    readonly text: string;
    readonly state: "running" | "waiting";
    readonly doing?: string;
    readonly steps: WebStepCount;
  };
}

/**
 * A page of a conversation. What runs is read first: an answer that ends meanwhile is among the lines, and perhaps still runs as well.
 * Throws `invalid_request` with the remedy.
 */
export async function readHistoryPage(request: Request, place: WebPlace, channel: WebChannel): Promise<HistoryPage> {
  const { limit, before } = readPage(new URL(request.url).searchParams);
  const running = before === undefined ? await runningIn(place, channel) : undefined;
  const { lines, next } = await channel.history(place, limit, before);
  const isOver = lines.some(({ turnId, outcome }) => turnId === running?.turnId && isEnd(outcome));
  return {
    messages: await withSteps(lines, channel),
    ...(next === undefined ? {} : { next }),
    ...(running === undefined || isOver ? {} : { running }),
  };
}

function isEnd(outcome: string | undefined): boolean {
  return outcome === "completed" || outcome === "failed" || outcome === "aborted";
}

async function runningIn(place: WebPlace, channel: WebChannel): Promise<HistoryPage["running"]> {
  const running = await channel.running(place);
  if (running === undefined) return undefined;
  const { isAsking, turnId, ...shown } = running;
  const steps = (await channel.stepCounts([turnId])).get(turnId) ?? { count: 0, failed: 0 };
  return { turnId, ...shown, state: isAsking ? "waiting" : "running", steps };
}

import { type Clock, isAtLeast } from "@talaria/protocol";
import type { WebChannel, WebSignal } from "./channel.ts";
import type { EventWriter } from "./event-writer.ts";

/** However much happens, a reader is told of it once in this time. */
const calmMs = 1_000;

/**
 * Writes `changed` when the list of conversations may be another one: something has begun, ended or been said. `elsewhere: true` where that
 * was on other platforms only, which nobody but an owner is told. Ends with `ending`.
 */
export function tellNews(
  channel: Pick<WebChannel, "role" | "subscribe">,
  writer: Pick<EventWriter, "expendable">,
  clock: Clock,
  ending: AbortSignal,
): void {
  const hears = isAtLeast(channel.role, "owner");
  let untold: { readonly isElsewhere: boolean } | undefined;
  let isTelling = false;

  const leave = channel.subscribe((signal) => {
    const isElsewhere = signal.type === "elsewhere";
    if (isElsewhere ? !hears : !isNews(signal)) return;
    untold = { isElsewhere: isElsewhere && untold?.isElsewhere !== false };
    if (!isTelling) void tell();
  });
  ending.addEventListener("abort", leave, { once: true });

  async function tell(): Promise<void> {
    isTelling = true;
    while (untold !== undefined && !ending.aborted) {
      writer.expendable("changed", untold.isElsewhere ? { elsewhere: true } : {});
      untold = undefined;
      await clock.sleep(calmMs, ending).catch(() => undefined);
    }
    isTelling = false;
  }
}

function isNews(signal: Exclude<WebSignal, { type: "elsewhere" }>): boolean {
  return signal.type === "sent" || signal.frame.type === "started" || signal.frame.type === "ended";
}

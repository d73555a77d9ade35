import type { OutboxRow } from "@talaria/store";
import { callPlatform } from "./call-platform.ts";
import type { AccountContext } from "./context.ts";
import { store } from "./context.ts";
import type { PreviewLeft } from "./preview-left.ts";

const callMs = 15_000;

/** Whether nobody may have this answer any more: whoever asked was shut out while it was written or waited. */
export async function isShutOut({ kind, turnId }: OutboxRow, context: AccountContext): Promise<boolean> {
  const { mayAnswer } = context;
  if (kind !== "reply" || turnId === undefined || mayAnswer === undefined) return false;
  return !(await store(context, () => mayAnswer(turnId)));
}

/** Takes away what was shown of an answer, where the platform can. Never rejects. */
export async function takePreviewAway(row: OutboxRow, preview: PreviewLeft, context: AccountContext): Promise<void> {
  const { adapter, clock, hangUp, log } = context;
  try {
    if (preview.state === "view") await callPlatform(clock, callMs, hangUp, (signal) => preview.view.discard(signal));
    if (preview.state !== "posted" || adapter.delete === undefined) return;
    const ref = { conversation: row.conversation, messageId: preview.messageId };
    await callPlatform(clock, callMs, hangUp, async (signal) => adapter.delete?.(ref, signal));
  } catch (error) {
    log.debug({ deliveryKey: row.deliveryKey, error }, "a preview stays on the platform");
  }
}

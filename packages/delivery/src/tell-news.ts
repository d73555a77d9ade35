import type { AccountContext } from "./context.ts";
import type { News } from "./lane-io.ts";

/** Counts, logs and marks what a lane reports. Never throws. */
export function tellNews(news: News, context: AccountContext): void {
  const { metrics, log, accountId } = context;
  switch (news.type) {
    case "previewed":
      metrics.previewed(accountId);
      break;
    case "delivered":
      metrics.delivered(accountId);
      context.outageNews.worked();
      break;
    case "doubtful":
      metrics.outcomeUnknown(accountId);
      break;
    case "call-failed": {
      const { error, row, next } = news;
      metrics.deliveryFailed(accountId, error.code);
      const fields = { accountId, deliveryKey: row.deliveryKey, code: error.code, decision: next, error };
      const isOutage = error.code === "unavailable" && !context.stopping.aborted;
      if (isOutage) context.outageNews.failed(error, row.deliveryKey);
      log[isOutage ? "debug" : "warn"](fields, "a call to a platform failed");
      break;
    }
    case "broke": {
      const { about, error } = news;
      if (typeof about === "string") log.error({ accountId, turnId: about, error }, "a preview ended unexpectedly");
      else log.error({ accountId, deliveryKey: about.deliveryKey, error }, "a text could not be made into messages");
      break;
    }
    case "withheld":
      withheld(news, context);
      break;
    case "finished":
      finished(news, context);
      break;
    default:
      news satisfies never;
  }
}

function withheld(
  { row }: Extract<News, { type: "withheld" }>,
  { log, accountId, marks, withheld }: AccountContext,
): void {
  const { deliveryKey, conversation, kind, turnId } = row;
  log.info(
    { accountId, conversationId: conversation.conversationId, deliveryKey },
    "text withheld: somebody has stopped it",
  );
  if (kind !== "reply" || turnId === undefined) return;
  void marks?.turn(turnId);
  withheld?.(turnId);
}

function finished({ row, error }: Extract<News, { type: "finished" }>, context: AccountContext): void {
  const { clock, metrics, log, accountId, marks } = context;
  const { deliveryKey, conversation, committedAt, kind, turnId } = row;
  const durationMs = Math.round(clock.elapsed() - committedAt);
  const fields = { accountId, conversationId: conversation.conversationId, deliveryKey, durationMs };
  if (error === undefined) {
    metrics.stage("answered_to_delivered", durationMs);
    log.info(fields, "message delivered");
  } else log.error({ ...fields, code: error }, "message given up");
  // Whoever lost access sees nothing, not even a reaction.
  if (kind === "reply" && turnId !== undefined && error !== "not_allowed")
    void marks?.turn(turnId, error === undefined);
}

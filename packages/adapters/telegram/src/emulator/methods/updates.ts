import { badRequest, conflict } from "../api-error.ts";
import type { Parameters } from "../parameters.ts";
import type { Method } from "./method.ts";

const maxLongPollMs = 50_000;
const defaultConnections = 40;

export const getUpdates: Method = ({ bot, parameters, signal }) => {
  if (bot.webhook.webhook) {
    throw conflict(
      "can't use getUpdates method while webhook is active; use deleteWebhook to delete the webhook first",
    );
  }
  bot.updates.allow(readKinds(parameters));
  const limit = parameters.integer("limit") ?? 100;
  const offset = parameters.integer("offset");
  return bot.updates.poll(
    {
      limit: limit < 1 || limit > 100 ? 100 : limit,
      timeoutMs: Math.min(maxLongPollMs, Math.max(0, (parameters.integer("timeout") ?? 0) * 1_000)),
      ...(offset !== undefined && { offset }),
    },
    signal,
  );
};

/** Takes plain HTTP too, because the peer of a test listens on loopback. */
export const setWebhook: Method = ({ bot, parameters }) => {
  const url = parameters.text("url");
  if (url !== "" && !/^https?:\/\/[^/]+/.test(url))
    throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  const secretToken = parameters.text("secret_token");
  if (!/^[A-Za-z0-9_-]{0,256}$/.test(secretToken)) throw badRequest("secret token contains unallowed characters");
  bot.updates.allow(readKinds(parameters));
  if (parameters.flag("drop_pending_updates")) bot.updates.clear();
  const connections = parameters.integer("max_connections") ?? defaultConnections;
  bot.updates.terminate("terminated by setWebhook request");
  bot.webhook.set(
    url === ""
      ? undefined
      : {
          url,
          maxConnections: Math.min(100, Math.max(1, connections)),
          ...(secretToken !== "" && { secretToken }),
        },
  );
  return true;
};

export const deleteWebhook: Method = ({ bot, parameters }) => {
  if (parameters.flag("drop_pending_updates")) bot.updates.clear();
  bot.webhook.set(undefined);
  return true;
};

export const getWebhookInfo: Method = ({ bot }) => ({
  url: bot.webhook.webhook?.url ?? "",
  has_custom_certificate: false,
  pending_update_count: bot.updates.size,
  ...(bot.webhook.webhook && { max_connections: bot.webhook.webhook.maxConnections, ip_address: "127.0.0.1" }),
  ...(bot.webhook.failure && {
    last_error_date: Math.floor(bot.webhook.failure.at / 1_000),
    last_error_message: bot.webhook.failure.message,
  }),
  ...(bot.updates.allowed.length > 0 && { allowed_updates: bot.updates.allowed }),
});

function readKinds(parameters: Parameters): string[] | undefined {
  return parameters.list("allowed_updates")?.map(String);
}

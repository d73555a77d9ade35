import type { AccountId, DeliveryKey, Log, SessionKey } from "@talaria/protocol";
import { brandAs } from "@talaria/protocol";
import { callNotices } from "@talaria/sessions";
import type { CallStore, OpenCall, OutboxText } from "@talaria/store";

const everyMs = 10_000;

export interface CallExpiryDeps {
  readonly calls: Pick<CallStore, "overdue" | "settle">;
  /** Both are lossy and never throw. */
  readonly wake: (sessionKey: SessionKey) => void;
  readonly deliver: (accountId: AccountId) => void;
  readonly log: Log;
}

/** Settles calls that nobody has decided in time, and tells the people. Several gateways may do it: one of them counts. */
export function startCallExpiry(deps: CallExpiryDeps): { stop(): Promise<void> } {
  let running: Promise<void> = Promise.resolve();
  let isRunning = false;
  const look = () => {
    if (isRunning) return;
    isRunning = true;
    running = expire(deps)
      .catch((error: unknown) => deps.log.warn({ error }, "overdue calls could not be read"))
      .finally(() => {
        isRunning = false;
      });
  };
  const timer = setInterval(look, everyMs);
  look();
  return {
    stop: async () => {
      clearInterval(timer);
      await running;
    },
  };
}

/** One that can't be settled now, for example since its session is locked, keeps no other one waiting. */
async function expire(deps: CallExpiryDeps): Promise<void> {
  for (const call of await deps.calls.overdue()) {
    const { sessionKey, name: tool } = call;
    await expireOne(call, deps).catch((error: unknown) =>
      deps.log.warn({ sessionKey, tool, error }, "an overdue call was not settled"),
    );
  }
}

async function expireOne(call: OpenCall, { calls, wake, deliver, log }: CallExpiryDeps): Promise<void> {
  const { id, sessionKey, route } = call;
  if (!(await calls.settle({ id, sessionKey, settlement: "expired" }, noticeOf(call)))) return;
  log.info({ sessionKey, tool: call.name }, "a call that waited has expired");
  wake(sessionKey);
  deliver(route.accountId);
}

function noticeOf({ id, sessionKey, route, shown, waitsFor }: OpenCall): OutboxText | undefined {
  if (waitsFor !== "approval") return undefined;
  return {
    deliveryKey: brandAs<DeliveryKey>(`expired:${id}`),
    kind: "notice",
    conversation: route,
    markdown: callNotices.expired(shown),
    attachments: [],
    sessionKey,
  };
}

import type { Clock } from "@talaria/protocol";
import type { GateDeps } from "@talaria/sessions";
import type { Metrics } from "@talaria/telemetry";

/** Counts what became of each event. */
export function measureGate(metrics: Metrics, clock: Clock): GateDeps["count"] {
  return (outcome, event, reason) => {
    const { accountId, platform } = event.conversation;
    metrics.received(platform, accountId);
    switch (outcome) {
      case "recorded":
      case "command":
        metrics.recorded(accountId);
        metrics.stage("received_to_recorded", Math.max(0, clock.now() - Date.parse(event.receivedAt)));
        break;
      case "duplicate":
        metrics.duplicate(accountId);
        break;
      case "refused":
      case "ignored":
        metrics.refused(accountId, reason ?? outcome);
        break;
      case "echo":
        break;
      default:
        outcome satisfies never;
    }
  };
}

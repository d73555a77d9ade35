export { closedWords, waitingChoices } from "./closed-text.ts";
export type { DeliveryDeps } from "./context.ts";
export { createDelivery, type Delivery } from "./delivery.ts";
export type { DeliveryMetrics } from "./metrics.ts";

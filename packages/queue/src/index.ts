export { askRedis } from "./ask-redis.ts";
export { checkRedis } from "./check-redis.ts";
export type { QueueRole } from "./connections.ts";
export { createQueue, type QueueOptions } from "./create-queue.ts";
export { migrateQueue } from "./migrate-queue.ts";
export type {
  AccountSignal,
  Consumer,
  QueueBackend,
  QueueSystem,
  Rests,
  SignalBus,
  Subscription,
  WakeQueue,
  WorkerSignal,
} from "./ports.ts";

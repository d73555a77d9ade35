export { createLogger, type Logger, type LoggerOptions, type LogLevel } from "./logger.ts";
export { createMetrics, type Metrics, type MetricsOptions, type Stage, type TurnOutcome } from "./metrics.ts";
export { type MetricsSnapshot, mergeSnapshots, type SnapshotPart } from "./snapshot.ts";

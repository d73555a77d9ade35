import { AggregatorRegistry, type Registry } from "prom-client";
import { z } from "zod";

const seriesSchema = z.object({
  metricName: z.string().optional(),
  labels: z.record(z.string(), z.union([z.string(), z.number()])),
  value: z.number(),
});

const metricSchema = z.object({
  name: z.string().regex(/^talaria_[a-z_]+$/),
  help: z.string(),
  type: z.enum(["counter", "gauge", "histogram"]),
  values: z.array(seriesSchema),
});

/** The metrics of one process as plain JSON. */
const metricsSnapshotSchema = z.object({ version: z.literal(1), metrics: z.array(metricSchema) });

export type MetricsSnapshot = z.output<typeof metricsSnapshotSchema>;

/** Takes what a registry holds now. */
export async function snapshotOf(registry: Registry): Promise<MetricsSnapshot> {
  const metrics = await registry.getMetricsAsJSON();
  return metricsSnapshotSchema.parse({ version: 1, metrics: JSON.parse(JSON.stringify(metrics)) });
}

/** One process's part of a joint text. */
export interface SnapshotPart {
  /** Becomes the label `worker` of each series; without it the series stay as they are. */
  readonly worker?: string;
  /** What the process exported, as it was read; checked here. */
  readonly snapshot: unknown;
}

/** Prometheus text of several processes. A part that is no snapshot (another version wrote it) is left out. */
export async function mergeSnapshots(parts: readonly SnapshotPart[]): Promise<string> {
  const readable = parts.flatMap(({ worker, snapshot }) => {
    const parsed = metricsSnapshotSchema.safeParse(snapshot);
    return parsed.success ? [parsed.data.metrics.map((metric) => labelled(metric, worker))] : [];
  });
  return AggregatorRegistry.aggregate(readable).metrics();
}

function labelled({ values, ...metric }: z.output<typeof metricSchema>, worker: string | undefined) {
  const label = worker === undefined ? {} : { worker };
  return {
    ...metric,
    aggregator: "sum",
    values: values.map((one) => ({ ...one, labels: { ...one.labels, ...label } })),
  };
}

/** The value below which the share `q` (0 to 1) of the sample lies. */
export function quantile(sample: readonly number[], q: number): number {
  const sorted = sample.toSorted((left, right) => left - right);
  return sorted[Math.min(sorted.length - 1, Math.floor(q * sorted.length))] ?? Number.NaN;
}

export function describeMs(sample: readonly number[]): string {
  const at = (q: number) => quantile(sample, q).toFixed(1);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms, max ${at(1)} ms (${sample.length} samples)`;
}

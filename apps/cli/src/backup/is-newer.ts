/** Whether a release, such as `1.10.0`, came after another one. What is no release is not newer. */
export function isNewer(release: string, own: string): boolean {
  const [theirs, ours] = [release, own].map((one) => /^(\d+)\.(\d+)\.(\d+)/.exec(one)?.slice(1).map(Number));
  if (theirs === undefined || ours === undefined) return false;
  const first = theirs.findIndex((part, n) => part !== ours[n]);
  return first >= 0 && (theirs[first] ?? 0) > (ours[first] ?? 0);
}

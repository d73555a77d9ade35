/**
 * A reporter of `node --test`: one line for each reason why tests were left out, with how many. A suite counts as one.
 * Says nothing when every test has run.
 */
// biome-ignore lint/style/noDefaultExport: what `--test-reporter` imports.
export default async function* leftOut(events) {
  const counts = new Map();
  for await (const { type, data } of events) {
    if (type !== "test:pass" || data.skip === undefined || data.skip === false) continue;
    const reason = data.skip === true ? "no reason given" : data.skip;
    counts.set(reason, (counts.get(reason) ?? 0) + 1);
  }
  for (const [reason, count] of counts)
    yield `Left out: ${count} ${count === 1 ? "test or suite" : "tests or suites"} (${reason}).\n`;
}

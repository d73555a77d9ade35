const shown = 40;

/**
 * A reporter of `node --test` for the end of a run: how long the slowest files took, side by side with others, and one line for each
 * reason why tests were left out, with how many. A suite counts as one.
 */
// biome-ignore lint/style/noDefaultExport: what `--test-reporter` imports.
export default async function* closingReport(events) {
  const files = [];
  const leftOut = new Map();
  for await (const { type, data } of events) {
    if (type === "test:summary" && data.file !== undefined) files.push(timeOf(data));
    if (type === "test:pass" && data.skip !== undefined && data.skip !== false) count(leftOut, data.skip);
  }
  yield [...slowest(files), ...reasons(leftOut)].map((line) => `${line}\n`).join("");
}

function timeOf({ file, duration_ms: ms }) {
  const folder = `${process.cwd()}/`;
  return { file: file.startsWith(folder) ? file.slice(folder.length) : file, seconds: ms / 1_000 };
}

function count(reasons, skip) {
  const reason = skip === true ? "no reason given" : skip;
  reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
}

function slowest(files) {
  if (files.length < 2) return [];
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  const rows = files.toSorted((one, other) => other.seconds - one.seconds).slice(0, shown);
  return [
    `${files.length} files took ${all.toFixed(0)} s in all; the slowest:`,
    ...rows.map(({ file, seconds }) => `${seconds.toFixed(1).padStart(8)} s  ${file}`),
  ];
}

function reasons(leftOut) {
  return [...leftOut].map(
    ([reason, n]) => `Left out: ${n} ${n === 1 ? "test or suite" : "tests or suites"} (${reason}).`,
  );
}

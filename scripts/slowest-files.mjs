const shown = 40;

/**
 * A reporter of `node --test`: how long the slowest files took, and all of them together. Files run side by side, so the sum is a
 * multiple of the time on the clock.
 */
// biome-ignore lint/style/noDefaultExport: what `--test-reporter` imports.
export default async function* slowestFiles(events) {
  const files = [];
  for await (const { type, data } of events)
    if (type === "test:summary" && data.file !== undefined)
      files.push({ file: relativeTo(process.cwd(), data.file), seconds: data.duration_ms / 1_000 });
  if (files.length < 2) return;
  const all = files.reduce((sum, { seconds }) => sum + seconds, 0);
  yield `${files.length} files took ${all.toFixed(0)} s in all; the slowest:\n`;
  for (const { file, seconds } of files.toSorted((one, other) => other.seconds - one.seconds).slice(0, shown))
    yield `${seconds.toFixed(1).padStart(8)} s  ${file}\n`;
}

function relativeTo(folder, file) {
  return file.startsWith(`${folder}/`) ? file.slice(folder.length + 1) : file;
}

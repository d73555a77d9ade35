/** A diff of more changed lines is worth nothing to its reader, and takes long to find. */
const mostEdits = 2_000;
const longestMs = 300;

/** What changed, as a unified diff with three lines of context; a sentence where nearly everything did. */
export async function unifiedDiff(path: string, before: string, after: string): Promise<string> {
  const { createTwoFilesPatch, FILE_HEADERS_ONLY } = await import("diff");
  const diff = createTwoFilesPatch(path, path, before, after, undefined, undefined, {
    context: 3,
    maxEditLength: mostEdits,
    timeout: longestMs,
    headerOptions: FILE_HEADERS_ONLY,
  });
  return diff?.trimEnd() ?? `(more than ${mostEdits} lines differ)`;
}

import type { Checked } from "@talaria/config";

/** What keeps a changed file from being used that names none of the accounts that run: a half-written one looks so, and owners would lose their homes. */
export function lostAccounts(
  file: string,
  changed: Checked | undefined,
  running: Checked | undefined,
): string | undefined {
  const [left, before] = [changed, running].map(namesIn);
  if (left === undefined || left.length > 0 || before === undefined || before.length === 0) return undefined;
  return `${file} has no accounts, and ${before.join(", ")} ${before.length === 1 ? "runs" : "run"}: write what is missing, or \`talaria restart\` to go on without`;
}

/** Also of those that are switched off or faulty. */
function namesIn(checked: Checked | undefined): readonly string[] | undefined {
  if (checked?.loaded === undefined) return undefined;
  const { accounts, disabled } = checked.loaded.config;
  return [...Object.keys(accounts), ...disabled.flatMap(({ kind, name }) => (kind === "account" ? [name] : []))];
}

import { quote } from "./quote.ts";

/** The variable by which a program's processes are known where there is no namespace for each. */
export const markName = "TALARIA_PROGRAM";

/**
 * A program of `sh` that kills every process of this account with the mark, until none is left. With `live` it kills every
 * other one too, except the first, itself, and those with one of these marks: for machines that hold nothing else.
 */
export function killScript(mark: string, own: string, live?: readonly string[]): string {
  const spared = [own, ...(live ?? [])].map((other) => `${markName}=${other}`);
  const others = live === undefined ? "" : `*) hit "$id" ;;`;
  return `
me=$$
hit() { kill -9 "$1" 2>/dev/null && found=yes; }
round=0
while [ $round -lt 20 ]; do
  round=$((round + 1)); found=
  for folder in /proc/[0-9]*; do
    id=\${folder#/proc/}
    [ "$id" = 1 ] && continue
    [ "$id" = "$me" ] && continue
    [ -O "$folder" ] || continue
    read -r state <"$folder/stat" 2>/dev/null || continue
    case "$state" in *') Z '*) continue ;; esac
    marked=$(tr '\\0' '\\n' <"$folder/environ" 2>/dev/null | grep '^${markName}=' | head -n 1)
    [ -e "$folder/stat" ] || continue
    case "$marked" in
      ${quote(`${markName}=${mark}`)}) hit "$id" ;;
      ${spared.map(quote).join("|")}) ;;
      ${others}
    esac
  done
  [ -n "$found" ] || exit 0
done
exit 1
`;
}

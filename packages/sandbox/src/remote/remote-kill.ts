import { quote } from "../quote.ts";

/** The variable by which a program's processes are known where there is no namespace for each. */
export const markName = "TALARIA_PROGRAM";

const maxRounds = 20;

/**
 * A program of `sh` that kills every process with the mark, until none is left: one that forks while it is looked for
 * leaves a child that bears the mark too. It looks twice, for a program that has just been put in its process' place has no
 * variables for a moment.
 */
export function killMarkedScript(mark: string): string {
  return `
round=0
clear=0
while [ $round -lt ${maxRounds} ]; do
  round=$((round + 1))
  found=$(grep -l -a -F ${quote(`${markName}=${mark}`)} /proc/[0-9]*/environ 2>/dev/null)
  if [ -z "$found" ]; then
    clear=$((clear + 1))
    [ $clear -lt 2 ] || exit 0
    continue
  fi
  clear=0
  for file in $found; do id=\${file#/proc/}; kill -9 "\${id%/environ}" 2>/dev/null; done
done
exit 1
`;
}

/**
 * A program of `sh` for a machine that holds nothing else: kills every process of this account but the first, itself, and
 * those with one of these marks. So nobody escapes by forgetting the mark. Whoever has no variables at all is killed when that is so
 * twice: a program that is just being put in its process' place has none either.
 */
export function killOthersScript(spared: readonly string[]): string {
  const marks = spared.map((mark) => quote(`${markName}=${mark}`)).join("|");
  return `
me=$$
round=0
before=
while [ $round -lt ${maxRounds} ]; do
  round=$((round + 1)); found=; unsure=
  for folder in /proc/[0-9]*; do
    id=\${folder#/proc/}
    [ "$id" = 1 ] && continue
    [ "$id" = "$me" ] && continue
    [ -O "$folder" ] || continue
    read -r state <"$folder/stat" 2>/dev/null || continue
    case "$state" in *') Z '*) continue ;; esac
    all=$(tr '\\0' '\\n' <"$folder/environ" 2>/dev/null)
    [ -e "$folder/stat" ] || continue
    if [ -z "$all" ]; then
      unsure="$unsure $id "
      case "$before" in *" $id "*) ;; *) continue ;; esac
    fi
    marked=$(printf '%s\\n' "$all" | grep '^${markName}=' | head -n 1)
    case "$marked" in
      ${marks}) ;;
      *) kill -9 "$id" 2>/dev/null && found=yes ;;
    esac
  done
  before=$unsure
  [ -n "$found$unsure" ] || exit 0
done
exit 1
`;
}

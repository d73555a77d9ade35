import { type CommandResult, defineTool } from "@talaria/agent";
import { GatewayError } from "@talaria/protocol";
import { z } from "zod";
import { workspaceOf } from "../workspace-of.ts";
import { workspacePath } from "./file-resource.ts";

const mostResults = 500;
const longestMs = 20_000;
const outputChars = 60_000;
const shownChars = 300;

/**
 * Asks ripgrep, or grep where there is none. Folders that begin with `.calls-` are those of running code (`code/`); in
 * `.output` lies what commands printed, which is searched only where the path says so. Words of the model are arguments, never a part of this text. Arguments: what is
 * looked for ("" for names of files), folder, glob ("" for all), most lines. The last line is the exit status of the search.
 * Facts: ripgrep's guide and manual (1 is "nothing found", 2 an error); grep's are the same.
 */
const script = `
pattern=$1 folder=$2 glob=$3 most=$4 printed=.output
case $folder in *.output*) printed=.calls-none ;; esac
if command -v rg >/dev/null 2>&1; then
  set -- --color=never --no-messages --hidden --glob '!.git' --glob '!.calls-*' --glob "!$printed" --sort=path
  [ -n "$glob" ] && set -- "$@" --glob "$glob"
  if [ -n "$pattern" ]; then
    rg "$@" --no-heading --with-filename --line-number --max-columns=${shownChars} --max-columns-preview \\
      --regexp "$pattern" -- "$folder" 2>&1 | head -n "$most"
    status=\${PIPESTATUS[0]}
  else
    rg "$@" --files -- "$folder" 2>&1 | head -n "$most"
    status=\${PIPESTATUS[0]}
  fi
elif [ -n "$pattern" ]; then
  set -- -rnIE --exclude-dir=.git '--exclude-dir=.calls-*' "--exclude-dir=$printed"
  [ -n "$glob" ] && set -- "$@" "--include=$glob"
  grep "$@" -e "$pattern" -- "$folder" 2>&1 | cut -c 1-${2 * shownChars} | head -n "$most"
  status=\${PIPESTATUS[0]}
else
  find "$folder" \\( -name .git -o -name '.calls-*' -o -name "$printed" \\) -prune -o -type f -name "\${glob:-*}" -print 2>&1 | head -n "$most"
  status=\${PIPESTATUS[0]}
fi
printf '\\n%d' "$status"
`;

/** Looks for text in files, or for files by their name. */
export const searchFiles = defineTool({
  name: "search_files",
  description:
    "Finds lines of workspace files by a regular expression, or without a pattern files by a glob. Prefer it to grep and find: it skips " +
    ".git, what .gitignore names, and .output unless path names it.",
  effect: "read",
  permissions: ["fs.read"],
  timeoutMs: longestMs + 10_000,
  input: z.strictObject({
    pattern: z.string().max(1_000).optional(),
    path: z.string().min(1).max(4_096).default(".").describe("Folder or file"),
    glob: z.string().max(500).optional(),
    limit: z.int().min(1).max(mostResults).default(100),
  }),
  targets: ({ path }) => [workspacePath(path)],
  async execute({ pattern = "", path, glob = "", limit }, context) {
    const result = await workspaceOf(context).exec(
      { command: ["/bin/bash", "-c", script, "search", pattern, path, glob, String(limit + 1)] },
      { timeoutMs: longestMs, signal: context.signal, maxOutputChars: outputChars },
    );
    return { content: shown(result, limit) };
  },
});

function shown({ output, end, leftOut }: CommandResult, limit: number): string {
  if (end.kind !== "exit") {
    throw new GatewayError(`the search was ended after ${longestMs / 1_000} s; look in a smaller folder`, {
      code: end.kind === "aborted" ? "aborted" : "unavailable",
      effect: "none",
    });
  }
  const status = /\n(\d+)\s*$/.exec(output);
  const lines = output
    .slice(0, status?.index)
    .split("\n")
    .filter((line) => line !== "");
  const isFailed = status === null || (status[1] === "2" && /^(rg: |grep: |regex parse error|$)/.test(lines[0] ?? ""));
  if (isFailed) {
    throw new GatewayError(`the search failed: ${lines.join(" ").slice(0, 500) || "is the path right?"}`, {
      code: "invalid_request",
    });
  }
  if (lines.length === 0) return "Nothing found.";
  const kept = lines.slice(0, limit);
  const isMore = lines.length > limit || leftOut > 0;
  return isMore ? `${kept.join("\n")}\n[there is more: narrow the search]` : kept.join("\n");
}

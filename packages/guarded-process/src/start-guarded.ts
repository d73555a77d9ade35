import { spawn } from "node:child_process";
import type { Readable, Writable } from "node:stream";

const mebibyte = 1024 * 1024;

export interface GuardOptions {
  /** Files and folders that it may read: all that it may do with files. */
  readonly readable: readonly string[];
  /** Of V8's own heap. */
  readonly heapMb: number;
  /**
   * All memory that the process may write to, where there is `prlimit` (Linux). V8 sets some 512 MB of it aside for machine code and
   * never uses most of them.
   */
  readonly dataMb: number;
  /** It has no network, where the system lets an ordinary account make a network namespace (Linux, `unshare`). */
  readonly isOffline?: true;
}

/**
 * Runs a program as a child, waits for its end, and gives its exit code. The group is killed when descriptor 3 closes: that is when the
 * worker is gone, however it went, also when the program is in an endless loop and hears of nothing. Who watches that keeps stdout
 * open: when it closes, all of the group are gone.
 */
const guard = `exec 4<&0 </dev/null
{ read -r _ <&3; kill -KILL 0; } 2>/dev/null 4<&- &
watch=$!
data=$1 offline=$2
shift 2
command -v prlimit >/dev/null && set -- prlimit --data="$data" --core=0 -- "$@"
if [ "$offline" = 1 ] && unshare -rn true 2>/dev/null; then set -- unshare -rn -- "$@"; fi
"$@" <&4 3<&- 4<&- &
wait $!
code=$?
kill $watch
exit $code`;

export interface GuardedProcess {
  readonly stdin: Writable;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** Says how it ended: `exit code 1`. Never rejects. */
  readonly ended: Promise<string>;
  /** Kills its whole group. Nothing happens where it is gone. */
  kill(): void;
}

/** Starts Node.js with a program that may read the given files and folders, write nothing, and start nothing. */
export function startGuarded(program: string, options: GuardOptions): GuardedProcess {
  const { readable, heapMb, dataMb, isOffline } = options;
  const argv = [
    process.execPath,
    "--permission",
    ...readable.map((path) => `--allow-fs-read=${path}`),
    `--max-old-space-size=${heapMb}`,
    "--disable-warning=SecurityWarning",
    program,
  ];
  const limits = [String(dataMb * mebibyte), isOffline ? "1" : "0"];
  const child = spawn("/bin/sh", ["-c", guard, "sh", ...limits, ...argv], {
    cwd: "/",
    env: { PATH: "/usr/local/bin:/usr/bin:/bin", LANG: "C.UTF-8" },
    detached: true,
    stdio: ["pipe", "pipe", "pipe", "pipe"],
  });
  const { stdin, stdout, stderr } = child;
  for (const stream of [stdin, child.stdio[3]]) stream?.on("error", () => undefined);
  let isOver = false;
  const ended = new Promise<string>((resolve) => {
    child.once("error", (error) => resolve(`it could not be started: ${error.message}`));
    child.once("exit", (code, signal) => resolve(signal === null ? `exit code ${code}` : `signal ${signal}`));
  }).finally(() => {
    isOver = true;
  });
  const kill = () => {
    if (isOver || child.pid === undefined) return;
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // Nobody of the group is left.
    }
  };
  return { stdin, stdout, stderr, ended, kill };
}

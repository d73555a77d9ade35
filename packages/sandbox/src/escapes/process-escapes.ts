import { type Escape, type EscapeKind, type EscapeTargets, perl, reading } from "./escape.ts";

/** To see, to signal and to change what runs outside. */
export function processEscapes(t: EscapeTargets): readonly Escape[] {
  return [...environment(t), ...proc(t), ...signals(t)];
}

function of(kind: EscapeKind) {
  return (name: string, command: string, needs: readonly string[] = []): Escape => ({ kind, name, command, needs });
}

function environment(t: EscapeTargets): readonly Escape[] {
  const attempt = of("environment");
  return [
    attempt("see a variable of the worker", `env | grep '^${t.variable}='`),
    attempt("see it in a login shell", `sh -lc env | grep '^${t.variable}='`),
    attempt("see it in its own process", `tr '\\0' '\\n' </proc/self/environ | grep '^${t.variable}='`),
    attempt("see it in the parent", `tr '\\0' '\\n' </proc/$PPID/environ | grep '^${t.variable}='`),
    attempt("see it in the first process", `tr '\\0' '\\n' </proc/1/environ | grep '^${t.variable}='`),
    attempt("see it in any process", `cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep '^${t.variable}='`),
    attempt("see it in the worker", `tr '\\0' '\\n' </proc/${t.worker}/environ | grep '^${t.variable}='`),
    attempt("see it in what ps tells", `ps auxewww 2>/dev/null | grep -v grep | grep '${t.variable}='`),
    attempt(
      "find keys to other machines",
      "env | grep -E '^(SSH_AUTH_SOCK|SSH_AGENT_PID|DOCKER_HOST|KUBECONFIG|DBUS_SESSION_BUS_ADDRESS|AWS_|GOOGLE_)'",
    ),
  ];
}

function proc(t: EscapeTargets): readonly Escape[] {
  const attempt = of("proc");
  return [
    attempt(
      "see a process outside",
      `cat /proc/[0-9]*/cmdline 2>/dev/null | tr '\\0' '\\n' | grep '^${t.victimWord}$'`,
    ),
    attempt("read its memory map", reading(`/proc/${t.victim}/maps`)),
    attempt("read its memory", reading(`/proc/${t.victim}/mem`)),
    attempt("list its files", `ls /proc/${t.victim}/fd | grep .`),
    attempt("see the folder in which it is", `readlink /proc/${t.victim}/cwd | grep .`),
    attempt("read memory of the first process", reading("/proc/1/mem")),
    attempt("read memory of the worker", reading(`/proc/${t.worker}/maps`)),
    attempt("be killed last", "echo -900 >/proc/self/oom_score_adj"),
    attempt("have another one killed first", `echo 1000 >/proc/${t.victim}/oom_score_adj`),
    attempt("map itself to root", "echo '0 0 1' >/proc/self/uid_map"),
    attempt("raise the limit on processes", "ulimit -u unlimited"),
    attempt("raise the limit on files' size", "ulimit -f unlimited", ["bash"]),
    attempt("run before all others", 'nice -n -10 true && [ "$(nice -n -10 nice)" -lt 0 ]', ["nice"]),
    attempt("run in real time", "chrt -f 50 true", ["chrt"]),
  ];
}

function signals(t: EscapeTargets): readonly Escape[] {
  const attempt = of("signals");
  return [
    attempt("signal a process outside", `kill -0 ${t.victim}`),
    attempt("signal the worker", `kill -0 ${t.worker}`),
    attempt("stop a process outside", `kill -STOP ${t.victim} && ${untilStopped(t.victim)}`),
    attempt("kill a process outside", `kill -9 ${t.victim}`),
    attempt("kill its group", `kill -9 -${t.victim}`),
    attempt("slow a process outside down", `renice -n 19 -p ${t.victim}`, ["renice"]),
    perl("signals", "signal it by its thread", `exit(syscall(200, ${t.victim}, 0) == 0 ? 0 : 1)`),
    perl("signals", "open a handle to it", `exit(syscall(434, ${t.victim}, 0) >= 0 ? 0 : 1)`),
    perl("signals", "trace it", `exit(syscall(101, 16, ${t.victim}, 0, 0) == 0 ? 0 : 1)`),
    perl("signals", "limit it", `my $l = pack("QQ", 0, 0); exit(syscall(302, ${t.victim}, 7, $l, 0) == 0 ? 0 : 1)`),
    perl(
      "signals",
      "read its memory by a call",
      `my $b = "\\0" x 8; my $v = pack("QQ", unpack("Q", pack("P", $b)), 8); my $r = pack("QQ", 0x400000, 8); exit(syscall(310, ${t.victim}, $v, 1, $r, 1, 0) > 0 ? 0 : 1)`,
    ),
  ];
}

/** A process that sleeps is stopped once it has been woken for it: on a busy machine only after whoever asked for it is gone. */
function untilStopped(pid: number): string {
  return `for round in $(seq 100); do grep -qs '^State:.T' /proc/${pid}/status && break; sleep 0.05; done`;
}

import { readShell } from "./shell-reader.ts";

/**
 * Whether a command does the same tomorrow, whatever then stands in the workspace: one program of the list below with plain
 * words, of which no option runs another program. Nothing in it is for a shell: no variables, wildcards or redirections. A path
 * is no program of the list.
 */
export function isFixedCommand(text: string): boolean {
  if (!plainWords.test(text)) return false;
  const [{ words = [] } = {}, ...further] = readShell(text).commands;
  const [program = "", ...options] = words;
  // What stands before the program, such as `LD_PRELOAD=x`, is none of the words.
  if (further.length > 0 || !fixed.has(program) || !text.startsWith(program)) return false;
  return more[program]?.(options) !== true;
}

/** Words with blanks between them. Nothing in quotes that a shell, or `printf`, would take for a variable or a command. */
const plainWords = /^[a-z\d][\w-]*(?: +(?:[\p{L}\p{M}\p{N}_./:@%+,=^-]|'[^'$`\r\n]*'|"[^"$`\\!\r\n]*")+)*$/u;

/**
 * Of GNU coreutils, diffutils and grep, of uutils and busybox. None reads configuration from the workspace or its home folder, as
 * git, less, file, jq, curl and every build tool do. Not here either: what runs another program (env, timeout, xargs, split
 * --filter), what a script stands in for (zcat, which), what takes commands of its own (sed, awk, test), and what puts contents
 * somewhere else, where they may become settings (cp, mv, ln, tee, dd).
 */
const fixed = new Set([
  ..."ls dir vdir cat tac head tail nl od wc date stat du df pwd echo printf sort uniq cut paste join comm tr fold fmt".split(
    " ",
  ),
  ..."expand unexpand seq shuf tsort numfmt factor diff cmp grep basename dirname realpath readlink mkdir rmdir".split(
    " ",
  ),
  ..."touch true false sleep nproc uname whoami id groups arch tty uptime users who base32 base64 basenc cksum".split(
    " ",
  ),
  ..."sum b2sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum".split(" "),
]);

/** Whether options of these programs do more: run another one, write a file, or change what the shell's next command means. */
const more: Readonly<Record<string, (options: readonly string[]) => boolean>> = {
  // `--compress-program` and `--output`, which may be cut short; `--check` goes.
  sort: (options) => options.some((option) => /^(?:--co|--o|-[^-]*o)/.test(option)),
  shuf: (options) => options.some((option) => /^(?:--o|-[^-]*o)/.test(option)),
  // A second file is written.
  uniq: (options) => options.filter((option) => !option.startsWith("-")).length > 1,
  // `pr`, which the workspace's home may have where the system has none.
  diff: (options) => options.some((option) => /^(?:--pa|-[^-]*l)/.test(option)),
  // Sets a variable of the session's shell, such as PATH.
  printf: (options) => options.some((option) => /^-v|%[^a-zA-Z%(]*[hlLjzt]*n/.test(option)),
};

import { wildcardForm } from "./machine-paths.ts";
import { echoed } from "./shell-reader.ts";
import { type SimpleCommand, unknownPart } from "./shell-words.ts";

const mostPrefixes = 32;

const harmful = [
  ..."rm srm find chmod chown chgrp mv rsync dd tee cp shred wipefs mkfs mke2fs mkswap blkdiscard sudo doas su".split(
    " ",
  ),
  ..."shutdown reboot halt poweroff kill init systemctl parted fdisk sfdisk sgdisk cryptsetup hdparm nvme".split(" "),
];

/** The name of a program as it was called, without its folder; with wildcards, the harmful program that it fits. */
export function programOf(word: string): string {
  const base = word.replaceAll(unknownPart, "").split("/").at(-1) ?? "";
  if (!/[*?[]/.test(base) || base === "[" || base === "[[") return base.replace(/\.exe$/i, "");
  const form = wildcardForm(base);
  return harmful.find((name) => form?.test(name)) ?? base;
}

/** The words, and behind a program that only starts another one, each rest of them that may be that other. */
export function startsOf({ words, pipedFrom }: SimpleCommand): readonly (readonly string[])[] {
  const name = programOf(words[0] ?? "");
  if (!starters.has(name)) return [words];
  const isFed = name === "xargs" || name === "parallel";
  const all = isFed && pipedFrom !== undefined ? [...words, ...outputOf(pipedFrom)] : words;
  return all.slice(0, mostPrefixes).map((_, index) => all.slice(index));
}

/** What a command prints, as far as its words say it: for `find` and `ls`, the folders that they list as a whole. */
function outputOf(command: SimpleCommand): readonly string[] {
  if (isEcho(command)) return echoed(command).split(/\s+/);
  const name = programOf(command.words[0] ?? "");
  const listsAll = (name === "find" && !isNarrowFind(command.words)) || name === "ls";
  return listsAll ? command.words.slice(1).filter((word) => !word.startsWith("-")) : [];
}

/** Whether `find` looks only for what has a certain name. */
export function isNarrowFind(words: readonly string[]): boolean {
  return words.some((word) => /^-i?(?:name|path|regex|wholename)$/.test(word));
}

/** Whether a program runs what its arguments or its input say, so that a pattern for it would allow anything. */
export function runsOthers(word: string): boolean {
  const name = programOf(word);
  return (
    starters.has(name) ||
    shells.test(name) ||
    languages.test(name) ||
    /^(?:find|npx|npm|make|tar|gdb|screen|tmux)$/.test(name)
  );
}

export function isEcho({ words }: SimpleCommand): boolean {
  return words[0] === "echo" || words[0] === "printf";
}

/** Programs that start another one, which stands among their arguments. */
const starters = new Set([
  ..."sudo doas env nohup nice ionice chrt time timeout stdbuf setsid exec command builtin busybox toybox xargs chroot".split(
    " ",
  ),
  ..."unshare nsenter flock watch strace ltrace parallel systemd-run script unbuffer gtimeout caffeinate proot ssh".split(
    " ",
  ),
  ..."docker podman runuser su pkexec taskset prlimit firejail bwrap fakeroot rlwrap dbus-run-session".split(" "),
]);

/** Programs of which some option runs a command: behind `!`, or behind `exec=`. */
export const escapes = /^(?:git|vim?|view|nvim|ex|ed|less|more|man|tar|ftp|gdb|mutt)$/;

/** Programs that take texts among their arguments, or their input, for commands of a shell. */
export const shells =
  /^(?:(?:ba|z|da|k|a|fi|c|tc|mk|pdk)?sh|eval|trap|alias|source|\.|su|watch|parallel|script|env|ssh|cmd|powershell|pwsh|expect|at|batch)$/;
/** Programs that take such texts for code of another language. */
export const languages =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|deno|bun|php[\d.]*|lua[\d.]*|osascript|awk|gawk|mawk|vim?|ex|ed|tclsh)$/;

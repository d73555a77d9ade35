import { isDevice, isSystemPath } from "./machine-paths.ts";
import { isNarrowFind, programOf } from "./programs.ts";
import { type SimpleCommand, unknownPart } from "./shell-words.ts";

/** A command without what only starts another one. */
export interface NamedCommand extends SimpleCommand {
  readonly name: string;
  /** Where it runs, if the text says so. */
  readonly folder: string | undefined;
}

/** What a command would do to the machine. */
export type Harm = "erases" | "wipes" | "writes-device" | "password" | "halts";

/** The harm that one command does as it stands. Undefined: none that is known here. */
export function harmOf(command: NamedCommand): Harm | undefined {
  if (command.writes.some((path) => isDevice(path, command.folder))) return "writes-device";
  if (erases(command)) return "erases";
  if (wipes(command)) return "wipes";
  if (writesDevice(command)) return "writes-device";
  if (takesPassword(command)) return "password";
  return halts(command) ? "halts" : undefined;
}

function operandsOf({ words }: NamedCommand): readonly string[] {
  return words.slice(1).filter((word) => !word.startsWith("-"));
}

function erases(command: NamedCommand): boolean {
  const { name, words, folder } = command;
  const isSystem = (path: string) => isSystemPath(path, folder);
  const hasSystem = operandsOf(command).some(isSystem);
  if (name === "rm" || name === "srm" || name === "wipe") {
    if (words.some((word) => word.startsWith("--no-p"))) return true;
    return isRecursive(words) && hasSystem;
  }
  if (name === "chmod" || name === "chown" || name === "chgrp") return isRecursive(words) && hasSystem;
  if (name === "mv") return operandsOf(command).slice(0, -1).some(isSystem);
  if (name === "find")
    return (hasSystem || (words[1]?.startsWith("-") === true && isSystem("."))) && findRemoves(words);
  if (name === "rsync") return words.some((word) => word.startsWith("--del")) && isSystem(words.at(-1) ?? "");
  if (/^(?:rd|rmdir|del|erase|remove-item|ri)$/i.test(name))
    return words.some((word) => /^[/-](?:s|r|recurse)$/i.test(word)) && hasSystemDrive(words);
  return false;
}

function isRecursive(words: readonly string[]): boolean {
  return words.some((word) => /^-[a-zA-Z]*[rR]/.test(word) || (word.length > 2 && "--recursive".startsWith(word)));
}

/** `find` below a system folder that removes what it finds, not only what has a certain name. */
function findRemoves(words: readonly string[]): boolean {
  const removes =
    words.includes("-delete") || words.some((word) => programOf(word) === "rm" || programOf(word) === "shred");
  return removes && !isNarrowFind(words);
}

function hasSystemDrive(words: readonly string[]): boolean {
  return words.slice(1).some((word) => isSystemPath(word.replaceAll("\\", "/"), undefined));
}

const diskPrograms =
  /^(?:mkfs(?:\..+)?|mke2fs|mkswap|newfs\w*|wipefs|blkdiscard|s?fdisk|cfdisk|s?gdisk|parted|pvcreate|pvremove|shred|badblocks|hdparm|mdadm)$/;

function wipes(command: NamedCommand): boolean {
  const { name, words, folder } = command;
  const verb = words.slice(1).find((word) => !word.startsWith("-")) ?? "";
  if (name === "cryptsetup") return /^(?:luksformat|erase|lukserase|reencrypt)$/i.test(verb);
  if (name === "nvme") return /^(?:format|sanitize|write-zeroes)$/.test(verb);
  if (name === "diskutil") return /^(?:erase\w+|zerodisk|securerase|secureerase|partitiondisk|reformat)$/i.test(verb);
  if (name === "zpool") return verb === "destroy" || verb === "labelclear";
  if (/^format(?:\.com)?$/i.test(name)) return words.some((word) => /^[a-z]:$/i.test(word));
  if (/^(?:diskpart|clear-disk|format-volume|initialize-disk)$/i.test(name)) return true;
  if (!diskPrograms.test(name)) return false;
  const onlyLooks = words.some((word) => /^(?:-l|--list|-I|-s|print|--detail|--scan)$/.test(word));
  const named = words.slice(1).some((word) => isDevice(word, folder) || word === unknownPart);
  return named && !onlyLooks;
}

function writesDevice(command: NamedCommand): boolean {
  const { name, words, folder } = command;
  const isDisk = (path: string) => isDevice(path, folder);
  if (name === "dd" || name === "dcfldd") return words.some((word) => word.startsWith("of=") && isDisk(word.slice(3)));
  const isOutput = (word: string, index: number) =>
    (/^-{1,2}(?:o|O|out|output|of|outfile)$/.test(words[index - 1] ?? "") && isDisk(word)) ||
    isDisk(/^--?(?:o|out|output|of|outfile)=(.*)$/.exec(word)?.[1] ?? "");
  if (words.some(isOutput)) return true;
  const operands = operandsOf(command);
  if (/^(?:tee|sponge|truncate|fallocate|install|ddrescue|pv)$/.test(name)) return operands.some(isDisk);
  return (
    /^(?:cp|mv|ln|rsync|cat)$/.test(name) && operands.length > 1 && isDisk(operands.at(-1) ?? "") && name !== "cat"
  );
}

/** A password that is handed to `sudo` or `su` by a program, not typed by a person. */
function takesPassword({ name, words, input, pipedFrom }: NamedCommand): boolean {
  if (name === "su") return pipedFrom !== undefined || input !== undefined;
  if (name !== "sudo" && name !== "doas") return false;
  for (let at = 1; at < words.length; at += 1) {
    const word = words[at] ?? "";
    if (!word.startsWith("-") || word === "--") return false;
    if (/^-[a-zA-Z]*[SA]/.test(word) || /^--(?:stdi?n?|ask?p?a?s?s?)$/.test(word)) return true;
    if (/^-[a-zA-Z]*[ughpCUrtDRT]$/.test(word)) at += 1;
  }
  return false;
}

function halts({ name, words }: NamedCommand): boolean {
  if (/^(?:shutdown|reboot|halt|poweroff|killall5)$/.test(name))
    return !words.some((word) => /^(?:-c|--help)$/.test(word));
  if (name === "init" || name === "telinit") return words.slice(1).some((word) => /^[06]$/.test(word));
  if (name === "systemctl")
    return words.some((word) => /^(?:poweroff|reboot|halt|kexec|rescue|emergency|soft-reboot)$/.test(word));
  if (name === "kill") return words.slice(2).some((word) => word === "-1" || word === "1");
  return name === "kexec" && words.includes("-e");
}

import type { Command } from "commander";
import { lazily } from "./lazily.ts";

/** The commands with which an operator keeps one installation of this machine. */
export function addOperatorCommands(program: Command): void {
  const command = program.command("command").description("`talaria` as a command of the shell");
  const folder = ["--folder <path>", "a folder of PATH (default: /usr/local/bin of root, else ~/.local/bin)"] as const;
  command
    .command("install")
    .option(...folder)
    .description("make `talaria` a command of the shell: a link to this repository; nothing else is overwritten")
    .action(lazily(async () => (await import("./commands/command.ts")).install));
  command
    .command("remove")
    .option(...folder)
    .description("remove that link")
    .action(lazily(async () => (await import("./commands/command.ts")).remove));
}

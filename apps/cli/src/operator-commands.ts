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

  const secret = program
    .command("secret")
    .description("secrets in files, as `{ file: secrets/<name> }` of the configuration names them");
  secret
    .command("set")
    .argument("<name>", "name of the file in the folder `secrets` beside the configuration")
    .option("--new", "also under a name that is nearly one of the configuration's")
    .description(
      "ask for a secret, or read it from standard input, and write its file; a running Talaria takes it into use",
    )
    .action(lazily(async () => (await import("./commands/secret.ts")).setSecret));
  secret
    .command("list")
    .description("the names that the configuration has, without what they hold")
    .action(lazily(async () => (await import("./commands/secret-list.ts")).listSecrets));

  const token = program.command("token").description("the token of the console and the API");
  token
    .command("show")
    .description("print it")
    .action(lazily(async () => (await import("./commands/token.ts")).show));
  token
    .command("rotate")
    .description("replace it; the former one ends, in open consoles too")
    .action(lazily(async () => (await import("./commands/token.ts")).rotate));

  const memory = program.command("memory").description("what the agent keeps beyond conversations");
  memory
    .command("list", { isDefault: true })
    .argument("[words]", "only facts with all of these")
    .option("--person <account/id>", "of this person alone")
    .option("--group <account/id>", "of this group alone")
    .option("--json", "print JSON")
    .description("the newest facts, with their sources")
    .action(lazily(async () => (await import("./commands/memory.ts")).list));
  memory
    .command("export")
    .argument("<person>", "as shown by `people`, or <account>/<id>")
    .option("--json", "print JSON")
    .description("print all that is kept about a person, with sources and archive")
    .action(lazily(async () => (await import("./commands/memory.ts")).exportAll));
  memory
    .command("remove")
    .argument("<number>", "as shown by `memory`")
    .description("remove a fact, with what it had replaced")
    .action(lazily(async () => (await import("./commands/memory.ts")).remove));

  program
    .command("learned")
    .option("--json", "print JSON")
    .description("what the agent has learnt: facts and skills, each with its cause and the command that revokes it")
    .action(lazily(async () => (await import("./commands/learned.ts")).learned));

  program
    .command("logs")
    .option("-n, --lines <count>", "how many, at most", "50")
    .option("-f, --follow", "go on with lines that come, until Ctrl-C")
    .option("--level <level>", "these and graver ones: debug, info, warn or error", "debug")
    .option("--account <name>", "lines about this account")
    .option("--person <who>", "lines about the last 200 messages of a person: name, id or <account>/<id>")
    .option(
      "--conversation <which>",
      "lines about the last 200 messages of a conversation: title, id or <account>/<id>",
    )
    .option("--about <id>", "lines that name this id: of a person, conversation, event, session or turn")
    .description("the log, for people; times are UTC")
    .action(lazily(async () => (await import("./commands/logs.ts")).logs));
  program
    .command("doctor")
    .option(
      "--fix",
      "mend what harms nothing: modes of secret files, missing folders, what killed processes left, `talaria` in the shell",
    )
    .option("--offline", "don't ask the model two small questions, nor its server for the time")
    .option("--json", "print JSON")
    .description("try everything that an installation needs, one line each, with the command that mends what is wrong")
    .action(lazily(async () => (await import("./commands/doctor.ts")).doctor));
  program
    .command("backup")
    .argument("[file]", "its name (default: talaria-<time>.backup.tar in this folder)")
    .description("write database, configuration, secrets and files of conversations into one file, while Talaria runs")
    .action(lazily(async () => (await import("./commands/backup.ts")).backup));
  program
    .command("restore")
    .argument("<file>", "what `backup` wrote")
    .option("--force", "replace the installation that is there; it is kept beside, under a name with the time")
    .description("make the installation of a backup in an empty data folder")
    .action(lazily(async () => (await import("./commands/backup.ts")).restore));
  program
    .command("stop")
    .description("finish what is being answered, and stop the installation of this data folder")
    .action(lazily(async () => (await import("./commands/stop.ts")).stop));
  program
    .command("restart")
    .description(
      "stop it, and start it again in the same place, with the code and settings of now; refused while `check` finds a problem in them",
    )
    .action(lazily(async () => (await import("./commands/restart.ts")).restart));

  program
    .command("open")
    .description("print the address of the console, with its token")
    .action(lazily(async () => (await import("./commands/token.ts")).open));
}

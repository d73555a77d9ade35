import type { Command } from "commander";
import { lazily } from "./lazily.ts";

/** What the agent knows how to do, from folders of the operator's and from what it has written. */
export function addSkillCommands(program: Command): void {
  const skills = program
    .command("skills")
    .description(
      "instructions for kinds of work: those in the folder `skills` of the data folder, and the agent's own",
    );
  skills
    .command("list", { isDefault: true })
    .option("--json", "print JSON")
    .description("skills, and whether an owner has accepted them as they are")
    .action(lazily(async () => (await import("./commands/skills.ts")).list));
  skills
    .command("check")
    .argument("[name]", "its folder's name (default: all of them)")
    .description("what is wrong with skills, and what in them somebody should look at")
    .action(lazily(async () => (await import("./commands/skills.ts")).check));
  skills
    .command("accept")
    .argument("<name>", "as shown by `skills`")
    .argument("[version]", "of one that the agent has written (default: the newest)")
    .description("let a skill's words, as they are now, count as yours")
    .action(lazily(async () => (await import("./commands/skills.ts")).accept));
  skills
    .command("show")
    .argument("<name>", "as shown by `skills`")
    .argument("[version]", "default: the newest")
    .description("print a skill that the agent has written, with where it comes from")
    .action(lazily(async () => (await import("./commands/skills.ts")).show));
  skills
    .command("rollback")
    .argument("<name>", "as shown by `skills`")
    .argument("[version]", "default: the one before")
    .description("let an earlier version of a skill that the agent has written count again, and none after it")
    .action(lazily(async () => (await import("./commands/skills.ts")).rollback));
  skills
    .command("restore")
    .argument("<name>", "as shown by `skills`")
    .description("use a skill again that was set aside after two uses that failed, or archived")
    .action(lazily(async () => (await import("./commands/skills.ts")).restore));
  skills
    .command("install")
    .argument("<git-url[#folder]>", "a repository, and the skill's folder in it")
    .requiredOption("--commit <id>", "the whole id of the commit")
    .description("put a skill of a repository into the data folder; its words are a stranger's until you accept it")
    .action(lazily(async () => (await import("./commands/skill-install.ts")).install));
  skills
    .command("starter")
    .argument("[name]", "which to put into the data folder (default: none, they are listed)")
    .description("ten skills that come with Talaria: lists them, or puts one into the data folder")
    .action(lazily(async () => (await import("./commands/starter-skills.ts")).starter));
  skills
    .command("update")
    .argument("<name>", "as shown by `skills`")
    .requiredOption("--commit <id>", "the whole id of the other commit")
    .option("--yes", "put it there after what changes was shown")
    .description("show what another commit changes in a skill that was installed")
    .action(lazily(async () => (await import("./commands/skill-install.ts")).update));
  skills
    .command("remove")
    .argument("<name>", "as shown by `skills`")
    .description("delete a skill's folder or what the agent has written, and accept nothing under its name any longer")
    .action(lazily(async () => (await import("./commands/skill-install.ts")).remove));
}

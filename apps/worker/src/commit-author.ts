import { type Command, sameWorkspace, type Workspace } from "@talaria/agent";
import type { Asker, Platform } from "@talaria/protocol";

interface Author {
  readonly name: string;
  readonly email: string;
}

/** Who asks, where, and by whom commits are known: `sandbox.authors` of the configuration. */
export interface Requested {
  readonly askers: readonly Asker[];
  readonly platform: Platform;
  readonly authors: Readonly<Record<string, Author>>;
}

/**
 * The same workspace, where a command that commits does so for whoever asks: they are the author, and the agent is the committer. It is
 * asked anew for each command, since others may join a turn. A person is named by the operator's words alone, never by their own.
 */
export function withCommitAuthor(workspace: Workspace, requested: () => Requested): Workspace {
  const variables = () => variablesOf(requested());
  const own = <Given extends Pick<Command, "variables">>(given: Given): Given => ({
    ...given,
    variables: { ...variables(), ...given.variables },
  });
  return {
    ...sameWorkspace(workspace),
    exec: (command, options) => workspace.exec(own(command), options),
    run: (command, options) => workspace.run(command, own(options)),
    spawn: (command) => workspace.spawn(own(command)),
  };
}

/** https://git-scm.com/docs/git#_git_commits. Several people, or one of whom nothing is known: the agent is the author. */
function variablesOf({ askers, platform, authors }: Requested): Readonly<Record<string, string>> {
  const people = new Set(askers.map(({ sender }) => sender.userId));
  const [first] = askers;
  if (first === undefined || people.size > 1) return {};
  if (askers.some(({ sender }) => sender.role !== "person" || sender.assurance === "claimed")) return {};
  const id = `${platform}:user:${first.sender.userId}`;
  const author = Object.hasOwn(authors, id) ? authors[id] : undefined;
  return author === undefined ? {} : { GIT_AUTHOR_NAME: author.name, GIT_AUTHOR_EMAIL: author.email };
}

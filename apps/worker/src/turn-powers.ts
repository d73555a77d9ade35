import type { AskedCall, BesideCall, LaterNews, Tool, TranscriptEntry } from "@talaria/agent";
import type { Chosen, OutboxText, SessionLease } from "@talaria/store";
import type { Agreed } from "./authorise.ts";
import type { BeginningTurn } from "./background-desk.ts";
import type { ClaimedTurn } from "./claimed-turn.ts";
import { withCommitAuthor } from "./commit-author.ts";
import { createFactAccess } from "./fact-access.ts";
import { createFileTaint, type TurnFileTaint } from "./file-taint.ts";
import { createMessageAccess } from "./message-access.ts";
import { createPatience } from "./patience.ts";
import { createSkillWriting } from "./skill-writing.ts";
import type { TurnRunnerDeps } from "./turn-runner-deps.ts";

/** The way to other conversations, where there is one. */
export function messagesOf({ lease, turnId, conversation }: ClaimedTurn, deps: TurnRunnerDeps) {
  const { operations, past, deliver, turns } = deps;
  if (operations === undefined) return {};
  const say = (text: OutboxText) => turns.say(lease, turnId, text);
  return { messages: createMessageAccess({ operations, past, say, deliver, conversation }) };
}

/** What is kept beyond the session, where something is. */
export function factsFor({ lease, turnId }: ClaimedTurn, { facts, commands, ...deps }: TurnRunnerDeps) {
  if (facts === undefined) return {};
  return {
    facts: createFactAccess({ facts, lease, turnId, ...(commands && { commands }), patiently: createPatience(deps) }),
  };
}

/** Skills that the turn writes, where something is kept. */
export function skillsFor({ lease, turnId }: ClaimedTurn, { skills, commands, ...deps }: TurnRunnerDeps) {
  if (skills === undefined) return {};
  const { store, ownNames } = skills;
  const own = { skills: store, namesTaken: ownNames, patiently: createPatience(deps) };
  return { skills: createSkillWriting({ ...own, lease, turnId, ...(commands && { commands }) }) };
}

/** What goes into what stands for a conversation that is shortened. */
export function shorteningOf({ taintIn, notesModel }: TurnRunnerDeps, tools: readonly Tool[]) {
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    ...(taintIn === undefined ? {} : { taintOf: (entries: readonly TranscriptEntry[]) => taintIn(entries, byName) }),
    ...(notesModel === undefined ? {} : { notesModel }),
  };
}

/** What tools may use, as far as it is there. */
export function powersOf(
  { media, authorise, openWorkspace, laterNews, background }: TurnRunnerDeps,
  of: BeginningTurn,
  agreed: () => Agreed,
) {
  const turn = { sessionKey: of.lease.sessionKey, turnId: of.turnId };
  return {
    ...(background && { noteBeside: (call: BesideCall) => background.noteBeside(of, call) }),
    ...(media === undefined ? {} : { media }),
    ...(authorise === undefined ? {} : { authorise: (asked: AskedCall) => authorise(asked, agreed()) }),
    ...(openWorkspace === undefined ? {} : { openWorkspace: () => openWorkspace(turn.sessionKey) }),
    ...(laterNews === undefined
      ? {}
      : { tellLater: (callId: string, news: LaterNews) => laterNews.take(turn, callId, news) }),
  };
}

/** What the turn starts in the background of its workspace, others can see and end; what it commits is of whoever asks. */
export function withAskers(
  deps: TurnRunnerDeps,
  of: BeginningTurn,
  { platform }: ClaimedTurn["conversation"],
): TurnRunnerDeps {
  const { background, openWorkspace, commitAuthors: authors = {} } = deps;
  if (openWorkspace === undefined) return deps;
  const requested = () => ({ askers: of.askers(), platform, authors });
  return {
    ...deps,
    openWorkspace: async (sessionKey) => {
      const opened = await openWorkspace(sessionKey);
      const authored = Object.keys(authors).length === 0 ? opened : withCommitAuthor(opened, requested);
      return background === undefined ? authored : background.watched(authored, of);
    },
  };
}

/** What its files have of strangers. Undefined where nobody keeps that. */
export function fileTaintOf(
  lease: SessionLease,
  workspace: { readonly folder: string },
  { fileTaint: store, begun, commands, ...deps }: TurnRunnerDeps,
): TurnFileTaint | undefined {
  if (store === undefined) return undefined;
  const patiently = createPatience(deps);
  const { sessionKey } = lease;
  return createFileTaint({
    ...{ sessionKey, commands, patiently, begun },
    of: () => store.of(sessionKey),
    keep: (files) => store.mark(lease, files),
    folder: () => workspace.folder,
  });
}

/** The deps of a turn that the model of its conversation answers. */
export function withChosen(deps: TurnRunnerDeps, chosen: Chosen | undefined): TurnRunnerDeps {
  if (deps.chosenModel === undefined) return deps;
  const { limits, ...own } = deps.chosenModel(chosen);
  return { ...deps, ...own, limits: { ...deps.limits, ...limits } };
}

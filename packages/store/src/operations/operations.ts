import type { Log } from "@talaria/protocol";
import { listAccounts } from "../accounts/accounts.ts";
import type { Database } from "../database/database.ts";
import type { OperationsStore } from "../ports/operations.ts";
import { readRefusedBy, readSpending, readSpent, readSpentNamed } from "../spending/read-spending.ts";
import { readNamedSessions } from "./named-sessions.ts";
import { readChoiceLabel, wasSentByUs } from "./our-messages.ts";
import { findPlaces } from "./places.ts";
import { createPrune } from "./prune.ts";
import { readQuestions } from "./questions.ts";
import { readRecent } from "./recent.ts";
import { readAnswerWaits, readBacklog, readSession, readStuck, readWaitingFrom, retrySetAside } from "./sessions.ts";
import { readShutPlaces } from "./shut-places.ts";
import { countSteps, readSteps } from "./steps.ts";
import { readTraces } from "./trace.ts";
import { readUndelivered, retryUndelivered } from "./undelivered.ts";
import { readUsage } from "./usage.ts";
import { readWhereabouts } from "./whereabouts.ts";

/** `openMaintenance` gives a connection of its own for statements that may take long. */
export function createOperationsStore(database: Database, openMaintenance: () => Database, log: Log): OperationsStore {
  return {
    backlog: () => readBacklog(database),
    accounts: () => listAccounts(database),
    stuck: (olderThanMs, limit) => readStuck(database, olderThanMs, limit),
    questions: (limit) => readQuestions(database, limit),
    spent: (keys) => readSpent(database, keys),
    spentNamed: (id) => readSpentNamed(database, id),
    spending: (limit) => readSpending(database, limit),
    refusedBy: (key) => readRefusedBy(database, key),
    usage: (query) => readUsage(database, query),
    whereabouts: (query) => readWhereabouts(database, query),
    session: (sessionKey) => readSession(database, sessionKey),
    waitingFrom: (sessionKey) => readWaitingFrom(database, sessionKey),
    answerWaits: (sessionKey) => readAnswerWaits(database, sessionKey),
    named: (sessionKeys) => readNamedSessions(database, sessionKeys),
    retrySetAside: (sessionKey) => retrySetAside(database, sessionKey),
    undelivered: (limit) => readUndelivered(database, limit),
    retryUndelivered: (sessionKey) => retryUndelivered(database, sessionKey),
    shutPlaces: () => readShutPlaces(database),
    trace: (id) => readTraces(database, id),
    recent: (query) => readRecent(database, query),
    stepCounts: (turnIds) => countSteps(database, turnIds),
    steps: (accountId, conversationId, turnId) => readSteps(database, accountId, conversationId, turnId),
    places: (search) => findPlaces(database, search),
    sentByUs: (accountId, conversationId, messageId) => wasSentByUs(database, accountId, conversationId, messageId),
    choiceLabel: ({ accountId, conversationId }, messageId, choiceId) =>
      readChoiceLabel(database, accountId, conversationId, messageId, choiceId),
    prune: createPrune(openMaintenance, log),
  };
}

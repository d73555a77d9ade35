import { type AccountRow, modelTroublesOf, type ProblemFacts, workplacesOf } from "@talaria/store";
import { english } from "@talaria/words";
import type { FastifyInstance } from "fastify";
import { problemViews } from "../current-problems.ts";
import { type AccessRules, checkBrowser, checkToken } from "./access.ts";

/** One account as the console lists it. */
export interface ConnectionView {
  readonly accountId: string;
  readonly platform: string;
  readonly status: string;
  /** What an operator has to do, or why it is not connected. */
  readonly detail?: string;
  /** How to link a device: a picture to scan, or a code to type in. Anyone who sees it can link one. */
  readonly link?: { readonly method: "qr"; readonly svg: string } | { readonly method: "code"; readonly code: string };
}

interface ConnectionsStore {
  readonly facts: () => Promise<ProblemFacts>;
}

/**
 * `GET /api/connections`: every account and its connection, what workers say of their commands, files and browser, and of models that fail, and
 * what an operator has to mend, what keeps people from answers first, for callers with the gateway's token.
 */
export function serveConnections(server: FastifyInstance, { facts }: ConnectionsStore, rules: AccessRules): void {
  server.get("/api/connections", async (request, reply) => {
    const refusal = checkBrowser(request.headers, rules) ?? checkToken(request.headers, rules);
    if (refusal?.status === 401) reply.header("www-authenticate", "Bearer");
    if (refusal !== undefined) return reply.code(refusal.status).send({ error: refusal.error });
    const known = await facts();
    const { accounts, living } = known;
    return reply.header("cache-control", "no-store").send({
      connections: await Promise.all(accounts.map(toView)),
      workplaces: workplacesOf(living),
      models: modelTroublesOf(living, english.problemPhrases),
      problems: problemViews(known),
    });
  });
}

/** A connection state without the parts that only an operator may see. */
export function withoutLink({ value: _, ...connection }: AccountRow["connection"]): AccountRow["connection"] {
  return connection;
}

async function toView({ accountId, platform, connection }: AccountRow): Promise<ConnectionView> {
  const { status, hint, code, method, value } = connection;
  const detail = textOf(hint) ?? textOf(code);
  return {
    accountId,
    platform,
    status: textOf(status) ?? "unknown",
    ...(detail === undefined ? {} : { detail }),
    ...(status === "linking" && typeof value === "string" ? { link: await linkOf(method, value) } : {}),
  };
}

async function linkOf(method: unknown, value: string): Promise<NonNullable<ConnectionView["link"]>> {
  if (method !== "qr") return { method: "code", code: value };
  const { renderSVG } = await import("uqr");
  return { method: "qr", svg: renderSVG(value, { border: 2 }) };
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

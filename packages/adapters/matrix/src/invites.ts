import type { Log } from "@talaria/protocol";
import { EventType } from "matrix-js-sdk/lib/@types/event.js";
import { type MatrixClient, path } from "./client.ts";
import type { MatrixConfig } from "./config.ts";
import type { StateEvent } from "./wire.ts";

export interface InviteDeps {
  readonly client: MatrixClient;
  readonly log: Log;
  readonly policy: MatrixConfig["invites"];
  readonly selfId: string;
}

/**
 * Joins a room that we are invited to, when the settings say so; leaves the invitation alone otherwise. A homeserver that
 * refuses is logged. Answers with who had invited us where it joined. Throws GatewayError for what may work later.
 */
export async function answerInvite(
  deps: InviteDeps,
  roomId: string,
  state: readonly StateEvent[],
  signal: AbortSignal,
): Promise<string | undefined> {
  const { client, log, policy, selfId } = deps;
  const invitation = state.find(
    ({ type, state_key, content }) =>
      type === EventType.RoomMember && state_key === selfId && content.membership === "invite",
  );
  if (!isWelcome(policy, roomId, invitation?.sender)) {
    log.info({ conversationId: roomId }, "an invitation is left alone");
    return undefined;
  }
  await client.call({ method: "POST", path: path`/client/v3/rooms/${roomId}/join`, body: {} }, signal);
  log.info({ conversationId: roomId }, "joined a room after an invitation");
  return invitation?.sender;
}

/** Ids are compared as a whole: what only begins or ends with a listed one is a stranger's. */
export function isWelcome(policy: MatrixConfig["invites"], roomId: string, inviter: string | undefined): boolean {
  if (policy === "off" || inviter === undefined) return false;
  return policy === "open" || policy.allow.includes(inviter) || policy.allow.includes(roomId);
}

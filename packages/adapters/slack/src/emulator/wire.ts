import type { SlackFile, SlackUser, StoredMessage, World } from "./world.ts";

/** A message as history and events show it. */
export function toWireMessage(
  message: StoredMessage,
  world: World,
  { withMetadata = false }: { readonly withMetadata?: boolean } = {},
): Record<string, unknown> {
  const { user, ts, text, threadTs, subtype, files, blocks, editedTs, metadata } = message;
  const root = threadTs === undefined ? undefined : world.channels.get(message.channel)?.messages.get(threadTs);
  return {
    type: "message",
    ...(subtype === undefined && files.length > 0 && !user.isBot ? { subtype: "file_share" } : {}),
    ...(subtype === undefined ? {} : { subtype }),
    user: user.id,
    ts,
    text,
    team: user.teamId,
    ...(user.botId === undefined
      ? { client_msg_id: `00000000-0000-4000-8000-${ts.replace(".", "").slice(-12)}` }
      : { bot_id: user.botId, app_id: world.appId, bot_profile: { id: user.botId, name: user.realName } }),
    ...(threadTs === undefined ? {} : { thread_ts: threadTs, parent_user_id: root?.user.id }),
    ...(files.length > 0 ? { files: files.map((file) => toWireFile(file, world.origin)) } : {}),
    ...(blocks.length > 0 ? { blocks } : {}),
    ...(message.forwards === undefined ? {} : { attachments: [toWireForward(message.forwards)] }),
    ...(editedTs === undefined ? {} : { edited: { user: user.id, ts: editedTs } }),
    ...(withMetadata && metadata !== undefined ? { metadata } : {}),
    ...(message.reactions.size > 0
      ? { reactions: [...message.reactions].map(([name, users]) => ({ name, users: [...users], count: users.size })) }
      : {}),
  };
}

/** As recorded in `forwarded.test.ts`. */
function toWireForward({ author, text }: NonNullable<StoredMessage["forwards"]>): object {
  return { is_share: true, is_msg_unfurl: true, author_name: author, text, fallback: `[date] ${author}: ${text}` };
}

/** Where files are downloaded from. */
export function toWireFile({ id, name, mimetype, title, length, isRemoved }: SlackFile, origin: string): object {
  if (isRemoved) return { id, mode: "tombstone" };
  return {
    id,
    name,
    title,
    mimetype,
    size: length,
    mode: "hosted",
    url_private: `${origin}/files-pri/${id}/${encodeURIComponent(name)}`,
    url_private_download: `${origin}/files-pri/${id}/download/${encodeURIComponent(name)}`,
  };
}

export function toWireUser({ id, name, realName, isBot, teamId }: SlackUser): object {
  return {
    id,
    team_id: teamId,
    name,
    deleted: false,
    real_name: realName,
    is_bot: isBot,
    profile: { real_name: realName, display_name: name },
  };
}

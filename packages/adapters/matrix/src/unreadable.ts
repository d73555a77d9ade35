import { RelationType } from "matrix-js-sdk/lib/@types/event.js";
import { readMessage, relationOf } from "./content.ts";
import { redactedBy } from "./inbound.ts";
import { attachmentsOf, isFileType } from "./inbound-message.ts";
import { pollNote } from "./poll.ts";
import type { Content, RoomEvent } from "./wire.ts";

/**
 * The kind of an event that lacks what its type demands, such as `m.text` without a body or `m.image` without an address;
 * undefined for one that can be read, and for types that we do not take. All names are ours. Pure.
 */
export function unreadableKind(event: RoomEvent): string | undefined {
  const { type, content, event_id } = event;
  const relation = relationOf(content, event_id);
  switch (type) {
    case "m.room.message":
      if (relation.kind !== "replace") return isReadable(content) ? undefined : kindOfMessage(content);
      return isReadable(readMessage(content)["m.new_content"] ?? {}) ? undefined : RelationType.Replace;
    case "m.poll.start":
    case "org.matrix.msc3381.poll.start":
      return pollNote(content) === undefined ? "m.poll.start" : undefined;
    case "m.reaction":
      return relation.kind === "annotation" ? undefined : type;
    case "m.room.redaction":
      return redactedBy(event) === undefined ? type : undefined;
    default:
      return undefined;
  }
}

function isReadable(content: Content): boolean {
  const said = readMessage(content);
  if (said.msgtype === undefined || said.body === undefined) return false;
  return !isFileType(said.msgtype) || attachmentsOf(said).length > 0;
}

function kindOfMessage(content: Content): string {
  const { msgtype } = readMessage(content);
  return msgtype !== undefined && isFileType(msgtype) ? msgtype : "m.room.message";
}

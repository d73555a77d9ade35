import { isRecord, type Json, MatrixError, notFound } from "./wire.ts";
import { type Device, type MatrixWorld, shown, stateKeyOf } from "./world.ts";

/** One call, with what its path named. */
export interface MatrixCall {
  readonly world: MatrixWorld;
  readonly device: Device;
  readonly parts: readonly string[];
  readonly query: URLSearchParams;
  readonly body: Json;
  readonly bytes: Buffer;
  readonly mimeType: string;
}

export interface Route {
  readonly name: string;
  readonly method: string;
  /** `*` stands for one escaped segment. */
  readonly path: string;
  readonly isOpen?: true;
  readonly answer: (call: MatrixCall) => Json | Promise<Json>;
}

const v3 = "/_matrix/client/v3";

export const roomRoutes: readonly Route[] = [
  {
    name: "whoami",
    method: "GET",
    path: `${v3}/account/whoami`,
    answer: ({ device }) => ({ user_id: device.userId, device_id: device.deviceId }),
  },
  { name: "login", method: "POST", path: `${v3}/login`, isOpen: true, answer: logIn },
  { name: "members", method: "GET", path: `${v3}/rooms/*/joined_members`, answer: members },
  { name: "state", method: "GET", path: `${v3}/rooms/*/state/*/`, answer: state },
  { name: "event", method: "GET", path: `${v3}/rooms/*/event/*`, answer: event },
  { name: "messages", method: "GET", path: `${v3}/rooms/*/messages`, answer: messages },
  { name: "edits", method: "GET", path: "/_matrix/client/v1/rooms/*/relations/*/*", answer: relations },
  { name: "relations", method: "GET", path: "/_matrix/client/v1/rooms/*/relations/*/*/*", answer: relations },
  { name: "send", method: "PUT", path: `${v3}/rooms/*/send/*/*`, answer: send },
  { name: "redact", method: "PUT", path: `${v3}/rooms/*/redact/*/*`, answer: redact },
  { name: "join", method: "POST", path: `${v3}/rooms/*/join`, answer: join },
  { name: "leave", method: "POST", path: `${v3}/rooms/*/leave`, answer: leave },
  { name: "receipt", method: "POST", path: `${v3}/rooms/*/receipt/m.read/*`, answer: receipt },
  { name: "typing", method: "PUT", path: `${v3}/rooms/*/typing/*`, answer: typing },
  { name: "upload", method: "POST", path: "/_matrix/media/v3/upload", answer: upload },
];

function logIn({ world, body }: MatrixCall): Json {
  const identifier = isRecord(body.identifier) ? body.identifier : {};
  const user = String(identifier.user);
  if (body.type !== "m.login.password" || world.passwords.get(user) !== body.password)
    throw new MatrixError(403, "M_FORBIDDEN");
  const { token, deviceId } = world.logIn(user, typeof body.device_id === "string" ? body.device_id : undefined);
  return { user_id: user, device_id: deviceId, access_token: token };
}

function members({ world, device, parts: [roomId = ""] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const entries = world.joined(roomId).map((id) => [id, { display_name: world.displayNames.get(id) ?? null }]);
  return { joined: Object.fromEntries(entries) };
}

function state({ world, device, parts: [roomId = "", type = ""] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const found = world.room(roomId).state.get(stateKeyOf(type, ""));
  if (found === undefined) throw notFound();
  return found.content;
}

function event({ world, device, parts: [roomId = "", eventId = ""] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const found = world.events.get(eventId);
  if (found === undefined || found.room_id !== roomId) throw notFound();
  return shown(found, device.deviceId);
}

function messages({ world, device, parts: [roomId = ""], query }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const from = Number(/^p(\d+)$/.exec(query.get("from") ?? "")?.[1]);
  const to = Number(/^s(\d+)$/.exec(query.get("to") ?? "s0")?.[1]);
  if (query.get("dir") !== "b" || !Number.isFinite(from) || !Number.isFinite(to))
    throw new MatrixError(400, "M_INVALID_PARAM");
  const limit = Math.min(Number(query.get("limit") ?? 10), 100);
  const items = world.stream.filter(
    ({ event: { room_id }, position }) => room_id === roomId && position < from && position > to,
  );
  const page = items.slice(-limit).reverse();
  const last = page.at(-1);
  return {
    start: `p${from}`,
    chunk: page.map((item) => shown(item.event, device.deviceId)),
    ...(page.length < items.length && last !== undefined && { end: `p${last.position}` }),
  };
}

function relations({ world, device, parts: [roomId = "", eventId = "", kind, type] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const chunk = [...world.events.values()].filter((one) => {
    const relation = one.content["m.relates_to"];
    const isMeant = isRecord(relation) && relation.event_id === eventId && relation.rel_type === kind;
    return one.room_id === roomId && (type === undefined || one.type === type) && isMeant;
  });
  // Newest first (specification, GET relations, `dir`).
  return { chunk: chunk.reverse().map((one) => shown(one, device.deviceId)) };
}

function send({ world, device, parts: [roomId = "", type = "", transaction = ""], body }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  const sentBy = { deviceId: device.deviceId, transaction };
  return { event_id: world.post({ room_id: roomId, type, sender: device.userId, content: body, sentBy }) };
}

function redact({ world, device, parts: [roomId = "", eventId = "", transaction = ""] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  return { event_id: world.redact(roomId, device.userId, eventId, { deviceId: device.deviceId, transaction }) };
}

function join({ world, device: { userId }, parts: [roomId = ""] }: MatrixCall): Json {
  if (world.membershipOf(roomId, userId) !== "invite") throw new MatrixError(403, "M_FORBIDDEN");
  const content = { membership: "join", displayname: world.displayNames.get(userId) };
  world.post({ room_id: roomId, type: "m.room.member", sender: userId, state_key: userId, content });
  return { room_id: roomId };
}

function leave({ world, device: { userId }, parts: [roomId = ""] }: MatrixCall): Json {
  const was = world.membershipOf(roomId, userId);
  if (was !== "invite" && was !== "join") throw new MatrixError(403, "M_FORBIDDEN");
  const content = { membership: "leave" };
  world.post({ room_id: roomId, type: "m.room.member", sender: userId, state_key: userId, content });
  return {};
}

function receipt({ world, device, parts: [roomId = "", eventId = ""] }: MatrixCall): Json {
  world.demandJoined(roomId, device.userId);
  world.receipts.push({ roomId, eventId, userId: device.userId });
  return {};
}

function typing({ world, device, parts: [roomId = "", userId = ""], body }: MatrixCall): Json {
  if (userId !== device.userId) throw new MatrixError(403, "M_FORBIDDEN");
  world.typing.push({ roomId, userId, isTyping: body.typing === true });
  return {};
}

function upload({ world, bytes, mimeType }: MatrixCall): Json {
  const id = `media${world.nextId()}`;
  world.media.set(id, { bytes, mimeType });
  return { content_uri: `mxc://${world.name}/${id}` };
}

import { createCipheriv, createHmac, randomBytes } from "node:crypto";
import { EventEmitter, once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type BinaryNode, Curve, getMediaKeys, hmacSign, proto } from "@whiskeysockets/baileys";
import { type NoisePeer, startNoiseServer } from "./noise-server.ts";
import { bundlesIn, childOf, childrenOf, device, type KeyBundle, node, type WebPerson } from "./web-person.ts";

export const groupJid = "120363000000000001@g.us";

/** What a signature of the account over a device begins with. */
const accountSignaturePrefix = Buffer.from([6, 0]);
const service = "s.whatsapp.net";
/** Longest wait for a receipt of the device. */
const patienceMs = 120_000;

/** What somebody has written, to the group or to the device alone. */
export interface Passed {
  readonly author: WebPerson;
  readonly group: string | undefined;
  readonly id: string;
  readonly message: proto.IMessage;
}

/**
 * WhatsApp between one linked device and people, of whom there is one group: links the device, logs it in, answers what the
 * library asks, keeps encrypted files, and passes on what it can't read itself.
 */
export async function startWebService(people: readonly WebPerson[]) {
  const files = new Map<string, Buffer>();
  const bundles: KeyBundle[] = [];
  const receipts = new EventEmitter();
  const loggedIn = Promise.withResolvers<void>();
  let asked: NoisePeer | undefined;
  let linked: NoisePeer | undefined;

  const server = await startNoiseServer(async (said, peer) => {
    const { tag, attrs, content } = said;
    if (tag === "connected") return greet(peer);
    if (tag === "message") {
      peer.send(node("ack", undefined, { class: "message", id: attrs.id ?? "", from: attrs.to ?? "" }));
      for (const person of people) await person.take(said);
    }
    if (tag === "receipt") receipts.emit(attrs.id ?? "");
    if (tag !== "iq") return;
    const [first] = childrenOf(content);
    // The device has signed in turn: it connects again, as itself.
    if (first?.tag === "pair-device-sign") return peer.send(node("stream:error", undefined, { code: "515" }));
    if (attrs.type === "result") return;
    if (attrs.xmlns === "encrypt" && attrs.type === "set" && first?.tag !== "rotate") {
      bundles.push(...bundlesIn(said));
      loggedIn.resolve();
    }
    const { id = "" } = attrs;
    const result = answerTo(attrs.xmlns ?? "", first, people);
    peer.send(node("iq", result, { id, type: "result", from: attrs.to ?? service }));
  });

  function greet(peer: NoisePeer): void {
    const isNew = Boolean(server.payloads.at(-1)?.devicePairingData);
    if (isNew) {
      asked = peer;
      const refs = ["ref-one", "ref-two"].map((ref) => node("ref", Buffer.from(ref)));
      peer.send(node("iq", [node("pair-device", refs)], { from: service, type: "set", id: "1" }));
    } else {
      linked = peer;
      peer.send(node("success", undefined, { t: `${seconds()}`, lid: device.lidDevice }));
      peer.send(node("ib", [node("offline", undefined, { count: "0" })], { from: service }));
    }
  }

  const media = createServer(({ url = "" }, response) => {
    const file = files.get(url);
    response.writeHead(file === undefined ? 404 : 200).end(file);
  }).listen(0, "127.0.0.1");
  await once(media, "listening");

  return {
    socketPort: Number(new URL(server.endpoint).port),
    mediaPort: (media.address() as AddressInfo).port,

    /** What a phone does that reads this QR code: its account vouches for the device. */
    scan(code: string): void {
      const [, , identity = "", secret = ""] = code.slice(code.indexOf("#") + 1).split(",");
      const account = Curve.generateKeyPair();
      const details = proto.ADVDeviceIdentity.encode({ rawId: 1, timestamp: seconds(), keyIndex: 1 }).finish();
      const signed = Buffer.concat([accountSignaturePrefix, details, Buffer.from(identity, "base64")]);
      const accountSignature = Curve.sign(account.private, signed);
      const vouched = { details, accountSignatureKey: account.public, accountSignature };
      const inner = proto.ADVSignedDeviceIdentity.encode(vouched).finish();
      const hmac = hmacSign(inner, Buffer.from(secret, "base64"));
      const outer = proto.ADVSignedDeviceIdentityHMAC.encode({ details: inner, hmac }).finish();
      const content = [
        node("device-identity", outer),
        node("device", undefined, { jid: device.jid, lid: device.lidDevice }),
        node("platform", undefined, { name: "android" }),
      ];
      asked?.send(node("iq", [node("pair-success", content)], { from: service, type: "set", id: "2" }));
    },

    /** Encrypts a file as a phone does, and keeps it; gives what a message says of it. */
    async keep(bytes: Uint8Array, kind: "image" | "document") {
      const mediaKey = randomBytes(32);
      const { iv, cipherKey, macKey } = await getMediaKeys(mediaKey, kind);
      const cipher = createCipheriv("aes-256-cbc", cipherKey, iv);
      const sealed = Buffer.concat([cipher.update(bytes), cipher.final()]);
      const mac = createHmac("sha256", macKey ?? "")
        .update(iv)
        .update(sealed)
        .digest()
        .subarray(0, 10);
      const directPath = `/v/t62.7118-24/${files.size + 1}_n.enc?oe=1`;
      files.set(directPath, Buffer.concat([sealed, mac]));
      return { mediaKey, directPath, fileLength: bytes.length };
    },

    /**
     * Passes messages on to the device at once and in this order, each in the group or from its author alone. Resolves when the device has
     * decrypted them all.
     */
    async deliver(...messages: readonly Passed[]): Promise<void> {
      await loggedIn.promise;
      const frames: BinaryNode[] = [];
      for (const { author, group, id, message } of messages) {
        const enc = await author.encrypt(message, () => bundles.shift() ?? lacking("a key"));
        const place =
          group === undefined
            ? { from: author.lid, sender_pn: author.phoneJid }
            : { from: group, participant: author.lid, participant_pn: author.phoneJid };
        const attrs = { ...place, id, type: "text", t: `${seconds()}`, notify: author.name, addressing_mode: "lid" };
        frames.push(node("message", [enc], attrs));
      }
      const arrived = messages.map(({ id }) => once(receipts, id, { signal: AbortSignal.timeout(patienceMs) }));
      for (const frame of frames) (linked ?? lacking("a linked device")).send(frame);
      await Promise.all(arrived);
    },

    async stop(): Promise<void> {
      for (const person of people) person.close();
      await server.stop();
      const closed = once(media, "close");
      media.close();
      media.closeAllConnections();
      await closed;
    },
  };
}

/** The content of an answer to a question of the library's. */
function answerTo(xmlns: string, asked: BinaryNode | undefined, people: readonly WebPerson[]): BinaryNode[] {
  const named = (jids: readonly (string | undefined)[]) =>
    people.filter(({ lid, phoneJid }) => jids.some((jid) => jid === lid || jid === phoneJid));
  const jidsIn = (content: BinaryNode["content"]) => childrenOf(content).map(({ attrs }) => attrs.jid);
  switch (`${xmlns} ${asked?.tag}`) {
    case "encrypt count":
      return [node("count", undefined, { value: "0" })];
    case "encrypt digest":
      return [node("digest")];
    case "encrypt key":
      return [
        node(
          "list",
          named(jidsIn(asked?.content)).map((person) => person.bundle()),
        ),
      ];
    case "usync usync": {
      const list = childOf(asked?.content, "list");
      const phone = node("devices", [node("device-list", [node("device", undefined, { id: "0" })])]);
      const users = named(jidsIn(list?.content)).map(({ lid }) => node("user", [phone], { jid: lid }));
      return [node("usync", [node("list", users)])];
    }
    case "w:g2 query": {
      const members = [device.lid, ...people.map(({ lid }) => lid)];
      const participants = members.map((jid) => node("participant", undefined, { jid }));
      const attrs = { id: groupJid, addressing_mode: "lid", subject: "three", creation: "1", s_t: "1" };
      return [node("group", participants, attrs)];
    }
    default:
      return [];
  }
}

function lacking(what: string): never {
  throw new Error(`WhatsApp lacks ${what}`);
}

function seconds(): number {
  return Math.floor(Date.now() / 1_000);
}

import {
  type BinaryNode,
  DEFAULT_CONNECTION_CONFIG,
  encodeWAMessage,
  generateSignalPubKey,
  initAuthCreds,
  proto,
  unpadRandomMax16,
} from "@whiskeysockets/baileys";
import { silenceLibsignal } from "../web/silence.ts";

/** The linked device, as WhatsApp names it. */
export const device = {
  jid: "4915550000009:7@s.whatsapp.net",
  lidUser: "777",
  lid: "777@lid",
  lidDevice: "777:7@lid",
} as const;

/** With what a first message to the linked device is encrypted. */
export interface KeyBundle {
  readonly registrationId: number;
  readonly identityKey: Uint8Array;
  readonly signedPreKey: { readonly keyId: number; readonly publicKey: Uint8Array; readonly signature: Uint8Array };
  readonly preKey: { readonly keyId: number; readonly publicKey: Uint8Array };
}

export interface SeenOnPhone {
  readonly inGroup: boolean;
  readonly text: string;
}

const silent = { level: "silent", child: () => silent, trace() {}, debug() {}, info() {}, warn() {}, error() {} };

/** A person's phone: it encrypts what they write to the linked device, and reads what comes from there. */
export class WebPerson {
  readonly name: string;
  readonly lidUser: string;
  readonly number: string;
  readonly seen: SeenOnPhone[] = [];
  readonly #creds = initAuthCreds();
  readonly #signal: ReturnType<typeof DEFAULT_CONNECTION_CONFIG.makeSignalRepository>;
  #knowsDevice = false;

  constructor(name: string, lidUser: string, number: string) {
    this.name = name;
    this.lidUser = lidUser;
    this.number = number;
    silenceLibsignal(globalThis.console);
    const auth = { creds: this.#creds, keys: memoryKeys() };
    this.#signal = DEFAULT_CONNECTION_CONFIG.makeSignalRepository(auth as never, silent as never, async () => []);
  }

  get lid(): string {
    return `${this.lidUser}@lid`;
  }

  get phoneJid(): string {
    return `${this.number}@s.whatsapp.net`;
  }

  /** The `enc` node of a message. The first message takes a bundle of the device's keys. */
  async encrypt(message: proto.IMessage, takeBundle: () => KeyBundle): Promise<BinaryNode> {
    if (!this.#knowsDevice)
      await this.#signal.injectE2ESession({ jid: device.lidDevice, session: takeBundle() as never });
    this.#knowsDevice = true;
    const data = encodeWAMessage(message);
    const { type, ciphertext } = await this.#signal.encryptMessage({ jid: device.lidDevice, data });
    return { tag: "enc", attrs: { v: "2", type }, content: ciphertext };
  }

  /** With what the device encrypts a first message to this phone. */
  bundle(): BinaryNode {
    const { registrationId, signedIdentityKey, signedPreKey } = this.#creds;
    const registration = Buffer.alloc(4);
    registration.writeUInt32BE(registrationId);
    const keyId = Buffer.alloc(3);
    keyId.writeUIntBE(signedPreKey.keyId, 0, 3);
    const skey = [
      node("id", keyId),
      node("value", signedPreKey.keyPair.public),
      node("signature", signedPreKey.signature),
    ];
    const content = [
      node("registration", registration),
      node("identity", signedIdentityKey.public),
      node("skey", skey),
    ];
    return { tag: "user", attrs: { jid: this.lid }, content };
  }

  /** Reads a message of the device, if it is for this phone: in a group the key for everybody comes first. */
  async take({ attrs, content }: BinaryNode): Promise<void> {
    const { to: conversation = "" } = attrs;
    const inGroup = conversation.endsWith("@g.us");
    const own = childrenOf(childOf(content, "participants")?.content).find(({ attrs: { jid } }) => jid === this.lid);
    const sealed = [childOf(own?.content, "enc"), childOf(content, "enc")];
    for (const enc of sealed) {
      if (!(enc?.content instanceof Uint8Array)) continue;
      const message = proto.Message.decode(unpadRandomMax16(await this.#open(enc, conversation)));
      const { senderKeyDistributionMessage: item } = message;
      if (item) await this.#signal.processSenderKeyDistributionMessage({ item, authorJid: device.lidDevice });
      const text = message.conversation || message.extendedTextMessage?.text;
      if (text) this.seen.push({ inGroup, text });
    }
  }

  close(): void {
    this.#signal.close?.();
  }

  #open({ attrs, content }: BinaryNode, conversation: string): Promise<Uint8Array> {
    const ciphertext = content as Uint8Array;
    if (attrs.type === "skmsg")
      return this.#signal.decryptGroupMessage({ group: conversation, authorJid: device.lidDevice, msg: ciphertext });
    return this.#signal.decryptMessage({ jid: device.lidDevice, type: attrs.type as "msg" | "pkmsg", ciphertext });
  }
}

/** From what the device has uploaded; one for each of its keys. */
export function bundlesIn(upload: BinaryNode): KeyBundle[] {
  const { content } = upload;
  const signed = childOf(content, "skey")?.content;
  const signedPreKey = { ...keyOf(signed), signature: bytesOf(signed, "signature") };
  const registrationId = bytesOf(content, "registration").readUInt32BE();
  const identityKey = generateSignalPubKey(bytesOf(content, "identity"));
  return childrenOf(childOf(content, "list")?.content).map((key) => {
    return { registrationId, identityKey, signedPreKey, preKey: keyOf(key.content) };
  });
}

export function node(tag: string, content?: BinaryNode["content"], attrs: BinaryNode["attrs"] = {}): BinaryNode {
  return { tag, attrs, ...(content !== undefined && { content }) };
}

export function childrenOf(content: BinaryNode["content"]): readonly BinaryNode[] {
  return Array.isArray(content) ? content : [];
}

export function childOf(content: BinaryNode["content"], tag: string): BinaryNode | undefined {
  return childrenOf(content).find((each) => each.tag === tag);
}

function keyOf(content: BinaryNode["content"]): { readonly keyId: number; readonly publicKey: Uint8Array } {
  return { keyId: bytesOf(content, "id").readUIntBE(0, 3), publicKey: generateSignalPubKey(bytesOf(content, "value")) };
}

function bytesOf(content: BinaryNode["content"], tag: string): Buffer {
  const found = childOf(content, tag)?.content;
  if (!(found instanceof Uint8Array)) throw new Error(`the device sent no ${tag}`);
  return Buffer.from(found);
}

/** Keys of a phone that lives as long as the test. */
function memoryKeys() {
  const kept = new Map<string, unknown>();
  return {
    get: async (type: string, ids: readonly string[]) =>
      Object.fromEntries(ids.flatMap((id) => (kept.has(`${type} ${id}`) ? [[id, kept.get(`${type} ${id}`)]] : []))),
    set: async (data: Readonly<Record<string, Readonly<Record<string, unknown>>>>) => {
      for (const [type, entries] of Object.entries(data))
        for (const [id, value] of Object.entries(entries))
          if (value === null) kept.delete(`${type} ${id}`);
          else kept.set(`${type} ${id}`, value);
    },
    isInTransaction: () => true,
    transaction: <Result>(work: () => Promise<Result>) => work(),
  };
}

import { createCipheriv, createDecipheriv, createHash, hkdfSync } from "node:crypto";
import type { AddressInfo } from "node:net";
import { type BinaryNode, Curve, decodeBinaryNode, encodeBinaryNode, proto } from "@whiskeysockets/baileys";
import { type WebSocket, WebSocketServer } from "ws";

/**
 * WhatsApp Web's side of a connection, as far as linking and logging in go: the Noise XX handshake over a WebSocket, then
 * binary nodes, written with the client's own codec. Its certificate is made up: rc14 takes any.
 */
export async function startNoiseServer(onNode: (node: BinaryNode, peer: NoisePeer) => Promise<void>) {
  const server = new WebSocketServer({ host: "127.0.0.1", port: 0 });
  await new Promise((resolve) => server.once("listening", resolve));
  const payloads: proto.ClientPayload[] = [];
  const peers: NoisePeer[] = [];
  server.on("connection", (socket) => {
    const peer = new NoisePeer(socket, payloads, onNode);
    peers.push(peer);
    let tail = Promise.resolve();
    socket.on("message", (data: Buffer) => {
      tail = tail.then(() => peer.take(data)).catch(() => socket.terminate());
    });
  });
  return {
    endpoint: `ws://127.0.0.1:${(server.address() as AddressInfo).port}/ws/chat`,
    /** What clients said of themselves when they connected. */
    payloads,
    peers,
    stop: async () => {
      for (const client of server.clients) client.terminate();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const intro = Buffer.from([87, 65, 6, 3]);

/** One connection. */
export class NoisePeer {
  readonly #socket: WebSocket;
  readonly #payloads: proto.ClientPayload[];
  readonly #onNode: (node: BinaryNode, peer: NoisePeer) => Promise<void>;
  readonly #ephemeral = Curve.generateKeyPair();
  #bytes = Buffer.alloc(0);
  #sawIntro = false;
  #hash: Buffer = Buffer.from("Noise_XX_25519_AESGCM_SHA256\0\0\0\0");
  #salt = this.#hash;
  #key = this.#hash;
  #counter = 0;
  #step: "hello" | "finish" | "open" = "hello";
  #readKey = this.#hash;
  #writeKey = this.#hash;
  #reads = 0;
  #writes = 0;

  constructor(
    socket: WebSocket,
    payloads: proto.ClientPayload[],
    onNode: (node: BinaryNode, peer: NoisePeer) => Promise<void>,
  ) {
    this.#socket = socket;
    this.#payloads = payloads;
    this.#onNode = onNode;
    this.#authenticate(intro);
  }

  async take(data: Buffer): Promise<void> {
    this.#bytes = Buffer.concat([this.#bytes, data]);
    if (!this.#sawIntro) {
      this.#bytes = this.#bytes.subarray(intro.length);
      this.#sawIntro = true;
    }
    while (this.#bytes.length >= 3 && this.#bytes.length >= 3 + this.#bytes.readUIntBE(0, 3)) {
      const end = 3 + this.#bytes.readUIntBE(0, 3);
      const frame = this.#bytes.subarray(3, end);
      this.#bytes = this.#bytes.subarray(end);
      await this.#frame(frame);
    }
  }

  send(node: BinaryNode): void {
    const cipher = createCipheriv("aes-256-gcm", this.#writeKey, ivOf(this.#writes++));
    const sealed = Buffer.concat([cipher.update(encodeBinaryNode(node)), cipher.final(), cipher.getAuthTag()]);
    this.#write(sealed);
  }

  async #frame(frame: Buffer): Promise<void> {
    if (this.#step === "open") {
      const text = openSealed(frame, this.#readKey, this.#reads++);
      return this.#onNode(await decodeBinaryNode(text), this);
    }
    const { clientHello, clientFinish } = proto.HandshakeMessage.decode(frame);
    if (this.#step === "hello" && clientHello?.ephemeral) return this.#hello(clientHello.ephemeral);
    if (!clientFinish?.static || !clientFinish.payload) throw new Error("a handshake out of order");
    const known = this.#decrypt(clientFinish.static);
    this.#mix(Curve.sharedKey(this.#ephemeral.private, known));
    this.#payloads.push(proto.ClientPayload.decode(this.#decrypt(clientFinish.payload)));
    const [read, write] = this.#derive(Buffer.alloc(0));
    this.#readKey = read;
    this.#writeKey = write;
    this.#step = "open";
    await this.#onNode({ tag: "connected", attrs: {} }, this);
  }

  #hello(theirs: Uint8Array): void {
    const own = Curve.generateKeyPair();
    this.#authenticate(theirs);
    this.#authenticate(this.#ephemeral.public);
    this.#mix(Curve.sharedKey(this.#ephemeral.private, theirs));
    const sealedStatic = this.#encrypt(own.public);
    this.#mix(Curve.sharedKey(own.private, theirs));
    const details = proto.CertChain.NoiseCertificate.Details.encode({
      serial: 1,
      issuerSerial: 0,
      key: own.public,
    }).finish();
    const certificate = { details, signature: Buffer.alloc(64, 1) };
    const chain = proto.CertChain.encode({ leaf: certificate, intermediate: certificate }).finish();
    const serverHello = { ephemeral: this.#ephemeral.public, static: sealedStatic, payload: this.#encrypt(chain) };
    this.#write(Buffer.from(proto.HandshakeMessage.encode({ serverHello }).finish()));
    this.#step = "finish";
  }

  #write(bytes: Buffer): void {
    const length = Buffer.alloc(3);
    length.writeUIntBE(bytes.length, 0, 3);
    this.#socket.send(Buffer.concat([length, bytes]));
  }

  #authenticate(data: Uint8Array): void {
    this.#hash = createHash("sha256").update(this.#hash).update(data).digest();
  }

  #mix(secret: Uint8Array): void {
    const [salt, key] = this.#derive(secret);
    this.#salt = salt;
    this.#key = key;
    this.#counter = 0;
  }

  #derive(secret: Uint8Array): readonly [Buffer, Buffer] {
    const bytes = Buffer.from(hkdfSync("sha256", secret, this.#salt, "", 64));
    return [bytes.subarray(0, 32), bytes.subarray(32)];
  }

  #encrypt(text: Uint8Array): Buffer {
    const cipher = createCipheriv("aes-256-gcm", this.#key, ivOf(this.#counter++)).setAAD(this.#hash);
    const sealed = Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()]);
    this.#authenticate(sealed);
    return sealed;
  }

  #decrypt(sealed: Uint8Array): Buffer {
    const text = openSealed(sealed, this.#key, this.#counter++, this.#hash);
    this.#authenticate(sealed);
    return text;
  }
}

function openSealed(sealed: Uint8Array, key: Buffer, counter: number, known?: Buffer): Buffer {
  const decipher = createDecipheriv("aes-256-gcm", key, ivOf(counter));
  if (known !== undefined) decipher.setAAD(known);
  decipher.setAuthTag(sealed.subarray(-16));
  return Buffer.concat([decipher.update(sealed.subarray(0, -16)), decipher.final()]);
}

function ivOf(counter: number): Buffer {
  const iv = Buffer.alloc(12);
  iv.writeUInt32BE(counter, 8);
  return iv;
}

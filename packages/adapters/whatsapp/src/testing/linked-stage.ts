import { randomBytes } from "node:crypto";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Person, Place, PlatformStage, SaidWith } from "@talaria/testkit";
import type { proto } from "@whiskeysockets/baileys";
import { type Certified, openTlsDoor } from "./tls-door.ts";
import { device, WebPerson } from "./web-person.ts";
import { groupJid, startWebService } from "./web-service.ts";

export interface LinkedStage extends AsyncDisposable, Pick<PlatformStage, "account" | "direct" | "reachedAt"> {
  readonly group: Place;
  /** What the gateway's process needs: whom it believes that they are WhatsApp. */
  readonly env: Readonly<Record<string, string>>;
  /** What these people say in the group, one right after the other. */
  sayAtOnce(lines: readonly (readonly [Person, string])[]): Promise<void>;
  /** The phone scans this QR code. */
  scan(code: string): Promise<void>;
}

/**
 * WhatsApp Web with three people, for the real adapter in a real gateway: it comes by a proxy, over TLS, and is linked, logged
 * in, and written to as by their phones. `authority` vouches for `certified`, which names the hosts of `webHosts`.
 */
export async function startLinkedStage(authority: string, certified: Certified): Promise<LinkedStage> {
  const people: Readonly<Record<Person, WebPerson>> = {
    ada: new WebPerson("Ada", "111", "4915550000001"),
    bob: new WebPerson("Bob", "222", "4915550000002"),
    cleo: new WebPerson("Cleo", "333", "4915550000003"),
  };
  const service = await startWebService(Object.values(people));
  const door = await openTlsDoor(certified, {
    "web.whatsapp.com": service.socketPort,
    "mmg.whatsapp.net": service.mediaPort,
  });
  const folder = await mkdtemp(join(tmpdir(), "talaria-whatsapp-"));
  const authorityFile = join(folder, "authority.pem");
  await writeFile(authorityFile, authority);
  const said = new Map<string, { readonly author: WebPerson; readonly message: proto.IMessage }>();

  async function contentOf(
    text: string,
    { picture, file, isForward, mention, replyTo }: SaidWith,
  ): Promise<proto.IMessage> {
    if (picture !== undefined)
      return {
        imageMessage: {
          ...(await service.keep(picture, "image")),
          mimetype: "image/png",
          ...(text !== "" && { caption: text }),
        },
      };
    if (file !== undefined) {
      const kept = await service.keep(file.bytes, "document");
      return {
        documentMessage: {
          ...kept,
          fileName: file.name,
          mimetype: "text/plain",
          ...(text !== "" && { caption: text }),
        },
      };
    }
    const answered = said.get(replyTo ?? "");
    const contextInfo: proto.IContextInfo = {
      ...(isForward && { isForwarded: true, forwardingScore: 1 }),
      ...(mention && { mentionedJid: [device.lid] }),
      ...(answered && { stanzaId: replyTo ?? "", participant: answered.author.lid, quotedMessage: answered.message }),
    };
    return { extendedTextMessage: { text: mention ? `@${device.lidUser} ${text}` : text, contextInfo } };
  }

  const placeOf = (where: "direct" | "group"): Place => ({
    say: async (person, text, options = {}) => {
      const author = people[where === "direct" ? "ada" : person];
      const message = await contentOf(text, where === "direct" ? { ...options, mention: false } : options);
      const id = newId();
      said.set(id, { author, message });
      await service.deliver({ author, group: where === "group" ? groupJid : undefined, id, message });
      return id;
    },
    answers: () =>
      people.ada.seen.filter(({ inGroup }) => inGroup === (where === "group")).map(({ text }) => ({ text, files: [] })),
    glance: () => people.ada.seen.map(({ text }) => text).join("\n"),
  });

  return {
    account: {
      platform: "whatsapp",
      mode: "web",
      webVersion: "2.3000.1",
      proxy: door.url,
      access: { direct: "open", groups: "open" },
    },
    env: { NODE_EXTRA_CA_CERTS: authorityFile },
    direct: placeOf("direct"),
    group: placeOf("group"),
    sayAtOnce: (lines) =>
      service.deliver(
        ...lines.map(([person, text]) => {
          const message = { extendedTextMessage: { text } };
          return { author: people[person], group: groupJid, id: newId(), message };
        }),
      ),
    reachedAt: async () => undefined,
    scan: async (code) => service.scan(code),
    [Symbol.asyncDispose]: async () => {
      await door.close();
      await service.stop();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function newId(): string {
  return `3A${randomBytes(9).toString("hex").toUpperCase()}`;
}

import { type MimeNode, parseMime } from "./mime-tree.ts";

export interface StoredMail {
  readonly uid: number;
  /** Latin1, with CRLF. */
  readonly raw: string;
  readonly receivedAt: Date;
  readonly flags: Set<string>;
}

/** One folder. UIDs only grow; `uidValidity` says for how long they mean the same. */
export class ImapMailbox {
  readonly name: string;
  uidValidity: number;
  uidNext = 1;
  mails: StoredMail[] = [];
  readonly #watchers = new Set<() => void>();
  readonly #trees = new WeakMap<StoredMail, MimeNode>();

  constructor(name: string, uidValidity: number) {
    this.name = name;
    this.uidValidity = uidValidity;
  }

  add(raw: string, receivedAt: Date, flags: readonly string[] = []): StoredMail {
    const mail = { uid: this.uidNext, raw, receivedAt, flags: new Set(flags) };
    this.uidNext += 1;
    this.mails.push(mail);
    for (const notify of this.#watchers) notify();
    return mail;
  }

  remove(uids: ReadonlySet<number>): readonly number[] {
    const gone = this.mails.flatMap((mail, index) => (uids.has(mail.uid) ? [index + 1] : []));
    this.mails = this.mails.filter((mail) => !uids.has(mail.uid));
    return gone.toReversed();
  }

  treeOf(mail: StoredMail): MimeNode {
    const tree = this.#trees.get(mail) ?? parseMime(mail.raw);
    this.#trees.set(mail, tree);
    return tree;
  }

  /** Gives every mail a new UID, as a server does after its index was rebuilt. */
  renumber(): void {
    this.uidValidity += 1;
    this.uidNext = 1;
    const mails = this.mails;
    this.mails = [];
    for (const { raw, receivedAt, flags } of mails) this.add(raw, receivedAt, [...flags]);
  }

  watch(notify: () => void): () => void {
    this.#watchers.add(notify);
    return () => this.#watchers.delete(notify);
  }

  /** `5:*` always names the last mail too, also when its number is smaller: RFC 3501 section 6.4.8. */
  select(set: string, byUid: boolean): StoredMail[] {
    const numberOf = (mail: StoredMail, index: number) => (byUid ? mail.uid : index + 1);
    const last = byUid ? (this.mails.at(-1)?.uid ?? 0) : this.mails.length;
    const ranges = set.split(",").map((part) => {
      const [from = "", to = from] = part.split(":");
      const [a, b] = [from, to].map((text) => (text === "*" ? last : Number(text)));
      return [Math.min(a ?? 0, b ?? 0), Math.max(a ?? 0, b ?? 0)] as const;
    });
    return this.mails.filter((mail, index) => {
      const number = numberOf(mail, index);
      return ranges.some(([low, high]) => number >= low && number <= high);
    });
  }
}

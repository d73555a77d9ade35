import { bad, type ImapAnswer, no, ok } from "./imap-answer.ts";
import { type ImapWord, textOfWord } from "./imap-command.ts";
import { fetchItems, searchDate } from "./imap-fetch.ts";
import type { ImapMailbox, StoredMail } from "./imap-mailbox.ts";
import type { ImapWorld } from "./imap-world.ts";
import { fieldOf } from "./mime-tree.ts";

/** The connection that a mailbox is selected on. */
export interface ImapConnection {
  readonly world: ImapWorld;
  readonly write: (line: string) => void;
  readonly cut: () => void;
  /** Called when a mail has arrived; `tellNews` says so to the client. */
  readonly noticed: () => void;
}

/** The mailbox that a client has selected, and the commands that need one. */
export class ImapSelection {
  readonly #mailbox: ImapMailbox;
  readonly #isReadOnly: boolean;
  readonly #connection: ImapConnection;
  readonly #unwatch: () => void;
  /** How many mails the client knows of. */
  #exists: number;

  constructor(mailbox: ImapMailbox, isReadOnly: boolean, connection: ImapConnection) {
    this.#mailbox = mailbox;
    this.#isReadOnly = isReadOnly;
    this.#connection = connection;
    this.#exists = mailbox.mails.length;
    this.#unwatch = mailbox.watch(connection.noticed);
  }

  /** The answer to SELECT or EXAMINE. */
  open(): ImapAnswer {
    const { write } = this.#connection;
    write("* FLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft)");
    write("* OK [PERMANENTFLAGS (\\Answered \\Flagged \\Deleted \\Seen \\Draft \\*)] flags");
    write(`* ${this.#exists} EXISTS`);
    write("* 0 RECENT");
    write(`* OK [UIDVALIDITY ${this.#mailbox.uidValidity}] valid`);
    write(`* OK [UIDNEXT ${this.#mailbox.uidNext}] next`);
    return ok(this.#isReadOnly ? "[READ-ONLY] opened" : "[READ-WRITE] opened");
  }

  close(): void {
    this.#unwatch();
  }

  tellNews(): void {
    if (this.#exists === this.#mailbox.mails.length) return;
    this.#exists = this.#mailbox.mails.length;
    this.#connection.write(`* ${this.#exists} EXISTS`);
  }

  run(name: string, words: readonly ImapWord[]): ImapAnswer {
    const byUid = name.startsWith("UID ");
    switch (byUid ? name.slice(4) : name) {
      case "FETCH":
        return this.#fetch(words, byUid);
      case "SEARCH":
        return this.#search(words, byUid);
      case "STORE":
        return this.#store(words, byUid);
      case "COPY":
        return this.#copy(words, byUid, false);
      case "MOVE":
        return this.#copy(words, byUid, true);
      case "EXPUNGE":
        return this.#expunge(byUid ? textOfWord(words[0]) : "1:*", byUid);
      default:
        return bad("unknown command");
    }
  }

  #fetch([set, asked]: readonly ImapWord[], byUid: boolean): ImapAnswer {
    const items = typeof asked === "string" ? [asked] : Array.isArray(asked) ? asked : [];
    for (const mail of this.#mailbox.select(textOfWord(set), byUid)) {
      const { poison, fetched } = this.#connection.world;
      for (const item of items) fetched.push(`${mail.uid} ${textOfWord(item)}`);
      if (poison !== undefined && mail.raw.includes(poison) && items.includes("BODYSTRUCTURE")) this.#connection.cut();
      const found = fetchItems(this.#mailbox, mail, items);
      if (found === undefined) return bad("unknown item");
      this.#connection.write(`* ${this.#mailbox.mails.indexOf(mail) + 1} FETCH (${found})`);
    }
    return ok("done");
  }

  #search(words: readonly ImapWord[], byUid: boolean): ImapAnswer {
    let found: readonly StoredMail[] = this.#mailbox.mails;
    const rest = words.map(textOfWord);
    while (rest.length > 0) {
      const key = rest.shift()?.toUpperCase();
      if (key === "UID") {
        const chosen = new Set(this.#mailbox.select(rest.shift() ?? "", true));
        found = found.filter((mail) => chosen.has(mail));
      } else if (key === "SINCE") {
        const since = searchDate(rest.shift() ?? "");
        found = found.filter(({ receivedAt }) => receivedAt.getTime() >= since);
      } else if (key === "HEADER") {
        const [name = "", value = ""] = rest.splice(0, 2);
        const isIn = (field: string) => field.toLowerCase().includes(value.toLowerCase());
        found = found.filter((mail) => isIn(fieldOf(this.#mailbox.treeOf(mail).header, name)));
      } else if (key !== "ALL") return bad(`unknown search key ${key}`);
    }
    const numbers = found.map((mail) => (byUid ? mail.uid : this.#mailbox.mails.indexOf(mail) + 1));
    this.#connection.write(`* SEARCH${numbers.map((number) => ` ${number}`).join("")}`);
    return ok("done");
  }

  #store([set, how, flags]: readonly ImapWord[], byUid: boolean): ImapAnswer {
    if (this.#isReadOnly) return no("the mailbox is read-only");
    const action = textOfWord(how).toUpperCase();
    const names = (Array.isArray(flags) ? flags : [flags]).map((flag) => textOfWord(flag));
    for (const mail of this.#mailbox.select(textOfWord(set), byUid)) {
      if (!/^[+-]/.test(action)) mail.flags.clear();
      for (const name of names)
        if (action.startsWith("-")) mail.flags.delete(name);
        else mail.flags.add(name);
      const number = this.#mailbox.mails.indexOf(mail) + 1;
      if (!action.endsWith(".SILENT"))
        this.#connection.write(`* ${number} FETCH (UID ${mail.uid} FLAGS (${[...mail.flags].join(" ")}))`);
    }
    return ok("done");
  }

  #copy([set, path]: readonly ImapWord[], byUid: boolean, isMove: boolean): ImapAnswer {
    const target = this.#connection.world.find(textOfWord(path));
    if (target === undefined) return no("[TRYCREATE] no such mailbox");
    const mails = this.#mailbox.select(textOfWord(set), byUid);
    const copies = mails.map(({ raw, receivedAt, flags }) => target.add(raw, receivedAt, [...flags]).uid);
    const code = `[COPYUID ${target.uidValidity} ${mails.map(({ uid }) => uid).join(",")} ${copies.join(",")}]`;
    if (!isMove) return ok(`${code} copied`);
    this.#connection.write(`* OK ${code} moved`);
    return this.#remove(mails);
  }

  /** RFC 4315 section 2.1: with UIDs, only those that are named. */
  #expunge(set: string, byUid: boolean): ImapAnswer {
    if (this.#isReadOnly) return no("the mailbox is read-only");
    return this.#remove(this.#mailbox.select(set, byUid).filter(({ flags }) => flags.has("\\Deleted")));
  }

  #remove(mails: readonly StoredMail[]): ImapAnswer {
    for (const number of this.#mailbox.remove(new Set(mails.map(({ uid }) => uid))))
      this.#connection.write(`* ${number} EXPUNGE`);
    this.#exists = this.#mailbox.mails.length;
    return ok("done");
  }
}

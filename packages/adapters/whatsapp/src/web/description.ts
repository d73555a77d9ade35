import { z } from "zod";
import { note, shortList } from "../notes.ts";

/** Contacts of one message, telephone numbers of one contact. */
const most = { contacts: 20, phones: 10 };
/** UTF-16 units of a contact's card that are read. */
const cardLength = 20_000;

const words = z.string().nullish().catch(undefined);
const place = { degreesLatitude: z.number().nullish(), degreesLongitude: z.number().nullish() };
const contact = z.object({ displayName: words, vcard: words });
const option = z.object({ optionName: words });

/** Parts of a message that no text holds; names and fields as in WAProto.proto of the library. */
export const describedShapes = {
  location: z.object({ ...place, name: words, address: words }),
  liveLocation: z.object({ ...place, caption: words }),
  contact,
  contacts: z.object({ contacts: z.array(contact).transform((all) => all.slice(0, most.contacts)) }),
  poll: z.object({ name: words, options: z.array(option).nullish().catch(undefined) }),
};

type Described<Name extends keyof typeof describedShapes> = z.output<(typeof describedShapes)[Name]>;

export function locationNote({ name, address, ...where }: Described<"location">): string {
  return note("location", pointOf(where), name ?? "", address ?? "");
}

export function liveLocationNote({ caption, ...where }: Described<"liveLocation">): string {
  return note("live location", pointOf(where), caption ?? "");
}

export function contactNote({ displayName, vcard }: Described<"contact">): string {
  return note("contact", displayName || "somebody", ...phonesOf(vcard ?? ""));
}

export function pollNote({ name, options }: Described<"poll">): string {
  const answers = (options ?? []).map(({ optionName }) => optionName ?? "");
  return note("poll", name || "without a question", ...shortList(answers));
}

function pointOf({ degreesLatitude, degreesLongitude }: Omit<Described<"location">, "name" | "address">): string {
  return `${degreesLatitude ?? 0}, ${degreesLongitude ?? 0}`;
}

/** The values of the properties TEL (RFC 6350, 6.4.1), of which apps also make groups: `item1.TEL;waid=49301:+49 301`. */
function phonesOf(card: string): readonly string[] {
  const lines = card.slice(0, cardLength).split(/\r?\n/);
  const phones = lines.flatMap((line) => {
    const [property = "", ...value] = line.split(":");
    return /^(?:[\w-]+\.)?TEL(?:;|$)/i.test(property) ? [value.join(":").replace(/^tel:/i, "")] : [];
  });
  return phones.slice(0, most.phones);
}

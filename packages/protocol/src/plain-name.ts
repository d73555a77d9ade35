/** Marks of Latin, Greek and Cyrillic letters. Those of other scripts tell words apart. */
const accents = /[\u0300-\u036f]/g;

/** A name by which people are told apart as others type it: in small letters, without accents and without spaces around it. */
export function plainName(name: string): string {
  return name.normalize("NFKD").replace(accents, "").normalize("NFC").toLowerCase().trim();
}

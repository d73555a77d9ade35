import { bareLines } from "./quoted-lines.ts";
import type { Author } from "./quoted-thread.ts";

/** A signature is short: what is longer was written under a rule of dashes. */
const longestSignature = 12;

/**
 * The number of lines before the signature. `-- ` begins one (RFC 3676 section 4.3). Without the space, which programs lose
 * underway, it does so only where the author's name or address stands below.
 */
export function signatureStart(lines: readonly string[], author: Author | undefined): number {
  const dashes = lines.findLastIndex((line) => /^-- ?$/.test(line));
  if (dashes === -1 || lines.length - dashes > longestSignature) return lines.length;
  if (lines[dashes] === "-- ") return dashes;
  return author !== undefined && names(lines.slice(dashes + 1), author) ? dashes : lines.length;
}

function names(lines: readonly string[], { name, address }: Author): boolean {
  const text = lines.join("\n").slice(0, 2_000).toLowerCase();
  const [first] = bareLines(lines).filter((line) => line !== "");
  if (text.includes(address.toLowerCase())) return true;
  return name !== "" && (first ?? "").toLowerCase().startsWith(name.toLowerCase().split(" ", 1)[0] ?? name);
}

/** The line is the author's name, or a part of it, and nothing else. */
export function isNameOf({ name }: Author, line: string): boolean {
  const known = new Set(name.toLowerCase().split(/[\s,]+/));
  return line
    .trim()
    .toLowerCase()
    .split(/[\s,]+/)
    .every((word) => word !== "" && known.has(word));
}

/** The number of lines before what a program adds to each mail, such as `Sent from my iPhone`. */
export function programLineStart(lines: readonly string[]): number {
  let end = lines.length;
  for (let at = end - 1; at >= 0; at -= 1) {
    const line = (lines[at] ?? "").trim();
    if (line === "") continue;
    if (!isProgramLine(line)) break;
    end = at;
  }
  return end;
}

/**
 * After the fixtures and patterns of crisp-oss/email-reply-parser (0b3704c) and discourse/email_reply_trimmer (117fd1a): a
 * few words for "sent from", and a device or a program.
 */
const sentFrom =
  /^[<(*]*(?:sent (?:from|via|with|using|by)|get outlook for|gesendet (?:von|mit)|von meine?[mr]? |holen sie sich outlook|envoyé (?:de|depuis|à partir|avec)|télécharger outlook|obtenir outlook|obtén outlook|enviado (?:desde|do|de|a partir|com|con)|obter o outlook|inviato (?:da|dal|con)|scarica outlook|ottieni outlook|verzonden (?:vanaf|met|van)|verstuurd vanaf|outlook voor|skickat från|hämta outlook|sendt fra|hent outlook|lähetetty |hanki outlook|wysłan[eo] (?:z|za)|pobierz outlook|odesláno |odoslané |отправлено (?:с|из)|надіслано |küldve |trimis de|στάλθηκε από|dikirim dari|enviat (?:des|amb)|poslano s|أُرسلت من|נשלח מה|được gửi từ|发自我的|從我的)/iu;
const sentEnds = /(?:gesendet\.?|gönderildi\.?|küldve\.?|から送信|傳送|에서 보냄)$/iu;
const device =
  /iphon|ipad|ipod|android|galaxy|samsung|outlook|blackberry|windows|huawei|xiaomi|pixel|nokia|sony|htc|\bmail\b|yahoo|proton|zoho|gmx|web\.de|k-9|thunderbird|airmail|spark|typeapp|smartphone|mobile (?:phone|device)|mobil(?:gerät|telefon)|handy|tablet|telefon|téléphone/iu;

function isProgramLine(line: string): boolean {
  const text = line
    .replace(/[\u200e\u200f]/g, "")
    .replace(/\s*[<(](?:https?|mailto):[^<>()\s]*[>)]/gi, "")
    .replace(/[>)*]+$/, "");
  if (text.length > 100 || !device.test(text) || /[,;:!?]/.test(text)) return false;
  return sentFrom.test(text) || sentEnds.test(text);
}

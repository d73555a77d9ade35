/**
 * MCP 2025-11-25, client/elicitation.mdx, "Form Mode Security": servers must not ask for passwords, keys and the like by form.
 * Known by the words of the field: better one form too many is declined. A description may also say what is not wanted.
 */
const secretWords =
  /pass[ _-]?(?:word|phrase|code|wd)|\bpwd\b|secret(?!ar)|token|credential|api[ _-]?key|(?:private|access|encryption|recovery|license)[ _-]?key|seed[ _-]?phrase|mnemonic|\bcv[cv]2?\b|\botp\b|one[ _-]?time|2fa|\bmfa\b|card[ _-]?number|\bssn\b|\b(?:pin|tan)(?:[ _-]?(?:code|number))?\b|seed words|passwor[td]|kennwort|mot de passe|contrase[nñ]a|senha|wachtwoord|has[lł]o|l[oö]senord|adgangskode|salasana|heslo|jelsz[oó]|\bparola\b|şifre|парол|κωδικ[οό]|סיסמה|كلمة (?:المرور|السر)|密[码碼]|口令|パスワード|暗証番号|비밀번호|mật khẩu|รหัสผ่าน/i;
const wantsSecret = new RegExp(
  `(?:^\\W*(?:enter|type|give|provide|write)?|\\b(?:your|the|an?|my|its|dein|deine|ihr|ihre|votre|ton|tu|su|il tuo|sua|seu|uw|je|ваш|твой))\\s*(?:\\w+\\s+){0,2}(?:${secretWords.source})`,
  "i",
);
/** No more of a text is shown to people. */
const mostLooked = 1_000;

/** Whether a field asks for a secret, by its name, title, format or description. */
export function asksForSecret(name: string, schema: unknown): boolean {
  const { title = "", description = "", format = "" } = (schema ?? {}) as Record<string, unknown>;
  const named = [name.replace(/([a-z])([A-Z])/g, "$1 $2"), title, format];
  return named.some((text) => readings(text).some((one) => secretWords.test(one))) || saysSecret(description);
}

/** Whether a sentence asks for a secret. */
export function saysSecret(text: unknown): boolean {
  return readings(text).some((one) => wantsSecret.test(one));
}

/** As it is written, and as it looks. */
function readings(text: unknown): readonly string[] {
  const written = String(text)
    .slice(0, mostLooked)
    .normalize("NFKC")
    .replace(/\p{Default_Ignorable_Code_Point}/gu, "")
    .replaceAll("_", " ");
  const seen = joined(
    [...written.normalize("NFD").replace(/\p{M}/gu, "")].map((one) => lookalikes.get(one) ?? one).join(""),
  );
  return seen === written ? [written] : [written, seen];
}

/** Four letters or more that stand alone are a word. */
function joined(text: string): string {
  return text.replace(
    /(?<![\p{L}\p{N}])[\p{L}\p{N}](?:[\s\p{P}\p{S}]{1,3}[\p{L}\p{N}](?![\p{L}\p{N}])){2,}/gu,
    (spaced) => spaced.replace(/[\s\p{P}\p{S}]+/gu, ""),
  );
}

/**
 * Letters of other scripts with their Latin prototype, where that is one letter, as Unicode's confusables.txt (UTS #39) has them: Cyrillic,
 * Greek, Armenian, Cherokee and Latin. What looks like both l and I is "i" here, and the digit 0 an "o".
 */
const lookalikes = new Map(
  [
    ["a", "аαɑАΑᎪ"],
    ["b", "ЬВΒƄ"],
    ["c", "сϲᴄСϹᏟ"],
    ["d", "ԁᏧ"],
    ["e", "еҽꬲЕΕᎬ"],
    ["f", "քꞙϜ"],
    ["g", "ɡցԌᏀ"],
    ["h", "һհᏂНΗᎻ"],
    ["i", "іιıɩɪӏІΙӀⅼǀⵏ"],
    ["j", "јϳЈͿᎫ"],
    ["k", "КΚᏦ"],
    ["m", "МΜϺᎷ"],
    ["n", "ոռΝ"],
    ["o", "оοσօᴏОΟՕ0"],
    ["p", "рρϱРΡᏢ"],
    ["q", "ԛգզ"],
    ["r", "гᴦꭇꮁᎡƦ"],
    ["s", "ѕꜱƽꮪЅՏᏚ"],
    ["t", "ТΤᎢ"],
    ["u", "υսʋᴜՍ"],
    ["v", "νѵᴠꮩѴᏙ"],
    ["w", "ԝѡաᴡꮃԜᎳ"],
    ["x", "хХΧ"],
    ["y", "уүγʏУҮΥᎩ"],
    ["z", "ᴢꮓΖᏃ"],
  ].flatMap(([latin = "", others = ""]) => [...others].map((one) => [one, latin] as const)),
);

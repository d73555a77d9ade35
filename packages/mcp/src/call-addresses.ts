const mostDepth = 20;
/** Further ones count as one that nobody has read. */
const mostAddresses = 50;

type Schema = Readonly<Record<string, unknown>>;

/** The parameters of a tool, in the form that models see, whose values are addresses: by their name or their format. */
export function addressParameters({ properties }: Schema): readonly string[] {
  return Object.entries(typeof properties === "object" && properties !== null ? properties : {})
    .filter(([name, schema]) => saysAddress(name) || JSON.stringify(schema).includes("(format: uri"))
    .map(([name]) => name);
}

/**
 * The http and https addresses that a call names, each once, as a server would read them: a host without a scheme is one, too.
 * `parameters` are those of which the schema says it; others are found by their names.
 */
export function callAddresses(input: unknown, parameters: readonly string[]): readonly CallAddress[] {
  const texts = textsIn(input, (name, depth) => saysAddress(name) || (depth === 0 && parameters.includes(name)));
  const addresses = [...new Set(texts.flatMap((text) => addressOf(text) ?? []))];
  const shown: CallAddress[] = addresses.slice(0, mostAddresses).map((url) => ({ url }));
  const more = addresses[mostAddresses];
  return more === undefined ? shown : [...shown, { url: more, isKnown: false }];
}

interface CallAddress {
  readonly url: string;
  readonly isKnown?: false;
}

/** `url`, `image_urls`, `baseURI`, `pageUrl`, `url_to_open`. */
function saysAddress(name: string): boolean {
  const words = name.replace(/([a-z0-9])([A-Z])|([A-Z])([A-Z][a-z])/g, "$1$3 $2$4").split(/[^A-Za-z]+/);
  return words.some((word) => /ur[il]s?$/i.test(word));
}

function textsIn(
  value: unknown,
  isMeant: (name: string, depth: number) => boolean,
  isNamed = false,
  depth = 0,
): readonly string[] {
  if (typeof value === "string") return isNamed ? [value] : [];
  if (typeof value !== "object" || value === null || depth > mostDepth) return [];
  if (Array.isArray(value)) return value.flatMap((one) => textsIn(one, isMeant, isNamed, depth + 1));
  return Object.entries(value).flatMap(([name, one]) =>
    textsIn(one, isMeant, isNamed || isMeant(name, depth), depth + 1),
  );
}

/** Resources of a server have addresses of other schemes, which lead nowhere else. */
function addressOf(text: string): string | undefined {
  const trimmed = text.trim();
  if (/^https?:/i.test(trimmed)) return URL.canParse(trimmed) ? trimmed : undefined;
  const isHost = /^(?:[^\s/:?#@]+\.[^\s/:?#@]+|localhost|\[[\da-f:.]+\])(?::\d+)?(?:[/?#]|$)/i.test(trimmed);
  const whole = trimmed.startsWith("//") ? `https:${trimmed}` : `https://${trimmed}`;
  return (isHost || trimmed.startsWith("//")) && URL.canParse(whole) ? whole : undefined;
}

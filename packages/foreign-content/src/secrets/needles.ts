/** One character of what is looked for. */
export interface Unit {
  /** Unicode. */
  readonly point: number;
  /** The same in UTF-8. */
  readonly bytes: readonly number[];
}

/** A text to look for, whatever escapes each of its characters may be written with. */
export interface Needle {
  readonly units: readonly Unit[];
  /** Capital letters count as small ones, which these are. */
  readonly anyCase: boolean;
  /** Encoders break it into lines. */
  readonly isLined: boolean;
}

/** A secret, and the same in hex and in base64, alone or between other bytes. None for the empty text. */
export function needlesOf(secret: string): readonly Needle[] {
  const bytes = Buffer.from(secret);
  const encoded = new Set([bytes.toString("base64"), ...base64Fragments(bytes)]);
  return [
    needle(secret),
    needle(bytes.toString("hex"), { anyCase: true, isLined: true }),
    ...[...encoded].map((text) => needle(text, { isLined: true })),
  ].filter(({ units }) => units.length > 0);
}

function needle(text: string, { anyCase = false, isLined = false } = {}): Needle {
  const units = Array.from(text.toWellFormed(), (one) => ({
    point: one.codePointAt(0) ?? 0,
    bytes: [...Buffer.from(one)],
  }));
  return { units, anyCase, isLined };
}

/**
 * What base64 makes of the secret when it stands at the beginning of the encoded bytes or behind others, as in
 * `user:secret`: only the digits that no neighbouring byte has a part in.
 */
function base64Fragments(secret: Buffer): readonly string[] {
  return [0, 1, 2].flatMap((before) => {
    const encoded = Buffer.concat([Buffer.alloc(before), secret]).toString("base64");
    const from = Math.ceil((before * 8) / 6);
    const to = Math.floor(((before + secret.length) * 8) / 6);
    const fragment = encoded.slice(from, to);
    return [fragment, fragment.replaceAll("+", "-").replaceAll("/", "_")];
  });
}

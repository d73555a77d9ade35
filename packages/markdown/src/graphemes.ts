const segmenter = new Intl.Segmenter("en", { granularity: "grapheme" });

/** How far the text is read around an index; longer graphemes are cut between code points. */
const reach = 64;

/** The largest index up to `index` that lies between two graphemes, or at least between two code points. */
export function boundaryBefore(text: string, index: number): number {
  if (index >= text.length) return text.length;
  if (standsAlone(text.charCodeAt(index)) && standsAlone(text.charCodeAt(index - 1))) return index;
  const from = betweenCodePoints(text, Math.max(0, index - reach));
  const around = text.slice(from, index + reach);
  const start = segmenter.segment(around).containing(index - from)?.index ?? 0;
  return start > 0 ? from + start : from === 0 ? 0 : betweenCodePoints(text, index);
}

/** Every index inside the text that lies between two graphemes; inside very long ones, between two code points. */
export function boundariesIn(text: string): readonly number[] {
  const found: number[] = [];
  for (const { index, segment } of segmenter.segment(text)) {
    if (index > 0) found.push(index);
    if (segment.length <= reach) continue;
    for (let at = 1; at < segment.length; at += 1) if (betweenCodePoints(segment, at) === at) found.push(index + at);
  }
  return found;
}

function betweenCodePoints(text: string, index: number): number {
  const unit = text.charCodeAt(index);
  const before = text.charCodeAt(index - 1);
  return unit >= 0xdc00 && unit <= 0xdfff && before >= 0xd800 && before <= 0xdbff ? index - 1 : index;
}

/** Letters that never join a neighbour of their kind: Latin, kana, Han, Hangul syllables. The segmenter need not be asked. */
function standsAlone(unit: number): boolean {
  if (unit < 0x300) return unit !== 0x0a && unit !== 0x0d;
  const isKana = (unit >= 0x3041 && unit <= 0x3096) || (unit >= 0x30a1 && unit <= 0x30fa);
  return isKana || (unit >= 0x3400 && unit <= 0x9fff) || (unit >= 0xac00 && unit <= 0xd7a3);
}

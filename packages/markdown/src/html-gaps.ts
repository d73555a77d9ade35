import type { Break, PhrasingContent } from "mdast";

/** Where tags end a line or a paragraph in the middle of a line. */
export interface Gap {
  readonly type: "gap";
  readonly lines: 1 | 2;
  /** Two such tags in a row are two line breaks; others only make sure that there is a gap. */
  readonly isForced?: true;
  readonly position?: NonNullable<Break["position"]>;
}

function isGap(piece: PhrasingContent | Gap): piece is Gap {
  return piece.type === "gap";
}

/** Writes gaps as line breaks: none at the edges of a block, and no more than one empty line. */
export function withBreaks(pieces: readonly (PhrasingContent | Gap)[], parent: string): PhrasingContent[] {
  if (!pieces.some(isGap)) return pieces as PhrasingContent[];
  const most = parent === "paragraph" || parent === "pair" ? 2 : 1;
  const written: PhrasingContent[] = [];
  let gaps: Gap[] = [];
  const writeGaps = () => {
    const last = written.at(-1);
    if (last?.type === "text") written[written.length - 1] = { ...last, value: last.value.trimEnd() };
    if (written.length > 0 || parent === "pair") written.push(...breaksFor(gaps, most));
    gaps = [];
  };
  for (const piece of pieces) {
    if (isGap(piece)) gaps.push(piece);
    else if (gaps.length === 0) written.push(piece);
    else if (piece.type !== "text") {
      writeGaps();
      written.push(piece);
    } else if (piece.value.trim() !== "") {
      writeGaps();
      written.push({ ...piece, value: piece.value.trimStart() });
    }
  }
  if (gaps.length > 0 && parent === "pair") writeGaps();
  return written;
}

function breaksFor(gaps: readonly Gap[], most: number): Break[] {
  const forced = gaps.filter(({ isForced }) => isForced === true).length;
  const count = Math.min(most, Math.max(forced, ...gaps.map(({ lines }) => lines)));
  const start = gaps[0]?.position?.start;
  const end = gaps.at(-1)?.position?.end;
  const position = start === undefined || end === undefined ? {} : { position: { start, end } };
  return Array.from({ length: count }, () => ({ type: "break", ...position }));
}

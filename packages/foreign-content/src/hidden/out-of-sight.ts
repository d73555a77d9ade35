import { toPx, toShare } from "./lengths.ts";

/** So far from its place is out of the window. */
const farPx = 100;
const veryFarPx = 3_000;
const maxSizePx = 1;
const minShare = 0.1;
/** Of a window of 1,000 pixels: the distances in percent that move something out of it. */
const windowPx = 100;

/** What an element declares that nothing inside of it can undo. */
export class OutOfSight {
  #isFar = false;
  #isMarginFar = false;
  #isCentred = false;
  #isSmall = false;
  #isCut = false;
  #isFaint = false;
  #isDisplayed = true;

  /** Takes one declaration; one that browsers don't understand changes nothing. `fontPx` is the size of text around it. */
  take(name: string, value: string, fontPx: number): void {
    const far = (part: string, whole: number | undefined = windowPx) => {
      const px = toPx(part, fontPx, whole) ?? 0;
      return px <= -farPx || px >= veryFarPx;
    };
    switch (name) {
      case "display":
        if (
          /^(?:none|initial|inherit|unset|revert|contents|list-item|flow-root|(?:inline|block|flex|grid|table)[a-z -]*)$/.test(
            value,
          )
        )
          this.#isDisplayed = value !== "none";
        break;
      case "opacity":
        this.#isFaint = (toShare(value) ?? (this.#isFaint ? 0 : 1)) < minShare;
        break;
      case "left":
      case "right":
      case "top":
      case "bottom":
      case "inset":
        this.#isFar ||= partsOf(value).some((part) => far(part));
        this.#isCentred ||= /\d%/.test(value);
        break;
      case "margin":
      case "margin-left":
      case "margin-right":
      case "margin-top":
        this.#isMarginFar ||= partsOf(value).some((part) => !part.endsWith("%") && far(part));
        break;
      case "width":
      case "max-width":
      case "height":
      case "max-height":
        this.#isSmall ||= (toPx(value, fontPx, windowPx) ?? Number.POSITIVE_INFINITY) <= maxSizePx;
        break;
      case "overflow":
      case "overflow-x":
      case "overflow-y":
        this.#isCut ||= /hidden|clip|auto|scroll/.test(value);
        break;
      default:
        this.#isFar ||= movesOrCutsAway(name, value, far);
    }
  }

  /** Half of its width to the left of the middle is where a box in the middle stands. */
  get isGone(): boolean {
    const isMoved = this.#isFar || (this.#isMarginFar && !this.#isCentred);
    return !this.#isDisplayed || this.#isFaint || isMoved || (this.#isSmall && this.#isCut);
  }
}

function movesOrCutsAway(name: string, value: string, far: (part: string, whole?: number) => boolean): boolean {
  switch (name) {
    case "transform":
      return functionsIn(value).some(([kind, parts]) => isTransformedAway(kind, parts, far));
    case "translate":
      return partsOf(value).some((part) => !part.endsWith("%") && far(part));
    case "scale":
      return isTransformedAway("scale", partsOf(value), far);
    case "filter":
      return functionsIn(value).some(([kind, [share = ""]]) => kind === "opacity" && (toShare(share) ?? 1) < minShare);
    case "clip":
      return functionsIn(value).some(([kind, parts]) => kind === "rect" && isThin(parts));
    case "clip-path":
      return functionsIn(value).some(([kind, parts]) => isClippedAway(kind, parts));
    case "content-visibility":
      return value === "hidden";
    case "mso-hide":
      return value === "all";
    default:
      return false;
  }
}

function isTransformedAway(kind: string, parts: readonly string[], far: (part: string) => boolean): boolean {
  const isNothing = (part = "1") => Math.abs(toShare(part) ?? 1) < 0.05;
  if (kind.startsWith("translate")) return parts.some((part) => !part.endsWith("%") && far(part));
  if (kind.startsWith("scale")) return parts.slice(0, 2).some(isNothing);
  if (kind === "matrix")
    return [0, 1].every((at) => isNothing(parts[at])) || [2, 3].every((at) => isNothing(parts[at]));
  return /^rotate[xy]$/.test(kind) && /^-?(?:90|270)deg$/.test(parts[0] ?? "");
}

/** `rect(top right bottom left)`. */
function isThin(parts: readonly string[]): boolean {
  const [top, right, bottom, left] = parts.map((part) => toPx(part, 16));
  const isNarrow = (from: number | undefined, to: number | undefined) =>
    from !== undefined && to !== undefined && to - from <= maxSizePx;
  return isNarrow(top, bottom) || isNarrow(left, right);
}

function isClippedAway(kind: string, parts: readonly string[]): boolean {
  const px = (part = "") => toPx(part, 16, 1_000);
  if (kind === "circle" || kind === "ellipse") return (px(parts[0]) ?? 2) <= maxSizePx;
  if (kind === "polygon") return parts.every((part) => (px(part) ?? 1) === 0);
  if (kind !== "inset") return false;
  const [top = 0, right = top, bottom = top, left = right] = parts.map((part) => px(part) ?? 0);
  return top + bottom >= 1_000 || left + right >= 1_000;
}

function functionsIn(value: string): readonly (readonly [string, readonly string[]])[] {
  return [...value.matchAll(/([a-z0-9-]{1,20})\(([^()]*)\)/g)].map(([, kind = "", inner = ""]) => [
    kind,
    partsOf(inner),
  ]);
}

function partsOf(value: string): readonly string[] {
  return value.split(/[\s,]+/).filter((part) => part !== "");
}

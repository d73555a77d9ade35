/** Keeps the number of time series finite, whatever comes in from outside. */
export interface BoundedLabel {
  /** The value itself while there is room, `other` afterwards. Characters beyond letters, digits and `_.:/-` become `_`. */
  of(value: string): string;
}

const maxLength = 64;

/** Remembers the first `most` different values. */
export function boundedLabel(most: number): BoundedLabel {
  const known = new Set<string>();
  return {
    of(value) {
      const label = value.slice(0, maxLength).replace(/[^A-Za-z0-9_.:/-]/g, "_");
      if (known.has(label)) return label;
      if (known.size >= most) return "other";
      known.add(label);
      return label;
    },
  };
}

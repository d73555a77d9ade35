/** A size as people read it. */
export function sizeText(bytes) {
  if (bytes < 1_024) return `${bytes} bytes`;
  if (bytes < 1_048_576) return `${Math.round(bytes / 1_024)} kB`;
  return `${Math.round(bytes / 104_857.6) / 10} MB`;
}

const labels: ReadonlyMap<number, string> = new Map([
  [437, "windows-1252"],
  [850, "windows-1252"],
  [866, "ibm866"],
  [874, "windows-874"],
  [932, "shift_jis"],
  [936, "gbk"],
  [949, "euc-kr"],
  [950, "big5"],
  [10_000, "macintosh"],
  [20_866, "koi8-r"],
  [21_866, "koi8-u"],
  [54_936, "gb18030"],
  [65_001, "utf-8"],
]);

/** Text in a code page of Windows; unknown ones count as that of Western Europe. */
export function decodePage(bytes: Uint8Array, page: number): string {
  const isLatin = page >= 1250 && page <= 1258;
  const isIso = page >= 28_591 && page <= 28_605 && page !== 28_602;
  const label =
    labels.get(page) ?? (isLatin ? `windows-${page}` : isIso ? `iso-8859-${page - 28_590}` : "windows-1252");
  return decoderOf(label).decode(bytes);
}

const decoders = new Map<string, InstanceType<typeof TextDecoder>>();

function decoderOf(label: string): InstanceType<typeof TextDecoder> {
  const decoder = decoders.get(label) ?? new TextDecoder(label);
  decoders.set(label, decoder);
  return decoder;
}

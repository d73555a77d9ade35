import { crc32, deflateRawSync } from "node:zlib";

export interface ZipPart {
  readonly name: string;
  readonly content: string | Uint8Array;
  /** What its list claims instead of the truth. */
  readonly claimedSize?: number;
  readonly isEncrypted?: true;
}

/** A zip archive with exactly these parts, also what no program would write: a name twice, a path that leads out, a false size. */
export function makeZip(parts: readonly ZipPart[]): Buffer {
  const files: Buffer[] = [];
  const list: Buffer[] = [];
  let offset = 0;
  for (const { name, content, claimedSize, isEncrypted } of parts) {
    const bytes = Buffer.from(content as Uint8Array);
    const packed = deflateRawSync(bytes, { level: 1 });
    const nameBytes = Buffer.from(name, "utf8");
    const fields = Buffer.alloc(26);
    fields.writeUInt16LE(20, 0);
    fields.writeUInt16LE(0x800 | (isEncrypted ? 1 : 0), 2);
    fields.writeUInt16LE(8, 4);
    fields.writeUInt32LE(crc32(bytes), 10);
    fields.writeUInt32LE(packed.byteLength, 14);
    fields.writeUInt32LE(claimedSize ?? bytes.byteLength, 18);
    fields.writeUInt16LE(nameBytes.byteLength, 22);
    files.push(Buffer.from("PK\x03\x04", "latin1"), fields, nameBytes, packed);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(offset, 10);
    list.push(Buffer.from("PK\x01\x02\x14\x00", "latin1"), fields, rest, nameBytes);
    offset += 30 + nameBytes.byteLength + packed.byteLength;
  }
  const end = Buffer.alloc(18);
  end.writeUInt16LE(parts.length, 4);
  end.writeUInt16LE(parts.length, 6);
  end.writeUInt32LE(Buffer.concat(list).byteLength, 8);
  end.writeUInt32LE(offset, 12);
  return Buffer.concat([...files, ...list, Buffer.from("PK\x05\x06", "latin1"), end]);
}

const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/** A Word document with this body, which need not be well-formed. */
export function makeDocx(body: string, more: readonly ZipPart[] = [], declaration = ""): Buffer {
  const content = `<?xml version="1.0"?>${declaration}<w:document xmlns:w="w"><w:body>${body}</w:body></w:document>`;
  return makeZip([...office("word/document.xml"), { name: "word/document.xml", content }, ...more]);
}

/** A workbook whose sheets hold these rows of XML. */
export function makeXlsx(
  sheets: readonly { readonly name: string; readonly rows: string }[],
  more: readonly ZipPart[] = [],
): Buffer {
  const listed = sheets.map(({ name }, n) => `<sheet name="${name}" sheetId="${n + 1}" r:id="r${n + 1}"/>`).join("");
  const related = sheets
    .map((_, n) => `<Relationship Id="r${n + 1}" Type="${relations}/worksheet" Target="worksheets/sheet${n + 1}.xml"/>`)
    .join("");
  return makeZip([
    ...office("xl/workbook.xml"),
    { name: "xl/workbook.xml", content: `<workbook xmlns:r="r"><sheets>${listed}</sheets></workbook>` },
    { name: "xl/_rels/workbook.xml.rels", content: `<Relationships>${related}</Relationships>` },
    ...sheets.map(({ rows }, n) => ({
      name: `xl/worksheets/sheet${n + 1}.xml`,
      content: `<worksheet><sheetData>${rows}</sheetData></worksheet>`,
    })),
    ...more,
  ]);
}

/** A document of OpenDocument with this inside its body. */
export function makeOdf(
  kind: "text" | "spreadsheet" | "presentation",
  body: string,
  more: readonly ZipPart[] = [],
): Buffer {
  const content = `<office:document-content xmlns:office="o"><office:body><office:${kind}>${body}</office:${kind}></office:body></office:document-content>`;
  return makeZip([
    { name: "mimetype", content: `application/vnd.oasis.opendocument.${kind}` },
    { name: "content.xml", content },
    ...more,
  ]);
}

function office(main: string): readonly ZipPart[] {
  return [
    { name: "[Content_Types].xml", content: "<Types/>" },
    {
      name: "_rels/.rels",
      content: `<Relationships><Relationship Id="r1" Type="${relations}/officeDocument" Target="${main}"/></Relationships>`,
    },
  ];
}

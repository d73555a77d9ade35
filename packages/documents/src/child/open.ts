import type { Kind } from "../kind-of.ts";
import type { OpenDocument } from "./open-document.ts";

export type Opener = (bytes: Buffer, name: string) => Promise<OpenDocument>;

/** Loads what a kind needs and nothing else. */
export async function openerOf(kind: Kind): Promise<Opener> {
  switch (kind) {
    case "pdf":
      return (await import("./readers/pdf.ts")).openPdf;
    case "zip":
      return (await import("./readers/container.ts")).openContainer;
    case "notebook":
      return (await import("./readers/notebook.ts")).openNotebook;
    case "mail":
      return (await import("./readers/mail.ts")).openMail;
    case "tar":
    case "gzip":
      return (await import("./readers/tar.ts")).openTar;
    case "rtf":
      return (await import("./readers/rtf.ts")).openRtf;
    case "ole": {
      const { isOutlookMail, refuse } = await import("./readers/refused.ts");
      return async (bytes) =>
        isOutlookMail(bytes)
          ? await (await import("./readers/outlook-mail.ts")).openOutlookMail(bytes)
          : await refuse(kind, bytes);
    }
    case "7z":
    case "rar":
    case "xz":
    case "bzip2":
    case "zstd": {
      const { refuse } = await import("./readers/refused.ts");
      return (bytes) => refuse(kind, bytes);
    }
    default:
      return kind satisfies never;
  }
}

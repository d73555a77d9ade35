import { clean, note } from "../notes.ts";
import type { CloudContent } from "./payload.ts";

/** Lines about what a message refers to beside an earlier message: an advertisement, a product, that it was forwarded. */
export function contextNotes({ referral, context }: CloudContent): readonly string[] {
  const notes: string[] = [];
  if (referral !== undefined) {
    const { source_type: type, headline, body, source_url: url } = referral;
    notes.push(note(type === "post" ? "came from a post" : "came from an ad", headline, body, url));
  }
  const product = context?.referred_product;
  if (product !== undefined) {
    const catalog = clean(product.catalog_id);
    const where = catalog === "" ? "" : ` of catalog ${catalog}`;
    notes.push(note(`about the product ${clean(product.product_retailer_id)}${where}`));
  }
  if (context?.frequently_forwarded === true) notes.push(note("forwarded many times"));
  else if (context?.forwarded === true) notes.push(note("forwarded"));
  return notes;
}

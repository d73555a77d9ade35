/** A document that is not read, with the reason as people say it: `it is encrypted with a password`. */
export class Refusal extends Error {
  override name = "Refusal";
}

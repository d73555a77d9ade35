const raised = new Map(zipped("0123456789+-=()abcdefghijklmnoprstuvwxyz", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"));
const lowered = new Map(zipped("0123456789+-=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"));

/** What stands around words that are raised or lowered, where a platform can't: `x^(a b)`; or small letters instead of them. */
export function smallScript(
  words: string,
  type: "subscript" | "superscript",
): { readonly letters: string } | { readonly before: string; readonly after: string } {
  const small = [...words].map((letter) => (type === "subscript" ? lowered : raised).get(letter));
  if (!small.includes(undefined)) return { letters: small.join("") };
  // Whole sentences are meant to be small, not low or high.
  if (/[A-Za-z]{3}\s+[A-Za-z]{2}/.test(words)) return { before: "", after: "" };
  const sign = type === "subscript" ? "_" : "^";
  return /^\w+$/.test(words) ? { before: sign, after: "" } : { before: `${sign}(`, after: ")" };
}

function zipped(plain: string, small: string): [string, string][] {
  const letters = [...small];
  return [...plain].map((letter, at) => [letter, letters[at] ?? letter]);
}

/** Money is counted in whole millionths of the operator's currency. */
export const microsPerUnit = 1_000_000;

/** `1.23 USD`; below a hundredth as much as there is, such as `0.0004 USD`. Never shows something as nothing. */
export function moneyText(micros: number, currency: string): string {
  const amount = micros / microsPerUnit;
  const small = micros > 0 && amount < 0.01;
  const digits = small ? { maximumSignificantDigits: 2 } : { minimumFractionDigits: 2, maximumFractionDigits: 2 };
  return `${amount.toLocaleString("en", digits)} ${currency}`;
}

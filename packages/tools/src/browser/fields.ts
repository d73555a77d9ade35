import { z } from "zod";

/** The start of a browser and one action of it together. */
export const callMs = 150_000;

export const addressField = z.string().max(4_096);

/** Names the page that is meant: policy decides by it, people who approve see it, and the call fails where another one is open. */
export const pageField = addressField.describe("The page's address, as the last result names it.");

export const elementFields = {
  url: addressField.describe(
    "The page's address, or for a reference with f that of the embedded page, as the last result names it.",
  ),
  ref: z
    .string()
    .regex(/^(?:f\d{1,4})?e\d{1,9}$/)
    .describe("The element's reference, such as e3."),
  element: z
    .string()
    .min(1)
    .max(400)
    .describe(
      'What stands in its line before the reference and other marks, for example: button "Send". People who approve read it.',
    ),
};

/** The calls of a turn that use the browser keep their order. */
export const resources = () => ["browser"];

import { z } from "zod";

/** The start of a browser and one action of it together. */
export const callMs = 150_000;

export const addressField = z.string().max(4_096);

/** Names the page that is meant: policy decides by it, people who approve see it, and the call fails where another one is open. */
export const pageField = addressField.describe("The page's address, as in the last result.");

export const elementFields = {
  url: addressField.describe(
    "The page's address as in the last result; for a reference with f, that of the embedded page.",
  ),
  ref: z
    .string()
    .regex(/^(?:f\d{1,4})?e\d{1,9}$/)
    .describe("Reference, such as e3."),
  element: z
    .string()
    .min(1)
    .max(400)
    .describe('Its line up to the reference, such as: button "Send". Shown to people who approve.'),
};

/** The calls of a turn that use the browser keep their order. */
export const resources = () => ["browser"];

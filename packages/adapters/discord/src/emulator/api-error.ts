/** What the server answers instead of a result: an HTTP status and Discord's JSON body. */
export class ApiError extends Error {
  readonly status: number;
  readonly code: number;
  /** Which field of the request is wrong and why, as Discord nests it. */
  readonly errors: object | undefined;

  constructor(status: number, code: number, message: string, errors?: object) {
    super(message);
    this.status = status;
    this.code = code;
    this.errors = errors;
  }

  toBody(): object {
    return { message: this.message, code: this.code, ...(this.errors && { errors: this.errors }) };
  }
}

export const unauthorized = () => new ApiError(401, 0, "401: Unauthorized");
export const notFound = () => new ApiError(404, 0, "404: Not Found");
export const unknownChannel = () => new ApiError(404, 10_003, "Unknown Channel");
export const unknownMessage = () => new ApiError(404, 10_008, "Unknown Message");
export const unknownGuild = () => new ApiError(404, 10_004, "Unknown Guild");
export const unknownUser = () => new ApiError(404, 10_013, "Unknown User");
export const unknownEmoji = () => new ApiError(400, 10_014, "Unknown Emoji");
export const unknownApplication = () => new ApiError(404, 10_002, "Unknown Application");
export const unknownWebhook = () => new ApiError(404, 10_015, "Unknown Webhook");
export const invalidWebhookToken = () => new ApiError(401, 50_027, "Invalid Webhook Token");
export const unknownInteraction = () => new ApiError(404, 10_062, "Unknown interaction");
export const alreadyAcknowledged = () => new ApiError(400, 40_060, "Interaction has already been acknowledged.");
export const entityTooLarge = () => new ApiError(413, 40_005, "Request entity too large");
export const missingAccess = () => new ApiError(403, 50_001, "Missing Access");
export const notOwnMessage = () => new ApiError(403, 50_005, "Cannot edit a message authored by another user");
export const emptyMessage = () => new ApiError(400, 50_006, "Cannot send an empty message");
export const unreachableUser = () => new ApiError(403, 50_007, "Cannot send messages to this user");
export const notATextChannel = () => new ApiError(400, 50_008, "Cannot send messages in a non-text channel");
export const missingPermissions = () => new ApiError(403, 50_013, "Missing Permissions");
export const archivedThread = () => new ApiError(400, 50_083, "Thread is archived");

/** 50035 about one field. `path` is dotted: `message_reference`, `embeds.0.title`. */
export function invalidField(path: string, code: string, message: string): ApiError {
  const leaf: object = { _errors: [{ code, message }] };
  const errors = path.split(".").reduceRight((inner, name) => ({ [name]: inner }), leaf);
  return new ApiError(400, 50_035, "Invalid Form Body", errors);
}

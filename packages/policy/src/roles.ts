/**
 * What a sender may do, strongest first. `owner`: the operator. `member`: on an allow list, or paired. `guest`: anybody else
 * who is let in, because a group is listed or an account is open. `system`: a signed event of a machine, such as a webhook.
 */
export type Role = "owner" | "member" | "guest" | "system";

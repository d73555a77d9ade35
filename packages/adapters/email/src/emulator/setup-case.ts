import type { SetupCase } from "@talaria/testkit";

/** What a person types who sets up an account against the stage. */
export const setupCase: SetupCase = {
  looksBack: true,
  questions: [
    ["Address", "address"],
    ["IMAP host", "imap.host"],
    ["IMAP port", "imap.port"],
    ["IMAP user", "imap.user"],
    ["IMAP password", "imap.password"],
    ["SMTP host", "smtp.host"],
    ["SMTP port", "smtp.port"],
    ["SMTP user", "smtp.user"],
    ["SMTP password", "smtp.password"],
    ["authserv-id", "trustedAuthservId"],
  ],
  set: ["imap.secure", "smtp.secure"],
  secrets: ["imap.password", "smtp.password"],
  wrong: [
    ["address", "Gw@MAIL.test", /address: has to be a plain address/],
    ["imap.port", "imaps", /imap\.port: expected/],
    ["imap.password", "wrong", /talaria: The mail server refused the user or the password.*`imap\.password`/],
  ],
  wrongLater: [["smtp.password", "wrong", /talaria: a message came.*could not be sent.*smtp\.password/]],
};

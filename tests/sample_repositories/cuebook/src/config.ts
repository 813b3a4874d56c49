/** Settings from the environment. */
export const config = {
  port: Number(process.env.PORT ?? 4170),
  file: process.env.CUEBOOK_FILE ?? "cuebook.json",
  bridgeToken: process.env.CUEBOOK_BRIDGE_TOKEN ?? "",
  /** Sender of the show reports. */
  mailFrom: process.env.CUEBOOK_MAIL_FROM ?? "prompt@localhost",
  smtpUrl: process.env.CUEBOOK_SMTP ?? "smtp://localhost:25",
  /** A call this many seconds off the planned time counts as late. */
  lateAfter: Number(process.env.CUEBOOK_LATE_AFTER ?? 3),
};

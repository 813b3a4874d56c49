/** What a practice sets, with the values that suit most. */

export const PORT = Number(process.env.PORT ?? 3000);

/** How often a text message is tried before we give up on it. */
export const SMS_RETRIES = Number(process.env.SMS_RETRIES ?? 3);

/** How often an e-mail is tried before we give up on it. */
export const MAIL_RETRIES = Number(process.env.MAIL_RETRIES ?? 3);

/** Hours before an appointment at which the patient is reminded. */
export const REMIND_HOURS_BEFORE = 24;

/** Days a patient may book ahead on the website. */
export const BOOKING_HORIZON_DAYS = 60;

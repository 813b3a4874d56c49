/** What the operator sets. Days are calendar days. */

export const PORT = Number(process.env.PORT ?? 4000);

/** Days after which an unpaid invoice is overdue. */
export const INVOICE_GRACE_DAYS = 14;

/** Days a subscription goes on although its renewal could not be paid. */
export const RENEWAL_GRACE_DAYS = 14;

/** What the provider takes, in hundredths of a percent. */
export const PROVIDER_FEE_BASIS_POINTS = 29;

export const CURRENCY = process.env.BILLING_CURRENCY ?? 'EUR';

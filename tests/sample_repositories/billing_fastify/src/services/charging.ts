import { CURRENCY } from '../config.js';
import { Problem } from '../plugins/found.js';
import type { Account, Invoice } from '../store.js';

/** Takes the money of one invoice from the card of its account. */
export async function chargeInvoice(account: Account, invoice: Invoice): Promise<Invoice> {
  if (invoice.paidOn || invoice.voided) {
    throw new Problem(409, `invoice ${invoice.number} is settled`);
  }
  const response = await fetch('https://payments.example.com/v1/charges', {
    method: 'POST',
    body: JSON.stringify({ customer: account.id, amount: invoice.cents, currency: CURRENCY }),
  });
  if (!response.ok) {
    throw new Problem(402, `the card of ${account.name} was refused`);
  }
  return markPaid(invoice);
}

/** Remembers that the money is here. */
export function markPaid(invoice: Invoice): Invoice {
  invoice.paidOn = new Date().toISOString().slice(0, 10);
  return invoice;
}

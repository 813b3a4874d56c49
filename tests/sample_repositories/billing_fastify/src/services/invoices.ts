import { INVOICE_GRACE_DAYS } from '../config.js';
import type { InvoiceQuery, NewInvoice } from '../schemas/invoices.js';
import { invoices, nextId, refunds, type Invoice, type Refund } from '../store.js';

export function findInvoices(query: InvoiceQuery): Invoice[] {
  return [...invoices.values()].filter(
    (one) =>
      (!query.accountId || one.accountId === query.accountId) &&
      (!query.unpaid || !one.paidOn) &&
      (!query.issuedFrom || one.issuedOn >= query.issuedFrom) &&
      (!query.issuedTo || one.issuedOn <= query.issuedTo),
  );
}

/** Writes an invoice and gives it the next number of the year. */
export function issueInvoice(body: NewInvoice): Invoice {
  const issuedOn = new Date().toISOString().slice(0, 10);
  const number = `${issuedOn.slice(0, 4)}-${String(invoices.size + 1).padStart(5, '0')}`;
  const invoice: Invoice = { id: nextId('inv'), number, issuedOn, voided: false, ...body };
  invoices.set(invoice.id, invoice);
  return invoice;
}

export function isOverdue(invoice: Invoice, today: Date): boolean {
  const age = (today.getTime() - new Date(invoice.issuedOn).getTime()) / 86_400_000;
  return !invoice.paidOn && !invoice.voided && age > INVOICE_GRACE_DAYS;
}

/** Gives back some or all of what was paid. */
export function refund(invoice: Invoice, cents: number, reason: string): Refund {
  const row: Refund = { id: nextId('ref'), invoiceId: invoice.id, cents: Math.min(cents, invoice.cents), reason };
  refunds.set(row.id, row);
  return row;
}

/** What is left to pay. */
export function summarize(invoice: Invoice): string {
  return `${invoice.number}: ${invoice.paidOn ? 'paid' : `${invoice.cents / 100} open`}`;
}

import type { FastifyInstance, FastifyRequest } from 'fastify';
import { found } from '../plugins/found.js';
import { InvoiceQuery, NewInvoice, RefundBody } from '../schemas/invoices.js';
import { chargeInvoice } from '../services/charging.js';
import { findInvoices, issueInvoice, refund } from '../services/invoices.js';
import { accounts, invoices, type Invoice } from '../store.js';

type WithId = { Params: { id: string } };

/** Invoices, for the back office. */
export async function adminInvoices(app: FastifyInstance): Promise<void> {
  app.get('/', { schema: { querystring: InvoiceQuery } }, listInvoices);
  app.post('/', { schema: { body: NewInvoice } }, createInvoice);
  app.get('/:id', readInvoice);
  app.post('/:id/charge', collect);
  app.post('/:id/void', voidInvoice);
  app.post('/:id/refunds', { schema: { body: RefundBody } }, giveBack);
}

function one(request: FastifyRequest<WithId>): Invoice {
  return found(invoices.get(request.params.id), 'invoice');
}

async function listInvoices(request: FastifyRequest<{ Querystring: InvoiceQuery }>) {
  return findInvoices(request.query);
}

async function createInvoice(request: FastifyRequest<{ Body: NewInvoice }>) {
  return issueInvoice(request.body);
}

async function readInvoice(request: FastifyRequest<WithId>) {
  return one(request);
}

/** Takes the money now, as when the customer gave a new card on the telephone. */
async function collect(request: FastifyRequest<WithId>) {
  const invoice = one(request);
  return chargeInvoice(found(accounts.get(invoice.accountId), 'account'), invoice);
}

/** Makes an invoice void that should never have been written. */
async function voidInvoice(request: FastifyRequest<WithId>) {
  const invoice = one(request);
  invoice.voided = true;
  return invoice;
}

async function giveBack(request: FastifyRequest<WithId & { Body: RefundBody }>) {
  return refund(one(request), request.body.cents, request.body.reason);
}

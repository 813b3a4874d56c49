import type { FastifyInstance, FastifyRequest } from 'fastify';
import { currentAccount } from '../plugins/session.js';
import { found, Problem } from '../plugins/found.js';
import { PlanChange } from '../schemas/subscriptions.js';
import { chargeInvoice } from '../services/charging.js';
import { findInvoices } from '../services/invoices.js';
import { changePlan, endSubscription } from '../services/subscriptions.js';
import { invoices, subscriptions } from '../store.js';

type WithId = { Params: { id: string } };

/** What paying customers do for themselves. */
export async function account(app: FastifyInstance): Promise<void> {
  app.get('/', showAccount);
  app.patch('/', updateAccount);
  app.get('/invoices', myInvoices);
  app.post('/invoices/:id/pay', payInvoice);
  app.put('/subscriptions/:id/plan', { schema: { body: PlanChange } }, switchPlan);
  app.delete('/subscriptions/:id', quit);
}

async function showAccount(request: FastifyRequest) {
  return currentAccount(request);
}

/** Name, address and tax number, as they shall stand on invoices. */
async function updateAccount(request: FastifyRequest<{ Body: { name?: string; address?: string; vatNumber?: string } }>) {
  const { name, address, vatNumber } = request.body;
  return Object.assign(currentAccount(request), { name, address, vatNumber });
}

/** The customer's own invoices, all of them. */
async function myInvoices(request: FastifyRequest) {
  return findInvoices({ accountId: currentAccount(request).id });
}

async function payInvoice(request: FastifyRequest<WithId>) {
  const payer = currentAccount(request);
  const invoice = found(invoices.get(request.params.id), 'invoice');
  if (invoice.accountId !== payer.id) {
    throw new Problem(403, 'this is not your invoice');
  }
  return chargeInvoice(payer, invoice);
}

async function switchPlan(request: FastifyRequest<WithId & { Body: PlanChange }>) {
  return changePlan(own(request), request.body);
}

/** Customers leave without talking to anybody. */
async function quit(request: FastifyRequest<WithId>) {
  return endSubscription(own(request));
}

function own(request: FastifyRequest<WithId>) {
  const subscription = found(subscriptions.get(request.params.id), 'subscription');
  if (subscription.accountId !== currentAccount(request).id) {
    throw new Problem(403, 'this is not your subscription');
  }
  return subscription;
}

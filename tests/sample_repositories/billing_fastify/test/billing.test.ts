import assert from 'node:assert/strict';
import test from 'node:test';
import { buildApp } from '../src/app.js';
import { findInvoices, issueInvoice, refund } from '../src/services/invoices.js';
import { priceOf } from '../src/services/subscriptions.js';
import { accounts } from '../src/store.js';

accounts.set('acc_1', { id: 'acc_1', name: 'Octo Ltd', email: 'octo@example.com', balanceCents: 0 });

test('unpaid invoices can be listed alone', () => {
  const invoice = issueInvoice({ accountId: 'acc_1', cents: 1900 });
  assert.deepEqual(findInvoices({ unpaid: true }), [invoice]);
});

test('nobody gets back more than was paid', () => {
  const invoice = issueInvoice({ accountId: 'acc_1', cents: 1900 });
  assert.equal(refund(invoice, 5000, 'broken').cents, 1900);
});

test('a coupon makes a month cheaper', () => {
  assert.equal(priceOf('team', 10, 50), 9500);
});

test('strangers see no account', async () => {
  const answer = await buildApp().inject({ url: '/account' });
  assert.equal(answer.statusCode, 401);
});

import { RENEWAL_GRACE_DAYS } from '../config.js';
import { found } from '../plugins/found.js';
import type { NewSubscription, PlanChange } from '../schemas/subscriptions.js';
import { accounts, coupons, nextId, subscriptions, type Invoice, type Subscription } from '../store.js';
import { chargeInvoice } from './charging.js';
import { issueInvoice } from './invoices.js';

const MONTHLY_CENTS = { basic: 900, team: 1900, enterprise: 4900 };

/** What a month costs, after the discount. */
export function priceOf(plan: Subscription['plan'], seats: number, percentOff: number): number {
  return Math.round((MONTHLY_CENTS[plan] * seats * (100 - percentOff)) / 100);
}

export function subscribe(body: NewSubscription): Subscription {
  const coupon = body.coupon ? found(coupons.get(body.coupon), 'coupon') : undefined;
  const row: Subscription = {
    id: nextId('sub'),
    accountId: body.accountId,
    plan: body.plan,
    seats: body.seats,
    renewsOn: nextMonth(new Date()),
    status: 'active',
  };
  subscriptions.set(row.id, row);
  issueInvoice({ accountId: body.accountId, cents: priceOf(body.plan, body.seats, coupon?.percent ?? 0) });
  return row;
}

export function changePlan(subscription: Subscription, body: PlanChange): Subscription {
  subscription.plan = body.plan;
  subscription.seats = body.seats;
  return subscription;
}

/** Writes the invoice of the next month and takes the money. */
export async function renew(subscription: Subscription): Promise<Invoice> {
  const account = found(accounts.get(subscription.accountId), 'account');
  const invoice = issueInvoice({
    accountId: account.id,
    cents: priceOf(subscription.plan, subscription.seats, 0),
  });
  await chargeInvoice(account, invoice);
  subscription.renewsOn = nextMonth(new Date(subscription.renewsOn));
  return invoice;
}

/** No renewals any more; what is paid stays usable. */
export function endSubscription(subscription: Subscription): Subscription {
  subscription.status = 'ended';
  return subscription;
}

export function isLapsed(subscription: Subscription, today: Date): boolean {
  const late = (today.getTime() - new Date(subscription.renewsOn).getTime()) / 86_400_000;
  return late > RENEWAL_GRACE_DAYS;
}

/** One line for lists and mails. */
export function summarize(subscription: Subscription): string {
  return `${subscription.plan} for ${subscription.seats}, renews on ${subscription.renewsOn}`;
}

function nextMonth(day: Date): string {
  const next = new Date(day);
  next.setMonth(next.getMonth() + 1);
  return next.toISOString().slice(0, 10);
}

/** Who pays. */
export interface Account {
  id: string;
  name: string;
  email: string;
  vatNumber?: string;
  address?: string;
  balanceCents: number;
}

/** A plan that an account pays for again and again. */
export interface Subscription {
  id: string;
  accountId: string;
  plan: 'basic' | 'team' | 'enterprise';
  seats: number;
  renewsOn: string;
  status: 'active' | 'paused' | 'ended';
  memo?: string;
}

/** What an account owes once. */
export interface Invoice {
  id: string;
  accountId: string;
  number: string;
  cents: number;
  issuedOn: string;
  paidOn?: string;
  voided: boolean;
  memo?: string;
}

/** Money given back. */
export interface Refund {
  id: string;
  invoiceId: string;
  cents: number;
  reason: string;
}

/** A discount by code. */
export interface Coupon {
  code: string;
  percent: number;
  expiresOn?: string;
  uses: number;
}

export const accounts = new Map<string, Account>();
export const subscriptions = new Map<string, Subscription>();
export const invoices = new Map<string, Invoice>();
export const refunds = new Map<string, Refund>();
export const coupons = new Map<string, Coupon>();

let last = 0;

export function nextId(kind: string): string {
  last += 1;
  return `${kind}_${last}`;
}

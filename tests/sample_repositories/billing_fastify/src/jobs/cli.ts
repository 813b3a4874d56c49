#!/usr/bin/env node
import { Command } from 'commander';
import { found } from '../plugins/found.js';
import { chargeInvoice } from '../services/charging.js';
import { isOverdue } from '../services/invoices.js';
import { isLapsed, renew, summarize } from '../services/subscriptions.js';
import { accounts, invoices, subscriptions } from '../store.js';

export const program = new Command('billing');

/** Renews what is due on a day; runs every night. */
export async function renewDue(options: { day: string }): Promise<void> {
  for (const one of subscriptions.values()) {
    if (one.status === 'active' && one.renewsOn <= options.day) {
      await renew(one);
      console.log(summarize(one));
    }
  }
}

/** Tries once more to collect what is overdue; runs every Monday. */
export async function retryOverdue(): Promise<void> {
  for (const one of invoices.values()) {
    if (isOverdue(one, new Date())) {
      await chargeInvoice(found(accounts.get(one.accountId), 'account'), one);
    }
  }
}

/** Ends what has not been paid for too long. */
export function endLapsed(): void {
  for (const one of subscriptions.values()) {
    if (isLapsed(one, new Date())) {
      one.status = 'ended';
    }
  }
}

program.command('renew').requiredOption('--day <date>', 'the day to renew for').action(renewDue);
program.command('retry-overdue').action(retryOverdue);
program.command('end-lapsed').action(endLapsed);

if (process.argv[1]?.endsWith('cli.js')) {
  await program.parseAsync();
}

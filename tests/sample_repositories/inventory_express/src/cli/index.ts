#!/usr/bin/env node
import { writeFileSync } from 'node:fs';
import { Command } from 'commander';
import { deliveries, items, movements } from '../db/store.js';
import { formatRow as itemRow, isLow } from '../services/items.js';
import { formatRow as movementRow } from '../services/movements.js';

export const program = new Command('inventory');

/** Writes the buyers' list to a file. */
export function exportItems(file: string, options: { low?: boolean }): void {
  const rows = items.filter((item) => !options.low || isLow(item));
  writeFileSync(file, rows.map(itemRow).join('\n'));
}

/** Writes the auditors' ledger to a file. */
export function exportLedger(file: string): void {
  writeFileSync(file, movements.all().map(movementRow).join('\n'));
}

/** Prints deliveries that should have been here by now. */
export function overdue(): void {
  const today = new Date().toISOString().slice(0, 10);
  for (const one of deliveries.filter((late) => !late.receivedAt && late.expectedOn < today)) {
    console.log(`${one.id} expected on ${one.expectedOn}`);
  }
}

program.command('export-items <file>').option('--low', 'only what is running low').action(exportItems);
program.command('export-ledger <file>').action(exportLedger);
program.command('overdue').action(overdue);

if (process.argv[1]?.endsWith('index.js')) {
  program.parse();
}

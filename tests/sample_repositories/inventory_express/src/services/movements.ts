import { movements } from '../db/store.js';
import type { Movement } from '../db/tables.js';
import { settings } from '../settings.js';

/** What came and went, the latest first. */
export function history(sku: string, page: number): Movement[] {
  const start = (page - 1) * settings.movementPageSize;
  return movements
    .filter((move) => move.sku === sku)
    .reverse()
    .slice(start, start + settings.movementPageSize);
}

/** One line of the ledger that the auditors get. */
export function formatRow(move: Movement): string {
  return [move.at.toISOString(), move.sku, move.pieces, move.reason].join(';');
}

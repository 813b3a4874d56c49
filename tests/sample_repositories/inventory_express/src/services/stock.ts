import { movements } from '../db/store.js';
import type { Movement } from '../db/tables.js';
import { HttpError } from '../middleware/errors.js';

/** Pieces of an item in a warehouse, or in all of them. */
export function piecesOf(sku: string, warehouseId?: number): number {
  return movements
    .filter((move) => move.sku === sku && (warehouseId === undefined || move.warehouseId === warehouseId))
    .reduce((sum, move) => sum + move.pieces, 0);
}

/** Books pieces in or out; there are never fewer than none. */
export function adjustStock(sku: string, warehouseId: number, pieces: number, reason: string): Movement {
  if (piecesOf(sku, warehouseId) + pieces < 0) {
    throw new HttpError(409, `there are not ${-pieces} pieces of ${sku}`);
  }
  return movements.insert({ id: movements.nextId(), sku, warehouseId, pieces, reason, at: new Date() });
}

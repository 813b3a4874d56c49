import type { Transfer } from '../db/tables.js';
import { adjustStock } from './stock.js';

/** The goods have left: book them out of the old warehouse. */
export function dispatch(transfer: Transfer): Transfer {
  adjustStock(transfer.sku, transfer.fromId, -transfer.pieces, `transfer ${transfer.id}`);
  return transfer;
}

/** The goods have arrived: book them into the new warehouse. */
export function complete(transfer: Transfer): Transfer {
  adjustStock(transfer.sku, transfer.toId, transfer.pieces, `transfer ${transfer.id}`);
  transfer.completedAt = new Date();
  return transfer;
}

import { deliveries } from '../db/store.js';
import type { Delivery } from '../db/tables.js';
import { HttpError } from '../middleware/errors.js';
import { adjustStock } from './stock.js';

/** Books every line of a delivery in. */
export function receive(delivery: Delivery): Delivery {
  if (delivery.receivedAt) {
    throw new HttpError(409, 'this delivery has been received');
  }
  for (const line of delivery.lines) {
    adjustStock(line.sku, delivery.warehouseId, line.pieces, `delivery ${delivery.id}`);
  }
  delivery.receivedAt = new Date();
  return delivery;
}

export function announced(supplierId: number | undefined): Delivery[] {
  return deliveries.filter((one) => !one.receivedAt && (supplierId === undefined || one.supplierId === supplierId));
}

import { items } from '../db/store.js';
import type { Item } from '../db/tables.js';
import { settings } from '../settings.js';
import { piecesOf } from './stock.js';

export interface ItemFilter {
  words?: string;
  supplierId?: number;
  runningLow?: boolean;
}

/** Whether an item should be bought again. */
export function isLow(item: Item): boolean {
  return piecesOf(item.sku) < (item.lowStock ?? settings.lowStockDefault);
}

/** Items that are still sold, by name, supplier or urgency. */
export function findItems(filter: ItemFilter, page: number): Item[] {
  const start = (page - 1) * settings.itemPageSize;
  return items
    .filter((item) => !item.discontinued)
    .filter((item) => !filter.words || item.name.toLowerCase().includes(filter.words.toLowerCase()))
    .filter((item) => filter.supplierId === undefined || item.supplierId === filter.supplierId)
    .filter((item) => !filter.runningLow || isLow(item))
    .slice(start, start + settings.itemPageSize);
}

/** One line of the list that the buyers print. */
export function formatRow(item: Item): string {
  return [item.sku, item.name, piecesOf(item.sku)].join(';');
}

import { beforeEach, describe, expect, it } from 'vitest';
import { items } from '../src/db/store.js';
import { findItems } from '../src/services/items.js';
import { receive } from '../src/services/deliveries.js';
import { adjustStock, piecesOf } from '../src/services/stock.js';

describe('stock', () => {
  beforeEach(() => {
    items.insert({ sku: 'bolt-8', name: 'Bolt M8', discontinued: false });
  });

  it('never falls below none', () => {
    expect(() => adjustStock('bolt-8', 1, -1, 'breakage')).toThrow('there are not 1 pieces');
  });

  it('grows by what a delivery brings', () => {
    const lines = [{ sku: 'bolt-8', pieces: 40 }];
    receive({ id: 1, supplierId: 1, warehouseId: 1, expectedOn: '2026-03-01', lines });
    expect(piecesOf('bolt-8', 1)).toBe(40);
  });

  it('is low below five pieces, unless the item says otherwise', () => {
    items.insert({ sku: 'nut-8', name: 'Nut M8', lowStock: 0, discontinued: false });
    expect(findItems({ runningLow: true }, 1).map((item) => item.sku)).not.toContain('nut-8');
  });
});

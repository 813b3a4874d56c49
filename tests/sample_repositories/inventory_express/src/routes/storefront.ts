import { Router, type Request, type Response } from 'express';
import { items } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';
import { findItems } from '../services/items.js';
import { piecesOf } from '../services/stock.js';

export const storefrontRouter = Router();

/** What the shop shows: names only, no suppliers. */
export function shopItems(req: Request, res: Response): void {
  const { q, page } = req.query;
  const found = findItems({ words: q as string | undefined }, Number(page ?? 1));
  res.json(found.map((item) => ({ sku: item.sku, name: item.name })));
}

/** Whether the shop may sell an item now. */
export function shopAvailability(req: Request, res: Response): void {
  const item = requireFound(items.find((one) => one.sku === req.params.sku), 'item');
  res.json({ sku: item.sku, available: piecesOf(item.sku) > 0 });
}

storefrontRouter.get('/items', shopItems);
storefrontRouter.get('/items/:sku/availability', shopAvailability);

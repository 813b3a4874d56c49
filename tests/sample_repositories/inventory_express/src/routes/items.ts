import { Router, type Request, type Response } from 'express';
import { z } from 'zod';
import { items } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';
import { findItems, formatRow } from '../services/items.js';
import { history } from '../services/movements.js';
import { adjustStock, piecesOf } from '../services/stock.js';

export const itemsRouter = Router();

const NewItem = z.object({
  sku: z.string(),
  name: z.string(),
  barcode: z.string().optional(),
  supplierId: z.number().int().optional(),
});

const Correction = z.object({
  warehouseId: z.number().int(),
  pieces: z.number().int(),
  reason: z.string(),
});

function itemOf(req: Request) {
  return requireFound(
    items.find((item) => item.sku === req.params.sku),
    'item',
  );
}

/** Items that are still sold. */
export function listItems(req: Request, res: Response): void {
  const { q, supplier, low, page } = req.query;
  const found = findItems(
    { words: q as string | undefined, supplierId: supplier ? Number(supplier) : undefined, runningLow: low === 'true' },
    Number(page ?? 1),
  );
  res.json(found);
}

/** The list of the buyers, to print. */
export function printItems(_req: Request, res: Response): void {
  res.type('text/plain').send(findItems({}, 1).map(formatRow).join('\n'));
}

export function createItem(req: Request, res: Response): void {
  const body = NewItem.parse(req.body);
  res.status(201).json(items.insert({ ...body, discontinued: false }));
}

export function readItem(req: Request, res: Response): void {
  const item = itemOf(req);
  res.json({ ...item, pieces: piecesOf(item.sku) });
}

/** Corrects the number of pieces by hand, after breakage or a miscount. */
export function correctItem(req: Request, res: Response): void {
  const body = Correction.parse(req.body);
  res.status(201).json(adjustStock(itemOf(req).sku, body.warehouseId, body.pieces, body.reason));
}

/** Takes an item out of the range; its history stays. */
export function discontinueItem(req: Request, res: Response): void {
  const item = itemOf(req);
  item.discontinued = true;
  res.json(item);
}

export function itemHistory(req: Request, res: Response): void {
  res.json(history(itemOf(req).sku, Number(req.query.page ?? 1)));
}

itemsRouter.get('/', listItems);
itemsRouter.post('/', createItem);
itemsRouter.get('/print', printItems);
itemsRouter.get('/:sku', readItem);
itemsRouter.post('/:sku/corrections', correctItem);
itemsRouter.post('/:sku/discontinue', discontinueItem);
itemsRouter.get('/:sku/movements', itemHistory);

import { Router, type Request, type Response } from 'express';
import { transfers } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';
import { complete, dispatch } from '../services/transfers.js';

export const transfersRouter = Router();

function transferOf(req: Request) {
  return requireFound(
    transfers.find((one) => one.id === Number(req.params.id)),
    'transfer',
  );
}

/** Sends goods to another warehouse. */
export function startTransfer(req: Request, res: Response): void {
  const { fromId, toId, sku, pieces } = req.body;
  res.status(201).json(dispatch(transfers.insert({ id: transfers.nextId(), fromId, toId, sku, pieces })));
}

export function readTransfer(req: Request, res: Response): void {
  res.json(transferOf(req));
}

/** The goods have arrived. */
export function completeTransfer(req: Request, res: Response): void {
  res.json(complete(transferOf(req)));
}

transfersRouter.post('/', startTransfer);
transfersRouter.get('/:id', readTransfer);
transfersRouter.post('/:id/complete', completeTransfer);

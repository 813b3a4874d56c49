import { Router } from 'express';
import { items, warehouses } from '../db/store.js';
import { requireFound } from '../middleware/errors.js';
import { piecesOf } from '../services/stock.js';

export const warehousesRouter = Router();

/** Warehouses that are in use. */
warehousesRouter.get('/', (_req, res) => {
  res.json(warehouses.filter((one) => !one.closed));
});

warehousesRouter.get('/:id', (req, res) => {
  res.json(requireFound(warehouses.find((one) => one.id === Number(req.params.id)), 'warehouse'));
});

/** What lies in one warehouse. */
warehousesRouter.get('/:id/stock', (req, res) => {
  const warehouse = requireFound(warehouses.find((one) => one.id === Number(req.params.id)), 'warehouse');
  const rows = items.all().map((item) => ({ sku: item.sku, pieces: piecesOf(item.sku, warehouse.id) }));
  res.json(rows.filter((row) => row.pieces > 0));
});

warehousesRouter.post('/:id/close', (req, res) => {
  const warehouse = requireFound(warehouses.find((one) => one.id === Number(req.params.id)), 'warehouse');
  warehouse.closed = true;
  res.json(warehouse);
});

import { Router } from 'express';
import { deliveriesRouter } from './deliveries.js';
import { itemsRouter } from './items.js';
import { storefrontRouter } from './storefront.js';
import { suppliersRouter } from './suppliers.js';
import { transfersRouter } from './transfers.js';
import { warehousesRouter } from './warehouses.js';

export const api = Router();
api.use('/items', itemsRouter);
api.use('/warehouses', warehousesRouter);
api.use('/suppliers', suppliersRouter);
api.use('/deliveries', deliveriesRouter);
api.use('/transfers', transfersRouter);
api.use('/storefront', storefrontRouter);

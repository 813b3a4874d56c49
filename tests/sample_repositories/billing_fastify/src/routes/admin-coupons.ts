import { Type, type Static } from '@sinclair/typebox';
import type { FastifyInstance } from 'fastify';
import { found } from '../plugins/found.js';
import { coupons, type Coupon } from '../store.js';

const NewCoupon = Type.Object({
  code: Type.String(),
  percent: Type.Integer({ minimum: 1, maximum: 100 }),
  expiresOn: Type.Optional(Type.String({ format: 'date' })),
});
type NewCoupon = Static<typeof NewCoupon>;

/** Discounts, for marketing. */
export async function adminCoupons(app: FastifyInstance): Promise<void> {
  app.get('/', async () => [...coupons.values()]);

  app.post<{ Body: NewCoupon }>('/', { schema: { body: NewCoupon } }, async (request) => {
    const coupon: Coupon = { ...request.body, uses: 0 };
    coupons.set(coupon.code, coupon);
    return coupon;
  });

  app.delete<{ Params: { code: string } }>('/:code', async (request) => {
    const coupon = found(coupons.get(request.params.code), 'coupon');
    coupons.delete(coupon.code);
    return coupon;
  });
}

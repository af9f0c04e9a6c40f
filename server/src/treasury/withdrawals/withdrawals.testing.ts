/** For tests: withdrawals requested over HTTP, and venues that end them as the test says. */
import type { WithdrawalAssignment } from '../assignments/assignments.schema.ts'
import { openMovements } from '../testing/movements.testing.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

export async function openWithdrawals() {
  const place = await openMovements()
  const { call, models, routes } = place
  const urlOf = (id: string) => `/treasury/withdrawals/${id}`
  return {
    place,
    models,
    routes,
    request: (route: { id: string }, body: object, headers: Record<string, string> = {}) =>
      call<Withdrawal>(
        'POST',
        `/treasury/wallets/routes/${route.id}/withdrawals`,
        { quantity: '1', speed_level: 'DEFAULT', ...body },
        { headers },
      ),
    read: async (id: string) => (await call<Withdrawal>('GET', urlOf(id))).data,
    assignments: async (id: string) =>
      (await call<WithdrawalAssignment[]>('GET', `${urlOf(id)}/assignments`)).data,
    assign: (
      id: string,
      parts: readonly { account_id: string; quantity: string; third_party?: boolean }[],
    ) => call<WithdrawalAssignment>('POST', `${urlOf(id)}/assignments`, parts),
    /** A customer with BTC, and the wallet to which the route `payout` leads. */
    async funded(quantity = '3') {
      const customer = await place.customer('Bob')
      await place.belongsTo(customer, place.wallets.alice)
      await place.fund(customer.account_id, 'BTC', quantity)
      return customer
    },
    /** How often it was sent. */
    sends: (model: (typeof models)['vault'], { external_id }: { external_id: string }): number =>
      model.sends.filter((send) => send.external_id === external_id).length,
  }
}

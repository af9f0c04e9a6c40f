/** For tests: Alice with a wallet of her own at the vault, and Bob with one outside and inside. */
import { BOBS, BOBS_OTHER, CAROLS } from '../batches/shared-transactions.testing.ts'
import { openMovements } from '../testing/movements.testing.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import type { Withdrawal } from './withdrawals.schema.ts'

const PERMISSION = 'treasury.withdrawals.third_party'

export async function openThirdParties() {
  const place = await openMovements()
  const { alice, principal, vault, wallets } = place
  const bob = await place.customer('Bob')
  for (const { account_id } of [alice, bob]) await place.fund(account_id, 'BTC', '3')
  const inside = (vault_id: string, owner: typeof bob, address: string): Promise<Wallet> =>
    place.wallet({
      type: 'CUSTOMER',
      asset: 'BTC',
      address,
      venue_id: vault.id,
      service_id: vault.service_id,
      account_id: owner.account_id,
      customer_id: owner.id,
      configuration: { vault_id, protocol: 'BTC' },
    })
  const alicesVault = await inside('7', alice, BOBS)
  const bobsVault = await inside('8', bob, BOBS_OTHER)
  const bobs = await place.wallet({
    type: 'CUSTOMER',
    asset: 'BTC',
    address: CAROLS,
    account_id: bob.account_id,
    customer_id: bob.id,
  })
  const { route } = place
  const routes = {
    houseToAlice: place.routes.payout,
    houseToBob: await route(wallets.vault, bobs, 'BTC'),
    aliceToAlice: await route(alicesVault, wallets.alice, 'BTC'),
    aliceToBob: await route(alicesVault, bobs, 'BTC'),
    aliceToBobsVault: await route(alicesVault, bobsVault, 'BTC'),
    aliceToHouse: await route(alicesVault, wallets.vault, 'BTC'),
    houseToBobsVault: await route(wallets.vault, bobsVault, 'BTC'),
  }
  const pay = (over: { id: string }, body: object = {}) =>
    place.call<Withdrawal>('POST', `/treasury/wallets/routes/${over.id}/withdrawals`, {
      quantity: '0.1',
      speed_level: 'DEFAULT',
      ...body,
    })
  return {
    place,
    alice,
    bob,
    bobs,
    routes,
    pay,
    /** What a caller is answered who may not make third-party payments. */
    async unpermitted<Answer>(work: () => Promise<Answer>): Promise<Answer> {
      const { permissions } = principal
      principal.permissions = new Set([...permissions].filter((name) => name !== PERMISSION))
      try {
        return await work()
      } finally {
        principal.permissions = permissions
      }
    },
    read: async (id: string) =>
      (await place.call<Withdrawal>('GET', `/treasury/withdrawals/${id}`)).data,
    /** The venue has sent it. */
    async succeed({ external_id }: Withdrawal): Promise<void> {
      await place.work()
      place.models.vault.finish(external_id, {})
      await place.later(60_000)
    },
    balances: () =>
      Promise.all([alice, bob].map(({ account_id }) => place.balance(account_id, 'BTC'))),
  }
}

/** For tests: a wallet at the vault and one outside, and the route between them over HTTP. */
import assert from 'node:assert/strict'
import { openWalletsApi } from '../wallets/wallets.testing.ts'
import type { RouteRecord } from './routes.schema.ts'

export const ROUTES = '/treasury/wallets/routes'

export async function openRoutesApi() {
  const place = await openWalletsApi()
  const vault = await place.createWallet(place.vaultBtc())
  const cold = await place.createWallet(place.external({ label: 'cold' }))
  return {
    ...place,
    wallets: { vault, cold },
    async createRoute(): Promise<RouteRecord> {
      const made = await place.api.call<RouteRecord>('POST', ROUTES, {
        body: {
          from_wallet_id: vault.id,
          to_wallet_id: cold.id,
          protocol: 'BTC',
          label: 'To Alice',
          transfer: { from: { destination_external_account_id: '' }, to: {} },
        },
      })
      assert.equal(made.status, 200, made.text)
      return made.data
    },
  }
}

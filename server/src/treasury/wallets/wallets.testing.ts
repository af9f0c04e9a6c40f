/** For tests: the workplace with its endpoints of wallets, routes and venues. */
import assert from 'node:assert/strict'
import { newId } from '../../core/ids.ts'
import type { WorkspaceId } from '../../core/ids.ts'
import { refusalOf, testServer } from '../../http/testing.ts'
import { venuesEndpoints } from '../../venues/index.ts'
import { routesEndpoints } from '../routes/routes.http.ts'
import type { FakeVenue } from '../testing/fake-venue.testing.ts'
import { BTC_ADDRESS, openWorkplace, OTHER_BTC_ADDRESS } from '../testing/venue.fixture.ts'
import { walletsEndpoints } from './wallets.http.ts'
import type { Wallet } from './wallets.schema.ts'

const PERMISSIONS = new Set([
  'treasury.wallets.read',
  'treasury.wallets.write',
  'treasury.routes.read',
  'treasury.routes.write',
  'treasury.routes.allow',
  'venues.read',
])

type Refused = [what: string, body: object, refusal: string]

/** 'stranger' is the token of a caller from another workspace. */
export async function openWalletsApi() {
  const place = await openWorkplace()
  const { app, db, clock, workspace } = place
  const user_id = newId()
  const elsewhere = newId<WorkspaceId>()
  const api = await testServer({
    db,
    clock,
    endpoints: [...walletsEndpoints(app), ...routesEndpoints(app), ...venuesEndpoints(app)],
    authenticate: (authorization) => ({
      workspace: authorization === 'Bearer stranger' ? elsewhere : workspace,
      user_id,
      session_id: user_id,
      permissions: PERMISSIONS,
    }),
  })
  const atVenue = (venue: FakeVenue, more: object = {}) => ({
    type: 'VENUE',
    venue_id: venue.id,
    service_id: venue.service_id,
    account_id: venue.accounts.VENUE,
    access_type: 'INTERNAL',
    ...more,
  })
  return {
    ...place,
    user_id,
    api,
    atVenue,
    vaultBtc: () =>
      atVenue(place.vault, {
        asset: 'BTC',
        address: BTC_ADDRESS,
        label: 'Vault BTC',
        configuration: { vault_id: '0', protocol: 'BTC' },
      }),
    external: (more: object = {}) => ({
      type: 'CUSTOMER',
      asset: 'BTC',
      address: OTHER_BTC_ADDRESS,
      label: 'Alice cold',
      account_id: place.customer.id,
      customer_id: place.customer_id,
      access_type: 'EXTERNAL',
      ...more,
    }),
    async createWallet(body: object): Promise<Wallet> {
      const answer = await api.call<Wallet>('POST', '/treasury/wallets', { body })
      assert.equal(answer.status, 200, answer.text)
      return answer.data
    },
    /** Posts each body and expects its refusal. */
    async assertRefused(url: string, cases: readonly Refused[]): Promise<void> {
      for (const [what, body, refusal] of cases)
        assert.equal(refusalOf(await api.call('POST', url, { body })), refusal, what)
    },
    async close(): Promise<void> {
      await api.close()
      await place.close()
    },
  }
}

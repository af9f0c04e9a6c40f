/**
 * What the benches of trading share: a customer, the routes of the demo world, and prices that
 * stand still.
 */
import { connectTo } from './report.ts'
import type { Api, Service } from './report.ts'
import { eventually, EXCHANGES } from './sandbox.ts'
import type { Sandbox } from './sandbox.ts'

export type Desk = {
  api: Api
  host: string
  customer_id: string
  account_id: string
  route_id: string
}
type Route = { id: string; label: string; state: string }

export const KRAKEN = 'BTC/EUR at Kraken'
export const BITSTAMP = 'BTC/EUR at Bitstamp'

/**
 * A customer whose balance is not checked, and this route with fresh prices, when the books know
 * what the venues hold.
 */
export async function openDesk(service: Service, label: string = KRAKEN): Promise<Desk> {
  const api = await connectTo(service)
  const [account_id = ''] = await api.customerAccounts(1)
  const customer_id =
    (await api.call<{ id: string; customer_id: string | null }[]>('GET', '/accounts')).find(
      (account) => account.id === account_id,
    )?.customer_id ?? ''
  const route_id = await eventually(
    'the route has a price',
    60,
    async () =>
      (await api.call<Route[]>('GET', '/price-stream/routes')).find(
        (route) => route.label === label && route.state === 'UP',
      )?.id,
  )
  await eventually('the venues are connected', 60, async () =>
    (await api.call<{ connected_at: number | null }[]>('GET', '/venues')).every(
      (venue) => venue.connected_at !== null,
    )
      ? true
      : undefined,
  )
  return { api, host: `${service.host}:${service.port}`, customer_id, account_id, route_id }
}

export async function freezePrices(sandbox: Sandbox, frozen: boolean): Promise<void> {
  for (const exchange of EXCHANGES) await sandbox.post(`${exchange}/market`, { frozen })
}

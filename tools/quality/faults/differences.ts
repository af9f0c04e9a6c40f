/** What must be true of the whole when nothing is under way. */
import { decimal, format } from '../../../server/src/core/decimal.ts'
import { sql } from '../../../server/src/store/sql.ts'
import { unless } from './flow.ts'
import { until } from './patience.ts'
import { VENUES } from './world.ts'
import type { VenueKey, World } from './world.ts'

const AGREES_MILLISECONDS = 90_000

/** Nothing, when the whole is right. */
export async function wholeWrong(world: World): Promise<string[]> {
  const wrong = (await world.verify()).map((fault) => `books: ${fault}`)
  for (const venue of VENUES) wrong.push(...(await differences(world, venue)))
  return [
    ...wrong,
    ...(await unsettled(world)),
    ...(await openHolds(world)),
    ...(await unexplained(world)),
  ]
}

type Position = {
  venue_id: string
  asset: string
  difference: string
  on_the_way: string
  state: string
  compared_at: number
  wallets: { wallet: string | null; difference: string | null }[]
}

const differs = ({ difference }: { difference: string | null }) => Number(difference) !== 0

/**
 * Ledger = venue, asset by asset and wallet by wallet, by the service's own reconciliation; what is
 * not so after a while.
 */
export async function differences(world: World, venue: VenueKey): Promise<string[]> {
  let positions: Position[] = []
  const apart = () =>
    positions.filter(
      (position) =>
        position.venue_id === world.venues[venue] &&
        (differs(position) || position.wallets.some(differs)),
    )
  const startedAt = Date.now()
  try {
    await until(
      'agreement',
      async () => {
        await world.poll(venue)
        positions = await world.call<Position[]>('POST', '/desk/reconciliation/run')
        return apart().length === 0 ? true : undefined
      },
      AGREES_MILLISECONDS,
    )
    return []
  } catch {
    return apart().map(
      (position) =>
        `${venue} differs by ${position.difference} ${position.asset}${position.wallets
          .filter(differs)
          .map(({ wallet, difference }) => `, in ${wallet} by ${difference}`)
          .join('')} after ${Math.round((Date.now() - startedAt) / 1000)} s`,
    )
  }
}

async function unsettled({ db, workspace }: World): Promise<string[]> {
  const trading = await db.query<{ label: string; asset: string; total: string }>(sql`
    select a.label, b.asset, b.total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${workspace}
      and a.type = 'TRADING'
      and b.total <> 0`)
  return trading.map(({ label, asset, total }) => `${label} still has ${total} ${asset}`)
}

async function openHolds({ db, workspace }: World): Promise<string[]> {
  const open = await db.query<{ cause_type: string; cause_id: string }>(
    sql`
      select cause_type, cause_id
      from holds
      where workspace = ${workspace}
        and state = 'OPEN'`,
  )
  return open.map((hold) => `${hold.cause_type} ${hold.cause_id} still has a hold`)
}

type Item = { id: string; quantity: string }

/**
 * TRANSIT is what own transfers that left have not brought yet, SUSPENSE what deposits and
 * withdrawals have that is nobody's: item by item.
 */
async function unexplained(world: World): Promise<string[]> {
  const balances = await world.db.query<{ type: string; asset: string; total: string }>(sql`
    select a.type, b.asset, b.total
    from balances b
    join accounts a on a.workspace = b.workspace
      and a.id = b.account_id
    where b.workspace = ${world.workspace}
      and a.type in ('TRANSIT', 'SUSPENSE')`)
  const wrong: string[] = []
  for (const { type, asset, total } of balances) {
    const items =
      type === 'TRANSIT' ? await transitItems(world, asset) : await suspenseItems(world, asset)
    const explained = items.reduce((sum, item) => sum + decimal(item.quantity), 0n)
    const list = (more = '') => items.map(({ id, quantity }) => `${id} ${quantity}${more}`)
    wrong.push(
      ...unless(
        explained === decimal(total),
        `${type} has ${total} ${asset}; its items come to ${format(explained)}: ` +
          `${list().join(', ') || 'none'}`,
      ),
      // Everything has ended: nothing may be in flight, and everything that came has an owner.
      ...unless(items.length === 0, `${type} still has ${list(` ${asset}`).join(', ')}`),
    )
  }
  return wrong
}

const transitItems = ({ db, workspace }: World, asset: string) =>
  db.query<Item>(sql`
    select w.id, w.transfer_quantity as quantity
    from withdrawals w
    where w.workspace = ${workspace}
      and w.asset = ${asset}
      and w.own_transfer
      and w.state = 'SUCCESS'
      and not exists (
        select
        from deposits d
        where d.workspace = w.workspace
          and d.related_withdrawal_id = w.id
          and d.own_transfer
          and d.state not in ('PENDING', 'PENDING_REVIEW', 'FAILED', 'REVERSED')
      )`)

const suspenseItems = ({ db, workspace }: World, asset: string) =>
  db.query<Item>(sql`
    select id, quantity - transfer_quantity - assigned_quantity as quantity
    from deposits
    where workspace = ${workspace}
      and asset = ${asset}
      and state in ('UNASSIGNED', 'PARTIALLY_ASSIGNED', 'ASSIGNED', 'REJECTED')
    union all
    select w.id, coalesce(sum(a.quantity), 0) - (w.quantity - w.transfer_quantity)
    from withdrawals w
    left join assignments a on a.workspace = w.workspace
      and a.withdrawal_id = w.id
      and a.state = 'SUCCESSFUL'
    where w.workspace = ${workspace}
      and w.asset = ${asset}
      and w.account_id is null
      and w.state = 'SUCCESS'
    group by w.id, w.quantity, w.transfer_quantity
    having coalesce(sum(a.quantity), 0) <> w.quantity - w.transfer_quantity`)

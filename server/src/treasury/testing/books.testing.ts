/** For tests: bookings by hand, and what the books say in short. */
import { format } from '../../core/decimal.ts'
import { balancesOf, bookingsOf, verifyBooks } from '../../ledger/index.ts'
import { bookingChange } from '../../ledger/lane/books.testing.ts'
import { sql } from '../../store/sql.ts'
import type { Workplace } from './venue.fixture.ts'

export function books(
  { app, db, workspace, vault, exchange, bank }: Workplace,
  house: Record<string, string> & { HOUSE: string },
) {
  const balanceOf = async (account_id: string, asset: string) =>
    (await balancesOf(db, workspace, account_id)).find((balance) => balance.asset === asset)
  const labels = new Map<string, string>([
    ...Object.entries(house).map(([name, id]) => [id, name.toLowerCase()] as const),
    [vault.accounts.VENUE, 'vault'],
    [exchange.accounts.VENUE, 'exchange'],
    [bank.accounts.VENUE, 'bank'],
  ])
  type ShownLeg = { type: string; account_id: string; account_label: string; quantity: string }
  const shown = ({ type, account_id, account_label, quantity }: ShownLeg) =>
    `${type.charAt(0)} ${labels.get(account_id) ?? account_label} ${quantity}`
  const book = (from: string, to: string, amount: { asset: string; quantity: string }) =>
    app.lane.commit(bookingChange(workspace, { from, to, ...amount }, { class: 'fact' }))
  return {
    fund: (account_id: string, asset: string, quantity: string) =>
      book(house.HOUSE, account_id, { asset, quantity }),
    spend: (account_id: string, asset: string, quantity: string) =>
      book(account_id, house.HOUSE, { asset, quantity }),
    /** total/blocked of an account. */
    async balance(account_id: string, asset: string): Promise<string> {
      const known = await balanceOf(account_id, asset)
      return `${format(known?.total ?? 0n)}/${format(known?.held_withdrawal ?? 0n)}`
    },
    /** What is booked on an account. */
    total: async (account_id: string, asset = 'EUR'): Promise<string> =>
      format((await balanceOf(account_id, asset))?.total ?? 0n),
    /** The bookings of a cause in short: `TYPE asset D account quantity, C account quantity`. */
    bookings: async (reference_id: string): Promise<string[]> =>
      (await bookingsOf(db, workspace, reference_id)).map(
        ({ type, asset, legs }) => `${type} ${asset} ${legs.map(shown).join(', ')}`,
      ),
    events: async (resource_id: string) =>
      (
        await db.query<{ type: string }>(
          sql`
            select type
            from events
            where workspace = ${workspace}
              and resource_id = ${resource_id}
            order by sequence`,
        )
      ).map((row) => row.type),
    verify: async (): Promise<string[]> => (await verifyBooks(db, workspace)).faults.map(String),
  }
}

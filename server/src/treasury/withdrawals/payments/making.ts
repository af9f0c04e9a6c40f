/** Makes what a payment lacks of its way, and says where it goes. */
import { hash } from 'node:crypto'
import { mustExist } from '../../../core/assert.ts'
import type { TreasuryRouteId } from '../../../core/ids.ts'
import type { Tx } from '../../../store/db.ts'
import type { TreasuryApp } from '../../app.ts'
import { requestAllowIn } from '../../routes/allow-requests.ts'
import { addRoute } from '../../routes/edits.ts'
import type { RouteRow } from '../../routes/routes.ts'
import { createWallet } from '../../wallets/wallets.ts'
import type { Wallet } from '../../wallets/wallets.schema.ts'
import { routeBetween, walletOfPayee } from './known.ts'
import type { Payee, Way } from './known.ts'
import type { PayeeBody } from './payments.schema.ts'

type Transfer = PayeeBody['transfer']

/**
 * In the transaction of the payment, under the lane's lock: makes what is missing, and has the
 * venue asked for its allow-list. Somebody else may have made it meanwhile.
 */
export async function madeRoute(
  tx: Tx,
  { app, by, transfer }: { app: TreasuryApp; by: string; transfer: Transfer },
  way: Way,
): Promise<{ id: TreasuryRouteId; to_wallet: Pick<Wallet, 'id' | 'address'> } & Direction> {
  const how = { clock: app.clock, by }
  const { from, protocol, checked } = way
  const { workspace } = from
  const to = await madeWallet(tx, { app, by }, way.to)
  const found = way.route ?? (await routeBetween(tx, { from, to, protocol }, transfer))
  const row =
    found ??
    (await addRoute(
      tx,
      how,
      { workspace, label: labelOf(way), protocol },
      {
        from,
        to,
        ...mustExist(checked, 'a way without a route was checked'),
      },
    ))
  if (way.allowlist) await requestAllowIn(tx, how, row)
  return { id: row.id, to_wallet: to, protocol: row.protocol, transfer: row.transfer }
}

type Direction = Pick<RouteRow, 'protocol' | 'transfer'>

/**
 * Of where a payment goes and what the payee reads. It is stored with the order and compared when
 * the payment is sent: somebody may have changed the route or the payee's wallet meanwhile.
 */
export function destinationDigest(
  { to_wallet, protocol, transfer }: Direction & { to_wallet: Pick<Wallet, 'id' | 'address'> },
  reference: string | null,
): string {
  const to = { ...transfer.to, ...(reference === null ? {} : { reference }) }
  const fields = Object.entries(to).toSorted(([one], [other]) => (one < other ? -1 : 1))
  // At an exchange the key of its list of payees says where money goes.
  const said = [to_wallet.id, to_wallet.address, protocol, fields, transfer.from['key'] ?? null]
  return hash('sha256', JSON.stringify(said))
}

async function madeWallet(
  tx: Tx,
  { app, by }: { app: TreasuryApp; by: string },
  to: Payee,
): Promise<Payee> {
  if (to.draft === undefined) return to
  const { workspace } = to
  const found = await walletOfPayee(tx, to)
  return found ?? createWallet({ workspace, by }, { tx, clock: app.clock }, to.draft)
}

const labelOf = ({ from, to }: Way): string => `${from.label} to ${to.label}`.slice(0, 500)

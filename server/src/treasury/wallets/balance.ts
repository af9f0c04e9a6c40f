/** What a wallet holds at its venue now. */
import type { WalletId, WorkspaceId } from '../../core/ids.ts'
import { format } from '../../core/decimal.ts'
import { refuse } from '../../core/errors.ts'
import type { Caller } from '../../http/index.ts'
import { addBalances, liveBalances, readKnownProtocols } from '../../venues/index.ts'
import type { VenueBalance } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import { assertActive, walletById } from './rows.ts'
import type { Wallet, WalletBalance } from './wallets.schema.ts'

/** Throws 2003 when the venue does not answer, UNSUPPORTED_BY_VENUE for an EXTERNAL wallet. */
export async function balanceOfWallet(
  { workspace }: Caller,
  app: TreasuryApp,
  wallet_id: WalletId,
): Promise<WalletBalance> {
  const wallet = await walletById(app.db, workspace, wallet_id)
  if (wallet.venue_id === null)
    throw refuse(
      'UNSUPPORTED_BY_VENUE',
      'wallet_id',
      'the wallet is EXTERNAL: its balance is not known',
    )
  assertActive(wallet, 'wallet_id')
  const { venue, adapter } = await app.venues.connect(workspace, wallet.venue_id)
  const { balances } = await liveBalances(app.clock, venue.label, adapter)
  const held = balances.filter((balance) => isOfWallet(balance, wallet))
  const protocol = wallet.protocol ?? (await protocolOf(app, workspace, wallet.asset, held))
  const [first, ...more] = held
  if (first === undefined) return { free: '0', used: '0', total: '0', protocol }
  const sum = more.reduce(addBalances, first)
  const figure = (value: bigint | null) => (value === null ? null : format(value))
  return { free: figure(sum.free), used: figure(sum.used), total: figure(sum.total), protocol }
}

/** A venue may leave out the wallet or the protocol. */
function isOfWallet(balance: VenueBalance, { asset, foreign_id, protocol }: Wallet): boolean {
  const isSame = (ours: string | null, theirs: string | null) =>
    ours === null || theirs === null || theirs === ours
  return (
    balance.asset === asset &&
    isSame(foreign_id, balance.wallet) &&
    isSame(protocol, balance.protocol)
  )
}

/** The only one that the venue names, else the first one that is known for the asset. */
async function protocolOf(
  app: TreasuryApp,
  workspace: WorkspaceId,
  asset: string,
  held: readonly VenueBalance[],
): Promise<string | null> {
  const named = [...new Set(held.flatMap(({ protocol }) => protocol ?? []))]
  if (named.length === 1) return named[0] ?? null
  return (await readKnownProtocols(app.db, workspace, asset))[0] ?? null
}

/**
 * Whose wallets a withdrawal uses. Nothing leaves a customer's wallet for somebody else. To the
 * wallet of a customer who does not pay only a third-party payment goes, which needs a permission
 * of its own. A wallet without a customer is the house's: the pool that pays for any customer.
 */
import { permissionRequired, refuse } from '../../core/errors.ts'
import type { CustomerId } from '../../core/ids.ts'
import type { Permission } from '../../access/index.ts'
import type { Principal } from '../../http/index.ts'
import type { Guard } from '../../ledger/index.ts'
import type { Reader } from '../../store/db.ts'
import type { PaymentWay } from '../routes/routes.ts'
import { walletsAt, walletsById, walletsWithAddress } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import type { WithdrawalRow } from './rows.ts'

const PERMISSION: Permission = 'treasury.withdrawals.third_party'

/** The wallets that a withdrawal may have left, and those that it may have reached. */
type WithdrawalWallets = { from: readonly WalletOwner[]; to: readonly WalletOwner[] }
type WalletOwner = Pick<Wallet, 'label' | 'customer_id' | 'venue_id'>
export type WithdrawalEnds = { from_wallet: WalletOwner; to_wallet: WalletOwner }

/** Who pays what no customer pays. */
export const HOUSE = 'HOUSE'

export type Payer = CustomerId | typeof HOUSE

/** `payer` is null while nobody is known to pay. */
type PaidBy = { payer: Payer | null; third_party: boolean }

/** Throws PermissionDenied for a third-party payment that the caller may not make. */
export function assertThirdPartyPermitted(
  { permissions }: Pick<Principal, 'permissions'>,
  payments: readonly { third_party?: boolean | null }[],
): void {
  if (permissions.has(PERMISSION) || payments.every(({ third_party }) => third_party !== true))
    return
  throw permissionRequired(PERMISSION, 'third_party')
}

export const walletsOfRoute = ({ from_wallet, to_wallet }: WithdrawalEnds): WithdrawalWallets => ({
  from: [from_wallet],
  to: [to_wallet],
})

/**
 * Whose the wallets are was checked before the venue was asked for the fee: at the commit they must
 * still be as they were.
 */
export const walletGuards = ({ from_wallet, to_wallet }: PaymentWay): Guard[] =>
  [from_wallet, ...(to_wallet.id === null ? [] : [to_wallet])].map(({ id, state, version }) => ({
    table: 'wallets',
    resource: 'wallet',
    id,
    from: [state],
    version,
    kept: true,
  }))

/** Throws WALLET_OF_ANOTHER_CUSTOMER. */
export function assertOwnWallets(wallets: WithdrawalWallets, paid: PaidBy, path: string): void {
  const reason = strangersWallet(wallets, paid)
  if (reason !== undefined) throw refuse('WALLET_OF_ANOTHER_CUSTOMER', path, reason)
}

/**
 * Why this customer, or the house, must not pay over these wallets, undefined when nothing is
 * against it. While nobody is known to pay, what leaves a customer's wallet is taken for theirs.
 * The house may pay to any wallet.
 */
export function strangersWallet(
  { from, to }: WithdrawalWallets,
  { payer, third_party }: PaidBy,
): string | undefined {
  const source = soleCustomer(from)
  if (payer !== null && source !== undefined && source !== payer) {
    const owner = payer === HOUSE ? 'a customer' : 'another customer'
    return `the wallet ${labelOf(from)} belongs to ${owner}: only they pay from it`
  }
  if (payer === HOUSE) return undefined
  const paying = payer ?? source
  if (paying === undefined || isOpenTo(to, paying)) return undefined
  const label = labelOf(to)
  if (payer === null && to.some((wallet) => wallet.venue_id !== null))
    return `the wallet ${label} belongs to another customer: an own transfer changes no owner`
  if (third_party) return undefined
  return `the wallet ${label} belongs to another customer: that takes a third-party payment`
}

/** Undefined where the house or several customers share what lies there. */
function soleCustomer(wallets: readonly WalletOwner[]): CustomerId | undefined {
  const [first, ...others] = new Set(wallets.map((wallet) => wallet.customer_id))
  return others.length === 0 ? (first ?? undefined) : undefined
}

/** A wallet of the house or of this customer is among them, or none is known. */
const isOpenTo = (wallets: readonly WalletOwner[], customer_id: CustomerId): boolean =>
  wallets.length === 0 ||
  wallets.some((wallet) => wallet.customer_id === null || wallet.customer_id === customer_id)

const labelOf = ([wallet]: readonly WalletOwner[]): string => wallet?.label ?? ''

/**
 * The wallets of a stored withdrawal. Of one that was made outside, a venue names only the place
 * that it left and the address that it reached: each may be that of several wallets.
 */
export async function walletsOfWithdrawal(
  reader: Reader,
  row: WithdrawalRow,
): Promise<WithdrawalWallets> {
  const { workspace, asset, venue_id, from_wallet_id, to_wallet_id, source_wallet } = row
  const ids = [from_wallet_id, to_wallet_id].filter((id) => id !== null)
  const known = await walletsById(reader, workspace, ids)
  const named = (id: string | null): Wallet[] =>
    [known.get(id ?? '')].filter((wallet) => wallet !== undefined)
  const place = { workspace, venue_id, asset, venue_wallet: source_wallet }
  const [from, to] = [named(from_wallet_id), named(to_wallet_id)]
  const isOutside = row.origin === 'EXTERNAL'
  return {
    from: isOutside ? [...from, ...(await walletsAt(reader, place))] : from,
    to: to.length === 0 ? await walletsWithAddress(reader, row) : to,
  }
}

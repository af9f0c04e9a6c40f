/**
 * The way of a payment: a route that is there, or one that is made with the payment, together with
 * the wallet of a payee who is new. A way is checked before anything is stored.
 */
import type { Permission } from '../../../access/index.ts'
import { ApiError, permissionRequired, refuse } from '../../../core/errors.ts'
import { newId } from '../../../core/ids.ts'
import type { AccountId, WalletId, WorkspaceId } from '../../../core/ids.ts'
import { customerOfAccount } from '../../../customers/index.ts'
import type { Caller } from '../../../http/index.ts'
import type { Reader } from '../../../store/db.ts'
import type { TreasuryApp } from '../../app.ts'
import { checkWay, routeById, senderOf } from '../../routes/routes.ts'
import { checkWallet } from '../../wallets/checks.ts'
import { walletById } from '../../wallets/rows.ts'
import type { WalletDraft } from '../../wallets/wallets.schema.ts'
import { routeBetween, walletOfPayee } from './known.ts'
import type { Payee, Way } from './known.ts'
import type { CreatePaymentBody, PayeeBody } from './payments.schema.ts'

type Payer = Pick<Caller, 'workspace'> & { permissions: ReadonlySet<string> }

/** Refuses as the creation of a wallet and of a route do, and 1003 for what the caller may not. */
export async function wayOf(app: TreasuryApp, payer: Payer, body: CreatePaymentBody): Promise<Way> {
  return atPayee(body.payee, () => foundWay(app, payer, body))
}

/** Where the fields of wallets and routes stand in a payment. */
const fieldsOf = (payee: PayeeBody | undefined): [string, string][] => [
  ['transfer.to.reference', 'reference'],
  ['transfer.', 'payee.transfer.'],
  ['to_wallet_id', payee?.wallet_id === undefined ? 'payee.address' : 'payee.wallet_id'],
  ['address', 'payee.address'],
  ['label', 'payee.label'],
]

/** What is refused of a wallet or a route is said of the payment's field. */
async function atPayee<T>(payee: PayeeBody | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const details = error.details.map(({ path: theirs, message: said, code }) => {
      const [field, own] = fieldsOf(payee).find(([known]) => theirs.startsWith(known)) ?? ['', '']
      const path = own + theirs.slice(field.length)
      return {
        code,
        path,
        message: said.startsWith(theirs) ? path + said.slice(theirs.length) : said,
      }
    })
    const words = details.map(({ message }) => message).join('; ') || error.message
    throw new ApiError(error.kind, words, details, error.retryAfter)
  }
}

async function foundWay(app: TreasuryApp, payer: Payer, body: CreatePaymentBody): Promise<Way> {
  const { workspace } = payer
  assertForm(body)
  if (body.route_id !== undefined) {
    const route = await routeById(app.db, workspace, body.route_id)
    const { from_wallet: from, to_wallet: to, protocol } = route
    return allowed(app, payer, { from, to, protocol, route, checked: undefined })
  }
  const payee = required(body.payee, 'payee')
  const from_id = required(body.from_wallet_id, 'from_wallet_id')
  const protocol = required(body.protocol, 'protocol')
  const from = await walletById(app.db, workspace, from_id, 'from_wallet_id')
  const to = await payeeOf(app.db, { workspace, asset: from.asset }, payee, body.account_id)
  const known = await routeBetween(app.db, { from, to, protocol }, payee.transfer)
  if (known !== undefined)
    return allowed(app, payer, { from, to, protocol, route: known, checked: undefined })
  const { reference } = body
  const said = reference === undefined ? {} : { reference }
  const transfer = { ...payee.transfer, to: { ...payee.transfer?.to, ...said } }
  const checked = await checkWay(app, { from, to }, { protocol, transfer })
  return allowed(app, payer, { from, to, protocol, route: undefined, checked })
}

/** Throws CONFLICT for what excludes each other. */
function assertForm({ route_id, payee, from_wallet_id, protocol }: CreatePaymentBody): void {
  const beside = Object.entries({ payee, from_wallet_id, protocol })
  const [other] = beside.find(([, value]) => value !== undefined) ?? []
  if (route_id !== undefined && other !== undefined)
    throw refuse('CONFLICT', other, `${other} is what the route says: leave it out, or route_id`)
  if ((payee?.transfer?.to?.['reference'] ?? '') !== '')
    throw refuse(
      'CONFLICT',
      'payee.transfer.to.reference',
      'payee.transfer.to.reference is what `reference` says: each payment has its own',
    )
  if (payee?.wallet_id === undefined) return
  const named = (['address', 'label'] as const).find((name) => payee[name] !== undefined)
  if (named !== undefined)
    throw refuse(
      'CONFLICT',
      `payee.${named}`,
      `payee.${named} is of a new payee: leave it out, or payee.wallet_id`,
    )
}

function required<T>(value: T | undefined, path: string): T {
  if (value === undefined) throw refuse('REQUIRED', path, `${path} is required`)
  return value
}

/** Throws PermissionDenied for what must be made first and the caller may not make. */
async function allowed(
  app: TreasuryApp,
  { permissions }: Payer,
  way: Omit<Way, 'allowlist'>,
): Promise<Way> {
  const need = (permission: Permission, what: string): void => {
    if (!permissions.has(permission)) throw permissionRequired(permission, what)
  }
  const { adapter } = await senderOf(app, way.from)
  const allowlist = adapter.allowlist !== undefined
  if (way.to.draft !== undefined) need('treasury.wallets.write', 'a new payee')
  if (way.route === undefined) need('treasury.routes.write', 'a new way to a payee')
  const isAsked = ['APPROVED', 'PENDING_APPROVAL'].includes(way.route?.allowlist_state ?? '')
  if (allowlist && !isAsked) need('treasury.routes.allow', 'a destination that is not allowed yet')
  return { ...way, allowlist }
}

/** The wallet that is named, or that has this address already; else one to be made. */
async function payeeOf(
  reader: Reader,
  { workspace, asset }: { workspace: WorkspaceId; asset: string },
  { wallet_id, ...payee }: PayeeBody,
  account_id: AccountId | undefined,
): Promise<Payee> {
  if (wallet_id !== undefined) return walletById(reader, workspace, wallet_id, 'payee.wallet_id')
  const address = required(payee.address, 'payee.address')
  const label = required(payee.label, 'payee.label')
  if (account_id === undefined)
    throw refuse(
      'REQUIRED',
      'account_id',
      'account_id is required for a new payee: the payee is stored with the customer who pays',
    )
  const { customer_id } = await customerOfAccount(reader, workspace, account_id, 'account_id')
  const draft: WalletDraft = {
    type: 'CUSTOMER',
    asset,
    address,
    label,
    account_id,
    customer_id,
    access_type: 'EXTERNAL',
  }
  const checked = await checkWallet(reader, workspace, draft)
  const owned = { workspace, customer_id, asset, address: checked.address }
  return (
    (await walletOfPayee(reader, owned)) ?? {
      id: newId<WalletId>(),
      state: 'ACTIVE',
      label,
      venue_id: null,
      protocol: checked.protocol,
      ...owned,
      draft,
    }
  )
}

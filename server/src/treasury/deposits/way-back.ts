/**
 * The way of a deposit back to its sender. Money goes to the payer's account as the bank named it:
 * no route is needed, because nobody chooses where it goes. A coin does not say who sent it. Its
 * sending address may be an exchange's pool or one of many inputs, and what is sent there may be
 * lost (Circle, "Refund a payin"; Bridge, "Crypto return policies"). So coins, and money whose
 * payer is not named, go back over a route, whose destination somebody has chosen and the venue
 * allows.
 */
import { refuse } from '../../core/errors.ts'
import type { TreasuryRouteId } from '../../core/ids.ts'
import { assetsOf } from '../../ledger/index.ts'
import { only } from '../../store/db.ts'
import { sql } from '../../store/sql.ts'
import {
  assertOpened,
  checkAddress,
  MAXIMUM_PAYEE,
  MAXIMUM_REMITTANCE,
  sepaText,
  sepaWords,
  toMessageId,
} from '../../venues/index.ts'
import type { TransferFields } from '../../venues/index.ts'
import type { TreasuryApp } from '../app.ts'
import type { DepositRow } from '../deposit-rows/rows.ts'
import { addressKey } from '../matchings/rules.ts'
import { transferDetails } from '../routes/fields.ts'
import { routeById, senderOf } from '../routes/routes.ts'
import type { PaymentWay } from '../routes/routes.ts'
import { assertActive, walletAtVenueWith, walletById } from '../wallets/rows.ts'
import type { Wallet } from '../wallets/wallets.schema.ts'
import { assertPayable, assertSending } from '../withdrawals/withdrawals.ts'

/** `chosen`: the wallet of the route, when somebody has chosen where it goes. */
type WayBack = { way: PaymentWay; chosen: readonly Wallet[] }

/** Throws as `returnDeposit` does for the way. */
export async function wayBack(
  app: TreasuryApp,
  deposit: DepositRow,
  route_id: TreasuryRouteId | undefined,
): Promise<WayBack> {
  const iban = await payerAccount(app, deposit)
  const wallet = await receivingWallet(app, deposit)
  if (route_id !== undefined) return wayOverRoute(app, deposit, { route_id, wallet, iban })
  if (iban === undefined)
    throw refuse(
      'REQUIRED',
      'route_id',
      `${whyNoPayer(deposit)}: name the route by which it goes back. What is sent to the sending ` +
        'address of a coin may be lost',
    )
  return wayToPayer(app, deposit, { wallet, iban })
}

const isAccount = (account: Parameters<typeof checkAddress>[0]): boolean =>
  checkAddress(account) !== 'invalid'

const whyNoPayer = ({ id, related_withdrawal_id }: DepositRow): string =>
  related_withdrawal_id === null
    ? `the venue names no account of a payer for deposit ${id}`
    : `deposit ${id} is money of withdrawal ${related_withdrawal_id}, which came back`

/**
 * Undefined for coins, and where the venue did not say. Throws CONFLICT when it is one of ours.
 * What the bank sends back did not get there: somebody chooses where it goes.
 */
async function payerAccount(app: TreasuryApp, deposit: DepositRow): Promise<string | undefined> {
  const { workspace, asset, source_address, related_withdrawal_id } = deposit
  const kind = (await assetsOf(app.db, workspace)).get(asset)?.kind
  if (kind !== 'FIAT' || source_address === null || related_withdrawal_id !== null) return undefined
  const iban = addressKey('FIAT', source_address)
  const own = await walletAtVenueWith(app.db, { workspace, address: iban })
  const venue = only(
    await app.db.query<{ label: string }>(sql`
      select label
      from venues
      where workspace = ${workspace}
        and ${iban} = any(payout_ibans)
      limit 1`),
  )
  const payer = own?.label ?? venue?.label
  // Where a bank has no account to name, it may write that there is none.
  if (payer === undefined)
    return isAccount({ asset, protocol: 'FOREIGN', address: iban }) ? iban : undefined
  throw refuse(
    'CONFLICT',
    '',
    `deposit ${deposit.id} was paid by ${payer}, from ${iban}: relate it to its transfer instead`,
  )
}

async function receivingWallet(
  app: TreasuryApp,
  { workspace, id, wallet_id }: DepositRow,
): Promise<Wallet> {
  if (wallet_id === null)
    throw refuse('UNSUPPORTED_BY_VENUE', '', `deposit ${id} arrived in no wallet of ours`)
  const wallet = await walletById(app.db, workspace, wallet_id)
  assertActive(wallet, '')
  return wallet
}

type RouteBack = { route_id: TreasuryRouteId; wallet: Wallet; iban: string | undefined }

async function wayOverRoute(
  app: TreasuryApp,
  { workspace, id }: DepositRow,
  { route_id, wallet, iban }: RouteBack,
): Promise<WayBack> {
  const route = await routeById(app.db, workspace, route_id)
  if (route.from_wallet_id !== wallet.id)
    throw refuse('CONFLICT', 'route_id', `deposit ${id} arrived in the wallet ${wallet.label}`)
  if (route.to_wallet.venue_id !== null)
    throw refuse(
      'CONFLICT',
      'route_id',
      `the wallet ${route.to_wallet.label} is ours: nothing would go back`,
    )
  if (iban !== undefined && addressKey('FIAT', route.to_wallet.address) !== iban)
    throw refuse('CONFLICT', 'route_id', `deposit ${id} was paid from ${iban}, and goes back there`)
  await assertPayable(app, route)
  return { way: route, chosen: [route.to_wallet] }
}

async function wayToPayer(
  app: TreasuryApp,
  deposit: DepositRow,
  { wallet, iban }: { wallet: Wallet; iban: string },
): Promise<WayBack> {
  const { workspace, asset, counterparty } = deposit
  const { venue, adapter, transfers } = await senderOf(app, wallet, '')
  if (adapter.allowlist !== undefined)
    throw refuse(
      'REQUIRED',
      'route_id',
      `the venue ${venue.label} sends only to its allow-list: name a route to the payer`,
    )
  assertOpened(venue)
  const protocol = deposit.protocol ?? wallet.protocol ?? ''
  if (!isAccount({ asset, protocol, address: iban }))
    throw refuse(
      'REQUIRED',
      'route_id',
      `deposit ${deposit.id} was paid from ${iban}, which is no account on ${protocol}: name a ` +
        'route to the payer',
    )
  const fields = transfers.fields(asset, protocol)
  const to = knownFields(fields, {
    name: sepaText(counterparty?.name ?? '')
      ?.slice(0, MAXIMUM_PAYEE)
      .trim(),
    bic: counterparty?.bic ?? undefined,
    reference: returnText(deposit),
  })
  const missing = missingField(fields, to)
  if (missing !== undefined)
    throw refuse(
      'REQUIRED',
      'route_id',
      `to pay, ${venue.label} needs the ${missing}, which deposit ${deposit.id} does not tell: ` +
        'name a route to the payer',
    )
  const transfer = transferDetails(fields, { to })
  const way: PaymentWay = {
    id: null,
    workspace,
    protocol,
    transfer,
    from_wallet: wallet,
    to_wallet: { id: null, address: iban, venue_id: null },
  }
  await assertSending(app, way)
  return { way, chosen: [] }
}

/** Those of these values that the venue asks for and that are known. */
const knownFields = (
  { to }: TransferFields,
  values: Readonly<Record<string, string | undefined>>,
): Record<string, string> =>
  Object.fromEntries(
    to.flatMap(({ name }) => {
      const value = values[name]
      return value === undefined || value === '' ? [] : [[name, value]]
    }),
  )

function missingField(
  { from, to, one_of = [] }: TransferFields,
  given: Readonly<Record<string, string>>,
): string | undefined {
  const missing = [...from, ...to].find((field) => field.required && !(field.name in given))
  if (missing !== undefined) return missing.name
  return one_of.length === 0 || one_of.some((name) => name in given) ? undefined : one_of[0]
}

/**
 * What the payer reads: by which of their payments it comes back. The name of the payment first
 * (EndToEndId, hash of the transaction or the venue's reference), then its own words, in the
 * characters that every bank takes (EPC217-08).
 */
export function returnText(
  deposit: Pick<
    DepositRow,
    'carried_external_id' | 'transaction_hash' | 'foreign_id' | 'reference_text'
  >,
): string {
  const { carried_external_id, transaction_hash, foreign_id, reference_text } = deposit
  const named = carried_external_id ?? transaction_hash ?? foreign_id
  // A reference of ours is named as the payment had it.
  const name = toMessageId(named) ?? named
  const words = [`RETURN OF ${name}`, reference_text ?? ''].map(sepaWords)
  return words.filter(Boolean).join(': ').slice(0, MAXIMUM_REMITTANCE).trim()
}

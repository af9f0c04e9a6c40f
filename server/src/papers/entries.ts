/**
 * What each line of a statement is, as the customer reads it: with whom, for what, at which price.
 * Of what the account had by mistake nothing is told, for it is another customer's.
 */
import type { MailLanguage } from '../access/index.ts'
import { absolute, decimal, divide, format, ONE } from '../core/decimal.ts'
import type { Decimal } from '../core/decimal.ts'
import type { AccountId, WorkspaceId } from '../core/ids.ts'
import { amountText } from '../events/index.ts'
import type { ListQuery } from '../http/index.ts'
import { accountById, creditsOn } from '../ledger/index.ts'
import type { BookedCredit, StatementLine } from '../ledger/index.ts'
import { toldTrades } from '../trading/index.ts'
import type { ToldTrade } from '../trading/index.ts'
import { toldMovements } from '../treasury/index.ts'
import type { ToldMovement } from '../treasury/index.ts'
import { addresseeOf } from './paper.ts'
import type { Addressee, PapersApp } from './paper.ts'

/** A price of at least 1 has the decimals of its currency, a lower one as many as it needs. */
const LOW_PRICE_DECIMALS = 10
const UUID = /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i

type Facts = {
  to: Addressee
  isCustomers: boolean
  movements: ReadonlyMap<string, ToldMovement>
  trades: ReadonlyMap<string, ToldTrade>
  credits: ReadonlyMap<number, BookedCredit>
}

/** The statement with what each of its lines is. Throws 4004. */
export async function withEntries(
  app: PapersApp,
  workspace: WorkspaceId,
  { account_id, language }: { account_id: AccountId; language: MailLanguage | undefined },
  list: ListQuery<StatementLine>,
): Promise<ListQuery<StatementLine>> {
  const account = await accountById(app.db, workspace, account_id)
  const { customer_id } = account
  const to = await addresseeOf(app, workspace, { customer_id, language })
  const enrich = async (rows: never[]): Promise<StatementLine[]> => {
    const lines = (await list.enrich?.(rows)) ?? []
    const facts = {
      to,
      isCustomers: account.customer_id !== null,
      ...(await factsOf(app, workspace, account_id, lines)),
    }
    return lines.map((line) => ({ ...line, description: entryText(line, facts) }))
  }
  return { ...list, enrich }
}

async function factsOf(
  { db }: PapersApp,
  workspace: WorkspaceId,
  account_id: AccountId,
  lines: readonly StatementLine[],
): Promise<Pick<Facts, 'movements' | 'trades' | 'credits'>> {
  const causes = (...kinds: string[]) => [
    ...new Set(
      lines
        .filter(({ reference_type }) => kinds.includes(reference_type ?? ''))
        .map(({ reference_id }) => reference_id ?? ''),
    ),
  ]
  const sequences = lines
    .filter(({ reference_type }) => reference_type === 'execution')
    .flatMap(({ sequence }) => (sequence === null ? [] : [sequence - 1, sequence, sequence + 1]))
  const [movements, trades, credits] = await Promise.all([
    toldMovements(db, workspace, account_id, causes('deposit', 'withdrawal')),
    toldTrades(db, workspace, causes('execution')),
    creditsOn(db, workspace, account_id, sequences),
  ])
  return {
    movements: new Map(movements.map((movement) => [movement.id, movement])),
    trades: new Map(trades.map((trade) => [trade.id, trade])),
    credits: new Map(credits.map((credit) => [credit.sequence, credit])),
  }
}

function entryText(line: StatementLine, facts: Facts): string | null {
  const { description, reference_id } = line
  if (!facts.isCustomers && description !== null) return description
  const movement = facts.movements.get(reference_id ?? '')
  if (movement !== undefined) return movementText(line, movement, facts.to)
  const trade = facts.trades.get(reference_id ?? '')
  if (trade !== undefined) return facts.isCustomers ? tradeText(line, trade, facts) : null
  return description === null || UUID.test(description) ? null : description
}

function movementText(
  { type, debit, credit }: StatementLine,
  movement: ToldMovement,
  { words: { told } }: Addressee,
): string {
  const { kind, party, place, returns, mistaken } = movement
  const isOpposite = kind === 'deposit' ? credit === null : debit === null
  if (mistaken) return isOpposite ? told.mistake_corrected : told.mistake
  const who = [party, place].filter((part) => part !== null).join(', ')
  const said = [movementWords(kind, returns, told)(who)]
  if (movement.reference !== null) said.push(told.reference(movement.reference))
  if (movement.purpose !== null) said.push(told.purpose(movement.purpose))
  const whole = said.join('; ')
  if (type === 'WITHDRAWAL_FEE') return told.fee(whole)
  return isOpposite ? told.taken_back(whole) : whole
}

function movementWords(
  kind: ToldMovement['kind'],
  returns: boolean,
  told: Addressee['words']['told'],
): (who: string) => string {
  if (kind === 'deposit') return returns ? told.came_back : told.from
  return returns ? told.sent_back : told.to
}

/** What a fill brings and what it costs are two bookings, one behind the other. */
function tradeText(line: StatementLine, trade: ToldTrade, { to, credits }: Facts): string {
  const { words, reader } = to
  const own = credits.get(line.sequence ?? 0)
  const isBase = line.asset === trade.base_asset
  const other = credits.get((line.sequence ?? 0) + (isBase ? -1 : 1))
  const plain = words.told.trade(trade.base_asset, trade.quote_asset)
  const isPair =
    own !== undefined &&
    other?.batch_no === own.batch_no &&
    other.reference_id === own.reference_id &&
    other.asset === (isBase ? trade.quote_asset : trade.base_asset)
  if (!isPair) return plain
  const [base, quote] = [isBase ? own : other, isBase ? other : own].map(({ credit }) =>
    decimal(credit),
  ) as [Decimal, Decimal]
  if (base === 0n || base > 0n === quote > 0n) return plain
  const amounts = [
    amountText(format(absolute(base)), trade.base_asset, reader),
    amountText(format(absolute(quote)), trade.quote_asset, reader),
    amountText(priceOf(base, quote, trade, to), trade.quote_asset, reader),
  ] as const
  const done = base > 0n === (trade.side === 'BUY')
  if (!done) return words.told.taken_back(plain)
  return base > 0n ? words.told.bought(...amounts) : words.told.sold(...amounts)
}

function priceOf(
  base: Decimal,
  quote: Decimal,
  { quote_asset }: ToldTrade,
  { reader }: Addressee,
): string {
  const exact = divide(absolute(quote), absolute(base), LOW_PRICE_DECIMALS, 'half_even')
  if (exact < ONE) return format(exact)
  const scale = reader.assets.get(quote_asset)?.scale ?? LOW_PRICE_DECIMALS
  return format(divide(absolute(quote), absolute(base), scale, 'half_even'))
}

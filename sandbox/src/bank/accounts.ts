/**
 * The bank's accounts and their balances, in cents. New accounts are funded out of the outside's
 * reserve.
 */
import type { DatabaseSync } from 'node:sqlite'
import { composeIBAN, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'

export const BANK = { name: 'Sandbox Bank AG' } as const

/** `code`: how an IBAN names the bank, or its number in the American clearing. */
type Office = { bic: string; country: 'DE' | 'CH' | 'US' | 'AT'; code: string }

/** The bank keeps each currency in its own country. */
const OFFICES: Record<string, Office> = {
  EUR: { bic: 'SANDDEFFXXX', country: 'DE', code: '50020400' },
  CHF: { bic: 'SANDCHZZXXX', country: 'CH', code: '08999' },
  USD: { bic: 'SANDUS33XXX', country: 'US', code: '021999909' },
}
export const CURRENCIES = Object.keys(OFFICES)
const OTHER_BANK: Office = { bic: 'OTHRATWWXXX', country: 'AT', code: '99190' }
/** Digits of an account number, by country. */
const ACCOUNT_DIGITS = { DE: 10, AT: 11, CH: 12, US: 12 } as const

/** What the outside world holds at genesis; parts and people are funded out of it. */
const RESERVE_CENTS = 1_000_000_000_000_00n
const RESERVE = 'reserve'
const PART_CENTS = 50_000_000_00n
const PERSON_CENTS = 1_000_000_00n

export type Account = {
  /** Or the account number, in the United States. */
  iban: string
  bic: string
  name: string
  part: string
  locator: string
  currency: string
  cents: bigint
}

type Owner = { part: string; locator: string; name: string }

export type Accounts = {
  account(iban: string): Account | undefined
  accounts(): Account[]
  /** The account of this owner; opened when it is new. */
  open(owner: Owner, currency: string, cents?: bigint): Account
  /** An account of a person outside, at the named IBAN or at one of its own. */
  openOutside(name: string, place?: OutsidePlace): Account
  /** The account that the bank's prices in this currency are paid to. */
  income(currency: string): Account
}

/** In euros, unless it says otherwise. */
type OutsidePlace = { iban?: string; bic?: string; currency?: string }

/** Changes a balance; only the books do that. */
export type AddCents = (iban: string, cents: bigint) => void

export function isOwnIban(iban: string): boolean {
  return Object.values(OFFICES).some(
    ({ country, code }) => iban.startsWith(country) && iban.startsWith(code, 4),
  )
}

/** The number of the bank in the American clearing. Null for a currency that it keeps elsewhere. */
export function abaOf(currency: string): string | null {
  const { country, code } = officeOf(currency)
  return country === 'US' ? code : null
}

function officeOf(currency: string): Office {
  const office = OFFICES[currency]
  if (office === undefined) throw new RangeError(`the bank keeps no accounts in ${currency}`)
  return office
}

/** A valid IBAN of this bank, or a plain number, for a running account number. */
function newNumber({ country, code }: Office, number: number): string {
  const digits = number.toString().padStart(ACCOUNT_DIGITS[country], '0')
  if (country === 'US') return digits
  const bban = code + digits
  const iban = composeIBAN({ countryCode: country, bban })
  if (iban === null || !isValidIBAN(iban)) throw new RangeError(`no IBAN for ${country} ${bban}`)
  return iban
}

export function openAccounts(world: World): { accounts: Accounts; addCents: AddCents } {
  const table = openAccountTable(world.db)
  for (const currency of CURRENCIES) openReserve(world, table, currency)
  const fund = (iban: string, cents: bigint): Account => {
    const { currency } = table.find(iban) as Account
    const reserve = table.findOwned('outside', RESERVE, currency)
    if (reserve === undefined) throw new RangeError(`there is no money in ${currency}`)
    table.addCents(reserve.iban, -cents)
    table.addCents(iban, cents)
    return table.find(iban) as Account
  }
  const openOutside = (name: string, place: OutsidePlace = {}): Account =>
    world.commit(() => {
      const { iban, bic = OTHER_BANK.bic, currency = 'EUR' } = place
      const existing =
        iban === undefined ? table.findOwned('outside', name, currency) : table.find(iban)
      if (existing !== undefined) return existing
      const opened = iban ?? newNumber(OTHER_BANK, table.count() + 1)
      const owner = { part: 'outside', locator: iban ?? name, name }
      table.insert({ iban: opened, bic, currency, ...owner })
      return fund(opened, PERSON_CENTS)
    })
  const accounts: Accounts = {
    account: table.find,
    accounts: table.all,
    open: (owner, currency, cents = PART_CENTS) =>
      world.commit(() => {
        const existing = table.findOwned(owner.part, owner.locator, currency)
        if (existing !== undefined) return existing
        const office = officeOf(currency)
        const iban = newNumber(office, table.count() + 1)
        table.insert({ iban, bic: office.bic, currency, ...owner })
        return fund(iban, cents)
      }),
    openOutside,
    income: (currency) => openOutside('Bank charges', { currency }),
  }
  return { accounts, addCents: table.addCents }
}

function openReserve(world: World, table: AccountTable, currency: string): void {
  if (table.findOwned('outside', RESERVE, currency) !== undefined) return
  world.commit(() => {
    const iban = newNumber(OTHER_BANK, table.count() + 1)
    const owner = { part: 'outside', locator: RESERVE, name: 'Outside reserve' }
    table.insert({ iban, bic: OTHER_BANK.bic, currency, ...owner })
    table.addCents(iban, RESERVE_CENTS)
  })
}

type AccountTable = {
  find(iban: string): Account | undefined
  findOwned(part: string, locator: string, currency: string): Account | undefined
  /** In the order of their opening. */
  all(): Account[]
  count(): number
  insert(account: Omit<Account, 'cents'>): void
  addCents: AddCents
}

type Row = Omit<Account, 'cents'> & { cents: string }
const COLUMNS = 'iban, bic, name, part, locator, currency, cast(cents as text) as cents'

function accountOf(row: Row): Account {
  return { ...row, cents: BigInt(row.cents) }
}

function openAccountTable(db: DatabaseSync): AccountTable {
  db.exec(`
    create table if not exists bank_accounts (
      iban text primary key,
      bic text not null,
      name text not null,
      part text not null,
      locator text not null,
      currency text not null,
      cents integer not null check (cents >= 0),
      unique (part, locator, currency)
    )`)
  const find = db.prepare(`
    select ${COLUMNS}
    from bank_accounts
    where iban = ?`)
  const findOwned = db.prepare(`
    select ${COLUMNS}
    from bank_accounts
    where part = ?
      and locator = ?
      and currency = ?`)
  const all = db.prepare(`
    select ${COLUMNS}
    from bank_accounts
    order by rowid`)
  const count = db.prepare('select count(*) as count from bank_accounts')
  const insert = db.prepare(`
    insert into bank_accounts (iban, bic, name, part, locator, currency, cents)
    values (?, ?, ?, ?, ?, ?, 0)`)
  const addCents = db.prepare('update bank_accounts set cents = cents + ? where iban = ?')
  const one = (row: unknown) => (row === undefined ? undefined : accountOf(row as Row))
  return {
    find: (iban) => one(find.get(iban)),
    findOwned: (part, locator, currency) => one(findOwned.get(part, locator, currency)),
    all: () => (all.all() as Row[]).map(accountOf),
    count: () => Number((count.get() as { count: number }).count),
    insert: ({ iban, bic, name, part, locator, currency }) => {
      insert.run(iban, bic, name, part, locator, currency)
    },
    addCents: (iban, cents) => {
      addCents.run(cents, iban)
    },
  }
}

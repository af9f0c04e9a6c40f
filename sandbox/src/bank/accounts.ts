/**
 * The bank's accounts and their balances, in cents. New accounts are funded out of the outside's
 * reserve.
 */
import type { DatabaseSync } from 'node:sqlite'
import { composeIBAN, isValidIBAN } from 'ibantools'
import type { World } from '../world.ts'

export const BANK = {
  bic: 'SANDDEFFXXX',
  name: 'Sandbox Bank AG',
  country: 'DE',
  code: '50020400',
} as const
const OTHER_BANK = { bic: 'OTHRATWWXXX', country: 'AT', code: '99190' } as const
/** Digits of an account number, by country. */
const ACCOUNT_DIGITS = { DE: 10, AT: 11 } as const

/** What the outside world holds at genesis; parts and people are funded out of it. */
const RESERVE_CENTS = 1_000_000_000_000_00n
const PART_CENTS = 50_000_000_00n
const PERSON_CENTS = 1_000_000_00n

export type Account = {
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
  openOutside(name: string, iban?: string, bic?: string): Account
  /** The account that the bank's prices are paid to. */
  income(): Account
}

/** Changes a balance; only the books do that. */
export type AddCents = (iban: string, cents: bigint) => void

export function isOwnIban(iban: string): boolean {
  return iban.startsWith(BANK.country) && iban.slice(4, 12) === BANK.code
}

/** A valid IBAN of this bank for a running account number. */
function newIban(bank: { country: 'DE' | 'AT'; code: string }, number: number): string {
  const bban = bank.code + number.toString().padStart(ACCOUNT_DIGITS[bank.country], '0')
  const iban = composeIBAN({ countryCode: bank.country, bban })
  if (iban === null || !isValidIBAN(iban))
    throw new RangeError(`no IBAN for ${bank.country} ${bban}`)
  return iban
}

export function openAccounts(world: World): { accounts: Accounts; addCents: AddCents } {
  const table = openAccountTable(world.db)
  const reserve = newIban(OTHER_BANK, 0)
  if (table.find(reserve) === undefined) {
    world.commit(() => {
      const owner = { part: 'outside', locator: 'reserve', name: 'Outside reserve' }
      table.insert({ iban: reserve, bic: OTHER_BANK.bic, currency: 'EUR', ...owner })
      table.addCents(reserve, RESERVE_CENTS)
    })
  }
  const fund = (iban: string, cents: bigint): Account => {
    table.addCents(reserve, -cents)
    table.addCents(iban, cents)
    return table.find(iban) as Account
  }
  const openOutside = (name: string, iban?: string, bic?: string): Account =>
    world.commit(() => {
      const existing =
        iban === undefined ? table.findOwned('outside', name, 'EUR') : table.find(iban)
      if (existing !== undefined) return existing
      const opened = iban ?? newIban(OTHER_BANK, table.count() + 1)
      const owner = { part: 'outside', locator: iban ?? name, name }
      table.insert({ iban: opened, bic: bic ?? OTHER_BANK.bic, currency: 'EUR', ...owner })
      return fund(opened, PERSON_CENTS)
    })
  const accounts: Accounts = {
    account: table.find,
    accounts: table.all,
    open: (owner, currency, cents = PART_CENTS) =>
      world.commit(() => {
        const existing = table.findOwned(owner.part, owner.locator, currency)
        if (existing !== undefined) return existing
        const iban = newIban(BANK, table.count() + 1)
        table.insert({ iban, bic: BANK.bic, currency, ...owner })
        return fund(iban, cents)
      }),
    openOutside,
    income: () => openOutside('Bank charges'),
  }
  return { accounts, addCents: table.addCents }
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

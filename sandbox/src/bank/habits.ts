/**
 * How the bank books and writes, as real banks do it in different ways. By default it gives every
 * entry a reference of its own. Habits survive a restart.
 */
import type { World } from '../world.ts'

export type Habits = {
  /** NONREF stands on every entry: hbci4j/hbci4java, test-camt-parse-05200102.xml. */
  references: 'OWN' | 'NONREF'
  /**
   * A statement gives the entry another reference than its notification did. Assumed: public files
   * mostly agree.
   */
  statement_references: 'SAME' | 'OTHER'
  /** Each notification comes again, as a message and with a reference of its own. Assumed. */
  notifications: 'ONCE' | 'AGAIN'
  /**
   * With each notification an entry in a currency that the account does not have:
   * svapnil/iso20022.js, goldman_sachs/camt_053_us_v2_sample.xml.
   */
  other_currency: boolean
  /**
   * What takes a wire back has `RvslInd` false and a return reason: of moov-io/iso20022 a return
   * by PostFinance, camt054-returns_p_ch5109000000250092291_1110097606_0_2020112500512470.xml.
   */
  reversals: 'MARKED' | 'UNMARKED'
  /** What the bank books of each payment instead of its amount; null: the amount. Assumed. */
  booked_amount: string | null
  /**
   * A file with several payments is one entry of the statement, which shows none of them or the
   * first, and is not notified: viafintech/camt_parser, 053/valid_example_with_batch.xml; moov-io,
   * FI_camt_053_sample.xml.xml.
   */
  batches: 'SINGLE' | 'SUM' | 'FIRST'
  /** What a mismatch of payees is called for the whole file (payee-checks.ts). */
  payee_check_codes: 'ISO' | 'MIXED' | 'MISSPELT'
}

const DEFAULT: Habits = {
  references: 'OWN',
  statement_references: 'SAME',
  notifications: 'ONCE',
  other_currency: false,
  reversals: 'MARKED',
  booked_amount: null,
  batches: 'SINGLE',
  payee_check_codes: 'ISO',
}

export type KeptHabits = {
  get(): Habits
  change(habits: Partial<Habits>): Habits
  /** Back to those by default. */
  drop(): Habits
}

export function openHabits({ db }: World): KeptHabits {
  db.exec('create table if not exists bank_habits (id integer primary key, habits text not null)')
  const select = db.prepare('select habits from bank_habits')
  const upsert = db.prepare('insert or replace into bank_habits (id, habits) values (1, ?)')
  const get = (): Habits => {
    const row = select.get() as { habits: string } | undefined
    return { ...DEFAULT, ...(JSON.parse(row?.habits ?? '{}') as Partial<Habits>) }
  }
  const keep = (habits: Habits): Habits => {
    upsert.run(JSON.stringify(habits))
    return habits
  }
  return {
    get,
    change: (habits) => keep({ ...get(), ...habits }),
    drop: () => keep(DEFAULT),
  }
}

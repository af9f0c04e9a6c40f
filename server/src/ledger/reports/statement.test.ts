/** The statement of an account, against a fold of all bookings of its period. */
import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { decimal, format } from '../../core/decimal.ts'
import { sql, where } from '../../store/sql.ts'
import { bookingChange } from '../lane/books.testing.ts'
import type { StatementLine } from './books.schema.ts'
import { openMovedBooks, START } from './moved-books.testing.ts'
import type { MovedBooks } from './moved-books.testing.ts'
import { statementOf } from './statement.ts'

describe('the statement of an account', () => {
  let books: MovedBooks
  before(async () => {
    books = await openMovedBooks()
  })
  after(() => books.close())

  const period = () => ({ from: books.movements[30]?.at ?? 0, to: books.movements[90]?.at ?? 0 })
  const pathOf = (id: string) => {
    const { from, to } = period()
    return `/bookings/accounts/${id}/statement?from=${from}&to=${to}`
  }
  const readLines = async (path: string) =>
    (await books.api.call<StatementLine[]>('GET', path)).data

  const assertLines = (account: number, asset: string, lines: readonly StatementLine[]) => {
    const { from, to } = period()
    const [opening, closing] = [lines[0], lines.at(-1)]
    assert.deepEqual(
      {
        first: opening?.line,
        opening: opening?.balance,
        last: closing?.line,
        closing: closing?.balance,
      },
      {
        first: 'OPENING',
        opening: format(books.heldBefore(account, from, asset)),
        last: 'CLOSING',
        closing: format(books.heldBefore(account, to, asset)),
      },
    )
    let balance = decimal(opening?.balance ?? '')
    for (const line of lines.slice(1, -1)) {
      const change = decimal(line.debit ?? '0') - decimal(line.credit ?? '0')
      balance += books.accounts[account]?.debit_normal === true ? change : -change
      assert.equal(line.balance, format(balance))
    }
    const movements = books.movements.filter(
      (movement) =>
        movement.asset === asset &&
        movement.at >= from &&
        movement.at < to &&
        (movement.debit === account || movement.credit === account),
    )
    assert.equal(lines.length - 2, movements.length)
  }

  it('leads from its opening to its closing balance, line by line', async () => {
    const { to } = period()
    for (const [index, { id }] of books.accounts.entries()) {
      const lines = await readLines(pathOf(id))
      for (const asset of books.assetsBefore(to, index)) {
        const ofAsset = lines.filter((line) => line.asset === asset)
        assertLines(index, asset, ofAsset)
      }
    }
  })

  it('is the same in pages', async () => {
    for (const { id } of books.accounts) {
      const path = pathOf(id)
      const paged: StatementLine[] = []
      let next: string | undefined = `${path}&limit=5`
      while (next !== undefined) {
        const page: Awaited<ReturnType<typeof books.api.call<StatementLine[]>>> =
          await books.api.call<StatementLine[]>('GET', next)
        paged.push(...page.data)
        next = /^<\/api([^>]+)>; rel="next"$/.exec(String(page.headers['link'] ?? ''))?.[1]
      }
      assert.deepEqual(paged, await readLines(path))
    }
  })

  it('is the same as CSV', async () => {
    for (const { id } of books.accounts) {
      const path = pathOf(id)
      const { text } = await books.api.call('GET', path, { headers: { accept: 'text/csv' } })
      const [names = [], ...rows] = text
        .trimEnd()
        .split('\r\n')
        .map((row) => row.split(','))
      const column = names.indexOf('balance')
      assert.deepEqual(
        rows.map((row) => ({ line: row[0], asset: row[1], balance: row[column] })),
        (await readLines(path)).map(({ line, asset, balance }) => ({ line, asset, balance })),
      )
    }
  })

  it('shows only the assets and the period that it is asked for', async () => {
    const path = `/bookings/accounts/${books.alice}/statement`
    const lines = await readLines(`${path}?assets=BTC`)
    assert.deepEqual([...new Set(lines.map(({ asset }) => asset))], ['BTC'])
    assert.partialDeepStrictEqual(lines[0], { line: 'OPENING', booked_at: START, balance: '0' })
    assert.deepEqual(await readLines(`${path}?from=${START - 500}&to=${START - 400}`), [])
  })

  it('up to now closes with its last line, whatever is booked while it is read', async () => {
    const { db, clock, workspace, lane, house, alice } = books
    const book = (asset: string) =>
      lane.commit(
        bookingChange(
          workspace,
          { from: house, to: alice, quantity: '1', asset },
          { class: 'fact' },
        ),
      )
    const statement = await statementOf({ reader: db, clock, workspace }, alice, {
      assets: ['EUR', 'ETH'],
    })
    const opening = (await statement.head?.()) as StatementLine[]
    await book('ETH')
    const rows = await db.query<never>(
      sql`${statement.select} ${where(statement.conditions)} order by l.booking_sequence`,
    )
    const lines = (await statement.enrich?.(rows)) as StatementLine[]
    await book('EUR')
    const closing = (await statement.tail?.()) as StatementLine[]
    assert.equal(opening.length, 1)
    assert.deepEqual(
      lines.filter((line) => line.asset === 'ETH'),
      [],
    )
    assert.deepEqual(
      closing.map(({ asset, balance }) => ({ asset, balance })),
      [{ asset: 'EUR', balance: lines.at(-1)?.balance }],
    )
  })
})

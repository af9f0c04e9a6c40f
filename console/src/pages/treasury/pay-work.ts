/** What is done with the lines of a file of payments: each is checked, and then ordered. */
import { once } from '../../api/once.ts'
import { refreshAll } from '../../api/query.ts'
import { client } from '../../api/session.ts'
import { t } from '../../language/index.ts'
import { errorText } from '../../parts/states.tsx'
import { doubtOf } from './pay-facts.tsx'
import { beyondTheRest } from './pay-lines.ts'
import type { PayFrom, PayLine } from './pay-lines.ts'

const AT_ONCE = 4

/** A line and what became of it. */
export type Row = PayLine & {
  status: 'wrong' | 'checking' | 'right' | 'ordered'
  words: string
  /** It can be paid, and somebody should look at it before. */
  doubt?: string | undefined
}

export type From = PayFrom & {
  asset: string
  /** An account that may not go below zero. */
  isBounded(account_id: string): boolean
}

export const firstRow = (line: PayLine): Row =>
  line.fault === undefined
    ? { ...line, status: 'checking', words: t('Being checked') }
    : { ...line, status: 'wrong', words: line.fault }

const PAYEES = {
  KNOWN: t('Known payee'),
  NEW_ROUTE: t('Known payee, new route'),
  NEW: t('New payee'),
}

/** By the service, without a trace. */
async function checked(row: Row): Promise<Row> {
  if (row.body === undefined) return row
  try {
    const { client_ref = '' } = row.body
    const before = await client().get('/treasury/payments', { query: { client_ref } })
    if (before.some(({ state }) => state !== 'CANCELED'))
      return {
        ...row,
        status: 'wrong',
        words: t('{{client_ref}} was ordered before', { client_ref }),
      }
    const preview = await client().post('/treasury/payments/preview', { body: row.body })
    const words = [
      PAYEES[preview.payee],
      preview.waits_for_allowlist ? t(', waits for the allow-list') : '',
      preview.waits_for_halt ? t(', waits for the end of a halt') : '',
    ].join('')
    return { ...row, status: 'right', words, doubt: doubtOf(preview, [row.cells['payee'] ?? '']) }
  } catch (thrown) {
    return { ...row, status: 'wrong', words: errorText(thrown).title }
  }
}

export async function checkAll(
  lines: readonly Row[],
  from: From,
  put: (row: Row) => void,
): Promise<void> {
  const results: Row[] = []
  await inTurns(lines, async (row) => {
    const result = await checked(row)
    results.push(result)
    put(result)
  })
  for (const row of await tooMuch(results, from)) put(row)
}

/** Those among the right lines for which the lines above them leave too little. */
async function tooMuch(rows: readonly Row[], { asset, isBounded }: From): Promise<Row[]> {
  const right = rows.filter(({ status }) => status === 'right').toSorted((a, b) => a.line - b.line)
  const accounts = new Set(right.flatMap(({ body }) => body?.account_id ?? []).filter(isBounded))
  const left = [...accounts].map(async (account_id) => {
    const balances = await client().get('/bookings/accounts/{account_id}/balance', {
      params: { account_id },
    })
    return [account_id, balances[asset]?.withdrawing ?? '0'] as const
  })
  return beyondTheRest(right, new Map(await Promise.all(left))).map((row) => ({
    ...row,
    status: 'wrong',
    words: t('With the lines above it, this is more than the account has'),
  }))
}

export async function ordered(row: Row): Promise<Row> {
  const { body, line } = row
  if (body === undefined) return row
  try {
    await once(JSON.stringify(['payment of a file', line, body]), (idempotency_key) =>
      client().post('/treasury/payments', { body, idempotency_key } as { body: typeof body }),
    )
    refreshAll().catch(() => undefined)
    return { ...row, status: 'ordered', words: t('Ordered'), doubt: undefined }
  } catch (thrown) {
    return { ...row, status: 'wrong', words: errorText(thrown, true).title }
  }
}

export async function inTurns<T>(
  items: readonly T[],
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = [...items]
  const worker = async (): Promise<void> => {
    for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item)
  }
  await Promise.all(Array.from({ length: AT_ONCE }, worker))
}

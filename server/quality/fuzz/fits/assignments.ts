/** Assignments, decisions about them, and rectifications. */
import { newId } from '../../../src/core/ids.ts'
import type { Author } from '../author.ts'
import type { JsonRecord } from '../known-records.ts'
import { generousCustomer, known, parameterOf, withdrawalThat } from './fit.ts'
import type { Fits } from './fit.ts'

export const ASSIGNMENTS: Fits = {
  'POST /treasury/deposits/:deposit_id/rectifications': (body, author) =>
    rectification(body, author, 'deposit_id'),
  'POST /treasury/withdrawals/:withdrawal_id/rectifications': (body, author) =>
    rectification(body, author, 'withdrawal_id'),
  'PATCH /treasury/deposits/:deposit_id/assignments': (body, author) =>
    decision(body, author, 'deposit_id'),
  'PATCH /treasury/withdrawals/:withdrawal_id/assignments': (body, author) =>
    decision(body, author, 'withdrawal_id'),
  'POST /treasury/withdrawals/:withdrawal_id/assignments': (body, author) => {
    someAssignment(body, author)
    for (const item of body as unknown as JsonRecord[]) item['third_party'] = true
    const outside = new Set(
      (author.own.records.get('wallet_id') ?? [])
        .filter((record) => record['venue_id'] === null)
        .map((record) => record['id']),
    )
    return withdrawalThat(
      author,
      (record) =>
        record['account_id'] === null &&
        (record['origin'] === 'EXTERNAL' || outside.has(record['to_wallet_id'])) &&
        ['PENDING', 'SUCCESS'].includes(String(record['state'])),
    )
  },
  'POST /treasury/deposits/:deposit_id/assignments': (body, author) => {
    someAssignment(body, author)
    const open = (record: JsonRecord) => record['state'] === 'UNASSIGNED'
    return parameterOf('deposit_id', author.own.newest('deposit_id', open)?.['id'])
  },
}

function decision(
  body: JsonRecord,
  author: Author,
  of: string,
): Record<string, string> | undefined {
  // What is still under way is not decided.
  const underway = new Set(
    (author.own.records.get(of) ?? [])
      .filter((record) => record['state'] === 'PENDING')
      .map((record) => record['id']),
  )
  const assignment = author.own.records
    .get('assignment_id')
    ?.findLast(
      (record) =>
        typeof record[of] === 'string' &&
        record['status'] === 'PENDING' &&
        !underway.has(record[of]),
    )
  if (assignment === undefined) return undefined
  body['id'] = assignment['id']
  return { [of]: String(assignment[of]) }
}

function rectification(
  body: JsonRecord,
  author: Author,
  of: string,
): Record<string, string> | undefined {
  const assignment = known(
    author,
    'assignment_id',
    (record) => typeof record[of] === 'string' && record['status'] === 'SUCCESSFUL',
  )
  if (assignment === undefined) return undefined
  const account_id = generousCustomer(author)?.['account_id'] ?? newId()
  const third_party = of === 'withdrawal_id' ? { third_party: true } : {}
  Object.assign(body, {
    reason: 'WRONG_ACCOUNT',
    origins: [assignment['id']],
    targets: [{ quantity: assignment['quantity'], account_id, ...third_party }],
  })
  return { [of]: String(assignment[of]) }
}

function someAssignment(body: JsonRecord, author: Author): void {
  const items = body as unknown as JsonRecord[]
  items.splice(0, items.length, {
    quantity: '0.01',
    account_id: generousCustomer(author)?.['account_id'] ?? newId(),
  })
}

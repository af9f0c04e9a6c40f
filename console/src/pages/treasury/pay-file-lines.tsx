/** The lines of a file of payments: what became of each, and which are not paid. */
import type { ReactNode } from 'react'
import { t } from '../../language/index.ts'
import { Rows } from '../../list/grid.tsx'
import { Amount, Name } from '../../parts/values.tsx'
import type { Row } from './pay-work.ts'
import './treasury.css'

/** Which lines are not paid, and which are to be looked at, of a file that may be long. */
export function Summary({ rows }: { rows: readonly Row[] }): ReactNode {
  const wrong = rows.filter(({ status }) => status === 'wrong')
  const doubtful = rows.filter(({ doubt }) => doubt !== undefined)
  const numbers = (of: readonly Row[]): string => of.map(({ line }) => line).join(', ')
  return (
    <div role="note" className="pay-lines">
      {wrong.length > 0 && (
        <p className="line-wrong">
          {t(wrong.length === 1 ? 'Not paid: line {{lines}}' : 'Not paid: lines {{lines}}', {
            lines: numbers(wrong),
          })}
        </p>
      )}
      {doubtful.length > 0 && (
        <p className="line-doubt">
          {t(
            doubtful.length === 1
              ? 'Look at this first: line {{lines}}'
              : 'Look at these first: lines {{lines}}',
            { lines: numbers(doubtful) },
          )}
        </p>
      )}
    </div>
  )
}

function Result({ status, words, doubt }: Row): ReactNode {
  const icons = { wrong: '✕', right: '✓', ordered: '✓', checking: '…' } as const
  return (
    <span className={`line-${status}`}>
      <span aria-hidden>{doubt === undefined ? icons[status] : '!'}</span> {words}
      {doubt !== undefined && <span className="line-doubt">. {doubt}</span>}
    </span>
  )
}

export function Lines({ rows, asset }: { rows: readonly Row[]; asset: string }): ReactNode {
  return (
    <Rows
      label={t('Payments of the file')}
      rows={rows}
      keyOf={(row) => String(row.line)}
      columns={[
        { key: 'line', title: t('Line'), kind: 'number', width: 60 },
        {
          key: 'amount',
          title: t('Amount'),
          kind: 'amount',
          width: 150,
          render: ({ body, cells }) =>
            body === undefined ? cells['amount'] : <Amount value={body.quantity} asset={asset} />,
        },
        { key: 'payee', title: t('Payee'), value: ({ cells }) => cells['payee'], width: 170 },
        { key: 'address', title: t('Address'), value: ({ cells }) => cells['address'], width: 230 },
        {
          key: 'account',
          title: t('Pays'),
          render: ({ body, cells }) =>
            body?.account_id === undefined ? (
              cells['account']
            ) : (
              <Name of="account" id={body.account_id} />
            ),
          width: 190,
        },
        { key: 'reference', title: t('Reference'), value: ({ cells }) => cells['reference'] },
        {
          key: 'send_at',
          title: t('Send'),
          value: ({ cells }) => cells['send_at'] || t('At once'),
        },
        {
          key: 'words',
          title: t('Result'),
          width: 300,
          render: (row) => <Result {...row} />,
        },
      ]}
    />
  )
}

/**
 * A list as a file: what is shown, for people, and beside it the answer of the service, for
 * programs. Both have all rows that match the filters.
 */
import type { ListPath } from '@kontor/client'
import type { ReactNode } from 'react'
import { useNameReader } from '../api/names.ts'
import { client } from '../api/session.ts'
import { t } from '../language/index.ts'
import { saveBlob, saveCsv } from '../parts/files.ts'
import { SaveButton } from '../parts/save-button.tsx'
import type { Column, NameOf } from './columns.tsx'
import { namesIn, shownCsv } from './shown-csv.ts'

type List = { path: ListPath; params: object | undefined; query: object }
type Shown<Row> = {
  columns: readonly Column<Row>[]
  rows: readonly Row[]
  /** These are all rows. */
  complete: boolean
  sorted(rows: readonly Row[]): readonly Row[]
}

const PAGE_ROWS = '5000'
/** So that spreadsheets read it as UTF-8. */
const MARK = '\uFEFF'

async function allRows<Row>({ path, params, query }: List): Promise<Row[]> {
  const rows: Row[] = []
  const pages = client().pages as unknown as (
    path: string,
    request: object,
  ) => AsyncGenerator<Row[]>
  for await (const page of pages(path, { params, query: { ...query, limit: PAGE_ROWS } }))
    rows.push(...page)
  return rows
}

/** Answers what writes these rows as they are shown. */
function useShownCsv<Row>(): (
  columns: readonly Column<Row>[],
  rows: readonly Row[],
  name: string,
) => Promise<void> {
  const readNames = useNameReader()
  return async (columns, rows, name) => {
    const kinds = namesIn(columns)
    const names = new Map(
      await Promise.all(kinds.map(async (kind) => [kind, await readNames(kind)] as const)),
    )
    const nameOf: NameOf = (kind, id) => names.get(kind)?.get(id) ?? id
    const [head = '', ...lines] = shownCsv(columns, rows, nameOf)
    saveCsv(name, [`${MARK}${head}`, ...lines])
  }
}

type RowsProps<Row> = { columns: readonly Column<Row>[]; rows: readonly Row[]; name: string }

/** These rows as they are shown. */
export function RowsCsv<Row>({
  columns,
  rows,
  name,
  label,
  title,
}: RowsProps<Row> & { label: string; title: string }): ReactNode {
  const save = useShownCsv<Row>()
  return <SaveButton label={label} title={title} save={() => save(columns, rows, name)} />
}

/** The rows that are chosen. */
export const ChosenCsv = <Row,>({ name, ...of }: RowsProps<Row>): ReactNode => (
  <RowsCsv
    {...of}
    name={t('{{name}} chosen', { name })}
    label={t('Save as CSV')}
    title={t('Download the chosen rows as they are shown, with names and local times')}
  />
)

export function CsvButtons<Row>({
  list,
  shown,
  name,
}: {
  list: List
  shown: Shown<Row>
  name: string
}): ReactNode {
  const save = useShownCsv<Row>()
  const saveShown = async (): Promise<void> => {
    const { columns, complete, rows, sorted } = shown
    await save(columns, complete ? rows : sorted(await allRows<Row>(list)), name)
  }
  const saveRaw = async (): Promise<void> => {
    const { path, ...request } = list
    const open = client().open as (path: string, request: object) => Promise<Response>
    const response = await open(path, { ...request, accept: 'text/csv' })
    saveBlob(t('{{name}} raw', { name }), 'csv', await response.blob())
  }
  return (
    <>
      <SaveButton
        label="CSV"
        title={t(
          'Download what is shown: all rows that match the filters, with names and local times',
        )}
        save={saveShown}
      />
      <SaveButton
        label={t('Raw CSV')}
        title={t('Download all rows that match the filters as the API has them, for programs')}
        save={saveRaw}
      />
    </>
  )
}

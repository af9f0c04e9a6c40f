/** Quotes that somebody took are kept for good, in a table of their own. */
import type { ExecutionId } from '../../core/ids.ts'
import { join, raw, sql } from '../../store/sql.ts'
import type { Query } from '../../store/sql.ts'
import { QUOTES } from './quotes.ts'
import type { StoredQuote } from './quotes.ts'

const COLUMNS = [...QUOTES.columns.keys()]

/**
 * Copies a quote that a guard of the same change has moved to ACCEPTED, and says what took it. The
 * row it was stays where it is until its partition is dropped, so that nobody takes it again.
 */
export const keepTakenQuote = (
  { workspace, id }: Pick<StoredQuote, 'workspace' | 'id'>,
  execution_id: ExecutionId,
): Query => sql`
  insert into taken_quotes (${raw(COLUMNS.join(', '))})
  select ${join(
    COLUMNS.map((column) => (column === 'execution_id' ? sql`${execution_id}::uuid` : raw(column))),
    ', ',
  )}
  from quotes
  where workspace = ${workspace}
    and id = ${id}`

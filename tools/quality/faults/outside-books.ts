/** The sandbox's own books. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'

/** `dir` is the sandbox's folder. */
export function readBooks<Row>(dir: string, query: string, values: readonly string[] = []): Row[] {
  const books = new DatabaseSync(join(dir, 'world.sqlite'), { readOnly: true })
  try {
    return books.prepare(query).all(...values) as Row[]
  } finally {
    books.close()
  }
}

import type { Db, Tx } from './db.ts'

/**
 * What takes a `Db`, inside a transaction that is open already: it is committed with it, or not at
 * all.
 */
export function insideOf(tx: Tx): Db {
  const only = (): never => {
    throw new Error('inside a transaction there is one connection')
  }
  return {
    query: (query) => tx.query(query),
    hint(hint) {
      tx.hint(hint)
    },
    tx: (work) => work(tx),
    connect: only,
    close: only,
  }
}

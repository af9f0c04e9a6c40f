/** Every change of a declaration, the newest first. */
import type { ReactNode } from 'react'
import { useGet } from '../../api/query.ts'
import { differences } from './declaration-value.tsx'
import { MOST_CHANGES, TwoHandsHistory } from './two-hands.tsx'

export function DeclarationHistory({ of }: { of: string }): ReactNode {
  const read = useGet('/declarations/{key}/history', {
    params: { key: of },
    query: { limit: MOST_CHANGES },
  })
  return <TwoHandsHistory read={read} show={differences} />
}

/** Links from one record to another. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { PAGES } from '../pages/index.ts'

type Target = { kind: string; id: string }

/** The address of the record, or of its parent; undefined where no page shows either. */
export function placeOf(kind: string, id: string, parent?: Target | null): string | undefined {
  const page = PAGES.find((page) => page.kind === kind)
  if (page !== undefined) return `${page.path}/${id}`
  return parent === undefined || parent === null ? undefined : placeOf(parent.kind, parent.id)
}

/** Plain text where there is no page to lead to. */
export function RecordLink({
  to,
  children,
}: {
  to: Target | undefined
  children: ReactNode
}): ReactNode {
  const place = to === undefined ? undefined : placeOf(to.kind, to.id)
  return place === undefined ? (
    children
  ) : (
    <Link to={place} className="record-link">
      {children}
    </Link>
  )
}

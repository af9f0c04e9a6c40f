/** Ways from one record to another. */
import type { ReactNode } from 'react'
import { Link } from 'react-router'
import { placeOf } from '../frame/places.ts'

/** Plain text where there is no page to lead to. */
export function RecordLink({
  to,
  children,
}: {
  to: { kind: string; id: string } | undefined
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

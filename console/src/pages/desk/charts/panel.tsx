/** What the panels of the page have in common: a title, and what stands in for a plot. */
import type { ReactNode } from 'react'
import { Failure, Loading } from '../../../parts/states.tsx'

export function Panel({
  title,
  choices,
  reading: { data, error, refetch },
  children,
}: {
  title: string
  choices?: ReactNode
  reading: { data: unknown; error: Error | null; refetch(): unknown }
  children: ReactNode
}): ReactNode {
  return (
    <section className="panel" aria-label={title}>
      <header className="panel-head">
        <h2>{title}</h2>
        <span className="space" />
        {choices}
      </header>
      {error !== null && <Failure error={error} again={refetch} />}
      {error === null && data === undefined && <Loading />}
      {error === null && data !== undefined && children}
    </section>
  )
}

/** What the words of the desk mean, ten lines each; everybody has this page. */
import { useEffect } from 'react'
import type { ReactNode } from 'react'
import { useLocation } from 'react-router'
import { t } from '../language/index.ts'
import { HELP } from '../parts/help.ts'

export function Page(): ReactNode {
  const { hash } = useLocation()
  useEffect(() => {
    document.getElementById(hash.slice(1))?.scrollIntoView()
  }, [hash])
  return (
    <section className="page help" aria-label={t('Help')}>
      <header className="page-head">
        <h1>{t('Help')}</h1>
      </header>
      {HELP.map(({ key, title, says, lines }) => (
        <section key={key} className="panel" aria-label={title} id={key}>
          <header>
            <h2>{title}</h2>
          </header>
          <p>{says}</p>
          <ol>
            {lines.map((line) => (
              <li key={line}>{line}</li>
            ))}
          </ol>
        </section>
      ))}
    </section>
  )
}

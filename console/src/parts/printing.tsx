/** What a page does on paper: print.css says how it looks. */
import { useEffect, useState } from 'react'
import type { ReactNode } from 'react'
import { flushSync } from 'react-dom'
import { useMe } from '../api/query.ts'
import { t } from '../language/index.ts'
import { zoneName } from './periods.ts'
import { localTime } from './local-time.ts'
import './print.css'

/** Since when the page is being printed; undefined while it is not. */
export function usePrinting(): number | undefined {
  const [since, setSince] = useState<number>()
  useEffect(() => {
    // The browser takes the page as it is when this returns.
    const begin = (): void => {
      flushSync(() => {
        setSince(Date.now())
      })
    }
    const end = (): void => {
      setSince(undefined)
    }
    window.addEventListener('beforeprint', begin)
    window.addEventListener('afterprint', end)
    return () => {
      window.removeEventListener('beforeprint', begin)
      window.removeEventListener('afterprint', end)
    }
  }, [])
  return since
}

/** The head of what is printed: whose it is, who printed it and when. */
export function PrintHead({ children }: { children?: ReactNode }): ReactNode {
  const since = usePrinting()
  const me = useMe()
  if (since === undefined) return null
  return (
    <div className="print-only print-head">
      {t('{{workspace}} · printed {{at}} ({{zone}}) by {{who}}', {
        workspace: me?.workspace.brand.name ?? me?.workspace.name,
        at: localTime(since),
        zone: zoneName(),
        who: me?.user.name ?? me?.user.email,
      })}
      {children}
    </div>
  )
}
